"""The terminal that `mirrord pi` runs Pi in: three processes of ours, so that whichever dies, the person's terminal is given back.

`docs/terminal.md` explains the tree and what each part promises.
"""
