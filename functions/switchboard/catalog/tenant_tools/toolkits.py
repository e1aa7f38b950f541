"""All toolkits there are, read from the `toolkit.json` of each integration (seed 001, "New Data Model").

A new toolkit is added by adding its folder: nothing here names one.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from switchboard.catalog.schema.schema import check_schema
from switchboard.catalog.tenant_tools.toolkit import Toolkit, read_toolkit, toolkit_problems
from switchboard.contract.business.business import BUILT_IN_CALENDAR
from switchboard.contract.definitions.definition import Definition, DefinitionError
from switchboard.contract.json import Json
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import MalformedJson, parse_json

FILE = "toolkit.json"
ENTRY, OPENS = "integration.py", "open_vendor"
"""The file beside it that opens the vendor, and the function in it that does."""
_CONDITION = "integration:"
# Whichever of them keeps a business's appointments, and the one that needs no folder.
_CALENDAR = "calendar"


@dataclass(frozen=True)
class Toolkits:
    """The toolkits, in the order of their names."""

    all: tuple[Toolkit, ...]

    @classmethod
    def load(cls, folder: Path) -> "Toolkits":
        """Read the toolkits of a folder of integrations; those without the file are not for owners to set up.

        Raises:
            DefinitionError: One of them cannot be used; `field` begins with its folder.
        """
        toolkits = []
        for path in _files(folder):
            try:
                toolkits.append(read_toolkit(_document(path)))
            except DefinitionError as error:
                raise _in(path, error) from None
        return cls(tuple(sorted(toolkits, key=lambda toolkit: toolkit.name)))

    def named(self, name: str) -> Toolkit | None:
        """Return a toolkit by its own name or its integration's, such as `google_calendar` or `googleCalendar`."""
        return self._by_name.get(name)

    def of_tool(self, tool: str) -> tuple[Toolkit, ...]:
        """Return the toolkits that a tool belongs to; none for a tool that stays inside the house.

        Several provide the same, such as calendars: which one a business uses is for its own document to say.
        """
        return self._by_action.get(tool, ())

    @cached_property
    def _by_name(self) -> Mapping[str, Toolkit]:
        return {t.integration: t for t in self.all} | {t.name: t for t in self.all}

    @cached_property
    def _by_action(self) -> Mapping[str, tuple[Toolkit, ...]]:
        by_action: dict[str, tuple[Toolkit, ...]] = {}
        for toolkit in self.all:
            for action in toolkit.actions:
                by_action[action] = (*by_action.get(action, ()), toolkit)
        return by_action


def check_toolkits(folder: Path, tools: Iterable[Definition], handlers: Path | None = None) -> list[DefinitionError]:
    """Return everything that is wrong with the toolkits of a folder, for the build.

    Beyond what reading looks at: schemas in full, tools that do not exist, tools that name no toolkit or an integration
    that no folder provides, tools that two toolkits have without providing the same, names that two toolkits, or a
    toolkit and a tool, share (a toolkit is nothing that a model can call), folders that do not open their vendor or
    have only a part of what makes an integration, and code below `handlers` that asks for a vendor of no folder.
    """
    errors, known = [*_unfinished(folder)], {tool.name: tool for tool in tools}
    owners: dict[str, Path] = {}
    toolkits: list[Toolkit] = []
    for path in _files(folder):
        try:
            document = _document(path)
        except DefinitionError as error:
            errors.append(_in(path, error))
            continue
        problems = toolkit_problems(document)
        if not problems:
            toolkit = read_toolkit(document)
            problems = [*_deeper(toolkit, known), *_shared(toolkit, path, owners), *_twice(toolkit, toolkits)]
            problems += _unopened(path.with_name(ENTRY))
            toolkits.append(toolkit)
        errors += [_in(path, error) for error in problems]
    integrations = {toolkit.integration: toolkit for toolkit in toolkits}
    for tool in known.values():
        errors += _misdirected(tool, integrations, folder)
    names = {*integrations, *(toolkit.name for toolkit in toolkits)}
    for path in sorted(handlers.rglob("*.py")) if handlers is not None else ():
        errors += _unknown_vendors(path, names, folder)
    return errors


def _unfinished(folder: Path) -> Iterator[DefinitionError]:
    """Yield the folders in which somebody has begun an integration; of code that serves others nothing is asked."""
    for place in sorted(path for path in folder.glob("[!._]*") if path.is_dir()):
        names = {path.name for path in place.iterdir()}
        if not names:
            yield DefinitionError(place.name, "is empty", f"write {FILE} and {ENTRY} there, or remove the folder")
        elif ENTRY in names and FILE not in names:
            yield DefinitionError(
                f"{place.name}.{FILE}", "is missing", f"write it beside {ENTRY}, as docs/tools.md shows"
            )


def _unknown_vendors(path: Path, names: Collection[Any], folder: Path) -> Iterator[DefinitionError]:
    """Yield where code asks `desk.vendors` for a client by a name of no integration, as far as the name can be read."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        yield DefinitionError(f"{path.parent.name}/{path.name}", f"cannot be read: {error}", "correct it")
        return
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("vendors.client"):
            given = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "integration")]
            if given and isinstance(given[0], ast.Constant) and given[0].value not in names:
                where = f"{path.parent.name}/{path.name} line {call.lineno}"
                yield DefinitionError(where, *_unknown(str(given[0].value), names, folder))


def _misdirected(tool: Definition, integrations: Mapping[str, Toolkit], folder: Path) -> Iterator[DefinitionError]:
    """Yield where a tool names an integration that there is not, or one that does not know of the tool."""
    owner = integrations.get(tool.toolkit or "")
    if tool.toolkit is not None and owner is None:
        yield DefinitionError(f"{tool.name}.toolkit", *_unknown(tool.toolkit, integrations, folder))
    elif owner is not None and tool.name not in owner.actions:
        where, problem = f"{tool.name}.toolkit", f"{tool.toolkit!r} has no such action"
        yield DefinitionError(where, problem, "name it in its toolkit.json")
    for condition in tool.requires or ():
        name = condition.removeprefix(_CONDITION)
        if name != condition and name not in (_CALENDAR, BUILT_IN_CALENDAR) and name not in integrations:
            yield DefinitionError(f"{tool.name}.requires", *_unknown(name, (*integrations, _CALENDAR), folder))


def _unknown(name: str, known: Iterable[str], folder: Path) -> tuple[str, str]:
    if name and (folder / name).is_dir() and not (folder / name / FILE).exists():
        return f"the folder {name!r} of integrations has no {FILE}", f"write {name}/{FILE}, as docs/tools.md shows"
    names = sorted(known, key=str.casefold)
    spelled = {each.casefold(): each for each in names}
    close = get_close_matches(name.casefold(), spelled, n=1)
    problem = f"no folder of integrations provides {name!r}; there are {', '.join(names) or 'none'}"
    return (
        problem,
        f"write {spelled[close[0]]!r}, or add its folder" if close else "name one of them, or add its folder",
    )


def _unopened(path: Path) -> Iterator[DefinitionError]:
    remedy = f"write def {OPENS}(deployment: Deployment) -> Vendor"
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        yield DefinitionError(path.name, "is missing", remedy)
        return
    except (SyntaxError, ValueError) as error:
        yield DefinitionError(path.name, f"cannot be read: {error}", remedy)
        return
    if not any(isinstance(node, ast.FunctionDef) and node.name == OPENS for node in tree.body):
        yield DefinitionError(path.name, f"has no {OPENS}", remedy)


def _deeper(toolkit: Toolkit, tools: Mapping[str, Definition]) -> Iterator[DefinitionError]:
    for at, schema in (("config", toolkit.config_schema), ("auth.secrets", toolkit.sensitive_schema)):
        for error in check_schema(schema):
            yield DefinitionError(f"{at}{error.field}", error.problem, error.remedy)
    for action in toolkit.actions:
        if action not in tools:
            yield DefinitionError("actions", f"there is no tool {action!r}", "add its folder, or leave it out")
    if toolkit.name in tools:
        yield DefinitionError("name", f"{toolkit.name!r} is the name of a tool", "choose another")


def _shared(toolkit: Toolkit, path: Path, owners: dict[str, Path]) -> Iterator[DefinitionError]:
    for name in {toolkit.name, toolkit.integration}:
        other = owners.setdefault(name, path)
        if other != path:
            yield DefinitionError("name", f"{name!r} is also {other.parent.name}'s", "give each its own name")


def _twice(toolkit: Toolkit, others: Iterable[Toolkit]) -> Iterator[DefinitionError]:
    for other in others:
        shared = sorted({*toolkit.actions} & {*other.actions})
        if toolkit.provides and toolkit.provides == other.provides:
            if {*toolkit.actions} != {*other.actions}:
                # Otherwise a business would lose tools by using the other one.
                problem = f"are not those of {other.name}, which provides {other.provides} too"
                yield DefinitionError("actions", problem, "name the same tools in both")
        elif shared:
            remedy = "leave it to one, or let both say what they provide"
            yield DefinitionError("actions", f"{shared[0]!r} is also {other.name}'s", remedy)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*/{FILE}"))


def _document(path: Path) -> Json:
    try:
        document: Json = parse_json(path.read_bytes())
    except MalformedJson as error:
        raise DefinitionError("file", str(error), "write one JSON object") from None
    return document


def _in(path: Path, error: DefinitionError) -> DefinitionError:
    return DefinitionError(f"{path.parent.name}.{error.field}", error.problem, error.remedy)
