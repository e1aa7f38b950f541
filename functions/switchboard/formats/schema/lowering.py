"""Lowering: what a dialect's schema language cannot say is said less strictly, and every loss is noted.

Seed 003 ("Provider Abstraction") keeps canonical JSON Schema and converts it per dialect; which dialect understands
what its vendor's documentation says. A lowered schema may accept more than the canonical one, which the
dispatcher enforces anyway; a limit that the dialect cannot check is told to the model in the description instead.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from switchboard.contract.json import JsonObject
from switchboard.formats.schema.dialect import Dialect, Lowered, hint, with_hints
from switchboard.formats.schema.keywords import joined, listed, reword
from switchboard.formats.schema.spelling import SpellingRule, argument_names, respelled, spelled, told_names
from switchboard.formats.schema.subschema import ALONE, IN_LISTS, IN_MAPS, pointer, target

_Open: TypeAlias = tuple[str, ...]
"""The references that are being followed, so that recursion ends."""

# How often a recursion is written out where references are not supported, as long as that stays small: a model hardly
# ever nests deeper, and vendors refuse schemas with "too many states".
_UNROLLED = (2, 1)
_MOST_UNROLLED_NODES = 400
_DEFINITION_NAME = SpellingRule("A-Za-z0-9_.-", 64)
_DEFINITIONS = ("$defs", "definitions")
_JOINING = {"$ref", "allOf"}
_BEYOND = ("unevaluatedProperties", "unevaluatedItems")
_DATA = ("default", "const", "enum", "examples", "example")


def lower(schema: JsonObject, dialect: Dialect) -> Lowered:
    """Return the schema in the dialect's words; the argument is left as it was."""
    for depth in () if dialect.has_references else _UNROLLED:
        lowering = _Lowering(schema, dialect, depth, _MOST_UNROLLED_NODES)
        try:
            return lowering.whole()
        except _TooLarge:
            continue
    return _Lowering(schema, dialect, 0, None).whole()


class _TooLarge(Exception):
    """Written out to this depth, the schema is larger than a vendor will take."""


class _Lowering:
    """One pass over one schema; notes are collected as it goes."""

    def __init__(self, root: JsonObject, dialect: Dialect, depth: int, most: int | None) -> None:
        self._root = root
        self._dialect = dialect
        self._depth, self._most, self._count = depth, most, 0
        self._told = told_names(argument_names(root), dialect.names) if dialect.names else {}
        self._definitions: dict[str, str] = {}
        self._notes: list[str] = []

    def whole(self) -> Lowered:
        """Return the whole schema lowered.

        Raises:
            _TooLarge: It has more schemas in it than allowed.
        """
        lowered = self._node(self._root, "", ())
        definitions: JsonObject = {}
        while len(definitions) < len(self._definitions):
            for reference, name in list(self._definitions.items())[len(definitions) :]:
                at = pointer("$defs", name)
                definitions[name] = self._node(target(self._root, reference), at, (reference,))
        if definitions:
            lowered["$defs"] = definitions
        return Lowered(lowered, tuple(dict.fromkeys(self._notes)))

    def _note(self, at: str, text: str) -> None:
        self._notes.append(f"{at or '/'}: {text}")

    def _node(self, schema: Any, at: str, open_: _Open) -> JsonObject:
        """Return one schema lowered; `at` is its JSON pointer."""
        if not isinstance(schema, Mapping):
            return {}
        self._count += 1
        if self._most is not None and self._count > self._most:
            raise _TooLarge
        word, open_ = self._flat(schema, at, open_, is_alone=bool(at))
        if "$ref" in word:
            return word
        opened: dict[str, None] = {}

        def flat(branch: Any) -> JsonObject:
            if not isinstance(branch, Mapping):
                return {}
            flattened, followed = self._flat(branch, at, open_, is_alone=False)
            opened.update(dict.fromkeys(followed[len(open_) :]))
            return flattened

        hints = reword(word, at, self._dialect, lambda text: self._note(at, text), flat)
        node = self._kept(word, at, hints)
        if self._told:
            self._respell(node, at)
        return self._inner(node, at, (*open_, *opened))

    def _flat(
        self, schema: Mapping[str, Any], at: str, open_: _Open, *, is_alone: bool = True
    ) -> tuple[JsonObject, _Open]:
        """Follow `$ref` and merge `allOf`, so that one object says everything.

        A reference may stay where `is_alone` says that nothing will be merged with it.
        """
        # What definitions hold is taken up where it is referred to.
        word = {key: value for key, value in schema.items() if not key.startswith("x-") and key not in _DEFINITIONS}
        for key in schema.keys() - word.keys() - {*_DEFINITIONS}:
            self._note(at, f"{key} is an annotation of ours and left out")
        # They look through a reference and `allOf`, so that what is joined there is no stranger to them.
        beyond = {key: word.pop(key) for key in _BEYOND if key in word} if word.keys() & _JOINING else {}
        is_alone = is_alone and not beyond
        reference = word.get("$ref")
        if isinstance(reference, str):
            del word["$ref"]
            if is_alone and self._dialect.has_references and not word and (name := self._defined(reference)):
                return {"$ref": name}, open_
            inner, open_ = self._followed(reference, at, open_)
            word = self._joined(word, inner, at)
        branches = listed(word.pop("allOf", []))
        apart: list[Any] = []
        for branch in branches:
            is_alone = is_alone and len(branches) == 1 and not word
            inner, open_ = (
                self._flat(branch, at, open_, is_alone=is_alone) if isinstance(branch, Mapping) else ({}, open_)
            )
            if joined(word, inner)[1] and self._dialect.understands("allOf", apart, at):
                apart.append(inner)
            else:
                word = self._joined(word, inner, at)
        word |= {"allOf": apart} if apart else {}
        word |= {key: value for key, value in beyond.items() if key not in word}
        return self._without_null_branch(word, at, open_)

    def _defined(self, reference: str) -> str:
        """Return the reference under which a schema stands in `$defs` at the top; empty where it leads nowhere."""
        if reference not in self._definitions:
            try:
                definition = target(self._root, reference)
            except LookupError:
                return ""
            if not isinstance(definition, Mapping):
                return ""
            name = spelled(unquote(reference.rpartition("/")[2]) if "/" in reference else "arguments", _DEFINITION_NAME)
            while name in self._definitions.values():
                name += "_"
            self._definitions[reference] = name
        return f"#/$defs/{self._definitions[reference]}"

    def _followed(self, reference: str, at: str, open_: _Open) -> tuple[JsonObject, _Open]:
        try:
            definition = target(self._root, reference)
        except LookupError:
            self._note(at, f"{reference} leads nowhere and is left out")
            return {}, open_
        if not isinstance(definition, Mapping):
            return {}, open_
        if open_.count(reference) <= self._depth:
            return self._flat(definition, at, (*open_, reference), is_alone=False)
        if self._dialect.has_references:
            return {"anyOf": [{"$ref": self._defined(reference)}]}, open_
        self._note(at, f"the recursion of {reference} is cut off here: anything of its type is taken")
        return {key: definition[key] for key in ("type", "title", "description") if key in definition}, open_

    def _without_null_branch(self, word: JsonObject, at: str, open_: _Open) -> tuple[JsonObject, _Open]:
        """Turn "X or null" into a nullable X, for a dialect that says it so."""
        keyword = "anyOf" if "anyOf" in word else "oneOf"
        branches = word.get(keyword)
        if self._dialect.has_type_lists or not isinstance(branches, list):
            return word, open_
        others = [branch for branch in branches if branch != {"type": "null"}]
        if len(others) == len(branches):
            return word, open_
        if keyword == "oneOf":
            self._note(at, "oneOf is told as anyOf")
        others = others or [{"type": "null"}]
        word = {key: value for key, value in word.items() if key != keyword} | {"nullable": True}
        if len(others) != 1 or not isinstance(others[0], Mapping):
            return word | {keyword: others}, open_
        inner, open_ = self._flat(others[0], at, open_)
        return self._joined(word, inner, at), open_

    def _joined(self, first: JsonObject, second: JsonObject, at: str) -> JsonObject:
        both, lost = joined(first, second)
        for key in lost:
            self._note(at, f"two rules for {key} cannot be told as one; the second is left out")
        return both

    def _kept(self, word: JsonObject, at: str, hints: list[str]) -> JsonObject:
        """Keep what the dialect understands; note the rest, and tell the model where words can."""
        lowered: JsonObject = {}
        for key, value in word.items():
            if self._dialect.understands(key, value, at):
                lowered[key] = value
            else:
                hint_text = hint(key, value)
                hints += [hint_text] if hint_text else []
                self._note(at, f"{key} is {'told in the description only' if hint_text else 'left out'}")
        if any(hints):
            lowered["description"] = with_hints(lowered.get("description"), filter(None, hints))
        return lowered

    def _respell(self, word: JsonObject, at: str) -> None:
        """Call the arguments as the dialect lets them be called; the model is told what they mean."""
        strange = [name for name in word.get("properties", ()) if name in self._told]
        for name in strange:
            self._note(at + pointer("properties", name), f"is told as {self._told[name]}")
        if strange:
            for keyword in {"patternProperties", "propertyNames"} & word.keys():
                del word[keyword]
                self._note(at, f"{keyword} is left out, since names are told otherwise")
        if "properties" in word:
            word["properties"] = {
                self._told.get(name, name): _called(child, name) if name in strange else child
                for name, child in word["properties"].items()
            }
        for keyword in {"required", "propertyOrdering"} & word.keys():
            word[keyword] = [self._told.get(name, name) for name in word[keyword]]
        if "dependentRequired" in word:
            word["dependentRequired"] = {
                self._told.get(name, name): [self._told.get(other, other) for other in others]
                for name, others in word["dependentRequired"].items()
            }
        if "dependentSchemas" in word:
            word["dependentSchemas"] = {self._told.get(n, n): child for n, child in word["dependentSchemas"].items()}
        for keyword in _DATA:
            if keyword in word:
                word[keyword] = respelled(word[keyword], self._told)

    def _inner(self, word: JsonObject, at: str, open_: _Open) -> JsonObject:
        """Lower the schemas inside."""
        for keyword in IN_MAPS:
            if isinstance(word.get(keyword), Mapping):
                never = [name for name, child in word[keyword].items() if child is False]
                for name in never:
                    self._note(at + pointer(keyword, name), "nothing may be given here; it is left out")
                word[keyword] = {
                    name: self._node(child, at + pointer(keyword, name), open_)
                    for name, child in word[keyword].items()
                    if child is not False
                }
        for keyword in IN_LISTS:
            if isinstance(word.get(keyword), list):
                word[keyword] = [
                    self._node(child, at + pointer(keyword, index), open_)
                    for index, child in enumerate(word[keyword])
                    if child is not False or keyword in ("allOf", "prefixItems")
                ]
        if word.get("items") is True:
            # The same in words that every vendor reads.
            word["items"] = {}
        for keyword in ALONE:
            if isinstance(word.get(keyword), Mapping):
                word[keyword] = self._node(word[keyword], at + pointer(keyword), open_)
        return word


def _called(child: Any, name: str) -> Any:
    if child is False:
        return child
    schema = dict(child) if isinstance(child, Mapping) else {}
    return schema | {"description": with_hints(schema.get("description"), [f'called "{name}"'])}
