"""What leaves this package for a line of terminal text: spans of one look each, as the contract's section "Text spans" has them."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

Role = Literal["primary", "secondary", "muted", "accent", "success", "warning", "danger", "code"]
"""What a colour means; the client has its own colours for them."""

Trait = Literal["bold", "italic", "monospaced", "strikethrough", "underline"]

ROLES: Final[tuple[Role, ...]] = get_args(Role)
TRAITS: Final[tuple[Trait, ...]] = get_args(Trait)


class Span(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A run of text with one look. `text` is never empty; `traits` are in the order of TRAITS; `link` is safe to follow."""

    text: str
    role: Role
    traits: tuple[Trait, ...] = ()
    link: str | None = None


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a terminal, top to bottom. Neighbouring spans differ in more than their text.

    `caret` counts the code points of the line's text before the place where Pi marked its cursor; None when it marked none here.
    """

    spans: tuple[Span, ...] = ()
    caret: int | None = None

    @property
    def text(self) -> str:
        """What a reader sees."""
        return "".join(span.text for span in self.spans)


EMPTY: Final = Line()
