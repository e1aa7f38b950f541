"""No page shows a command that no test knows how to run, and no test runs what no page shows any more."""

import ast
import importlib
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import setting_up
from benchmarks import measuring
from drills import drilling
from tests.each import each
from tests.manual import elsewhere, test_five_minutes
from tests.manual.cloud import DEPLOYMENTS, GCLOUD, PREPARE, STREAMLIT
from tests.manual.on_a_server import BEGINNINGS, EVALUATIONS
from tests.manual.on_a_store import ROWS
from tests.manual.pages import PAGES, Command, commands
from tests.manual.shown import FORMS, Shown
from tests.manual.typist import typed_in
from tests.requirements import manifest

HERE = ("scripts/bench conversation", "scripts/test tests/desk -k saga")
CHOSEN = re.compile(r"scripts/test --requirement (\d{3}-\d+)$")


def whole() -> set[str]:
    """Return the single commands that some test runs, or that name such a test."""
    return {*elsewhere.WHOLE, *(row.words for row in ROWS), *DEPLOYMENTS, *GCLOUD, STREAMLIT, *EVALUATIONS, *HERE}


def beginnings() -> tuple[str, ...]:
    """Return how the blocks begin that some test runs."""
    return (*elsewhere.BY_BEGINNING, *BEGINNINGS, PREPARE)


def is_run(command: Command, every: list[Command]) -> bool:
    """Tell whether a test runs it, or it only mentions what is shown in full elsewhere."""
    if command in test_five_minutes.section() or command.words in whole() or CHOSEN.match(command.words):
        return True
    if command.words.startswith(beginnings()):
        return True
    return any(
        other.words.startswith((f"{command.words} -", f"{command.words} <", f"{command.words} N")) for other in every
    )


@pytest.mark.requirement("004-760")
def test_every_command_of_the_manual_is_run_by_a_test() -> None:
    """One that is not is told by its place: have a table of this folder say how it is run."""
    every = list(commands())
    assert len(every) > 90
    assert [command.place for command in every if not is_run(command, every)] == []


@pytest.mark.requirement("004-760")
def test_nothing_is_run_that_no_page_shows() -> None:
    """A row that is left over would speak for a page that has changed."""
    shown = [command.words for command in commands()]
    assert sorted(whole() - set(shown)) == []
    assert [text for text in beginnings() if not any(words.startswith(text) for words in shown)] == []


def named_elsewhere() -> Iterator[str]:
    """Yield the tests that commands are run by elsewhere."""
    yield from sorted({*elsewhere.WHOLE.values(), *elsewhere.BY_BEGINNING.values()})


@pytest.mark.requirement("004-760")
@each("named", named_elsewhere())
def test_a_test_that_is_named_is_there(named: str) -> None:
    """By its file and its name."""
    file, _, name = named.partition("::")
    tree = ast.parse((setting_up.ROOT / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


READERS: dict[str, Callable[[list[str]], object]] = {
    "bench": measuring.read_options,
    "drill": drilling.read_options,
}


@pytest.mark.requirement("004-760")
@each("words", [words for words in elsewhere.WHOLE if re.match(r"scripts/(bench|drill) ", words)])
def test_what_is_run_elsewhere_has_the_options_that_are_shown(words: str) -> None:
    """A figure, a drill or an option that is gone ends this, as it ends the command."""
    program, *arguments = shlex.split(re.sub(r"\[.*\]", "", words))
    READERS[program.removeprefix("scripts/")](arguments)


NAMED = re.compile(r"`(scripts/\w+)`")


def programs() -> set[str]:
    """Return the programs of `scripts/` that pages name or show, but for the one that hands its words to pytest."""
    named = {name for page in PAGES for name in NAMED.findall(page.read_text(encoding="utf-8"))}
    shown = {words.split()[0] for words in elsewhere.WHOLE if words.startswith("scripts/")}
    return {name for name in named | shown if not (setting_up.ROOT / name).is_dir()} - {"scripts/test"}


@pytest.mark.process
@pytest.mark.requirement("004-760")
def test_every_program_that_is_named_says_what_it_takes_and_takes_what_is_shown() -> None:
    """Also those that only a sentence names; an option that a page shows stands in the program's own help."""
    names = sorted(programs())
    answers = typed_in(setting_up.ROOT, [[name, "--help"] for name in names])
    help_by_name = {name: answer["out"] for name, answer in zip(names, answers, strict=True)}
    assert {name: answer["out"] for name, answer in zip(names, answers, strict=True) if answer["code"]} == {}
    help_by_name["scripts/test"] = (setting_up.ROOT / "scripts/test").read_text(encoding="utf-8")
    unknown = [
        f"{words}: {option}"
        for words in elsewhere.WHOLE
        if words.startswith("scripts/")
        for option in re.findall(r"--[a-z-]+", words)
        if option not in help_by_name[words.split()[0]]
    ]
    assert unknown == []


@pytest.mark.requirement("004-760")
def test_promises_that_are_named_for_choosing_tests_are_tested() -> None:
    """`scripts/test --requirement` would else run nothing; that each has its tests is held in `tests/requirements`."""
    tested = {row.id for row in manifest.load() if row.status == "tested"}
    named = [found[1] for command in commands() if (found := CHOSEN.match(command.words))]
    assert named
    assert set(named) - tested == set()


@pytest.mark.requirement("004-760")
def test_words_that_choose_tests_choose_some() -> None:
    """`scripts/test tests/desk -k saga`: pytest looks for the word in the names of files and tests."""
    _, folder, _, word = shlex.split(HERE[1])
    files = (setting_up.ROOT / folder).rglob("test_*.py")
    assert any(
        re.search(rf"^(?:async )?def test_\w*{word}", path.read_text(), re.M) or word in path.name for path in files
    )


@pytest.mark.process
@pytest.mark.requirement("004-760")
def test_the_figure_of_conversations_can_be_measured() -> None:
    """`scripts/bench conversation`, one short round; what it measures on this machine is not held against anything."""
    effort = importlib.import_module("benchmarks.figure").Effort(1, True, False, False, 0.0)
    figure = importlib.import_module("benchmarks.conversation").measure(effort)
    assert "from an interruption to the last event" in figure.text()


@pytest.mark.requirement("004-760")
def test_a_command_that_nobody_runs_is_named(tmp_path: Path) -> None:
    """Wherever on a page it stands."""
    page = tmp_path / "page.md"
    page.write_text(
        "Ask `scripts/health --worst`.\n\n```sh\nscripts/launch now\n```\n\n```text\n$ gcloud moon land\nok\n```\n"
    )
    every = list(commands((page,)))
    assert [command.place for command in every if not is_run(command, every)] == [
        "page.md, line 4: scripts/launch now",
        "page.md, line 8: gcloud moon land",
        "page.md, line 1: scripts/health --worst",
    ]


@pytest.mark.requirement("004-760")
@each(
    ("shown", "answer", "differs"),
    [
        ('{"a": 1, …}', '{"a":1,"b":2}', ""),
        ('{"a": 1}', '{"a":1,"b":2}', "not answered"),
        ("done in <seconds> s", "done in 2.4 s", ""),
        ("done in <seconds> s", "done in no s", "not answered"),
        ('"<id of it>" … "<id of it>"', '"bk_1" and "bk_1"', ""),
        ('"<id of it>" … "<id of it>"', '"bk_1" and "bk_2"', "not answered further on"),
        ("<day>", "2026-12-02", "not answered"),
        ("late", "too late", "not answered at the beginning"),
    ],
)
def test_what_is_shown_is_answered_or_it_is_said_what_is_not(shown: str, answer: str, differs: str) -> None:
    """Only what is marked may be other than it is shown."""
    found = Shown({"day": "2026-12-01"}).differs(shown, answer)
    assert bool(found) == bool(differs) and found.startswith(differs)


@pytest.mark.requirement("004-760")
def test_the_manual_says_what_its_marks_stand_for() -> None:
    """Each of them stands in the table of docs/testing.md."""
    text = (setting_up.ROOT / "docs/testing.md").read_text()
    assert [name for name in FORMS if not re.search(rf"^\| .*`<{name}[ >].* \|", text, re.M)] == []
