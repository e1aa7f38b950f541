"""Reads along with every record that the house logs during any test, at every level, and fails the test that offends.

A message is constant. Outside fields with a `pii` segment nothing may stand that looks like a telephone number, an
e-mail address, a code or a key, nor anything that a caller said or a model passed as an argument in the same test.
Exceptions are told apart from fields, and are personal as a whole. What libraries log
is read as Cloud Logging would be given it: their own words are kept out of our lines by `CloudLine`, or by nobody.
"""

import json
import logging
import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

HOUSE = "switchboard"
OWN_FIELDS = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {"message", "asctime", "taskName"}
LOOKS_LIKE = {
    "a telephone number": re.compile(r"(?<![\w.-])\+\d[\d ().-]{5,}\d|(?<![\w.:/+-])\d{10,15}(?![\w.:/-])"),
    "a telephone number with gaps": re.compile(r"(?<![\w.:-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w.:-])"),
    "an e-mail address": re.compile(r"[\w.+-]+@[\w-]+\.[A-Za-z]{2,}"),
    "a code": re.compile(r"(?<![\w.:+/-])\d{6}(?![\w.:/-])"),
    "a key": re.compile(
        r"\bsk-[\w-]{8,}|\bsb_\w{6,}|\bAIza[\w-]{10,}|\bya29\.|\bBearer\s+\S|-----BEGIN|\beyJ[\w-]{10,}\.|\bwhsec_\w+"
    ),
}
# What a line has beside what was logged.
WRITTEN, CLOUD = frozenset({"severity", "time", "pii"}), "logging.googleapis.com/"
# What is shorter may be a word of the house's own.
LEAST_CHARACTERS = 12
# What the owners' API notes in operation, where a stored document may be older than its description, is a mistake here.
DIFFERING = "answer differs from its description"
KEPT = 300


def problems(record: logging.LogRecord, private: Iterator[str] | tuple[str, ...] = ()) -> list[str]:
    """Return what is wrong with a record; `private` is what callers said and models passed."""
    found = []
    if record.args or not isinstance(record.msg, str):
        found.append(f"the message is not constant: {record.msg!r} with {record.args!r}")
    if record.msg == DIFFERING:
        found.append(
            f"{record.__dict__['route']} answers what its description does not say: {record.__dict__['fields']}"
        )
    texts = [("the message", str(record.msg))]
    for key, value in record.__dict__.items():
        if key not in OWN_FIELDS:
            texts += leaves(key, value)
    return found + _offending(texts, private)


def problems_of_library(record: logging.LogRecord, private: Iterator[str] | tuple[str, ...] = ()) -> list[str]:
    """Return what is wrong with the line that a library's record becomes, outside what stands there under `pii`."""
    from switchboard.app.logging import CloudLine

    line = json.loads(CloudLine("scanned").format(record))
    told = {key: value for key, value in line.items() if key not in WRITTEN and not key.startswith(CLOUD)}
    return _offending([text for key, value in told.items() for text in leaves(key, value)], private)


def _offending(texts: list[tuple[str, str]], private: Iterator[str] | tuple[str, ...]) -> list[str]:
    found, private = [], tuple(private)
    for where, text in texts:
        found += [f"{where} holds {what}: {text!r}" for what, pattern in LOOKS_LIKE.items() if pattern.search(text)]
        found += [f"{where} holds what was said or passed: {text!r}" for said in private if said in text]
    return found


def leaves(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text of a field that is not personal, with its key; numbers are no texts."""
    if "pii" in key.split("."):
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from leaves(f"{key}.{name}", inner)
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from leaves(key, inner)
    elif value is not None and not isinstance(value, bool | int | float):
        yield key, str(value)


class Reader:
    """Reads along."""

    def __init__(self) -> None:
        self.private: deque[str] = deque(maxlen=KEPT)
        self.offences: list[str] = []
        self.records = 0
        self.is_reading = True

    def note(self, value: Any, depth: int = 8) -> None:
        """Keep the texts of what was said or passed, as deep as people write."""
        if depth == 0:
            return
        if isinstance(value, str):
            # One word may be the name of a tool or of a service, which are the house's own.
            if len(value) >= LEAST_CHARACTERS and (" " in value.strip() or any(c.isdigit() for c in value)):
                self.private.append(value)
        elif isinstance(value, Mapping):
            for inner in value.values():
                self.note(inner, depth - 1)
        elif isinstance(value, list | tuple):
            for inner in value:
                self.note(inner, depth - 1)

    def read(self, record: logging.LogRecord) -> None:
        """Read one record."""
        self.records += 1
        if self.is_reading:
            place = f"{record.pathname.rpartition('functions/')[2]}:{record.lineno}"
            found = problems if _is_ours(record.name) else problems_of_library
            self.offences += [f"{place} {record.msg!r}: {problem}" for problem in found(record, self.private)]


READER = pytest.StashKey[Reader]()


def _is_ours(name: str) -> bool:
    return name == HOUSE or name.startswith(f"{HOUSE}.")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--logs-found", metavar="FILE", help="also append every offence to this file")


def pytest_configure(config: pytest.Config) -> None:
    """Read along from here on, also what no handler would be shown; what handlers see stays the same."""
    reader = config.stash[READER] = Reader()
    is_enabled_for, handle = logging.Logger.isEnabledFor, logging.Logger.handle

    def enabled(self: logging.Logger, level: int) -> bool:
        return _is_ours(self.name) or is_enabled_for(self, level)

    def handled(self: logging.Logger, record: logging.LogRecord) -> None:
        if _is_ours(self.name):
            reader.read(record)
            if not is_enabled_for(self, record.levelno):
                return
        elif record.levelno >= logging.WARNING:
            # As a deployment has it: libraries are heard from there on.
            reader.read(record)
        handle(self, record)

    logging.Logger.isEnabledFor, logging.Logger.handle = enabled, handled  # type: ignore[method-assign]

    def restore() -> None:
        logging.Logger.isEnabledFor, logging.Logger.handle = is_enabled_for, handle  # type: ignore[method-assign]

    config.add_cleanup(restore)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Learn what callers say and what models pass, wherever either is made."""
    from switchboard.contract.call import ToolCall
    from switchboard.conversation.speech.utterance import Utterance

    reader = session.config.stash[READER]
    for kind in (ToolCall, Utterance):
        _noting(session.config, reader, kind)


def _noting(config: pytest.Config, reader: Reader, kind: Any) -> None:
    begin = kind.__init__

    def noting(self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        reader.note(getattr(self, "arguments", None))
        reader.note(getattr(self, "text", None))

    kind.__init__ = noting
    config.add_cleanup(lambda: setattr(kind, "__init__", begin))


@pytest.fixture(autouse=True)
def nothing_personal_is_logged(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail whatever test lets the house log what it must not."""
    reader = request.config.stash[READER]
    reader.private.clear()
    reader.offences.clear()
    yield
    found, file = sorted(set(reader.offences)), request.config.getoption("--logs-found")
    if found and file:
        with open(file, "a", encoding="utf-8", errors="replace") as report:
            report.writelines(f"{request.node.nodeid}\t{offence}\n" for offence in found)
    if found:
        pytest.fail("personal data in the log, outside `pii` fields:\n" + "\n".join(found), pytrace=False)
