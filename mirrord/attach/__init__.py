"""The text client: what `mirrord attach` shows and what is typed there means. It knows of the daemon what the wire says."""
