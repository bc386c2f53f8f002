"""What a client is sent instead of something it must understand natively, or may not see (the contract's "Compatibility levels").

A client without `prompt-native` gets a prompt as plain widget lines that say where to answer, and their clear when it is settled. One
without `surface-native` gets widgets by their lines, and header, footer and views as widgets. One without `osc8-links` gets no links in
spans. An observer gets nothing of a view that may show what somebody types, but that it is there.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from mirrord.core.model import Client
from mirrord.wire.capabilities import OSC8_LINKS, PROMPT_NATIVE, SURFACE_NATIVE
from mirrord.wire.messages import (
    ExtensionUINotification,
    ExtensionUIRequest,
    ExtensionUISettled,
    ServerMessage,
    Snapshot,
)
from mirrord.wire.roles import Role
from mirrord.wire.surfaces import Block, CustomView, Placement, Surface, TextSpan

FALLBACK_OPTIONS = 20
"""Options listed in the text form of a prompt: it is read, not chosen from."""

TYPING = "Somebody may be typing here; this device may not look."
"""The text form of a view that an observer gets nothing of."""


def project(message: ServerMessage, client: Client) -> tuple[ServerMessage, ...]:
    """The messages that this client gets for `message`, by its role and the capabilities it claimed."""
    if isinstance(message, ExtensionUINotification):
        return (_notification(message, client),)
    native = PROMPT_NATIVE in client.capabilities
    match message:
        case Snapshot():
            shown = _snapshot(message, client)
            return (shown,) if native else (replace(shown, prompts=()), *(_as_widget(prompt) for prompt in shown.prompts))
        case ExtensionUIRequest() if not native:
            return (_as_widget(message),)
        case ExtensionUISettled() if not native:
            return (_clear(message), message)
        case _:
            return (message,)


# ---- prompts ---------------------------------------------------------------------------------------------------------


def _widget_key(prompt_id: str) -> str:
    return f"prompt:{prompt_id}"


def _as_widget(prompt: ExtensionUIRequest) -> ExtensionUINotification:
    lines = [f"Pi asks: {prompt.title}"]
    if prompt.message:
        lines += prompt.message.split("\n")
    options = prompt.options or ()
    lines += [f"{place}. {option}" for place, option in enumerate(options[:FALLBACK_OPTIONS], start=1)]
    hidden = (prompt.option_count or len(options)) - min(len(options), FALLBACK_OPTIONS)
    if hidden > 0:
        lines.append(f"… and {hidden} more")
    lines.append("Answer at the terminal.")
    return ExtensionUINotification(
        session_id=prompt.session_id,
        method="setWidget",
        widget_key=_widget_key(prompt.id),
        widget_lines=tuple(lines),
        widget_placement="aboveEditor",
        cursor=prompt.cursor,
    )


def _clear(settled: ExtensionUISettled) -> ExtensionUINotification:
    return ExtensionUINotification(session_id=settled.session_id, method="setWidget", widget_key=_widget_key(settled.id))


# ---- surfaces --------------------------------------------------------------------------------------------------------


def _region_key(name: str) -> str:
    return f"region:{name}"


def _view_key(prompt_id: str) -> str:
    return f"view:{prompt_id}"


def _notification(message: ExtensionUINotification, client: Client) -> ExtensionUINotification:
    if SURFACE_NATIVE not in client.capabilities:
        return _text_only(message)
    return message if OSC8_LINKS in client.capabilities else _without_links(message)


def _text_only(message: ExtensionUINotification) -> ExtensionUINotification:
    match message.method:
        case "setWidget" if message.native_surface is not None:
            return replace(message, native_surface=None)
        case "setHeader":
            return _moved(message, _region_key("header"), "aboveEditor")
        case "setFooter":
            return _moved(message, _region_key("footer"), "belowEditor")
        case "setCustomView":
            lines = (TYPING,) if message.typing and message.widget_lines is None else message.widget_lines
            return _moved(replace(message, widget_lines=lines), _view_key(message.request_id or ""), "aboveEditor")
        case _:
            return message


def _moved(message: ExtensionUINotification, key: str, placement: Placement) -> ExtensionUINotification:
    """What belongs elsewhere, as a widget of its text."""
    return ExtensionUINotification(
        session_id=message.session_id,
        method="setWidget",
        widget_key=key,
        widget_placement=placement,
        widget_lines=message.widget_lines,
        source=message.source,
        truncated=message.truncated,
        cursor=message.cursor,
    )


def _snapshot(snapshot: Snapshot, client: Client) -> Snapshot:
    views = snapshot.views
    if client.role < Role.CONTROLLER:
        views = tuple(CustomView(view.request_id, view.overlay, True, source=view.source) if view.typing else view for view in views)
    if SURFACE_NATIVE not in client.capabilities:
        surfaces = [replace(surface, native_surface=None) for surface in snapshot.surfaces]
        for region in filter(None, (snapshot.header, snapshot.footer)):
            surfaces.append(replace(region, key=_region_key(region.key), native_surface=None))
        surfaces += [
            Surface(
                _view_key(view.request_id),
                "aboveEditor",
                (TYPING,) if view.typing and not view.widget_lines else view.widget_lines,
                source=view.source,
                truncated=view.truncated,
            )
            for view in views
        ]
        return replace(snapshot, surfaces=tuple(surfaces), header=None, footer=None, views=())
    if OSC8_LINKS in client.capabilities:
        return replace(snapshot, views=views) if views is not snapshot.views else snapshot
    return replace(
        snapshot,
        surfaces=tuple(_without_links(surface) for surface in snapshot.surfaces),
        header=_without_links(snapshot.header) if snapshot.header is not None else None,
        footer=_without_links(snapshot.footer) if snapshot.footer is not None else None,
        views=tuple(_without_links(view) for view in views),
    )


_Holder = TypeVar("_Holder", ExtensionUINotification, Surface, CustomView)


def _without_links(holder: _Holder) -> _Holder:
    """What has a native surface, without the links of its spans; rows keep theirs, which are no text's."""
    native = holder.native_surface
    if native is None:
        return holder
    return replace(holder, native_surface=replace(native, blocks=tuple(_unlinked(block) for block in native.blocks)))


def _unlinked(block: Block) -> Block:
    return replace(
        block,
        spans=_plain(block.spans) if block.spans is not None else None,
        lines=tuple(_plain(line) for line in block.lines) if block.lines is not None else None,
        blocks=tuple(_unlinked(inner) for inner in block.blocks) if block.blocks is not None else None,
    )


def _plain(spans: tuple[TextSpan, ...]) -> tuple[TextSpan, ...]:
    return tuple(TextSpan(span.text, span.role, span.traits) if span.link is not None else span for span in spans)
