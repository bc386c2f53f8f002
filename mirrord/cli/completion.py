"""`mirrord completion`: what a shell has to know to complete our command line."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command(
    "completion",
    epilog="""\b
Examples:
  eval "$(mirrord completion bash)"                  in ~/.bashrc
  eval "$(mirrord completion zsh)"                   in ~/.zshrc, below compinit
  mirrord completion fish > ~/.config/fish/completions/mirrord.fish
""",
)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print what makes a shell complete verbs, options, sessions and devices.

    Bash has to be 4.4 or newer.
    """
    from click.shell_completion import get_completion_class

    from mirrord.cli import cli

    kind = get_completion_class(shell)
    assert kind is not None, "click knows every shell of SHELLS"
    # The variable is the one that click looks for when a program of this name starts.
    click.echo(kind(cli, {}, "mirrord", "_MIRRORD_COMPLETE").source())
