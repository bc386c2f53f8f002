"""How a browser or program becomes a device, and how a device gets a token; docs/pairing.md is the specification.

code.py     the short code that a person carries from one screen to the other; pure
offers.py   the one code that is good now and those that were; pure, time is an argument
tokens.py   the tokens that are good now; pure, time is an argument
desk.py     these with the store, the clock and the cryptography
"""
