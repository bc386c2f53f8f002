"""`mirrord extension`: let Pi load the extension in every session, also in those started without `mirrord pi`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click


@click.group(
    "extension",
    epilog="""\b
Examples:
  mirrord extension install      from now on; type /reload in a Pi that runs already
  mirrord extension status
  pi -e "$(mirrord extension path)"
""",
)
def command() -> None:
    """Put mirrord's extension into Pi's settings, or take it out.

    Pi's settings are settings.json in $PI_CODING_AGENT_DIR, or else in ~/.pi/agent. Nothing else in the file is changed.
    """


@command.command("install", epilog="\b\nExamples:\n  mirrord extension install\n")
def install() -> None:
    """Load the extension in every Pi session from now on."""
    from bridge import pi_settings
    from bridge.extension_files import refresh
    from bridge.paths import paths_here

    settings, data_dir = settings_of(os.environ), paths_here().data_dir
    if pi_settings.install(settings, refresh(data_dir), data_dir):
        click.echo(f"Added to {settings}. Type /reload in a Pi that runs already.")
    else:
        click.echo(f"{settings} has it already.")


@command.command("uninstall", epilog="\b\nExamples:\n  mirrord extension uninstall\n")
def uninstall() -> None:
    """Take the extension out of Pi's settings."""
    from bridge import pi_settings
    from bridge.extension_files import entry_of
    from bridge.paths import paths_here

    settings, data_dir = settings_of(os.environ), paths_here().data_dir
    if pi_settings.uninstall(settings, entry_of(data_dir), data_dir):
        click.echo(f"Removed from {settings}. A Pi that runs already is mirrored until /reload.")
    else:
        click.echo(f"{settings} does not have it.")


@command.command("path", epilog='\b\nExamples:\n  pi -e "$(mirrord extension path)"\n')
def path() -> None:
    """Print the file that Pi loads, after bringing it up to date."""
    from bridge.extension_files import refresh
    from bridge.paths import paths_here

    click.echo(refresh(paths_here().data_dir))


@command.command("status", epilog="\b\nExamples:\n  mirrord extension status\n")
def status() -> None:
    """Say whether Pi's settings load the extension."""
    from bridge import pi_settings
    from bridge.extension_files import entry_of
    from bridge.paths import paths_here

    settings, data_dir = settings_of(os.environ), paths_here().data_dir
    entry = entry_of(data_dir)
    words = {
        pi_settings.Entry.INSTALLED: f"installed: {settings} loads {entry}",
        pi_settings.Entry.OUTDATED: f"outdated: {settings} loads a file of an older mirrord; run `mirrord extension install`",
        pi_settings.Entry.ABSENT: f"not installed: {settings} does not load it; only `mirrord pi` does",
    }
    click.echo(words[pi_settings.status(settings, entry, data_dir)])


def settings_of(env: Mapping[str, str]) -> Path:
    """Pi's settings file for this environment."""
    from bridge.pi_settings import settings_path

    return settings_path(env, Path(env.get("HOME") or Path.home()))
