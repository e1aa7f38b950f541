"""What reads text from outside takes time in proportion to its length: every pattern, and every reader around them.

One text that takes the square of its length holds up the calls of every business of a process.
"""

import ast
import importlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from switchboard.desk import untrusted_text
from tests.architecture.growth import FAMILIES, families_of, growth_of
from tests.architecture.house import FUNCTIONS, ROOT, trees_under
from tests.architecture.readers import READERS, unmeasured

METHODS = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
MODULE_LEVEL = {*METHODS, "compile"}
MADE_ON_THE_SPOT = {
    "switchboard/admin/conversations/own_words.py": "of what one call sent, each escaped; reads a tool's own sentence",
    "switchboard/admin/evals/disguise.py": "of names and numbers of one conversation, each spelt out and escaped",
    "switchboard/admin/evals/said_figures.py": "of the digits of one number, figures and at most one sign between them",
    "switchboard/admin/evals/spoken_forms.py": "of one number, one address or one date, escaped; figures and months",
    "switchboard/admin/maintenance/caller_data.py": "of one caller's own numbers, each spelt out and escaped",
    "switchboard/contract/definitions/redaction.py": "of one call's secrets, each spelt out and escaped",
    "switchboard/conversation/claims/facts.py": "of a service's name, escaped; reads capped sentences",
    "switchboard/conversation/claims/statements/chosen_times.py": "of services' names, escaped; reads few words",
    "switchboard/formats/schema/spelling.py": "one class of characters; reads names",
    "switchboard/formats/vapi/tools.py": "of known variables' names",
    "switchboard/integrations/realtime/voice_keys.py": "a prefix and 32 digits",
    "switchboard/pipeline/confirmation/assent_beside.py": "of how requests begin; reads 300 characters at most",
    "switchboard/pipeline/result/check_trace.py": "of parameters' names, escaped; reads our own sentences",
}
"""Patterns that are made while the program runs, and of what."""
SENTENCE, MESSAGE = 600, 1_600
CAPPED = {
    "switchboard.conversation.claims.guard": SENTENCE,
    "switchboard.conversation.claims.sentences": SENTENCE,
    "switchboard.conversation.claims.entities": MESSAGE,
    "switchboard.conversation.claims.spoken_hours": MESSAGE,
    "switchboard.conversation.claims.name_words": MESSAGE,
    "switchboard.conversation.claims.zone_words": MESSAGE,
    "switchboard.conversation.claims.facts": MESSAGE,
    "switchboard.conversation.claims.people_words": SENTENCE,
    "switchboard.conversation.claims.people_marks": SENTENCE,
    "switchboard.conversation.claims.party_words": SENTENCE,
    "switchboard.conversation.claims.company_claims": SENTENCE,
    "switchboard.conversation.claims.taken_words": SENTENCE,
    "switchboard.conversation.claims.until_then": SENTENCE,
    "switchboard.conversation.claims.visit_ends": SENTENCE,
    "switchboard.conversation.claims.company_check": MESSAGE,
    "switchboard.conversation.claims.free_words": SENTENCE,
    "switchboard.conversation.claims.told_by_results": SENTENCE,
    "switchboard.conversation.claims.unclaimed": SENTENCE,
    "switchboard.conversation.claims.statements": SENTENCE,
    "switchboard.conversation.claims.number_words": MESSAGE,
    "switchboard.conversation.claims.correction": SENTENCE,
}
"""Modules that only ever see so many characters, with single blanks between words: the claim guard, and what reads
messages that were sent, see to that. They themselves are measured without a cap, by what they read."""


class Use(NamedTuple):
    """A pattern and one way in which it is asked."""

    module: str
    name: str
    pattern: "re.Pattern[str]"
    method: str

    def ask(self, text: str) -> object:
        """Ask it."""
        if cap_of(self.module) is not None:
            text = " ".join(text.split())  # as it comes there
        if self.method in ("sub", "subn"):
            return self.pattern.sub(lambda match: "", text)
        found = getattr(self.pattern, self.method)(text)
        return list(found) if self.method == "finditer" else found


def _patterns_in(value: Any, depth: int = 0) -> Iterator["re.Pattern[Any]"]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list)) and depth < 3:
        for inner in value:
            yield from _patterns_in(inner, depth + 1)
    elif isinstance(value, dict) and depth < 3:
        yield from _patterns_in(tuple(value.values()), depth)


def cap_of(name: str) -> int | None:
    """Return how long a text may be when it comes to a module or a function; None where nothing sees to that."""
    return next((most for begin, most in CAPPED.items() if name.startswith(begin)), None)


def uses(root: Path = ROOT) -> Iterator[Use]:
    """Yield every pattern of the functions by each way in which it is asked."""
    whole = "\n".join(path.read_text() for path in (root / FUNCTIONS).rglob("*.py"))
    for path, tree in trees_under(root, FUNCTIONS):
        text = (root / path).read_text()
        if not re.search(r"^import re$", text, re.M):
            continue
        name = ".".join(path.relative_to(FUNCTIONS).with_suffix("").parts)
        for called, value in vars(importlib.import_module(name)).items():
            found = [pattern for pattern in _patterns_in(value) if isinstance(pattern.pattern, str)]
            if not found:
                continue
            where = text if called.startswith("_") else whole
            asked = set(re.findall(rf"\b{re.escape(called)}\.({'|'.join(METHODS)})\b", where)) or {"search"}
            for pattern in found:
                yield from (Use(name, called, pattern, method) for method in sorted(asked))
        for node in _calls_of_re(tree):
            method = node.func.attr  # type: ignore[attr-defined]
            if method == "compile":
                # Those at the top stand among the module's names, and are asked as the code does.
                if _is_at_top(tree, node):
                    continue
                method = "search"
            if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                yield Use(name, f"line {node.lineno}", re.compile(node.args[0].value), method)


def _calls_of_re(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name("re"), attr=attr)) if attr in MODULE_LEVEL:
                yield node


def made_on_the_spot(root: Path) -> set[str]:
    """Return the files of patterns that are made while the program runs."""
    found = set()
    for path, tree in trees_under(root, FUNCTIONS):
        top = {id(inner) for node in tree.body if not _defines(node) for inner in ast.walk(node)}
        for node in _calls_of_re(tree):
            is_plain = bool(node.args) and isinstance(node.args[0], ast.Constant)
            if id(node) not in top and not is_plain:
                found.add(path.relative_to(FUNCTIONS).as_posix())
    return found


def _defines(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def hidden(root: Path) -> set[str]:
    """Return files that make patterns in a way in which `uses` would not see them."""
    found = set()
    for path, tree in trees_under(root, FUNCTIONS):
        for node in ast.walk(tree):
            match node:
                case ast.ImportFrom(module="re" | "regex" | "re2") | ast.Import(names=[ast.alias("regex")]):
                    found.add(path.relative_to(FUNCTIONS).as_posix())
                case ast.Import(names=names) if any(alias.name == "re" and alias.asname for alias in names):
                    found.add(path.relative_to(FUNCTIONS).as_posix())
        calls = [call for call in _calls_of_re(tree) if _is_at_top(tree, call) and call.func.attr == "compile"]  # type: ignore[attr-defined]
        if calls and path.parts[1] == "switchboard":
            module = importlib.import_module(".".join(path.relative_to(FUNCTIONS).with_suffix("").parts))
            known = {pattern for value in vars(module).values() for pattern in _patterns_in(value)}
            if len(known) < len({ast.dump(call) for call in calls}):
                found.add(path.relative_to(FUNCTIONS).as_posix())
    return found


def _is_at_top(tree: ast.Module, call: ast.Call) -> bool:
    return any(call is inner for node in tree.body if not _defines(node) for inner in ast.walk(node))


@pytest.mark.heavy
@pytest.mark.requirement("004-140")
def test_every_pattern_is_linear():
    """Asked as the code asks it, with texts for all and those that the pattern itself suggests."""
    told = []
    for use in uses():
        cap = cap_of(use.module)
        for family, make in {**FAMILIES, **families_of(use.pattern)}.items():
            problem = growth_of(use.ask, make, cap)
            if problem:
                told.append(f"{use.module}.{use.name}.{use.method}: {family}: {problem}")
                break
    assert told == []


def test_patterns_made_while_the_program_runs_are_listed():
    """They are nowhere to be found beforehand, so somebody has to say of what they are made."""
    known = {path for path, why in MADE_ON_THE_SPOT.items() if why}
    assert made_on_the_spot(ROOT) <= known
    assert all((ROOT / FUNCTIONS / path).exists() for path in known)


def _of_single_blanks(read: Callable[[str], Any], text: str) -> Any:
    return read(" ".join(text.split()))


@pytest.mark.heavy
@pytest.mark.requirement("004-140")
def test_every_reader_of_text_is_linear():
    """Functions that read what a caller, a model, an owner's service or a vendor has written: whatever takes a text."""
    told = []
    for name, reader in READERS.items():
        cap = cap_of(name)
        read = reader if cap is None else partial(_of_single_blanks, reader)
        for family, make in FAMILIES.items():
            if problem := growth_of(read, make, cap):
                told.append(f"{name}: {family}: {problem}")
                break
    assert told == []


@pytest.mark.requirement("004-140")
def test_no_pattern_is_out_of_sight():
    """One in a place where nobody looks, or of another library, would be measured by nobody."""
    assert hidden(ROOT) == set()


@pytest.mark.requirement("004-140")
def test_readers_that_cannot_be_tried_by_themselves_are_listed():
    """They take a text and something that only the program makes; who adds one looks at it, and lists it.

    Their patterns are measured, and what they call.
    """
    listed = set((ROOT / "tests/architecture/readers_listed.txt").read_text().split())
    assert unmeasured() - listed == set(), "read the text in time that grows with its length alone, and list it"
    assert listed - unmeasured() == set(), "take it off the list"


@pytest.mark.requirement("004-140")
def test_a_careless_pattern_that_somebody_adds_is_found(monkeypatch):
    """Without being listed anywhere."""
    monkeypatch.setattr(untrusted_text, "_PLANTED", re.compile(r"a+b"), raising=False)
    (use,) = (use for use in uses() if use.name == "_PLANTED")
    assert growth_of(use.ask, FAMILIES["one letter"])


def test_readers_are_found_by_their_signature():
    """A function that takes a text is tried without being listed; the table by hand is for those that need more."""
    assert "switchboard.desk.untrusted_text.quoted(text)" in READERS
    assert "switchboard.contract.python.strict_json.parse_json(text)" in READERS
    assert len(READERS) > 700


def test_a_planted_square_is_found_and_a_line_is_not():
    """The measure tells them apart, also on a busy machine."""
    slow = re.compile(r"a+b")
    assert growth_of(lambda text: [slow.search(text) for _ in range(3)], FAMILIES["one letter"])
    assert not growth_of(lambda text: [text.count("a") for _ in range(3)], FAMILIES["one letter"])


def test_a_size_that_is_slow_each_time_is_no_square_and_one_that_begins_late_is():
    """What a machine does besides can meet one size at all its looks."""

    def taking(times: dict[int, float]) -> str:
        return growth_of(lambda text: _busy_for(times[len(text)]), FAMILIES["one letter"])

    assert not taking({2_000: 0.02, 4_000: 0.07, 8_000: 0.08, 16_000: 0.16})
    assert not taking({2_000: 0.01, 4_000: 0.02, 8_000: 0.04, 16_000: 0.14, 32_000: 0.16})
    assert taking({2_000: 0.005, 4_000: 0.01, 8_000: 0.02, 16_000: 0.08, 32_000: 0.32})


def test_what_other_threads_do_is_not_counted():
    """An earlier test may have left some at work."""
    is_over = threading.Event()
    others = [threading.Thread(target=_busy_until, args=(is_over,)) for _ in range(3)]
    for other in others:
        other.start()
    try:
        assert not growth_of(lambda text: _busy_for(0.4), FAMILIES["one letter"])
    finally:
        is_over.set()
        for other in others:
            other.join()


def _busy_until(is_over: threading.Event) -> None:
    while not is_over.is_set():
        pass


def _busy_for(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


@pytest.mark.requirement("004-140")
def test_there_are_thirty_families_and_all_have_the_length_they_are_asked_for():
    """Else a short text would pass for a long one."""
    assert len(FAMILIES) >= 30
    assert {len(make(size)) for make in FAMILIES.values() for size in (2_000, 16_000)} == {2_000, 16_000}
