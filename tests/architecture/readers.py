"""Every function of the package that reads one text, found by its signature, and those that need more, by hand."""

import importlib
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from enum import Enum
from functools import cache, partial
from types import ModuleType, UnionType
from typing import Any, get_type_hints
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.resources import Resource
from switchboard.contract.context import PhoneContext
from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.classifier import classifier
from switchboard.conversation.claims.fact_sources import Sources
from switchboard.conversation.claims.facts import about_no_time
from switchboard.conversation.claims.guard import ClaimGuard
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession, Receipt
from switchboard.desk.callers.callers import same_person
from switchboard.desk.contact.contacts import contacts_in
from switchboard.desk.contact.phone import to_e164
from switchboard.desk.tenant_tools.api_answer import read_answer
from switchboard.desk.untrusted_text import as_data
from switchboard.pipeline.confirmation.consent import understood
from tests.architecture.house import FUNCTIONS, ROOT, trees_under

Reader = Callable[[str], Any]

NOT_READ = {
    "switchboard.catalog.definitions.registry": "reads files of the deployment",
    "switchboard.admin.maintenance.caller_data._spelled": "is made of one telephone number",
}
"""Modules and functions that are fed with no text from outside, and why."""
ZONE = ZoneInfo("Europe/Berlin")
_NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
_BOOKS = Sources({"book": frozenset({Deed.BOOKED})}, frozenset(), frozenset({"book"}), frozenset({"book"}))


class _Clock:
    def now(self) -> datetime:
        return _NOW

    def monotonic(self) -> float:
        return 0.0


@cache
def _business() -> Business:
    data = {"name": "A salon", "timezone": "Europe/Berlin", "language": "en", "phone": "+15185550100"}
    return read_business("demo", data)


@cache
def _house() -> Business:
    people = tuple(Resource(name.lower(), name) for name in ("Rosa", "Marcus", "Will"))
    return replace(_business(), resources=people)


def _guarded(is_streamed: bool, text: str) -> None:
    """Say a text as a model does, in few letters or in four parts; what must not be said ends a part."""
    # As many parts of every length, or what is left out behind such an end would be no equal share of it.
    piece = 7 if is_streamed else len(text) // 4 + 1
    # What was read before is remembered, which says nothing of how long a new text takes.
    classifier()._read.clear()
    session = CallSession(PhoneContext(business_id="demo", session_id="s1"))
    session.receipts.append(Receipt("book", {}, {"what": "Haircut", "when": "2026-07-02T10:00:00+02:00"}))
    guard = ClaimGuard(classifier(), _BOOKS, session, _house(), _Clock())
    for at in range(0, len(text), piece):
        try:
            guard.feed(text[at : at + piece])
        except Unfounded:
            guard = ClaimGuard(classifier(), _BOOKS, session, _house(), _Clock())
    with suppress(Unfounded):
        guard.rest()


BY_HAND: dict[str, Reader] = {
    "what a model says, in few letters at a time": partial(_guarded, True),
    "what a model says, in four parts": partial(_guarded, False),
    "what was sent to somebody": lambda text: about_no_time(frozenset(), {}, {"message": text}, ZONE, _NOW),
    "a caller's yes or no": lambda text: understood(text, "de"),
    "an owner's service's answer": lambda text: read_answer({"content-type": "text/plain"}, text.encode()),
    "an owner's service's JSON": lambda text: as_data({"a": [text, {text: text}]}, ZONE),
    "a name on file": lambda text: same_person(text, text + "a"),
    "a telephone number": lambda text: to_e164(text, _business()),
    "a text message": lambda text: contacts_in(text, _business()),
}


PLAIN_TEXT = "Anna Berg, 10:30"
_PLAIN: dict[str, Any] = {
    "int": 40,
    "float": 40.0,
    "bool": True,
    "datetime": _NOW,
    "tzinfo": ZONE,
    "ZoneInfo": ZONE,
    "Business": _business(),
    "Mapping": {"name": PLAIN_TEXT},
    "dict": {"name": PLAIN_TEXT},
    "JsonObject": {"name": PLAIN_TEXT},
    "Sequence": (PLAIN_TEXT,),
    "tuple": (PLAIN_TEXT,),
    "list": [PLAIN_TEXT],
    "Iterable": (PLAIN_TEXT,),
    "Collection": (PLAIN_TEXT,),
    "frozenset": frozenset({PLAIN_TEXT}),
    "set": {PLAIN_TEXT},
    "AbstractSet": {PLAIN_TEXT},
    "Callable": lambda *_, **__: PLAIN_TEXT,
}
"""What functions are given beside the text, by its kind."""
_UNKNOWN = object()


def _modules() -> Iterator[ModuleType]:
    for path, _ in trees_under(ROOT, FUNCTIONS / "switchboard"):
        parts = path.relative_to(FUNCTIONS).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        # What joins the parts reads the deployment's own environment.
        if name not in NOT_READ and not name.startswith("switchboard.app."):
            yield importlib.import_module(name)


def _readers_in(function: Any) -> Iterator[tuple[str, Reader]]:
    """Yield a reader for each text that a function takes, by the parameter's name; the others get something plain."""
    if not inspect.isfunction(function) or inspect.iscoroutinefunction(function):
        return
    if inspect.isasyncgenfunction(function):
        return
    kinds = _kinds(function)
    texts = [name for name, kind in kinds.items() if _is_text(kind)]
    others = {name: _plain(kind) for name, kind in kinds.items() if name not in texts}
    if any(value is _UNKNOWN for value in others.values()):
        return
    for name in texts:
        yield name, _asked(function, name, others | {other: PLAIN_TEXT for other in texts if other != name})


def _kinds(function: Callable[..., Any]) -> dict[str, Any]:
    """Return what a function needs, by the names of its parameters."""
    try:
        hints = get_type_hints(function)
    except (NameError, TypeError):
        # Names that only the type checker imports.
        hints = dict(function.__annotations__)
    parameters = inspect.signature(function).parameters.values()
    needed = (p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
    return {p.name: hints.get(p.name) for p in needed}


def _is_text(kind: Any) -> bool:
    is_union = isinstance(kind, UnionType) or typing.get_origin(kind) is typing.Union
    return kind in (str, "str", Any, object) or (is_union and str in typing.get_args(kind))


def _plain(kind: Any) -> Any:
    """Return a value of a kind; `_UNKNOWN` where nobody has said which."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if isinstance(kind, UnionType) and type(None) in typing.get_args(kind):
        return None
    origin = typing.get_origin(kind) or kind
    name = origin if isinstance(origin, str) else getattr(origin, "__name__", "")
    return _PLAIN.get(name.partition("[")[0], _UNKNOWN)


def _asked(function: Callable[..., Any], name: str, others: Mapping[str, Any]) -> Reader:
    parameters = inspect.signature(function).parameters
    given = {name, *others}
    placed = [p for p in parameters if p in given and parameters[p].kind is not inspect.Parameter.KEYWORD_ONLY]

    def ask(text: str) -> Any:
        values = {**others, name: text}
        try:
            found = function(*(values[p] for p in placed), **{p: values[p] for p in given.difference(placed)})
            return list(found) if inspect.isgenerator(found) else found
        except AttributeError:
            # What takes anything at all is not always prepared for a text.
            return None

    return ask


def unmeasured() -> set[str]:
    """Return functions that read a text beside something that only the program itself can make."""
    found = set()
    for module in _modules():
        for name, value in vars(module).items():
            function = inspect.unwrap(value) if callable(value) else value
            if getattr(function, "__module__", "") != module.__name__ or not inspect.isfunction(function):
                continue
            waits = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
            if not waits and any(map(_is_text, _kinds(function).values())) and not dict(_readers_in(function)):
                found.add(f"{module.__name__.removeprefix('switchboard.')}.{name}")
    return found


def _found() -> dict[str, Reader]:
    found: dict[str, Reader] = dict(BY_HAND)
    for module in _modules():
        for name, value in vars(module).items():
            function = inspect.unwrap(value) if callable(value) else value
            if getattr(function, "__module__", "") == module.__name__:
                for parameter, reader in _readers_in(function):
                    found[f"{module.__name__}.{name}({parameter})"] = reader
    return {name: reader for name, reader in found.items() if name.partition("(")[0] not in NOT_READ}


READERS: dict[str, Reader] = _found()
