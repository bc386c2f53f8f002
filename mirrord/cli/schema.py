"""`mirrord schema`: what travels on the wires, as JSON Schema."""

from __future__ import annotations

import click

DIRECTIONS = ("client", "server", "pair", "bridge")


@click.command(
    "schema",
    epilog="""\b
Examples:
  mirrord schema                         the client protocol, pairing, the bridge
  mirrord schema --direction server      what a client receives
""",
)
@click.option(
    "--direction",
    type=click.Choice(DIRECTIONS),
    help="client: what clients send; server: what they receive; pair: both of it while pairing; bridge: Pi's extension.",
)
def command(direction: str | None) -> int:
    """Print the messages as JSON Schema (2020-12)."""
    from mirrord.cli.schema_documents import document, rendered

    chosen = (direction,) if direction else DIRECTIONS
    documents = {each: document(each) for each in chosen}
    click.echo(rendered(documents[direction] if direction else documents), nl=False)
    return 0
