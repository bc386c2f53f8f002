"""Promise: one bridge a process, and only for a terminal that a person sits at.

However often the extension is loaded there is one session, one request for each dialog and one message for each event.
Sub-agents and children without a terminal are never sessions, and what they do leaves the person's open prompt as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from bridge.messages import Activity, Bye, Hello, Notice, PromptOpened, PromptSettled
from mirrord.demo.pi_home import PiHome
from tests.e2e.recorded import DOORBELL, Recorded, recorded
from tests.e2e.stage import until
from tests.harness.extension_copy import extension_copy
from tests.harness.pi import GENERATIONS, OLD, PiKind, environment, pi_program, quit_pi

# Some of these start Pi four times.
pytestmark = [pytest.mark.parametrize("kind", GENERATIONS, ids=str), pytest.mark.timeout(150)]

# Three children, one after the other, on a busy machine.
CHILDREN = 60.0


# ---- two copies in one process -------------------------------------------------------------------------------------------


def another_version() -> Path:
    return extension_copy("version", {"version.ts": ('"0.1.0"', '"9.9.9"')})


def another_record() -> Path:
    """A later version that keeps its process-wide record in another shape."""
    return extension_copy("record", {"registry.ts": ("ABI = 1;", "ABI = 2;")})


COPIES = {
    "two paths": lambda: (extension_copy("first"), extension_copy("second")),
    "two versions": lambda: (extension_copy("first"), another_version()),
    "two versions, the other first": lambda: (another_version(), extension_copy("second")),
    "two records": lambda: (extension_copy("first"), another_record()),
    "two records, the other first": lambda: (another_record(), extension_copy("second")),
}


@pytest.mark.parametrize("copies", COPIES)
def test_of_two_copies_one_speaks(kind: PiKind, copies: str) -> None:
    first, second = COPIES[copies]()
    with recorded(kind, extensions=[first], in_settings=[second]) as here:
        for generation in (1, 2):
            if generation == 2:
                here.reload()
            hello = here.recorder.wait(Hello, count=generation)
            assert (hello.bridge.path, hello.bridge.generation) == (str(first / "index.ts"), generation)
            answer_from_afar_and_run_the_agent(here, f"Which, {generation}?")
            on_this_link = [heard.message for heard in here.recorder.heard() if heard.connection == generation]
            # What an earlier link had to say is told again, and says so.
            said = [message for message in on_this_link if not (isinstance(message, PromptSettled) and message.again)]
            assert [type(message) for message in said if isinstance(message, PromptOpened | PromptSettled)] == [PromptOpened, PromptSettled]
            assert Counter(message.cause for message in said if isinstance(message, Activity)) == one_turn(kind)
            notices = [(message.code, message.detail) for message in said if isinstance(message, Notice)]
            assert notices == ([] if "records" in copies else [("second_copy", f"{second / 'index.ts'} ({version_of(second)})")])
        here.pi.line("/mirrord status")
        here.pi.wait_for("mirrored as session")
        assert quit_pi(here.pi) == 0
        assert len(here.recorder.terminals()) == 1
        assert here.recorder.accepted == 2, "the passive copy opens no socket"
        assert here.recorder.broken == []


def version_of(copy: Path) -> str:
    return (copy / "version.ts").read_text().split('"')[1]


def answer_from_afar_and_run_the_agent(here: Recorded, title: str) -> None:
    rests = here.recorder.count(Activity, is_at_rest)
    here.run("t-select", id=title, title=title)
    opened = here.recorder.prompt(title)
    here.recorder.answer(opened, index=2)
    assert here.log.result("t-select", title).value == "cherry"
    assert here.recorder.settlement(opened).winner == "remote"
    here.pi.wait_gone(title)
    here.pi.settle(0.05)
    here.pi.line("hello")
    here.recorder.wait(Activity, is_at_rest, count=rests + 1)


def is_at_rest(activity: Activity) -> bool:
    return activity.cause != "resync" and not activity.working


def one_turn(kind: PiKind) -> Mapping[str, int]:
    """What is told of one turn, with the state that begins each link."""
    end = "agent_end" if kind is OLD else "agent_settled"
    return {"resync": 1, "agent_start": 1, "turn_start": 1, "turn_end": 1, end: 1}


# ---- sub-agents and children -----------------------------------------------------------------------------------------------


@contextmanager
def a_person_at_a_prompt(here: Recorded) -> Iterator[None]:
    """A select is open during the block, and after it the person answers it by keys."""
    here.ring("select", id="person", title="For the person")
    opened = here.recorder.prompt("For the person")
    here.pi.wait_for("For the person")
    yield
    # What a tool said meanwhile may just be drawn.
    here.pi.wait_for("For the person")
    assert here.recorder.count(PromptSettled, lambda settled: settled.id == opened.prompt.id) == 0
    here.pi.settle(0.1)
    here.pi.keys("down", "enter")
    assert here.log.result("bell", "person").value == "banana"
    settled = here.recorder.settlement(opened)
    assert (settled.outcome, settled.winner) == ("answered", "terminal")


def assert_one_session(here: Recorded) -> None:
    """Only the process in the terminal has spoken, on one connection."""
    assert here.recorder.accepted == 1
    assert {heard.pid for heard in here.recorder.heard()} == {here.pi.pid}
    assert here.recorder.broken == []


def sessions_started(here: Recorded) -> Mapping[int, int]:
    """How many sessions each process of Pi has begun with the extensions that the settings name."""
    return Counter(record.pid for record in here.log.records() if record.event == "session_start")


def test_a_sub_agent_in_the_process_is_no_session(kind: PiKind) -> None:
    with recorded(kind, extensions=[DOORBELL], in_settings=[extension_copy("first")]) as here:
        with a_person_at_a_prompt(here):
            here.ring("agent", id="sub", prompt="from within")
            assert "from within" in str(here.log.result("bell", "sub").value)
            assert sessions_started(here) == {here.pi.pid: 2}, "the sub-agent has loaded the extensions of the settings"
            assert here.log.wait(lambda record: record.event == "session_shutdown").reason == "quit"
        assert here.recorder.count(Activity, lambda activity: activity.working) == 0, "its turn is not the terminal's"
        answer_from_afar_and_run_the_agent(here, "And now?")
        assert quit_pi(here.pi) == 0
        assert_one_session(here)


def test_children_without_a_terminal_are_no_sessions(kind: PiKind) -> None:
    ours = extension_copy("first")
    variables = {"MIRRORD": "1", "MIRRORD_EXAMPLE": "1"}
    with recorded(kind, extensions=[DOORBELL], in_settings=[ours], env=variables, prepare=pi_on_the_path(kind)) as here:
        calls = "env > environment; pi -p hi; pi --mode json -p hi > json; pi --mode rpc < /dev/null > rpc; touch done"
        here.pi.line(f"run: {WAIT.format('go')}; {calls}")
        here.recorder.wait(Activity, lambda activity: activity.working)
        with a_person_at_a_prompt(here):
            touch(here, "go")
            wait_for_file(here, "done")
            assert sorted(sessions_started(here).values()) == [1, 1, 1, 1], "each child has loaded the extensions of the settings"
        here.pi.wait_for("Tool said: Echo: hi")
        assert '"type":"agent_end"' in (here.home.work / "json").read_text()
        assert "MIRRORD" not in (here.home.work / "environment").read_text()
        assert quit_pi(here.pi) == 0
        assert_one_session(here)


def test_the_sub_agents_of_pis_own_example_are_no_sessions(kind: PiKind) -> None:
    def project_agents(home: PiHome) -> Mapping[str, str]:
        # 1.6.0 asks about agents outside of the trusted project, 0.73.1 about those of the project.
        for project in (home.work, home.root / "other"):
            agents = project / ".pi" / "agents"
            agents.mkdir(parents=True)
            (agents / "scout.md").write_text("---\nname: scout\ndescription: looks around\n---\nYou look around.\n")
        return {}

    extensions = [extension_copy("first"), examples(kind) / "subagent"]
    with recorded(kind, extensions=[DOORBELL], in_settings=extensions, prepare=project_agents) as here:
        task = {"agent": "scout", "task": "look", "agentScope": "project", "cwd": str(here.home.root / "other")}
        here.pi.line(f"tool: subagent {msgspec.json.encode(task).decode()}")
        asked = here.recorder.prompt("Run project-local agents?")
        here.recorder.answer(asked, confirmed=True)
        assert here.recorder.settlement(asked).winner == "remote"
        with a_person_at_a_prompt(here):
            until(lambda: any(message.role == "tool" for message in here.model.heard()), CHILDREN, "the sub-agent does not end")
            assert sorted(sessions_started(here).values()) == [1, 1], "the sub-agent has loaded the extensions of the settings"
        here.pi.wait_for("Tool said: ")
        assert quit_pi(here.pi) == 0
        assert_one_session(here)


def examples(kind: PiKind) -> Path:
    """Pi's own example extensions."""
    return next(parent for parent in kind.entry.parents if parent.name == "pi-coding-agent") / "examples" / "extensions"


# ---- a Pi inside Pi's terminal ---------------------------------------------------------------------------------------------


def test_a_nested_interactive_pi_is_one_more_session_with_its_own_prompts(kind: PiKind) -> None:
    with recorded(kind, extensions=[DOORBELL], in_settings=[extension_copy("first")], prepare=pi_on_the_path(kind)) as here:
        start = """EXERCISER_START='{"title": "Nested?"}'"""
        spawn = """python3 -c 'import pty; pty.spawn(["sh", "-c", "stty cols 100 rows 30; exec pi"])'"""
        here.pi.line(f"run: {WAIT.format('go')}; ({WAIT.format('quit')}; printf '\\004') | {start} {spawn} > nested; touch done")
        here.recorder.wait(Activity, lambda activity: activity.working)
        with a_person_at_a_prompt(here):
            touch(here, "go")
            opened = here.recorder.prompt("Nested?", timeout=CHILDREN)
            assert len(here.recorder.terminals()) == 2
            here.recorder.answer(opened, index=2)
            assert here.log.result("session_start").value == "cherry"
            assert here.recorder.settlement(opened).winner == "remote"
            touch(here, "quit")
            here.recorder.wait(Bye, lambda bye: bye.reason == "quit")
            wait_for_file(here, "done")
        nested = here.recorder.all(Hello)[1].terminal
        assert nested.pid == here.log.result("session_start").pid != here.pi.pid
        assert {type(heard.message) for heard in here.recorder.heard() if heard.pid == nested.pid} >= {PromptOpened, PromptSettled, Bye}
        assert here.recorder.count(PromptOpened) == 2
        assert quit_pi(here.pi) == 0
        assert here.recorder.accepted == 2


# ---- the shell of a tool ---------------------------------------------------------------------------------------------------

WAIT = "while [ ! -e {} ]; do sleep 0.05; done"


def pi_on_the_path(kind: PiKind) -> Callable[[PiHome], Mapping[str, str]]:
    """In this Pi's shell `pi` is the same Pi."""

    def prepare(home: PiHome) -> Mapping[str, str]:
        program = pi_program(kind, home.root / "bin")
        return {"PATH": f"{program.parent}:{environment(home)['PATH']}"}

    return prepare


def touch(here: Recorded, name: str) -> None:
    (here.home.work / name).touch()


def wait_for_file(here: Recorded, name: str) -> None:
    until((here.home.work / name).exists, CHILDREN, f"there is no file {name}")
