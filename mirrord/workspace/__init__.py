"""The folder that a session works in: which branch is checked out, and how much of it differs from the last commit.

A repository can name programs that Git runs. So Git is asked only where Pi trusts the project, and in a way that runs none of them; the
branch is read from files. Nothing here writes.

repository.py  where the repository is and what its files say
git.py         Git, with everything switched off that a repository could switch on
look.py        both together
schedule.py    when it is worth a look; pure
watch.py       looks at what the core wants looked at
"""

from mirrord.workspace.watch import Place, Workspaces

__all__ = ["Place", "Workspaces"]
