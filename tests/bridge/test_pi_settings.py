"""Promise: one line of Pi's settings is ours; we put it in once, take it out, and change nothing else, ever."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.json_edit import add_item
from bridge.pi_lock import SettingsLocked
from bridge.pi_settings import Entry, EntryNotUsable, SettingsRefused, SettingsUnclear, install, settings_path, status, uninstall

DATA = Path("/data/mirrord")
ENTRY = DATA / "extension" / "mirrord" / "index.ts"
BOM = b"\xef\xbb\xbf"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


class TestPlace:
    @pytest.mark.parametrize(
        ("directory", "path"),
        [
            (None, "/home/ada/.pi/agent/settings.json"),
            ("", "/home/ada/.pi/agent/settings.json"),
            ("/pi", "/pi/settings.json"),
            ("~", "/home/ada/settings.json"),
            ("~/pi", "/home/ada/pi/settings.json"),
            ("~ada/pi", "~ada/pi/settings.json"),
        ],
    )
    def test_it_is_where_pi_looks(self, directory: str | None, path: str) -> None:
        env = {} if directory is None else {"PI_CODING_AGENT_DIR": directory}
        assert settings_path(env, Path("/home/ada")) == Path(path)


class TestInstall:
    def test_a_missing_file_and_its_directory_are_made(self, tmp_path: Path) -> None:
        settings = tmp_path / "pi" / "agent" / "settings.json"
        assert status(settings, ENTRY, DATA) is Entry.ABSENT
        assert install(settings, ENTRY, DATA)
        assert settings.read_text() == f'{{\n  "extensions": [\n    "{ENTRY}"\n  ]\n}}\n'
        assert stat.S_IMODE(settings.parent.stat().st_mode) == 0o700
        assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]
        assert status(settings, ENTRY, DATA) is Entry.INSTALLED

    @pytest.mark.parametrize("mark", [b"", BOM])
    def test_an_empty_file_counts_as_missing(self, settings: Path, mark: bytes) -> None:
        settings.write_bytes(mark)
        assert status(settings, ENTRY, DATA) is Entry.ABSENT
        assert install(settings, ENTRY, DATA)
        assert settings.read_bytes().startswith(mark + b"{")

    def test_the_second_time_changes_nothing(self, settings: Path) -> None:
        install(settings, ENTRY, DATA)
        before = settings.stat()
        assert not install(settings, ENTRY, DATA)
        after = settings.stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    @pytest.mark.parametrize("mark", [b"", BOM])
    def test_all_else_stays_to_the_byte_and_comes_back(self, settings: Path, mark: bytes) -> None:
        text = mark + '{\r\n\t"theme" : "därk",\r\n\t"extensions": ["~/mine.ts"],\r\n\t"n": 1.0e+2\r\n}'.encode()
        settings.write_bytes(text)
        assert install(settings, ENTRY, DATA)
        assert settings.read_bytes() == text.replace(b'"~/mine.ts"', f'"~/mine.ts", "{ENTRY}"'.encode())
        assert uninstall(settings, ENTRY, DATA)
        assert settings.read_bytes() == text

    @pytest.mark.parametrize(
        "older", ["/data/mirrord/extension/index.ts", "/data/mirrord/x/../extension", "../" * 20 + "data/mirrord/index.ts"]
    )
    def test_an_older_entry_of_ours_gives_way(self, settings: Path, older: str) -> None:
        settings.write_text(json.dumps({"extensions": ["first.ts", older, "last.ts"]}))
        assert status(settings, ENTRY, DATA) is Entry.OUTDATED
        assert install(settings, ENTRY, DATA)
        assert json.loads(settings.read_text())["extensions"] == ["first.ts", "last.ts", str(ENTRY)]
        assert status(settings, ENTRY, DATA) is Entry.INSTALLED

    def test_an_older_entry_beside_the_right_one_goes_and_the_order_of_keys_stays(self, settings: Path) -> None:
        older = str(DATA / "old.ts")
        settings.write_text(json.dumps({"a": 1, "extensions": [older], "b": 2}))
        install(settings, ENTRY, DATA)
        assert list(json.loads(settings.read_text())) == ["a", "extensions", "b"]
        settings.write_text(json.dumps({"extensions": [str(ENTRY), older]}))
        assert install(settings, ENTRY, DATA)
        assert json.loads(settings.read_text()) == {"extensions": [str(ENTRY)]}

    def test_what_only_looks_like_ours_is_left_alone(self, settings: Path) -> None:
        others = ["/data/mirrord2/index.ts", "/elsewhere/mirrord/extension/mirrord/index.ts", f"-{ENTRY}", 7, {"a": str(ENTRY)}, None]
        settings.write_text(json.dumps({"extensions": others}))
        assert status(settings, ENTRY, DATA) is Entry.ABSENT
        assert install(settings, ENTRY, DATA)
        assert json.loads(settings.read_text()) == {"extensions": [*others, str(ENTRY)]}

    @pytest.mark.parametrize(
        ("data_dir", "reason"),
        [("/da*ta", "takes a path with \\* or \\? for a pattern"), ("/wh?t", "for a pattern"), (os.fsdecode(b"/\xff"), "not UTF-8")],
    )
    def test_a_path_that_pi_could_not_load_is_refused(self, settings: Path, data_dir: str, reason: str) -> None:
        with pytest.raises(EntryNotUsable, match=rf"{reason}.*; set XDG_DATA_HOME"):
            install(settings, Path(data_dir, "index.ts"), Path(data_dir))
        assert not settings.exists()


class TestUninstall:
    def test_what_install_made_goes_and_nothing_to_remove_is_no_change(self, settings: Path) -> None:
        install(settings, ENTRY, DATA)
        assert uninstall(settings, ENTRY, DATA)
        assert settings.read_text() == "{}\n"
        assert not uninstall(settings, ENTRY, DATA)

    def test_older_entries_go_too(self, settings: Path) -> None:
        settings.write_text(json.dumps({"extensions": [str(DATA / "index.ts"), "x.ts", str(ENTRY)]}))
        assert uninstall(settings, ENTRY, DATA)
        assert json.loads(settings.read_text()) == {"extensions": ["x.ts"]}

    def test_without_a_file_nothing_is_made(self, tmp_path: Path) -> None:
        assert not uninstall(tmp_path / "none" / "settings.json", ENTRY, DATA)
        assert not uninstall(tmp_path / "settings.json", ENTRY, DATA)
        assert list(tmp_path.iterdir()) == []


class TestFile:
    @pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
    def test_its_mode_stays(self, settings: Path, mode: int) -> None:
        settings.write_text("{}")
        settings.chmod(mode)
        install(settings, ENTRY, DATA)
        assert stat.S_IMODE(settings.stat().st_mode) == mode

    def test_a_link_stays_a_link_and_its_target_changes(self, settings: Path, tmp_path: Path) -> None:
        target = tmp_path / "dotfiles" / "pi.json"
        target.parent.mkdir()
        target.write_text("{}")
        settings.symlink_to("dotfiles/pi.json")
        install(settings, ENTRY, DATA)
        assert settings.readlink() == Path("dotfiles/pi.json")
        assert str(ENTRY) in target.read_text()
        assert {path.name for path in tmp_path.iterdir()} == {"dotfiles", "settings.json"}
        assert [path.name for path in target.parent.iterdir()] == ["pi.json"]

    def test_a_dangling_link_gets_its_target(self, settings: Path, tmp_path: Path) -> None:
        settings.symlink_to("target.json")
        install(settings, ENTRY, DATA)
        assert str(ENTRY) in (tmp_path / "target.json").read_text()

    def test_a_reader_sees_the_old_file_or_the_new_one(self, settings: Path) -> None:
        settings.write_text('{"theme": "dark"}')
        with settings.open() as reading:
            install(settings, ENTRY, DATA)
            assert reading.read() == '{"theme": "dark"}'


class TestRefusals:
    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b'{\n  // mine\n  "theme": "dark"\n}', "line 2, column 3: "),
            (b'{"extensions": {}}', '"extensions" is not a list'),
            (b'{"extensions": [], "extensions": []}', '"extensions" is there twice'),
            (b"[]", "it is not an object"),
            (b" \n", "Expecting value"),
            (b'{"a": "\xff"}', "byte 7 is not UTF-8"),
        ],
    )
    def test_what_we_do_not_understand_is_left_with_the_line_to_change_by_hand(self, settings: Path, content: bytes, reason: str) -> None:
        settings.write_bytes(content)
        add = f'add this to it by hand: "extensions": ["{ENTRY}"]'
        remove = f'remove "{ENTRY}" from its "extensions" by hand'
        for what, by_hand in ((install, add), (uninstall, remove)):
            with pytest.raises(SettingsRefused) as refused:
                what(settings, ENTRY, DATA)
            assert str(refused.value).startswith(f"{settings} was not changed (")
            assert reason in str(refused.value)
            assert str(refused.value).endswith(f"); {by_hand}")
        with pytest.raises(SettingsUnclear) as unclear:
            status(settings, ENTRY, DATA)
        assert str(unclear.value).startswith(f"{settings} cannot be understood (")
        assert reason in str(unclear.value)
        assert str(unclear.value).endswith("); mend it")
        assert settings.read_bytes() == content
        assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]

    def test_a_directory_in_its_place_is_told(self, settings: Path) -> None:
        settings.mkdir()
        with pytest.raises(SettingsRefused, match="Is a directory"):
            install(settings, ENTRY, DATA)
        with pytest.raises(SettingsUnclear, match=r"settings\.json cannot be read \(Is a directory\); mend it$"):
            status(settings, ENTRY, DATA)

    def test_a_file_in_the_place_of_its_directory_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "agent").touch()
        with pytest.raises(SettingsRefused, match="File exists"):
            install(tmp_path / "agent" / "settings.json", ENTRY, DATA)

    def test_a_read_only_file_is_not_replaced(self, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.write_text("{}")
        # Root may write everywhere, so the answer is made up.
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(SettingsRefused, match="it is read-only"):
            install(settings, ENTRY, DATA)
        assert settings.read_text() == "{}"

    def test_a_full_disk_is_told_and_the_file_stays(self, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.write_text("{}")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("bridge.pi_settings.replace_file", full)
        with pytest.raises(SettingsRefused, match="No space left on device"):
            install(settings, ENTRY, DATA)
        assert settings.read_text() == "{}"

    def test_while_pi_holds_the_lock_nothing_is_written(self, settings: Path, tmp_path: Path) -> None:
        settings.write_text("{}")
        (tmp_path / "settings.json.lock").mkdir()
        for what in (install, uninstall):
            with pytest.raises(SettingsLocked):
                what(settings, ENTRY, DATA, lambda _: None)
        assert settings.read_text() == "{}"

    def test_a_lock_that_was_lost_stops_the_write(self, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.write_text("{}")

        def lose_the_lock(text: str, name: str, item: str) -> str:
            settings.with_name("settings.json.lock").rmdir()
            return add_item(text, name, item)

        monkeypatch.setattr("bridge.pi_settings.add_item", lose_the_lock)
        with pytest.raises(SettingsLocked):
            install(settings, ENTRY, DATA)
        assert settings.read_text() == "{}"


@given(
    st.dictionaries(st.text(max_size=5), st.one_of(st.integers(), st.text(), st.lists(st.integers()))),
    st.lists(st.text(), min_size=1),
    st.sampled_from([None, 0, 2, "\t"]),
    st.sampled_from(["", "\n", "\r\n"]),
    st.booleans(),
)
def test_any_settings_come_back_to_the_byte(
    tmp_path_factory: pytest.TempPathFactory, others: dict[str, object], listed: list[str], indent: int | str | None, end: str, ascii: bool
) -> None:
    settings = tmp_path_factory.getbasetemp() / "settings.json"
    text = json.dumps({**others, "extensions": listed}, indent=indent, ensure_ascii=ascii) + end
    settings.write_bytes(text.encode())
    install(settings, ENTRY, DATA)
    assert json.loads(settings.read_bytes()) == {**others, "extensions": [*listed, str(ENTRY)]}
    uninstall(settings, ENTRY, DATA)
    assert settings.read_bytes() == text.encode()
