"""Words of the command line that are text. A shell passes any bytes, and what is no UTF-8 cannot be sent, stored or shown."""

from __future__ import annotations

from typing import Final

import click


class _Text(click.types.StringParamType):
    """What is no UTF-8 is a mistake of the command line. A path is none of these: it may have any bytes, and says so by `click.Path`."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text. Raises BadParameter."""
        text: str = super().convert(value, param, ctx)
        try:
            text.encode()
        except UnicodeEncodeError:
            # Python keeps such bytes as halves of characters.
            self.fail("it is no UTF-8 text.", param, ctx)
        return text


_TEXT: Final = _Text()


def takes_text(command: click.Command) -> None:
    """Every word for which this command, or one below it, names no type is text."""
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.type = _TEXT
    if isinstance(command, click.Group):
        for below in command.commands.values():
            takes_text(below)
