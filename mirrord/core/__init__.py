"""Pure state machines: events in, commands out, time is a field of the event. No I/O, no clock, no bridge types."""
