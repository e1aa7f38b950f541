"""Which arguments the call itself provides, so that nobody can talk the model into other ones.

Design §5 (`validate`): trusted values are never taken from the model. A parameter says `"x-trust": "verified"` and
`"x-from": "caller_phone"`; the model is then never shown it, and what it sends under that name all the same is dropped.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any
from urllib.parse import unquote

from switchboard.contract import policy
from switchboard.contract.business.business import Business
from switchboard.contract.caller.trusted_facts import FACTS, Trust, provide
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Definition, DefinitionError
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import Limits, MalformedJson, parse_json
from switchboard.formats.schema.subschema import ALONE, IN_LISTS, IN_MAPS, children, pointer, target

TRUST, FROM = "x-trust", "x-from"

_LIMITS = Limits(policy.ARGUMENT_DEPTH, policy.ARGUMENT_NODES, policy.ARGUMENT_BYTES)
_LEVELS = {trust.value: trust for trust in Trust}
_USABLE = ", ".join(trust.value for trust in Trust if trust is not Trust.TOOL)
_PLAIN = frozenset({"type", "title", "description", "$comment"})
# Where a schema speaks about the same object as the schema around it.
_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})


@dataclass(frozen=True, slots=True)
class Source:
    """Where one argument comes from: the fact, how far it must be trusted, and whether the tool needs it."""

    fact: str
    least: Trust
    is_required: bool


@dataclass(frozen=True, slots=True)
class Provenance:
    """The parameters of one tool that the call provides, by name."""

    sources: Mapping[str, Source] = field(default_factory=dict)

    @classmethod
    def of(cls, parameters: JsonObject) -> "Provenance":
        """Read it from a schema in which `check_schema` found nothing wrong.

        Raises:
            DefinitionError: The first of its `problems`.
        """
        errors = problems(parameters)
        if errors:
            raise errors[0]
        required = parameters.get("required", ())
        return cls(
            {
                name: Source(inner[FROM], _LEVELS[inner[TRUST]], name in required)
                for name, inner in _properties(parameters)
                if _is_provided(inner)
            }
        )

    def visible(self, parameters: JsonObject) -> JsonObject:
        """Return the schema that a model is shown: without what the call provides, and without `x-…` annotations."""
        return _without(parameters, self.sources)

    def strip(self, raw: JsonObject | str | None) -> tuple[JsonObject, tuple[str, ...]]:
        """Return what a model sent without the arguments it has no say in, and the names of those it tried.

        Raises:
            Refused: VALIDATION; what it sent is no JSON object, so that nobody can tell what is in it.
        """
        sent = as_object(raw)
        ignored = tuple(sorted(name for name in self.sources if name in sent))
        return {name: value for name, value in sent.items() if name not in self.sources}, ignored

    def provided(self, facts: Context, business: Business | None) -> JsonObject:
        """Return the arguments that this call provides; an optional one that it does not know is left out.

        Raises:
            Refused: MODE_RESTRICTED; the tool cannot do without something that is not known here.
        """
        values: JsonObject = {}
        for name, source in self.sources.items():
            value = provide(source.fact, facts, business, source.least)
            if value is not None:
                values[name] = value
            elif source.is_required:
                raise _missing(source, facts)
        return values


def declared(definition: Definition) -> Definition:
    """Return a definition as a model is told it; the same one where it is told everything."""
    parameters = Provenance.of(definition.parameters).visible(definition.parameters)
    returns = None if definition.returns is None else _unannotated(definition.returns)
    if (parameters, returns) == (definition.parameters, definition.returns):
        return definition
    return replace(definition, parameters=parameters, returns=returns)


def problems(parameters: JsonObject) -> list[DefinitionError]:
    """Return everything wrong with where a schema says that its arguments come from; empty when all can be done.

    Args:
        parameters: The schema; `check_schema` found nothing wrong with it.
    """
    errors = [error for name, inner in _properties(parameters) for error in _about_declaration(name, inner)]
    errors += _about_places(parameters)
    return errors or list(_about_leftovers(parameters))


def lowered(built: JsonObject, edited: JsonObject) -> list[DefinitionError]:
    """Return every argument that an edited schema would take from a less trusted place than the code was built for.

    Another fact is refused even where it is trusted more: a handler that acts for the verified caller would otherwise
    act for anybody, under the business's own id. What the model gave may be taken from the call from now on.

    Args:
        built: The schema of `schema.json`.
        edited: The schema of the same tool's document; `check_schema` found nothing wrong with it.
    """
    now = dict(_properties(edited))
    errors = []
    for name, source in Provenance.of(built).sources.items():
        if name not in edited.get("properties", {}):
            continue  # an argument that nobody gives any more is not given by the model either
        inner = now.get(name, {})
        trust = _level(inner) or Trust.MODEL
        if trust < source.least:
            problem = f"is trusted less ({trust.value}) than the code was built for ({source.least.value})"
            errors.append(_error(name, problem, f"write x-trust {source.least.value} and x-from {source.fact}"))
        elif inner.get(FROM) != source.fact:
            problem = f"comes from {inner.get(FROM)}, but the code was built for {source.fact}"
            errors.append(_error(name, problem, f"write x-from {source.fact}"))
    return errors


def _error(name: str, problem: str, remedy: str, keyword: str = "") -> DefinitionError:
    return DefinitionError(f"parameters.properties.{name}{'.' if keyword else ''}{keyword}", problem, remedy)


def _properties(parameters: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield the parameters that say anything about themselves (a schema may also be `true`)."""
    yield from ((n, inner) for n, inner in parameters.get("properties", {}).items() if isinstance(inner, dict))


def _is_provided(inner: JsonObject) -> bool:
    return FROM in inner


def _level(inner: JsonObject) -> Trust | None:
    """Return how far a parameter's value must be trusted, or None where no such level exists."""
    word = inner.get(TRUST, Trust.MODEL.value)
    return _LEVELS.get(word) if isinstance(word, str) else None


def as_object(raw: Any) -> JsonObject:
    """Return what a model sent by its names, before anything of it is checked.

    Raises:
        Refused: VALIDATION; it is no JSON object.
    """
    if raw is None:
        return {}
    try:
        sent = parse_json(raw if raw.strip() else "{}", _LIMITS) if isinstance(raw, str) else raw
        if isinstance(raw, str) and isinstance(sent, str) and sent.lstrip()[:1] == "{":
            # Text in text, as `arguments` reads it too.
            sent = parse_json(sent, _LIMITS)
    except MalformedJson as error:
        raise Refused(ErrorType.VALIDATION, f"The arguments cannot be read: their JSON {error}.") from None
    sent = {} if sent is None else sent
    if not isinstance(sent, dict):
        raise Refused(ErrorType.VALIDATION, "The arguments must be an object that holds them by name.")
    return sent


def _missing(source: Source, facts: Context) -> Refused:
    fact = FACTS[source.fact]
    if fact.level(source.least) is Trust.VERIFIED and not facts.caller_verified:
        message = "This tool needs a verified caller. Verify the caller first, then call it again."
    else:
        message = (
            f"This tool needs {fact.words}, which is not known in this conversation and cannot be given as an "
            "argument. Use another tool."
        )
    return Refused(ErrorType.MODE_RESTRICTED, message, meta={"condition": f"trust:{source.least.value}"})


def _about_declaration(name: str, inner: JsonObject) -> Iterator[DefinitionError]:
    """Yield what is wrong with what one parameter says about itself."""
    trust, fact = _level(inner), inner.get(FROM)
    if trust is None:
        yield _error(name, f"{inner[TRUST]!r} is not a level of trust", f"use one of {_USABLE}", TRUST)
    elif trust is Trust.TOOL:
        remedy = "take a fact of the call, or leave the argument to the model"
        yield _error(name, "nothing is taken from an earlier tool yet", remedy, TRUST)
    elif trust is Trust.MODEL:
        if FROM in inner:
            problem = "names a fact, but the model is trusted to give the value"
            yield _error(name, problem, f"write x-trust as well: {_USABLE}", FROM)
    elif FROM not in inner:
        yield _error(name, f"asks for {trust.value}, but no fact is named", f"write x-from: {_facts(trust)}", TRUST)
    elif not isinstance(fact, str) or fact not in FACTS:
        yield _error(name, f"{fact!r} is not a fact of the call", f"use one of {_facts(trust)}", FROM)
    elif FACTS[fact].trust < trust:
        problem = f"{fact} is trusted as {FACTS[fact].trust.value}, which is less than {trust.value}"
        yield _error(name, problem, f"use one of {_facts(trust)}", FROM)
    if _is_provided(inner):
        yield from _about_plainness(name, inner)


def _about_plainness(name: str, inner: JsonObject) -> Iterator[DefinitionError]:
    """Yield what a provided parameter cannot have: nobody could correct a value that a limit refuses."""
    if "default" in inner:
        yield _error(name, "would replace a trusted value by a fixed one", "remove it", "default")
    if inner.get("type") != "string":
        yield _error(name, "is not text, as every fact is", 'write "type": "string"', "type")
    for keyword in sorted(inner.keys() - _PLAIN - {"default"}):
        if not keyword.startswith("x-"):
            yield _error(name, "limits a value that only the call can give", "remove it", keyword)


def _facts(least: Trust) -> str:
    return ", ".join(name for name, fact in FACTS.items() if fact.trust >= least)


def _about_places(parameters: JsonObject) -> Iterator[DefinitionError]:
    """Yield every declaration where it would have no effect: only an argument as a whole can be provided."""
    top = {pointer("properties", name) for name, _ in _properties(parameters)}
    for at, node in _walk(parameters):
        for keyword in (TRUST, FROM):
            if at not in top and isinstance(node, Mapping) and keyword in node:
                remedy = "declare it on a parameter itself, under properties at the top"
                yield DefinitionError(f"parameters{at}/{keyword}", "has no effect here", remedy)


def _about_leftovers(parameters: JsonObject) -> Iterator[DefinitionError]:
    """Yield what would still speak of a provided parameter in the schema that the model is shown."""
    provided = {name for name, inner in _properties(parameters) if _is_provided(inner)}
    shown = _without(parameters, provided)
    for at, node in _walk(shown, _IN_PLACE):
        for name in sorted(provided & _names_in(node)):
            problem, remedy = f"speaks of {name}, which the model does not give", "leave it to properties and required"
            yield DefinitionError(f"parameters{at}", problem, remedy)
    for at, node in _walk(shown):
        if isinstance(node, Mapping) and "$ref" in node and _target(shown, node["$ref"]) is None:
            yield DefinitionError(f"parameters{at}/$ref", "leads to what the model is not shown", "use #/$defs")


def _names_in(schema: Any) -> set[str]:
    """Return the names of arguments in what one schema says about the whole object."""
    if not isinstance(schema, Mapping):
        return set()
    names = {*schema.get("required", ()), *schema.get("properties", ()), *schema.get("dependentSchemas", ())}
    for name, others in schema.get("dependentRequired", {}).items():
        names |= {name, *others}
    values = [schema.get("default"), schema.get("const"), *schema.get("examples", ()), *schema.get("enum", ())]
    return names.union(*(value for value in values if isinstance(value, Mapping)))


def _walk(schema: JsonObject, keywords: Iterable[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Yield every schema inside a schema once, references followed, each with its JSON pointer.

    Args:
        schema: The outermost one.
        keywords: Look only into these and references, where they are named.
    """
    queue: list[tuple[str, Any]] = [("", schema)]
    seen = set()
    for at, node in queue:
        if at in seen:
            continue
        seen.add(at)
        yield at, node
        inside = list(children(node))
        queue += [(at + i, child) for i, child in inside if keywords is None or i.split("/")[1] in keywords]
        reference = node.get("$ref") if isinstance(node, Mapping) else None
        if isinstance(reference, str):
            queue.append((unquote(reference.removeprefix("#")), _target(schema, reference)))


def _target(root: JsonObject, reference: str) -> Any:
    try:
        return target(root, reference)
    except LookupError:
        return None


def _without(parameters: JsonObject, names: Iterable[str]) -> JsonObject:
    """Return a schema without some of its parameters and without annotations of ours."""
    shown: JsonObject = _unannotated(parameters)
    hidden = set(names)
    if hidden:
        shown["properties"] = {name: inner for name, inner in shown["properties"].items() if name not in hidden}
        required = [name for name in shown.pop("required", ()) if name not in hidden]
        shown |= {"required": required} if required else {}
    return shown


def _unannotated(schema: Any) -> Any:
    """Return a schema without the `x-…` keywords in it; a property's name may well begin like that."""
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: value for key, value in schema.items() if not key.startswith("x-")}
    for keyword in plain.keys() & {*IN_MAPS}:
        plain[keyword] = {name: _unannotated(inner) for name, inner in plain[keyword].items()}
    for keyword in plain.keys() & {*IN_LISTS}:
        plain[keyword] = [_unannotated(inner) for inner in plain[keyword]]
    for keyword in plain.keys() & {*ALONE}:
        plain[keyword] = _unannotated(plain[keyword])
    return plain
