"""Building the registry: every tool folder read, everything wrong with all of them reported, the rest put together.

Design §2. One source, two projections: the artifact that a process loads, and the documents that Firestore is seeded
with. The version is a hash of the content alone, so that equal sources give equal versions wherever they are built.

Seed 003 ("Simplified Documentation Format"): the summary is the first line that is no heading, no set of sections is
required, and the examples are arguments that the tool takes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from switchboard.catalog.arguments import trusted_values
from switchboard.catalog.arguments.arguments import TRUSTED_NAMES, ArgumentReader
from switchboard.catalog.definitions.registry import BuiltTool
from switchboard.catalog.definitions.signature import HandlerSignature, disagreements, proposal_problems, read_signature
from switchboard.catalog.definitions.tool import where_problems
from switchboard.catalog.definitions.variables import unfilled_questions
from switchboard.catalog.schema.schema import check_schema
from switchboard.contract.definitions.definition import (
    FIELDS,
    Definition,
    DefinitionError,
    Kind,
    problems,
    read_definition,
)
from switchboard.contract.definitions.spoken import question_faults
from switchboard.contract.error import Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import MalformedJson, parse_json
from switchboard.formats import FORMATS

LONGEST_DESCRIPTION = 1_024
# Folders of tools, and the one of templates, which become tools by what owners configure.
TEMPLATES = "templates"
PROVIDERS = {"openai": "openai", "geminiNative": "gemini", "geminiJson": "gemini_json"}
"""The artifact's names of provider schemas (seed 003) and the dialects that make them."""

_KEYS = FIELDS | {"$schema"}
_VARIABLE = re.compile(r"\{\{(?P<name>[^{}]*)\}\}")
# Everything that importing a handler can plausibly raise; the house has one broad `except`, and it is elsewhere.
_IMPORT_FAILURES = (
    ImportError,
    SyntaxError,
    NameError,
    AttributeError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
    OSError,
)

Vocabulary = Callable[[str], bool]
"""Tells whether a word belongs to a closed vocabulary."""

_HEADING = re.compile(r"#{1,6}\s+(?P<text>.+)")
_FENCE = re.compile(r"\s*(?P<fence>`{3,}|~{3,})\s*(?P<language>\w*)")
_NEXT_SENTENCE = re.compile(r"[.!?]\s+[\"'(]?[A-Z]")
_NO_PROSE = ("-", "*", "+", ">", "|", "`", "~", "<", "{")


@dataclass(frozen=True, slots=True)
class BuildError:
    """One thing that keeps a tool from being built: where it stands and what would be right."""

    file: Path
    field: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}: {self.field}: {self.problem}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Build:
    """What came out: the sound tools by name, the version of exactly these, and everything that was wrong."""

    tools: tuple[BuiltTool, ...]
    version: str
    errors: tuple[BuildError, ...]


def build(tools_dir: Path, is_condition: Vocabulary, is_variable: Vocabulary) -> Build:
    """Read every folder of `tools_dir` and report every error in it; nothing is written.

    Args:
        tools_dir: Holds one folder per tool with `schema.json`, `guide.md` and `handler.py`.
        is_condition: The vocabulary of `requires`.
        is_variable: The vocabulary of `{{variables}}` in descriptions.
    """
    folders = [_Folder(path, is_condition, is_variable) for path in _folders(tools_dir)]
    built = [(folder, tool) for folder in folders if (tool := folder.built()) is not None]
    errors = [error for folder in folders for error in folder.errors]
    errors += _same_names(folders)
    if not folders:
        errors.append(BuildError(tools_dir, "tools", "there are none", "add a folder with schema.json"))
    return Build(tuple(tool for _, tool in built), _version(built), tuple(errors))


def artifact(built: Build, git_commit: str, built_at: datetime, prompts: Mapping[str, str]) -> JsonObject:
    """Return the artifact of a build; commit and time (aware) stand in its header, outside the version's reach.

    `prompts` are the templates that serve where Firestore has none.
    """
    stamp = built_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    header = {"version": built.version, "gitCommit": git_commit, "buildTimestamp": stamp}
    return header | {"prompts": dict(prompts), "tools": [tool.to_json() for tool in built.tools]}


def seed_documents(built: Build) -> dict[str, JsonObject]:
    """Return by tool name the Firestore documents that `scripts/seed` pushes."""
    return {tool.name: tool.definition.to_document() for tool in built.tools}


def _folders(tools_dir: Path) -> list[Path]:
    """Return the folders that are meant to be tools; what an interpreter leaves behind is not, nor are templates."""
    folders = [path for path in sorted(tools_dir.iterdir()) if path.is_dir() and not path.name.startswith(("_", "."))]
    folders = [path for path in folders if path.name != TEMPLATES]
    return [path for path in folders if any(inner.name != "__pycache__" for inner in path.iterdir())]


def _same_names(folders: Iterable[_Folder]) -> Iterator[BuildError]:
    seen: dict[str, Path] = {}
    for folder in folders:
        name = folder.claimed_name
        if name in seen:
            remedy = "give every tool its own name"
            yield BuildError(folder.path / "schema.json", "name", f"{name!r} is also the name of {seen[name]}", remedy)
        seen[name] = folder.path


def _version(built: Iterable[tuple[_Folder, BuiltTool]]) -> str:
    rows = [tool.to_json() | {"sources": folder.sources()} for folder, tool in built]
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"))
    return f"1.0.{hashlib.sha256(text.encode()).hexdigest()[:8]}"


class _Folder:
    """One tool's folder, and what is wrong with it."""

    def __init__(self, path: Path, is_condition: Vocabulary, is_variable: Vocabulary) -> None:
        self.path = path
        self.name = path.name
        self.claimed_name = path.name
        self.errors: list[BuildError] = []
        self._is_condition = is_condition
        self._is_variable = is_variable

    def built(self) -> BuiltTool | None:
        """Return the tool, or None where an error keeps it from being one."""
        definition = self._definition()
        text, guide = self._guide()
        signature = self._signature()
        if definition is not None and signature is not None:
            self._add("schema.json", disagreements(definition.parameters, signature))
        if definition is not None:
            self._check_examples(guide, definition)
        if self.errors or definition is None or signature is None:
            return None
        declared = trusted_values.declared(definition)
        return BuiltTool(
            definition=definition,
            summary=guide.summary,
            guide=text,
            provider_schemas={key: FORMATS[name].declare(declared) for key, name in PROVIDERS.items()},
            signature=signature,
            handler_path=f"switchboard.tools.{self.name}.handler:execute",
        )

    def sources(self) -> dict[str, str]:
        """Return the code of the folder by file name; line ends are one newline whatever the checkout made them."""
        return {path.name: path.read_text(encoding="utf-8") for path in sorted(self.path.glob("*.py"))}

    def _add(self, file: str, problems: Iterable[DefinitionError]) -> None:
        self.errors += [BuildError(self.path / file, e.field, e.problem, e.remedy) for e in problems]

    def _text(self, file: str) -> str | None:
        try:
            return (self.path / file).read_text(encoding="utf-8")
        except FileNotFoundError:
            self._add(
                file, [DefinitionError("file", "is missing", "every tool needs schema.json, guide.md, handler.py")]
            )
        except UnicodeDecodeError:
            self._add(file, [DefinitionError("file", "is not UTF-8 text", "save it as UTF-8")])
        return None

    def _definition(self) -> Definition | None:
        """Return the definition if its schemas can be used, whatever else is wrong with its words."""
        text = self._text("schema.json")
        if text is None:
            return None
        try:
            document = parse_json(text)
        except MalformedJson as error:
            self._add("schema.json", [DefinitionError("file", str(error), "write one JSON object")])
            return None
        if not isinstance(document, dict):
            self._add("schema.json", [DefinitionError("file", "is no object", "write one JSON object")])
            return None
        self.claimed_name = str(document.get("name", self.name))
        unusable = [*problems(self.name, document), *_about_schemas(document)]
        self._add("schema.json", [*unusable, *self._about_words(document)])
        return None if unusable else read_definition(self.name, document)

    def _about_words(self, document: Mapping[str, Any]) -> Iterator[DefinitionError]:
        """Yield what is wrong with a definition beyond its structure and its schemas."""
        for key in sorted(document.keys() - _KEYS):
            yield DefinitionError(key, "is not a field of a definition", "correct its spelling or remove it")
        if "kind" not in document:
            yield DefinitionError("kind", "is missing", "write retrieval, action or utility")
        if document.get("channels") == []:
            yield DefinitionError("channels", "is empty, so nobody is offered it", "name one or leave it out")
        for condition in document.get("requires") or ():
            if isinstance(condition, str) and not self._is_condition(condition):
                yield DefinitionError(
                    "requires", f"{condition!r} is not a condition", "use the vocabulary of inclusion"
                )
        description = document.get("description")
        if isinstance(description, str):
            if len(description) > LONGEST_DESCRIPTION:
                problem = f"has {len(description)} characters"
                yield DefinitionError("description", problem, f"use at most {LONGEST_DESCRIPTION}")
            yield from self._about_variables("description", description)
        yield from (DefinitionError(*fault) for fault in question_faults(document))
        yield from unfilled_questions(document.get("readBack"))
        yield from self._about_parameters(document.get("parameters"))

    def _about_parameters(self, parameters: Any) -> Iterator[DefinitionError]:
        properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            field = f"parameters.properties.{name}"
            if isinstance(inner, Mapping) and trusted_values.FROM in inner:
                continue  # the model is never told of it
            # `channel` may well mean how somebody wants to be reached; the others can only be facts of the call.
            if name in TRUSTED_NAMES - {"channel"}:
                yield DefinitionError(field, "is known from the call, never from the model", "take it from ctx")
            text = inner.get("description") if isinstance(inner, Mapping) else None
            if not isinstance(text, str) or not text.strip():
                yield DefinitionError(field, "has no description", "tell the model what to put there")
            else:
                yield from self._about_variables(f"{field}.description", text)

    def _about_variables(self, field: str, text: str) -> Iterator[DefinitionError]:
        for match in _VARIABLE.finditer(text):
            if not self._is_variable(match["name"].strip()):
                yield DefinitionError(field, f"{match[0]} is not a variable", "use one of those of interpolation")
        rest = _VARIABLE.sub("", text)
        if "{{" in rest or "}}" in rest:
            yield DefinitionError(field, "has braces that do not belong together", "write {{name}}")

    def _guide(self) -> tuple[str, Guide]:
        text = self._text("guide.md")
        guide = read_guide(text or "")
        if text is not None:
            self._add("guide.md", guide_problems(guide))
        return text or "", guide

    def _check_examples(self, guide: Guide, definition: Definition) -> None:
        parameters = trusted_values.declared(definition).parameters
        reader = ArgumentReader(parameters, with_time=definition.kind is Kind.ACTION)
        for example in guide.examples:
            try:
                reader.read(example.text, UTC)
            except Refused as refusal:
                remedy = "make the example one that works"
                self._add("guide.md", [DefinitionError(f"line {example.line}", refusal.message, remedy)])

    def _signature(self) -> HandlerSignature | None:
        """Return what the handler takes if its form is right."""
        if self._text("handler.py") is None:
            return None
        try:
            module = _imported(self.path / "handler.py")
        except _IMPORT_FAILURES as error:
            last = traceback.format_exception_only(error)[-1].strip()
            self._add("handler.py", [DefinitionError("import", f"fails with {last}", "make it importable on its own")])
            return None
        execute = getattr(module, "execute", None)
        if not callable(execute):
            remedy = "write async def execute(ctx, desk, *, …) -> Result"
            self._add("handler.py", [DefinitionError("execute", "is missing", remedy)])
            return None
        signature, errors = read_signature(execute)
        if not errors and hasattr(module, "propose"):
            errors = proposal_problems(module.propose, signature)
        self._add("handler.py", errors)
        return None if errors else signature


def _about_schemas(document: Mapping[str, Any]) -> Iterator[DefinitionError]:
    """Yield what is wrong with the JSON Schemas of a definition."""
    for part in ("parameters", "returns"):
        schema = document.get(part)
        if isinstance(schema, dict):
            errors = check_schema(schema)
            for error in errors:
                yield DefinitionError(f"{part}{error.field.rstrip('/')}", error.problem, error.remedy)
            if part == "parameters" and not errors:
                yield from trusted_values.problems(schema)
                yield from where_problems(schema)
    returns = document.get("returns")
    if isinstance(returns, Mapping) and returns.get("type") != "object":
        yield DefinitionError("returns/type", "must be object", 'write "type": "object" at the top')


def _imported(path: Path) -> ModuleType:
    """Import a handler afresh from its file, under the name by which it will be imported when it is called."""
    name = f"switchboard.tools.{path.parent.name}.handler"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
    return module


@dataclass(frozen=True, slots=True)
class Example:
    """A JSON block of a guide's section on examples, and the line on which it begins."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Guide:
    """What a guide says beyond its prose."""

    heading: str
    summary: str
    examples: tuple[Example, ...]


def read_guide(text: str) -> Guide:
    """Return the parts of a guide; empty where it has none."""
    lines = [line.strip() for line in text.splitlines()]
    first = next((line for line in lines if line), "")
    heading = _HEADING.fullmatch(first)
    summary = next((line for line in lines if line and not _HEADING.fullmatch(line)), "")
    return Guide(heading["text"] if heading else "", summary, tuple(_examples(text)))


def guide_problems(guide: Guide) -> list[DefinitionError]:
    """Return what a guide lacks; its examples are for whoever knows the schema."""
    errors = []
    if not guide.heading:
        errors.append(DefinitionError("heading", "is missing", "begin with a line such as # book_appointment"))
    if not guide.summary or guide.summary.startswith(_NO_PROSE):
        errors.append(DefinitionError("summary", "is missing", "write one sentence under the heading"))
    elif not guide.summary.endswith((".", "!", "?")):
        errors.append(DefinitionError("summary", "does not end on its line", "write one sentence on one line"))
    elif _NEXT_SENTENCE.search(guide.summary):
        errors.append(DefinitionError("summary", "is more than one sentence", "leave one sentence on that line"))
    return errors


def _examples(text: str) -> Iterator[Example]:
    """Yield the JSON blocks under a heading that begins with "Example"."""
    fence, is_wanted, in_examples, begins = "", False, False, 0
    block: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _FENCE.match(line)
        if fence:
            if match and match["fence"].startswith(fence):
                if is_wanted:
                    yield Example(begins, "\n".join(block))
                fence = ""
            else:
                block.append(line)
        elif match:
            fence, begins, block = match["fence"], number, []
            is_wanted = in_examples and match["language"].lower() == "json"
        elif (heading := _HEADING.fullmatch(line.strip())) and not line.startswith("###"):
            in_examples = heading["text"].lower().startswith("example")
