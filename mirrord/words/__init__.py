"""What a person reads in a terminal, whichever command says it: colours, columns, durations, what a capability means. Pure."""
