"""Promise: flag over environment over file over default; what is wrong is named with its line and stops nothing; privacy fails closed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bridge.privacy import CONFIG_BYTES, private_reason
from mirrord.config import KEYS, Config, read_config
from mirrord.config.keys import EXTENSION_KEYS


def configured(tmp_path: Path, text: str, env: dict[str, str] | None = None, **flags: int | str) -> Config:
    file = tmp_path / "config.toml"
    file.write_text(text)
    return read_config(file, env or {}, flags)


def sentences(config: Config) -> list[str]:
    return [problem.sentence.replace(f"{config.file}", "F") for problem in config.problems]


def test_without_a_file_every_setting_has_its_default_and_nothing_is_wrong(tmp_path: Path) -> None:
    config = read_config(tmp_path / "config.toml", {})
    assert config.problems == ()
    assert {name: config[name] for name in KEYS} == {name: key.default for name, key in KEYS.items()}
    assert {setting.source for setting in config.settings.values()} == {"default"}


def test_a_flag_counts_before_the_environment_before_the_file(tmp_path: Path) -> None:
    env = {"MIRRORD_PORT": "2", "MIRRORD_LOG_LEVEL": "error"}
    config = configured(tmp_path, 'port = 3\nlog_level = "warning"\nretention_days = 4\n', env, port=1)
    assert (config["port"], config["log_level"], config["retention_days"]) == (1, "error", 4)
    where = [(config.settings[name].source, config.settings[name].where) for name in ("port", "log_level", "retention_days", "ask")]
    assert where == [("flag", "--port"), ("environment", "MIRRORD_LOG_LEVEL"), ("file", f"{config.file}:3"), ("default", None)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("prot = 1\n", "F:1: prot is no setting; did you mean port?"),
        ("\n\n[notify]\ncomand = []\n", "F:4: notify.comand is no setting; did you mean notify.command?"),
        ('command = ["x"]\n', "F:1: command is no setting; did you mean notify.command?"),
        ("[notify]\nport = 1\n", "F:2: notify.port is no setting; port belongs above the first [table] of the file"),
        ("[alerts]\nx = 1\n", "F:2: alerts.x is no setting; `mirrord config show` lists them all"),
        (
            'notify.command = "curl -H token"\n',
            'F:1: notify.command must be a list of a program and its arguments, such as ["notify-send", "Pi"], not a text',
        ),
        ('push = "token"\n', "F:1: push must be a table, not a text"),
        ("push = 1\n", "F:1: push must be a table, not 1"),
        ("port = 'x'\n", 'F:1: port must be a whole number from 0 to 65535, not "x"'),
        ("push.contact = true\n", "F:1: push.contact must be an address such as mailto:ada@example.org or https://example.org, not true"),
        ('x = """\nport = 1\n"""\n', "F:1: x is no setting; `mirrord config show` lists them all"),
        (f"port = 0x{'f' * 5000}\n", "F:1: port must be a whole number from 0 to 65535, not a number of many digits"),
        (f"port = {'9' * 5000}\n", "F cannot be used: a number in it is too long"),
        (f"a = {'[' * 30_000}\n", "F cannot be used: it is nested too deep"),
        (f'x = """\n[{" " * 30_000}\n"""\n', "F:1: x is no setting; `mirrord config show` lists them all"),
        ("port = 70000 # comment\n", "F:1: port must be a whole number from 0 to 65535, not 70000"),
        ('"zz\\u001b[2Jzz" = 1\n', "F: zzzz is no setting; `mirrord config show` lists them all"),
        ("port = 1\nport = 2\n", "F:2 cannot be used: it is no TOML: cannot overwrite a value"),
        ("a = [\n", "F cannot be used: it is no TOML: invalid value (at end of document)"),
        ("a = " + "[" * 60_000, "F cannot be used: it is nested too deep"),
        ("#" * (CONFIG_BYTES + 1), "F cannot be used: it is larger than 64 KiB"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_the_nearest_name(tmp_path: Path, text: str, sentence: str) -> None:
    config = configured(tmp_path, text)
    assert sentences(config) == [sentence]
    assert config["port"] == KEYS["port"].default


def test_a_value_of_another_kind_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    config = configured(tmp_path, 'port = "x"\nlog_level = "error"\n', {"MIRRORD_RETENTION_DAYS": "soon"})
    assert config["log_level"] == "error"
    assert config["retention_days"] == 14
    assert sentences(config)[1] == "MIRRORD_RETENTION_DAYS must be a whole number from 1 to 3650; it does not count"


@pytest.mark.parametrize("make", ["directory", "pipe", "unreadable", "not text"])
def test_a_file_that_cannot_be_read_keeps_sessions_private_and_waits_for_nothing(tmp_path: Path, make: str) -> None:
    file = tmp_path / "config.toml"
    match make:
        case "directory":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case "unreadable":
            file.symlink_to(file)
        case "not text":
            file.write_bytes(b"\xff")
    config = read_config(file, {})
    assert not config.usable
    assert len(config.problems) == 1
    assert (config["mirror"], config.settings["mirror"].source) == (False, "safe")
    assert private_reason(file, "/home/ada", "/home/ada") is not None


@pytest.mark.parametrize("key", EXTENSION_KEYS)
def test_a_wrong_value_of_what_the_extension_reads_keeps_sessions_private_as_it_does_in_pi(tmp_path: Path, key: str) -> None:
    config = configured(tmp_path, f"mirror = true\n{key} = 7\n" if key != "mirror" else "mirror = 7\n")
    assert (config["mirror"], config.usable) == (False, True)
    assert private_reason(config.file, "/home/ada", "/home/ada") is not None


@pytest.mark.parametrize("text", ["", "port = 'x'\n", "unknown = 1\n", "[notify]\ncommand = 1\n", "mirror = true\n"])
def test_a_slip_in_another_setting_makes_nothing_private_as_in_pi(tmp_path: Path, text: str) -> None:
    config = configured(tmp_path, text)
    assert config["mirror"] is True
    assert private_reason(config.file, "/home/ada", "/home/ada") is None


@pytest.mark.parametrize(("word", "mirrored"), [("0", False), ("off", False), ("1", True), ("nonsense", True), ("", True)])
def test_the_variable_of_a_pi_can_only_make_it_private(tmp_path: Path, word: str, mirrored: bool) -> None:
    assert configured(tmp_path, "", {"MIRRORD": word})["mirror"] is mirrored
    assert configured(tmp_path, "mirror = false\n", {"MIRRORD": word})["mirror"] is False


def test_every_setting_is_documented_and_its_default_is_of_its_kind() -> None:
    for name, key in KEYS.items():
        assert key.doc.endswith("."), name
        assert key.env is None or key.env.startswith("MIRRORD")
        if key.default is None:
            assert key.unset
        else:
            assert key.kind.read(list(key.default) if isinstance(key.default, tuple) else key.default) == key.default
