"""Tests of the client protocol's structs and of the page that describes them."""
