"""`mirrord config`: which settings there are, what each is and why, and whether the file is right."""

from __future__ import annotations

import click


@click.group(
    "config",
    epilog="""\b
Examples:
  mirrord config show --origin     every setting, and where its value is from
  mirrord config check             is config.toml right?
  mirrord config path
""",
)
def command() -> None:
    """Show the settings, and check the file that they are in.

    A flag counts before the environment, that before the file, and that before the default. No file is needed.
    """


@command.command(
    "show",
    epilog="""\b
Examples:
  mirrord config show
  mirrord config show --origin
  mirrord config show --json
""",
)
@click.option("--origin", is_flag=True, help="Say of each setting where its value is from.")
@click.option("--json", "as_json", is_flag=True, help="Print key, value, source, where and doc of each as one JSON object.")
def show(origin: bool, as_json: bool) -> int:
    """Print every setting and its value.

    What is wrong in the file or the environment is said on stderr; the exit status is 1 then.
    """
    import json
    import os

    from bridge.paths import paths_here
    from mirrord.cli.config_table import as_object, table
    from mirrord.config import read_config

    config = read_config(paths_here().config_file, os.environ)
    click.echo(json.dumps(as_object(config), ensure_ascii=False) if as_json else "\n".join(table(config, origin=origin)))
    for problem in config.problems:
        click.echo(f"mirrord: {problem.sentence}", err=True)
    return 1 if config.problems else 0


@command.command("path", epilog='\b\nExamples:\n  mirrord config path\n  $EDITOR "$(mirrord config path)"\n')
def path() -> None:
    """Print where the file is, or would be."""
    from bridge.paths import paths_here

    click.echo(paths_here().config_file)


@command.command("check", epilog="\b\nExamples:\n  mirrord config check\n")
def check() -> int:
    """Say whether the file and the environment are right.

    The exit status is 1 when something is wrong: a name that is no setting, or a value of another kind.
    """
    import os

    from bridge.paths import paths_here
    from mirrord.config import EXTENSION_KEYS, read_config

    config = read_config(paths_here().config_file, os.environ)
    for problem in config.problems:
        click.echo(f"mirrord: {problem.sentence}", err=True)
    if not config.usable or any(problem.key in EXTENSION_KEYS for problem in config.problems):
        click.echo("mirrord: until this is mended, every session stays private", err=True)
    if config.problems:
        return 1
    click.echo(f"{config.file} is right." if config.file.exists() else f"There is no {config.file}; every setting has its default.")
    return 0
