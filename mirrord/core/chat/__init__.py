"""The conversation of each session: what is kept of it, who follows it, and what clients send.

events.py        what happens to it
commands.py      what it asks for
timeline.py      its newest rows in order
conversation.py  rows, queue and state of one session, and what changed of them
changes.py       changes as patches, and the patches between two states
streams.py       who follows which conversation, and what each is sent when
fragments.py     events that are too long for a frame
turns.py         what clients submit, and its receipts
actions.py       what clients want done
stopping.py      turns that were stopped and go on
status.py        what a session does
desk.py          all of it behind one door, for the core
"""
