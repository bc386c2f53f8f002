"""`make bench`: what we promise about speed and memory, measured beside a peer in the same run. docs/bench.md explains each row."""
