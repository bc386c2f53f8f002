"""`mirrord doctor`: facts of this machine (`gather`), judgements over them (`checks`), rows for people. Changes nothing."""
