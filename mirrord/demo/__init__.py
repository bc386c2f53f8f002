"""`mirrord demo`: the real Pi with a scripted model, in a private world that is gone afterwards."""
