"""What a recording does with each field of each struct that the daemon sends: one table.

A struct or a field without a row cannot be recorded, and a test fails for it.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from mirrord.wire import attention, chat, extension_ui, messages, parts, surfaces
from sanitize import spans

Rule = Literal["kept", "shown", "conversation", "typed", "personal", "left_out"]
"""`kept`: the protocol's own words, ids and numbers. `shown`: what extensions show to everybody, kept too. `conversation`: kept if that was
asked for. `typed`: what a person typed or may edit, never kept. `personal`: names of devices, of the machine, of folders, never kept.
`left_out`: what would tell of one of the others by its presence or size."""

Rules = dict[str, Rule]


def _all(rule: Rule, *names: str) -> Rules:
    return dict.fromkeys(names, rule)


def _every(kind: type[msgspec.Struct], rule: Rule) -> Rules:
    return dict.fromkeys(kind.__struct_fields__, rule)


RULES: Final[dict[type[msgspec.Struct], Rules]] = {
    # ---- the connection and the session ------------------------------------------------------------------------------
    messages.Welcome: _all("kept", "server", "server_now", "protocol", "role", "capabilities", "sessions", "notice"),
    messages.ServerInfo: {**_all("kept", "name", "version", "instance"), "host": "personal"},
    messages.SessionChanged: _all("kept", "change", "session"),
    messages.Session: {
        **_all("kept", "session_id", "conversation_id", "status", "open_prompts", "pid", "pi_version", "extension_version"),
        **_all("kept", "capabilities", "screen_shared"),
        "notices": "shown",
        **_all("conversation", "name", "first_message"),
        "cwd": "personal",
    },
    messages.Status: {**_all("kept", "state", "source", "since", "menu"), "detail": "conversation"},
    messages.Working: _every(messages.Working, "kept"),
    messages.Snapshot: {
        **_all("kept", "session_id", "cursor", "session", "prompts", "statuses", "working", "surfaces", "header", "footer", "views"),
        **_all("kept", "strips", "working_row", "tools_expanded"),
        **_all("shown", "title", "hidden_thinking_label"),
    },
    messages.CommandResult: {**_all("kept", "request_id", "ok", "error"), "data": "left_out"},
    messages.CommandError: _all("kept", "code", "message"),
    messages.Screen: {**_all("kept", "session_id", "columns", "rows", "hidden"), **_all("left_out", "lines", "caret")},
    messages.Gap: _all("kept", "session_id", "since"),
    messages.Error: _all("kept", "code", "message"),
    attention.Attention: {**_all("kept", "session_id", "kind", "at", "prompt_id"), **_all("conversation", "title", "body")},
    parts.Truncation: _all("kept", "field", "shown", "total"),
    # ---- what extensions ask and show --------------------------------------------------------------------------------
    extension_ui.ExtensionUIRequest: {
        **_all("kept", "session_id", "id", "method", "opened_at", "option_count", "masked", "timeout", "timeout_at", "truncated"),
        **_all("kept", "questions", "allow_custom", "terminal_only", "cancellable", "cursor"),
        **_all("shown", "title", "message", "options", "placeholder", "source"),
        "prefill": "typed",
        "prefill_parts": "left_out",
    },
    extension_ui.Question: {**_all("kept", "id", "options", "multi_select"), "question": "shown"},
    extension_ui.QuestionOption: _every(extension_ui.QuestionOption, "shown"),
    extension_ui.ExtensionUINotification: {
        **_all("kept", "session_id", "method", "notify_type", "widget_placement", "request_id", "overlay", "typing", "working_visible"),
        **_all("kept", "tools_expanded", "handoff_id", "paste", "truncated", "cursor"),
        **_all("shown", "message", "status_key", "status_text", "title", "widget_key", "widget_lines", "native_surface"),
        **_all("shown", "working_indicator", "hidden_thinking_label", "source"),
        "text": "typed",
        "text_parts": "left_out",
    },
    extension_ui.ExtensionUIStrips: _all("kept", "session_id", "above", "below", "cursor"),
    extension_ui.ExtensionUISettled: {
        **_all("kept", "session_id", "id", "outcome", "winner", "at", "reason", "cursor"),
        "winner_name": "personal",
        "answer": "shown",
    },
    extension_ui.Verdict: {**_all("kept", "outcome", "winner", "at", "reason"), "winner_name": "personal", "answer": "shown"},
    extension_ui.ResponseResult: _every(extension_ui.ResponseResult, "kept"),
    extension_ui.StatusEntry: _every(extension_ui.StatusEntry, "shown"),
    surfaces.Surface: _every(surfaces.Surface, "shown"),
    surfaces.CustomView: {
        **_all("kept", "request_id", "overlay", "typing"),
        "source": "shown",
        # It may show what somebody typed into it a moment ago.
        **_all("left_out", "widget_lines", "native_surface", "truncated"),
    },
    surfaces.NativeSurface: _every(surfaces.NativeSurface, "shown"),
    surfaces.Presentation: _every(surfaces.Presentation, "shown"),
    surfaces.Block: _every(surfaces.Block, "shown"),
    surfaces.Fallback: _every(surfaces.Fallback, "shown"),
    surfaces.Accessibility: _every(surfaces.Accessibility, "shown"),
    surfaces.TextSpan: _every(surfaces.TextSpan, "shown"),
    surfaces.ActivityRow: _every(surfaces.ActivityRow, "shown"),
    surfaces.Caret: _every(surfaces.Caret, "kept"),
    surfaces.WorkingRow: {"visible": "kept", **_all("shown", "message", "indicator")},
    surfaces.Indicator: _every(surfaces.Indicator, "shown"),
    surfaces.Strips: _all("kept", "above", "below"),
    surfaces.Pill: _every(surfaces.Pill, "shown"),
    # ---- the conversation --------------------------------------------------------------------------------------------
    chat.ChatEvent: _every(chat.ChatEvent, "kept"),
    # Pieces of an event are put together before they are looked at; alone they could be anything.
    chat.ChatFrame: {**_all("kept", "session_id", "event", "index", "count"), "data": "typed"},
    chat.ChatSnapshot: {
        **_all("kept", "messages", "history", "conversation_id", "leaf", "queued_follow_ups", "queue_read_only", "queue_read_only_reason"),
        **_all("kept", "queue_steering_unavailable_reason", "streaming", "stopping", "read_only", "read_only_reason", "agent", "fork"),
        "workspace": "kept",
    },
    chat.ChatMessage: {
        **_all("kept", "id", "kind", "at", "state", "parts", "entry_id", "live_id", "provider", "model", "stop_reason", "started_at"),
        **_all("kept", "duration_ms", "is_error", "tool_call_id", "tool_name", "excluded", "exit_code", "cancelled", "custom_type"),
        **_all("kept", "display", "client_turn_id"),
        **_all("conversation", "error", "args", "command", "tokens_before", "drawn", "truncated"),
    },
    chat.ChatPart: {**_all("kept", "type", "tool_call_id", "name", "mime_type"), **_all("conversation", "text", "args", "bytes")},
    chat.ChatDrawn: _every(chat.ChatDrawn, "kept"),
    spans.Line: _every(spans.Line, "kept"),
    spans.Span: {**_all("kept", "role", "traits"), **_all("conversation", "text", "link")},
    chat.QueuedFollowUp: {**_all("kept", "kind", "position", "client_turn_id"), "text": "conversation", "sender": "personal"},
    chat.ChatModel: _every(chat.ChatModel, "kept"),
    chat.ChatRetrying: {**_all("kept", "attempt", "max_attempts", "delay_ms"), "error": "conversation"},
    chat.ChatContext: {"window": "kept", **_all("conversation", "tokens", "percent")},
    chat.ChatTurnEnd: {**_all("kept", "at", "outcome"), "error": "conversation"},
    chat.ChatAgent: {
        **_all("kept", "compacting", "bash", "retrying", "last_turn", "model", "models", "thinking_level", "levels", "steering_mode"),
        **_all("kept", "follow_up_mode", "auto_compaction", "auto_retry", "context", "refuses"),
        **_all("conversation", "cannot_run", "session_name"),
    },
    chat.ChatHistory: _every(chat.ChatHistory, "kept"),
    chat.ChatFork: _every(chat.ChatFork, "kept"),
    chat.ChatStopping: {**_all("kept", "since", "overdue"), "by": "personal"},
    chat.ChatWorkspace: {"status": "kept", **_all("personal", "folder", "branch"), **_all("left_out", "additions", "deletions")},
    chat.ChatPatch: _every(chat.ChatPatch, "kept"),
    chat.ChatAppend: {**_all("kept", "message", "part", "offset", "start"), "text": "conversation"},
    chat.ChatNotice: _every(chat.ChatNotice, "kept"),
    chat.ChatGap: _every(chat.ChatGap, "kept"),
    chat.Receipt: {**_all("kept", "session_id", "client_turn_id", "stage", "at", "code", "row_id"), "reason": "conversation"},
}
