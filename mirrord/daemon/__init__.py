"""The running daemon: what joins the edges with the core. Here are the tasks, clocks and sockets; what is decided is decided in `core`."""
