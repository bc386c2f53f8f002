"""Promise: the conversation that the extension tells is Pi's own, entry by entry and while it is written, over every boundary; and what a
remote sends reaches Pi once, with an honest account of what became of it.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bridge.chat import (
    Action,
    ActionResult,
    ChatDelta,
    ChatHistory,
    ChatPage,
    ChatQueue,
    ChatResync,
    ChatRow,
    ChatRowTold,
    ChatState,
    ChatTurnEnd,
    Turn,
    TurnKind,
    TurnResult,
)
from bridge.messages import By, Hello
from mirrord.demo.pi_home import PROVIDER, PiHome
from tests.e2e.recorded import Recorded, recorded
from tests.e2e.stage import EXTENSION, until
from tests.harness.chat_fold import Fold, text_of
from tests.harness.pi import GENERATIONS, PiKind

pytestmark = [pytest.mark.parametrize("kind", GENERATIONS, ids=str), pytest.mark.timeout(120)]

BY = By(name="Ada's phone", kind="test")
WAIT = 15.0


@contextmanager
def conversing(kind: PiKind, *before: Path, **options: Any) -> Iterator[Recorded]:
    """A Pi whose conversation is told. Extensions that are `before` ours are asked first by Pi."""
    with recorded(kind, extensions=[*before, EXTENSION], **options) as here:
        here.recorder.wait(Hello, lambda hello: "chat" in hello.capabilities)
        wait(here, lambda fold: fold.is_whole)
        yield here
        assert here.recorder.broken == []


def folded(here: Recorded) -> Fold:
    """What the newest link's messages make."""
    heard = here.recorder.heard()
    newest = max((one.connection for one in heard), default=0)
    return Fold.of(one.message for one in heard if one.connection == newest)


def wait(here: Recorded, holds: Callable[[Fold], bool]) -> Fold:
    last: list[Fold] = []

    def looks() -> bool:
        last[:] = [folded(here)]
        return holds(last[0])

    try:
        until(looks, WAIT, "the rows did not come to it")
    except AssertionError as error:
        shown = "\n".join(map(str, [*last[-1].resets, *last[-1].rows]))
        raise AssertionError(f"{error}:\n{shown}\n{here.pi.screen_text()}") from None
    return last[0]


def said(fold: Fold, kind: str) -> list[str]:
    return [text_of(row).rstrip() for row in fold.rows if row.kind == kind]


def send(here: Recorded, text: str, kind: TurnKind = "prompt", **fields: Any) -> str:
    turn = Turn(seq=0, client_turn_id=fields.pop("id", None) or str(uuid.uuid4()), kind=kind, by=BY, text=text, **fields)
    here.recorder.say(turn)
    return turn.client_turn_id


def became(here: Recorded, turn: str, stage: str) -> TurnResult:
    return here.recorder.wait(TurnResult, lambda result: result.client_turn_id == turn and result.stage == stage, timeout=WAIT)


def stages(here: Recorded, turn: str) -> list[str]:
    return [result.stage for result in here.recorder.all(TurnResult) if result.client_turn_id == turn]


def act(here: Recorded, action: str, /, **args: Any) -> ActionResult:
    request = str(uuid.uuid4())
    here.recorder.say(Action(seq=0, request_id=request, name=action, by=BY, args=args))
    return here.recorder.wait(ActionResult, lambda result: result.request_id == request, timeout=WAIT)


def idle(here: Recorded) -> ChatState:
    until(lambda: bool(states := here.recorder.all(ChatState)) and states[-1].idle, WAIT, "Pi does not rest")
    return here.recorder.all(ChatState)[-1]


def last_turn(here: Recorded) -> ChatTurnEnd | None:
    states = here.recorder.all(ChatState)
    return states[-1].last_turn if states else None


def on_disk(here: Recorded) -> list[dict[str, Any]]:
    """The entries of the newest session's current branch that show, the oldest first."""
    files = sorted((here.home.agent / "sessions").rglob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    entries = [msgspec.json.decode(line) for line in files[-1].read_bytes().splitlines()]
    by_id = {entry["id"]: entry for entry in entries if entry["type"] != "session"}
    branch: list[dict[str, Any]] = []
    at: dict[str, Any] | None = entries[-1]
    while at is not None and at["type"] != "session":
        branch.insert(0, at)
        at = by_id.get(at["parentId"])
    return [entry for entry in branch if shows(entry)]


def shows(entry: dict[str, Any]) -> bool:
    if entry["type"] == "message":
        return entry["message"]["role"] in {"user", "assistant", "toolResult", "bashExecution"}
    return entry["type"] in {"custom_message", "compaction", "branch_summary"}


def same_as_on_disk(here: Recorded, row: ChatRow, entry: dict[str, Any]) -> None:
    kinds = {"user": "user", "assistant": "assistant", "toolResult": "tool", "bashExecution": "bash"}
    message = entry.get("message", entry)
    assert row.kind == kinds.get(message.get("role"), entry["type"].removesuffix("_message"))
    assert row.id == row.entry_id == entry["id"]
    if row.kind == "bash":
        assert (row.command, text_of(row), row.exit_code) == (message["command"], message["output"], message["exitCode"])
        return
    content = message.get("content", message.get("summary"))
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    assert len(row.parts) == len(blocks)
    for part, block in zip(row.parts, blocks, strict=True):
        match block["type"]:
            case "toolCall":
                assert (part.type, part.tool_call_id, part.name) == ("tool_call", block["id"], block["name"])
                assert msgspec.json.decode(part.args or "") == block["arguments"]
            case "thinking":
                assert (part.type, part.text) == ("thinking", block["thinking"])
            case _:
                assert (part.type, part.text) == (block["type"], block["text"])


def rows_are_on_disk(here: Recorded) -> None:
    """The rows are the file's entries, one by one and in their order."""
    idle(here)
    fold = wait(here, lambda fold: bool(fold.rows) and all(row.entry_id for row in fold.rows))
    entries = on_disk(here)
    assert [row.id for row in fold.rows] == [entry["id"] for entry in entries]
    for row, entry in zip(fold.rows, entries, strict=True):
        same_as_on_disk(here, row, entry)


def ask(here: Recorded, line: str, answer: str) -> Fold:
    """Types it; gives the rows once Pi has answered so and rests."""
    here.pi.settle(0.1)
    before = last_turn(here)
    here.pi.line(line)
    fold = wait(here, lambda fold: said(fold, "assistant")[-1:] == [answer])
    # What Pi does is told at its own pace: of a short turn perhaps only that it is over.
    until(lambda: last_turn(here) != before, WAIT, "the turn is not over")
    idle(here)
    return fold


# ---- rows --------------------------------------------------------------------------------------------------------------


def test_rows_are_the_entries_of_the_session_file(kind: PiKind) -> None:
    with conversing(kind) as here:
        ask(here, "hello", "Echo: hello")
        ask(here, "think", "Here is the considered answer.")
        ask(here, "run: echo hi", "Tool said: hi")
        here.pi.settle(0.1)
        here.pi.line("!echo from-bash")
        fold = wait(here, lambda fold: any(row.kind == "bash" and row.state == "done" for row in fold.rows))
        tool = next(row for row in fold.rows if row.kind == "tool")
        assert msgspec.json.decode(tool.args or "") == {"command": "echo hi"}
        assert tool.tool_name == "bash"
        rows_are_on_disk(here)
        kinds = [row.kind for row in fold.rows]
        assert kinds == ["user", "assistant", "user", "assistant", "user", "assistant", "tool", "assistant", "bash"]


def test_an_answer_grows_by_deltas_to_its_final_text(kind: PiKind) -> None:
    with conversing(kind) as here:
        here.pi.line("slow 60 20")
        fold = wait(here, lambda fold: said(fold, "assistant")[-1:] == [" ".join(f"word{number}" for number in range(60))])
        idle(here)
        assert 5 <= fold.deltas <= 60, "no word is told twice"
        whole = here.recorder.count(ChatRowTold, lambda told: told.row.kind == "assistant")
        assert whole <= 3, "the cumulative message is told as it begins and as it ends"
        deltas = here.recorder.all(ChatDelta)
        assert sum(len(delta.text) for delta in deltas) <= len(text_of(fold.rows[-1]))
        rows_are_on_disk(here)


def test_a_tools_output_grows_while_it_runs(kind: PiKind) -> None:
    with conversing(kind) as here:
        here.pi.line("run: for i in 1 2 3 4; do echo line$i; sleep 0.3; done")
        wait(here, lambda fold: any(row.kind == "tool" and row.state == "streaming" and "line2" in text_of(row) for row in fold.rows))
        wait(here, lambda fold: said(fold, "assistant")[-1:] == ["Tool said: line1"])
        rows_are_on_disk(here)


def test_older_rows_come_in_pages(kind: PiKind) -> None:
    with conversing(kind) as here:
        for number in range(3):
            ask(here, f"number {number}", f"Echo: number {number}")
        fold = wait(here, lambda fold: all(row.id == row.entry_id for row in fold.rows))
        here.recorder.say(ChatHistory(seq=0, request_id="one", before=fold.rows[-1].id, limit=2))
        page = here.recorder.wait(ChatPage, lambda page: page.request_id == "one")
        assert ([row.id for row in page.rows], page.more) == ([row.id for row in fold.rows[-3:-1]], True)
        here.recorder.say(ChatHistory(seq=0, request_id="rest", before=page.rows[0].id, limit=100))
        rest = here.recorder.wait(ChatPage, lambda page: page.request_id == "rest")
        assert ([row.id for row in rest.rows], rest.more) == ([row.id for row in fold.rows[:-3]], False)
        here.recorder.say(ChatHistory(seq=0, request_id="none", before="nothing", limit=100))
        assert here.recorder.wait(ChatPage, lambda page: page.request_id == "none").error is not None


def short_memory(home: PiHome) -> dict[str, str]:
    """Pi keeps next to nothing when it compacts."""
    settings = msgspec.json.decode(home.settings_file.read_bytes(), type=dict[str, Any])
    settings["compaction"] = {"enabled": True, "reserveTokens": 1000, "keepRecentTokens": 10}
    home.settings_file.write_bytes(msgspec.json.encode(settings))
    return {}


NOTES = """
export default function (pi) {
  const note = (content, display) => pi.sendMessage({ customType: "note", content, display }, { triggerTurn: false });
  pi.registerCommand("note", { description: "two notes", handler: async () => (note("seen", true), note("unseen", false)) });
}
"""


def with_notes(home: PiHome) -> dict[str, str]:
    """An extension that says something."""
    folder = home.agent / "extensions"
    folder.mkdir(exist_ok=True)
    (folder / "notes.ts").write_text(NOTES)
    return {}


# ---- boundaries --------------------------------------------------------------------------------------------------------


def test_each_boundary_tells_the_conversation_anew(kind: PiKind) -> None:
    with conversing(kind) as here:
        here.pi.line("first")
        wait(here, lambda fold: said(fold, "assistant") == ["Echo: first"])
        idle(here)
        here.recorder.say(ChatResync(seq=0))
        wait(here, lambda fold: fold.reason == "resync")
        rows_are_on_disk(here)
        here.reload()
        wait(here, lambda fold: fold.reason == "reload" and said(fold, "user") == ["first"])
        here.pi.settle(0.2)
        here.pi.line("second")
        wait(here, lambda fold: said(fold, "assistant") == ["Echo: first", "Echo: second"])
        rows_are_on_disk(here)
        here.pi.settle(0.2)
        here.pi.line("/new")
        wait(here, lambda fold: fold.reason == "new" and fold.rows == [])
        here.pi.settle(0.2)
        here.pi.line("third")
        wait(here, lambda fold: said(fold, "assistant") == ["Echo: third"])
        rows_are_on_disk(here)
        here.pi.settle(0.2)
        here.pi.line("/resume")
        here.pi.wait_for("first")
        here.pi.settle(0.2)
        here.pi.keys("down", "enter")
        wait(here, lambda fold: fold.reason == "resume" and said(fold, "assistant") == ["Echo: first", "Echo: second"])
        here.pi.settle(0.2)
        here.pi.line("/fork")
        here.pi.settle(0.3)
        here.pi.keys("enter")
        wait(here, lambda fold: fold.reason == "fork")
        assert here.recorder.all(Hello)[-1].reason == "fork"


def test_a_link_that_was_lost_is_told_all_that_is_true(kind: PiKind) -> None:
    with conversing(kind) as here:
        here.pi.line("slow 150 20")
        here.pi.wait_for("word9")
        here.recorder.cut()
        here.recorder.wait(Hello, count=2)
        fold = wait(here, lambda fold: len(fold.rows) == 2)
        assert fold.rows[1].state == "streaming"
        wait(here, lambda fold: said(fold, "assistant") == [" ".join(f"word{number}" for number in range(150))])
        rows_are_on_disk(here)


def test_a_compaction_is_a_row_after_what_it_sums_up(kind: PiKind) -> None:
    with conversing(kind, prepare=short_memory) as here:
        for number in range(3):
            ask(here, f"number {number} {'x' * 400}", f"Echo: number {number} {'x' * 400}")
        before = wait(here, lambda fold: all(row.id == row.entry_id for row in fold.rows)).rows
        assert act(here, "compact", instructions="briefly").ok
        fold = wait(here, lambda fold: fold.rows[-1].kind == "compaction")
        assert [row.id for row in fold.rows[:-1]] == [row.id for row in before]
        assert fold.rows[-1].tokens_before is not None
        here.recorder.wait(ChatState, lambda state: state.compacting)
        until(lambda: not here.recorder.all(ChatState)[-1].compacting, WAIT, "Pi compacts for ever")
        rows_are_on_disk(here)


def test_messages_of_extensions_are_rows_also_when_hidden(kind: PiKind) -> None:
    with conversing(kind, prepare=with_notes) as here:
        here.pi.line("/note")
        fold = wait(here, lambda fold: len(fold.rows) == 2)
        assert [(row.kind, row.custom_type, row.display, text_of(row)) for row in fold.rows] == [
            ("custom", "note", True, "seen"),
            ("custom", "note", False, "unseen"),
        ]
        ask(here, "hello", "Echo: hello")
        rows_are_on_disk(here)


def test_a_pi_that_we_are_attached_to_while_it_runs_tells_what_was_there_before(kind: PiKind) -> None:
    with recorded(kind) as here:
        here.pi.line("before us")
        here.pi.wait_for("Echo: before us")
        settings = msgspec.json.decode(here.home.settings_file.read_bytes(), type=dict[str, Any])
        here.home.settings_file.write_bytes(msgspec.json.encode({**settings, "extensions": [str(EXTENSION)]}))
        here.reload()
        assert "chat" in here.recorder.wait(Hello).capabilities
        wait(here, lambda fold: said(fold, "assistant") == ["Echo: before us"])
        became(here, send(here, "and after"), "consumed")
        wait(here, lambda fold: said(fold, "assistant") == ["Echo: before us", "Echo: and after"])
        rows_are_on_disk(here)
        assert here.recorder.broken == []


def test_the_tree_is_navigated_from_afar_and_drawn_at_the_terminal(kind: PiKind) -> None:
    with conversing(kind) as here:
        for line in ("first", "second"):
            ask(here, line, f"Echo: {line}")
        answer = folded(here).rows[1]
        assert act(here, "navigate_tree", entryId=answer.id).ok
        fold = wait(here, lambda fold: fold.reason == "tree")
        assert said(fold, "user") == ["first"]
        here.pi.wait_gone("Echo: second")
        send(here, "third")
        wait(here, lambda fold: said(fold, "user") == ["first", "third"] and said(fold, "assistant") == ["Echo: first", "Echo: third"])
        rows_are_on_disk(here)


def test_a_message_that_is_gone_back_to_from_afar_stays_out_of_the_terminals_editor(kind: PiKind) -> None:
    with conversing(kind) as here:
        for line in ("tulips", "daffodils", "crocuses"):
            ask(here, line, f"Echo: {line}")
        _, _, second, _, third, _ = folded(here).rows
        assert act(here, "navigate_tree", entryId=third.id).ok
        wait(here, lambda fold: fold.reason == "tree" and said(fold, "user") == ["tulips", "daffodils"])
        here.pi.wait_gone("crocuses")
        here.pi.settle(0.1)
        here.pi.send("half a draft")
        here.pi.wait_for("half a draft")
        assert act(here, "navigate_tree", entryId=second.id).ok
        wait(here, lambda fold: said(fold, "user") == ["tulips"])
        here.pi.wait_gone("daffodils")
        assert "half a draft" in here.pi.screen_text()


# ---- sending -----------------------------------------------------------------------------------------------------------


def test_a_prompt_from_afar_is_consumed_as_its_row(kind: PiKind) -> None:
    with conversing(kind) as here:
        here.pi.send("half a draft")
        here.pi.wait_for("half a draft")
        turn = send(here, "from afar")
        result = became(here, turn, "consumed")
        fold = wait(here, lambda fold: said(fold, "assistant") == ["Echo: from afar"])
        assert fold.rows[0].id == result.row_id
        assert fold.rows[0].client_turn_id == turn
        here.pi.wait_for("Echo: from afar")
        assert "half a draft" in here.pi.screen_text()
        send(here, "from afar", id=turn)
        assert stages(here, turn)[-1] == "consumed"
        idle(here)
        assert said(folded(here), "user") == ["from afar"]
        assert stages(here, turn)[:2] == ["accepted", "consumed"]


def test_what_is_queued_from_both_sides_is_told_and_consumed_by_identity(kind: PiKind) -> None:
    with conversing(kind) as here:
        here.pi.line("slow 100 20")
        here.pi.wait_for("word5")
        rejected = send(here, "not now")
        assert became(here, rejected, "rejected").reason
        here.pi.line("same words")
        here.recorder.wait(ChatQueue, lambda queue: len(queue.items) == 1)
        steered = send(here, "same words", "steer")
        follows = send(here, "afterwards", "follow_up")
        became(here, steered, "queued")
        became(here, follows, "queued")
        queue = here.recorder.wait(ChatQueue, lambda queue: len(queue.items) == 3 and queue.items[-1].client_turn_id == follows)
        assert [(item.kind, item.text, item.client_turn_id) for item in queue.items] == [
            ("steer", "same words", None),
            ("steer", "same words", steered),
            ("follow_up", "afterwards", follows),
        ]
        steered_row = became(here, steered, "consumed").row_id
        follow_row = became(here, follows, "consumed").row_id
        fold = wait(here, lambda fold: said(fold, "assistant")[-1:] == ["Echo: afterwards"])
        users = [row for row in fold.rows if row.kind == "user"]
        assert [text_of(row) for row in users] == ["slow 100 20", "same words", "same words", "afterwards"]
        assert [row.id for row in users[2:]] == [steered_row, follow_row]
        until(lambda: here.recorder.all(ChatQueue)[-1].items == (), WAIT, "the queue is not empty")
        assert stages(here, steered) == ["accepted", "queued", "consumed"]
        rows_are_on_disk(here)


def test_what_is_taken_out_of_the_queue_at_the_terminal_is_not_claimed_to_have_run(kind: PiKind) -> None:
    with conversing(kind) as here:
        here.pi.line("slow 200 20")
        here.pi.wait_for("word5")
        turn = send(here, "never mind", "follow_up")
        became(here, turn, "queued")
        here.pi.keys("escape")
        assert became(here, turn, "unknown").reason
        assert idle(here).last_turn is not None
        fold = wait(here, lambda fold: [row.state for row in fold.rows if row.kind == "assistant"] == ["aborted"])
        assert said(fold, "user") == ["slow 200 20"]


def test_commands_and_shell_commands_run_and_never_reach_the_model(kind: PiKind) -> None:
    with conversing(kind) as here:
        listed = {command.name: command for command in act(here, "chat_commands").commands or ()}
        assert (listed["mirrord"].source, bool(listed["mirrord"].description)) == ("extension", True)
        assert {name for name, command in listed.items() if command.source == "built-in"} == {"compact", "name", "reload"}
        assert became(here, send(here, "/mirrord status"), "rejected").reason
        assert became(here, send(here, "!ls"), "rejected").reason
        became(here, send(here, "/mirrord status", "command"), "consumed")
        here.pi.wait_for("mirrored as session")
        assert became(here, send(here, "/nothing of it", "command"), "rejected").reason
        assert became(here, send(here, "/settings", "command"), "rejected").reason
        became(here, send(here, "/name From afar", "command"), "consumed")
        here.recorder.wait(ChatState, lambda state: state.session_name == "From afar")
        bash = send(here, "echo from-the-phone", "bash")
        result = became(here, bash, "consumed")
        fold = wait(here, lambda fold: any(row.kind == "bash" and row.state == "done" for row in fold.rows))
        assert [(row.id, row.command, text_of(row).strip()) for row in fold.rows] == [
            (result.row_id, "echo from-the-phone", "from-the-phone")
        ]
        here.pi.wait_for("from-the-phone")
        literal = send(here, "/mirrord status", literal=True)
        became(here, literal, "consumed")
        wait(here, lambda fold: said(fold, "assistant") == ["Echo: /mirrord status"])


ELSEWHERE = """
export default function (pi) {
  const exec = async (command, cwd, { onData }) => (onData(Buffer.from(`elsewhere: ${command}`)), { exitCode: 0 });
  pi.on("user_bash", () => ({ operations: { exec } }));
}
"""


def test_a_shell_command_that_another_extension_runs_is_its_row(kind: PiKind, tmp_path: Path) -> None:
    before = tmp_path / "elsewhere.ts"
    before.write_text(ELSEWHERE)
    with conversing(kind, before) as here:
        turn = send(here, "uname", "bash")
        result = became(here, turn, "consumed")
        fold = wait(here, lambda fold: [row.state for row in fold.rows] == ["done"])
        assert [(row.id, row.client_turn_id, text_of(row)) for row in fold.rows] == [(result.row_id, turn, "elsewhere: uname")]


def test_a_shell_command_that_cannot_run_is_not_claimed_to_have_run(kind: PiKind) -> None:
    with conversing(kind) as here:
        shutil.rmtree(here.home.work)
        lost = send(here, "echo tulips", "bash")
        assert became(here, lost, "unknown").reason == "Pi kept no result of it: the terminal shows why."
        here.pi.wait_for("Working directory does not exist")
        here.home.work.mkdir()
        turn = send(here, "echo tulips", "bash")
        result = became(here, turn, "consumed")
        fold = wait(here, lambda fold: [row.state for row in fold.rows] == ["done"])
        assert [(row.id, row.client_turn_id) for row in fold.rows] == [(result.row_id, turn)]
        assert stages(here, lost) == ["accepted", "unknown"]


def test_a_shell_command_over_which_the_extension_is_loaded_anew_does_not_stay_accepted(kind: PiKind) -> None:
    with conversing(kind) as here:
        turn = send(here, "until [ -e go ]; do sleep 0.05; done; echo gone", "bash")
        wait(here, lambda fold: [row.state for row in fold.rows] == ["streaming"])
        here.reload()
        wait(here, lambda fold: fold.reason == "reload")
        (here.home.work / "go").touch()
        assert became(here, turn, "unknown").reason
        fold = wait(here, lambda fold: [(row.kind, row.state) for row in fold.rows] == [("bash", "done")])
        assert text_of(fold.rows[0]).strip() == "gone"


# ---- state -------------------------------------------------------------------------------------------------------------


def two_models(home: PiHome) -> dict[str, str]:
    """Pi knows another model."""
    file = home.agent / "models.json"
    known = msgspec.json.decode(file.read_bytes())
    models = known["providers"][PROVIDER]["models"]
    models.append({**models[0], "id": "scripted-2", "contextWindow": 64000})
    file.write_bytes(msgspec.json.encode(known))
    return {}


def test_what_is_chosen_at_a_terminal_that_rests_is_told(kind: PiKind) -> None:
    with conversing(kind, prepare=two_models) as here:
        assert idle(here).auto_compaction is True
        here.pi.line(f"/model {PROVIDER}/scripted-2")
        state = here.recorder.wait(ChatState, lambda state: state.model is not None and state.model.id == "scripted-2", timeout=WAIT)
        here.recorder.wait(ChatState, lambda state: state.context is not None and state.context.window == 64000, timeout=WAIT)
        assert state.cannot_run is None
        here.pi.settle(0.1)
        here.pi.line("/settings")
        here.pi.wait_for("Auto-compact")
        here.pi.settle(0.1)
        here.pi.keys("enter")
        here.recorder.wait(ChatState, lambda state: state.auto_compaction is False, timeout=WAIT)


# ---- actions -----------------------------------------------------------------------------------------------------------


def test_actions_do_what_they_say_or_say_why_not(kind: PiKind) -> None:
    with conversing(kind) as here:
        assert act(here, "set_session_name", name="Named").ok
        here.recorder.wait(ChatState, lambda state: state.session_name == "Named")
        assert act(here, "set_steering_mode", mode="all").ok
        here.recorder.wait(ChatState, lambda state: state.steering_mode == "all")
        assert act(here, "set_follow_up_mode", mode="all").ok
        here.recorder.wait(ChatState, lambda state: state.follow_up_mode == "all")
        assert act(here, "set_auto_compaction", enabled=False).ok
        here.recorder.wait(ChatState, lambda state: state.auto_compaction is False)
        assert act(here, "set_auto_retry", enabled=True).ok
        here.recorder.wait(ChatState, lambda state: state.auto_retry is True)
        assert act(here, "set_thinking_level", level="high").ok
        here.recorder.wait(ChatState, lambda state: state.thinking_level == "high")
        model = idle(here).models[0]
        assert act(here, "set_model", provider=model.provider, id=model.id).ok
        for name, args in [
            ("set_model", {"provider": "nobody", "id": "nothing"}),
            ("set_thinking_level", {"level": "utmost"}),
            ("set_steering_mode", {"mode": "sideways"}),
            ("set_session_name", {"name": " "}),
            ("abort_bash", {}),
            ("navigate_tree", {"entryId": "nothing"}),
            ("compact", {}),
            ("dance", {}),
        ]:
            result = act(here, name, **args)
            assert (result.ok, bool(result.message)) == (False, True), name
        assert idle(here).refuses == {}
        assert act(here, "reload").ok
        wait(here, lambda fold: fold.reason == "reload")
