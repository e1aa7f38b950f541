"""Files that people have commands write: where none can be written, that is one sentence before the work begins."""

import argparse
import ast
import errno
import os
from pathlib import Path

import pytest

import setting_up
from command_line import file_to_write
from disk_trouble import refusal, told
from tests.manual.typist import typed_in

pytestmark = pytest.mark.requirement("004-836")
SCRIPTS = setting_up.ROOT / "scripts"
COMMANDS = [
    ["drill", "simulate", "--calls", "1", "--json"],
    ["eval", "salon-en", "--json"],
    ["eval", "salon-en", "--junit"],
    ["eval", "record", "s1", "--project", "nowhere", "--out"],
    ["bench", "listing", "--quick", "--json"],
    ["backup", "export", "--project", "nowhere"],
]
PLACES = ("missing", "below", "folder", "long", "refused")
WRITTEN = ("--json", "--junit", "--out")


# A folder is where a backup makes a file of its own.
TRIED = [(command, place) for command in COMMANDS for place in PLACES if (command[0], place) != ("backup", "folder")]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, str]]:
    """Places at which no file can be written, with what is said of each."""
    folder = tmp_path_factory.mktemp("places")
    (folder / "file").write_text("x")
    return {
        "missing": (
            folder / "nope" / "x.json",
            "x.json{part} is not there (No such file or directory): name a place",
        ),
        "below": (folder / "file" / "x.json", "x.json{part} lies below a file (Not a directory): name a place in a"),
        "folder": (folder, "is a folder (Is a directory): name a file in it"),
        "long": (folder / f"{'x' * 300}.json", "is too long a name (File name too long): choose a shorter one"),
        "refused": (Path("/proc/x.json"), "/proc/x.json{part} is not there (No such file or directory)"),
    }


@pytest.mark.process
def test_what_cannot_be_written_is_told_before_the_work_begins(places: dict[str, tuple[Path, str]]) -> None:
    """One sentence, no traceback, and nothing was played, measured or asked for."""
    environ = {"FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"}
    typed = [[str(SCRIPTS / command[0]), *command[1:], str(places[place][0])] for command, place in TRIED]
    answers = typed_in(setting_up.ROOT, [{"words": words, "environ": environ, "trace": ""} for words in typed])
    for (command, place), answer in zip(TRIED, answers, strict=True):
        says, out = places[place][1], answer["out"]
        assert answer["code"] in (1, 2), (command, place, out)
        assert out.count("\n") == 1 and out.startswith(f"scripts/{command[0]}"), (command, place, out)
        assert says.format(part=".part" if command[0] == "backup" else "") in out, (command, place, out)


def test_every_option_that_names_a_file_to_write_looks_at_the_place_first() -> None:
    """Found in the commands' own text, so that one that is added is not left out."""
    nodes = [node for path in _sources() for node in ast.walk(ast.parse(path.read_text()))]
    options = [node for node in nodes if isinstance(node, ast.Call) and _is_written(node)]
    assert len(options) >= 5
    for option in options:
        kinds = [keyword.value for keyword in option.keywords if keyword.arg == "type"]
        assert [kind.id for kind in kinds if isinstance(kind, ast.Name)] == ["file_to_write"], ast.unparse(option)


def test_to_look_at_a_place_leaves_nothing_there_and_changes_nothing(tmp_path: Path) -> None:
    """Neither a file that was not there, nor what stood in one that was; a pipe is not waited for."""
    (tmp_path / "there").write_text("kept")
    os.mkfifo(tmp_path / "pipe")
    for name in ("there", "new", "pipe"):
        assert refusal(tmp_path / name) == ""
        assert file_to_write(str(tmp_path / name)) == tmp_path / name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "there"]
    assert (tmp_path / "there").read_text() == "kept"
    assert refusal(Path("/dev/null")) == ""
    with pytest.raises(argparse.ArgumentTypeError, match="is empty"):
        file_to_write("")


@pytest.mark.parametrize("code", [errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EROFS])
def test_what_the_system_refuses_at_a_place_of_somebody_s_is_told_with_what_helps(code: int) -> None:
    """Also later, where a place has gone while the work went on; without a place there is nothing to tell."""
    sentence = told(OSError(code, os.strerror(code), "/somewhere/x.json"))
    assert sentence.startswith("/somewhere/x.json ") and os.strerror(code) in sentence
    assert "name a" in sentence and "checkout" not in sentence
    assert told(OSError(errno.ENOENT, "nothing")) == ""
    own = str(setting_up.ROOT / ".venv.lock")
    assert "copy the checkout" in told(OSError(errno.EACCES, "no", own))


def _sources() -> list[Path]:
    plain = [
        path for path in SCRIPTS.iterdir() if path.is_file() and path.read_bytes().startswith(b"#!/usr/bin/env py")
    ]
    return [*plain, *SCRIPTS.rglob("*.py")]


def _is_written(node: ast.Call) -> bool:
    """Whether a call adds an option that names a file to write."""
    if getattr(node.func, "attr", "") != "add_argument":
        return False
    is_flag = any(keyword.arg == "action" for keyword in node.keywords)
    names = [part.value for part in node.args if isinstance(part, ast.Constant)]
    return not is_flag and any(name in WRITTEN for name in names)
