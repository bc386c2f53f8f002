"""`mirrord demo`: see it work, without an account."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


@click.command(
    "demo",
    epilog="""\b
Examples:
  mirrord demo                     Pi in this terminal; a line to attach from another one
  mirrord demo --headless          both sides are played and explained
  mirrord demo --headless --json   the same, as one JSON object a step
""",
)
@click.option("--headless", is_flag=True, help="Play both sides, tell what happens, and exit 0 only if all of it did.")
@click.option("--json", "as_json", is_flag=True, help="With --headless: one object a step {step, method, winner, outcome, ms}.")
@click.option("--pi", "named", type=click.Path(), metavar="PATH", help="Pi's program. Default: $MIRRORD_PI, else `pi` on PATH.")
def command(headless: bool, as_json: bool, named: str | None) -> int:
    """Try mirrord with the real Pi and a scripted model.

    Pi runs in a private world of temporary folders: none of your settings, sessions or accounts is read or changed.
    """
    import anyio

    from mirrord.pi_program import check_node, find_pi

    if as_json and not headless:
        raise click.UsageError("--json goes with --headless.")
    if not headless and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("Pi needs a terminal; without one use --headless.")
    pi = find_pi(named, os.environ)
    check_node(pi, os.environ)
    return anyio.run(_run, pi, headless, as_json)


async def _run(pi: Path, headless: bool, as_json: bool) -> int:
    from mirrord.cli.signals import until_signal
    from mirrord.demo.interactive import run_here

    if headless:
        return await until_signal(lambda: _play(pi, as_json))
    return await until_signal(lambda: run_here(pi, click.echo, sys.stdin.fileno()))


async def _play(pi: Path, as_json: bool) -> int:
    from mirrord.demo.play import DemoFailed, play
    from mirrord.demo.report import Objects, Story
    from mirrord.demo.stage import stage
    from mirrord.demo.terminal import framed

    try:
        async with stage(pi) as here:
            await play(here, (Objects if as_json else Story)(click.echo))
    except DemoFailed as failed:
        click.echo(f"The terminal showed:\n{framed(failed.screen)}", err=True)
        raise
    return 0
