"""Whatever a model sends, trusted arguments come from the call."""

import json
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.arguments.arguments import Arguments
from switchboard.catalog.arguments.trusted_values import Provenance, Source, declared, lowered, problems
from switchboard.catalog.definitions.builder import Build, build
from switchboard.catalog.definitions.definitions import Current, DefinitionSet
from switchboard.catalog.definitions.registry import BuiltTool
from switchboard.catalog.definitions.signature import HandlerSignature
from switchboard.catalog.definitions.tool import Tool
from switchboard.catalog.offer.inclusion import Situation
from switchboard.catalog.offer.offer import Offer, make_offer
from switchboard.catalog.schema.schema import check_schema
from switchboard.contract.caller.trusted_facts import FACTS, Trust
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, Refused
from switchboard.formats import FORMATS
from tests.catalog.planted import SCHEMA, plant, properties, schema
from tests.contract.caller.test_trusted_facts import SALON, context
from tests.each import each

TEXT = {"type": "string"}
SIGNALLED = TEXT | {"x-trust": "signalling", "x-from": "caller_phone"}
VERIFIED = TEXT | {"x-trust": "verified", "x-from": "caller_phone"}
CALLER = TEXT | {"x-trust": "verified", "x-from": "caller_id"}
SHOP = TEXT | {"x-trust": "tenant", "x-from": "business.name"}
CALL = TEXT | {"x-trust": "signalling", "x-from": "call_sid"}


def parameters(*required: str, **inner: Any) -> dict[str, Any]:
    """Return parameters with these properties."""
    return {"type": "object", "properties": inner, "required": list(required)}


MESSAGE = parameters("text", "phone", "shop", text=TEXT | {"x-ui": "area"}, phone=SIGNALLED, shop=SHOP, call=CALL)
PROVIDED = {"phone", "shop", "call"}
"""What `MESSAGE` never takes from the model."""


def tool(schema: dict[str, Any], **fields: Any) -> Tool:
    """Return a tool with these parameters."""
    assert check_schema(schema) == []
    words = {"category": "general", "requires": [], "description": "Write to {{business.name}}."}
    definition = read_definition("write", {**words, "parameters": schema, **fields})
    return Tool.as_built(BuiltTool(definition, "", "", {}, HandlerSignature({}), ""))


MESSAGING = tool(MESSAGE)


def read(schema: dict[str, Any], raw: Any, facts: Context | None = None, business: Any = SALON) -> Arguments:
    """Return the arguments of a call to a tool with these parameters, on the phone unless `facts` say otherwise."""
    called = MESSAGING if schema is MESSAGE else tool(schema)
    return called.read(raw, facts or context(), business, UTC)


def refusal(schema: dict[str, Any], raw: Any, facts: Context | None = None, business: Any = SALON) -> Refused:
    """Return how that call is refused."""
    with pytest.raises(Refused) as caught:
        read(schema, raw, facts, business)
    return caught.value


def places(schema: dict[str, Any]) -> list[str]:
    """Return where a schema is wrong, and make sure that it is said how to put it right."""
    assert check_schema(schema) == []
    found = problems(schema)
    assert all(error.problem and error.remedy for error in found)
    return [error.field for error in found]


class TestArguments:
    """The model gives what it may give; the call gives the rest."""

    @pytest.mark.parametrize("channel", Channel)
    @pytest.mark.parametrize("as_text", [False, True])
    def test_what_the_call_provides_is_filled_in_and_the_models_word_for_it_dropped(
        self, channel: Channel, as_text: bool
    ):
        """On every channel, for an object and for JSON text; an optional fact the channel lacks is left out."""
        sent = {"text": "Hi", "phone": "+19005550000", "call": {"forged": True}, "business_id": "rival"}
        found = read(MESSAGE, json.dumps(sent) if as_text else sent, context(channel))
        values = {"text": "Hi", "phone": "+15185550161", "shop": "Salon"}
        values |= {"call": "CA1"} if channel is Channel.PHONE else {}
        assert found == Arguments(values, values, ("business_id", "call", "phone"))

    @pytest.mark.parametrize("raw", [None, "", "  ", "null", "{}", {}])
    def test_a_call_without_arguments_gets_what_the_call_provides(self, raw: Any):
        """Nothing at all is a way of sending no arguments."""
        assert read(parameters("phone", phone=SIGNALLED), raw).values == {"phone": "+15185550161"}

    def test_a_tool_whose_parameters_are_all_the_models_reads_them_as_ever(self):
        """Nothing is provided and nothing ignored."""
        assert read(parameters("text", text=TEXT), {"text": "Hi"}) == Arguments({"text": "Hi"}, {"text": "Hi"})

    @pytest.mark.parametrize("raw", ["[]", '"{}"', "{", '{"phone": 1, "phone": 2}', [], 7, "[" * 40_000])
    def test_what_is_no_object_is_refused_before_anything_is_filled_in(self, raw: Any):
        """Nobody can tell what such arguments would have said."""
        assert refusal(MESSAGE, raw).type is ErrorType.VALIDATION

    def test_a_correction_neither_names_nor_quotes_what_the_call_provides(self):
        """A model that is told of a hidden argument would try it, and a caller's number is not for it to see."""
        either = {"anyOf": [{"required": ["text"]}, {"required": ["title"]}]}
        error = refusal(parameters("phone", text=TEXT, title=TEXT, phone=SIGNALLED) | either, {"phon": "x"})
        assert error.type is ErrorType.VALIDATION
        assert "phone" not in error.message
        assert "5550161" not in error.message

    @pytest.mark.parametrize("channel", Channel)
    @given(sent=st.dictionaries(st.sampled_from([*sorted(PROVIDED), "text", "else"]), st.from_type(type) | st.text()))
    def test_no_object_of_a_model_changes_a_provided_value(self, channel: Channel, sent: dict[str, Any]):
        """They equal the context's, or the call is refused."""
        held_against_context(sent, context(channel))

    @given(
        sent=st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(sorted(PROVIDED)) | st.text(), inner),
        ),
        channel=st.sampled_from(Channel),
        is_verified=st.booleans(),
    )
    def test_no_json_of_a_model_changes_a_provided_value(self, sent: Any, channel: Channel, is_verified: bool):
        """Objects, lists, text in text: whatever JSON can carry, and some that it cannot."""
        facts = context(channel, verified=is_verified)
        held_against_context(sent, facts)
        held_against_context(json.dumps(sent), facts)
        if isinstance(sent, dict):
            held_against_context(sent | {"text": "Hi"}, facts)


def held_against_context(sent: Any, facts: Context) -> None:
    """Make sure that the provided values of a call equal the context's, whatever was sent."""
    expected = {"phone": "+15185550161", "shop": "Salon"}
    expected |= {"call": "CA1"} if facts.channel is Channel.PHONE else {}
    try:
        found = read(MESSAGE, sent, facts)
    except Refused as error:
        assert error.type is ErrorType.VALIDATION
        return
    for arguments in (found.canonical, found.values):
        assert {name: arguments[name] for name in PROVIDED & arguments.keys()} == expected
    assert not isinstance(sent, dict) or PROVIDED & sent.keys() <= set(found.ignored)


class TestMissing:
    """A tool that needs a fact the call lacks is refused, with the level as the condition."""

    LACKING: ClassVar = [
        pytest.param(SIGNALLED, context(caller_phone=""), SALON, "signalling", id="no number"),
        pytest.param(CALL, context(Channel.PORTAL), SALON, "signalling", id="a call in a chat"),
        pytest.param(CALL, context(Channel.BROWSER_VOICE), SALON, "signalling", id="a call in a browser"),
        pytest.param(VERIFIED, context(), SALON, "verified", id="not verified"),
        pytest.param(CALLER, context(), SALON, "verified", id="a record, not verified"),
        pytest.param(CALLER, context(verified=True, caller_id=""), SALON, "verified", id="verified, no record"),
        pytest.param(SHOP, context(), None, "tenant", id="a business that could not be read"),
    ]

    @pytest.mark.parametrize(("inner", "facts", "business", "level"), LACKING)
    def test_a_tool_that_needs_it_is_refused_whatever_the_model_sends(
        self, inner: dict[str, Any], facts: Context, business: Any, level: str
    ):
        """The model's word does not help, and it is told that it does not."""
        error = refusal(parameters("x", x=inner), {"x": "+15185550161"}, facts, business)
        assert (error.type, error.retryable) == (ErrorType.MODE_RESTRICTED, False)
        assert error.meta == {"condition": f"trust:{level}"}

    @pytest.mark.parametrize(("inner", "facts", "business", "level"), LACKING)
    def test_a_tool_that_can_do_without_runs_without(
        self, inner: dict[str, Any], facts: Context, business: Any, level: str
    ):
        """The model's word is dropped all the same."""
        assert read(parameters(x=inner), {"x": "me"}, facts, business) == Arguments({}, {}, ("x",))

    def test_only_a_caller_who_is_not_verified_is_asked_to_be(self):
        """A verified caller without a record would be sent in a circle."""
        asked, not_asked = (refusal(parameters("x", x=CALLER), {}, context(verified=v, caller_id="")) for v in (0, 1))
        assert asked.message != not_asked.message

    def test_a_verified_caller_is_served(self):
        """By the number on file, whatever number the call shows."""
        found = read(parameters("x", x=VERIFIED), {}, context(verified=True))
        assert found.values == {"x": "+15185550162"}


class TestDeclarations:
    """What a schema may say about where its arguments come from."""

    def test_a_sound_schema_is_read_once_and_says_what_is_provided(self):
        """By name: the fact, the trust it needs, and whether the tool can do without."""
        assert Provenance.of(MESSAGE).sources == {
            "phone": Source("caller_phone", Trust.SIGNALLING, True),
            "shop": Source("business.name", Trust.TENANT, True),
            "call": Source("call_sid", Trust.SIGNALLING, False),
        }

    SOUND: ClassVar = {
        "nothing": {},
        "the model, said aloud": parameters(x=TEXT | {"x-trust": "model"}),
        "anything": parameters(x=True),
        "trusted more": parameters(x=TEXT | {"x-trust": "signalling", "x-from": "business.phone"}),
        "words": parameters(x=SHOP | {"description": "d", "title": "t", "$comment": "c", "x-ui": 1}),
        "parameters of these names": parameters(**{"x-trust": TEXT, "x-from": TEXT}),
        "words of these names": parameters(x=TEXT | {"default": "x-trust", "enum": ["x-trust"]}),
        "branches": parameters(a=TEXT, b=TEXT, x=SHOP) | {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "the same name inside": parameters(a={"type": "object", "properties": {"x": TEXT}}, x=SHOP),
        "references": parameters(
            a={"$ref": "#/$defs/a"}, b={"$ref": "#/$defs/a"}, c={"$ref": "#/properties/d"}, d=TEXT, x=SHOP
        )
        | {"$defs": {"a": TEXT}},
        "a name with a gap": parameters(**{"a b": TEXT | {"x-trust": "model"}}, c={"$ref": "#/properties/a%20b"}),
        "values": parameters(a=TEXT, x=SHOP) | {"default": {"a": "b"}, "examples": [{"a": "b"}], "allOf": [True]},
    }

    @each("schema", SOUND.values(), ids=SOUND.keys())
    def test_a_sound_schema_is_taken(self, schema: dict[str, Any]):
        """Nothing is refused that can be done."""
        assert places(schema) == []

    @staticmethod
    def x(**inner: Any) -> dict[str, Any]:
        """Return parameters with one, `x`, that says this about itself (`trust` and `fact` are ours)."""
        ours = {"trust": "x-trust", "fact": "x-from"}
        return parameters(a=TEXT, x={"type": "string"} | {ours.get(name, name): said for name, said in inner.items()})

    WRONG: ClassVar = {
        "no such level": (x(trust="high", fact="caller_id"), ["x.x-trust"]),
        "a level that is no word": (x(trust=["verified"]), ["x.x-trust"]),
        "a level that is nothing": (x(trust=None), ["x.x-trust"]),
        "an earlier tool": (x(trust="tool", fact="caller_id"), ["x.x-trust"]),
        "an earlier tool, no fact": (x(trust="tool"), ["x.x-trust"]),
        "no such fact": (x(trust="verified", fact="caller_name"), ["x.x-from"]),
        "a fact that is no word": (x(trust="verified", fact=["caller_id"]), ["x.x-from"]),
        "a fact that is nothing": (x(trust="verified", fact=None), ["x.x-from"]),
        "signalling is not verified": (x(trust="verified", fact="call_sid"), ["x.x-from"]),
        "verified is not the business's": (x(trust="tenant", fact="caller_id"), ["x.x-from"]),
        "a fact without a level": (x(fact="caller_id"), ["x.x-from"]),
        "a fact that the model gives": (x(trust="model", fact="caller_id"), ["x.x-from"]),
        "a level without a fact": (x(trust="verified"), ["x.x-trust"]),
        "a default": (x(trust="verified", fact="caller_id", default="ana"), ["x.default"]),
        "not text": (x(trust="verified", fact="caller_id", type="integer"), ["x.type"]),
        "perhaps text": (x(trust="verified", fact="caller_id", type=["string", "null"]), ["x.type"]),
        "li": (x(trust="verified", fact="caller_id", minLength=3, enum=["a"]), ["x.enum", "x.minLength"]),
    }

    @each(("schema", "where"), WRONG.values(), ids=WRONG.keys())
    def test_a_parameter_that_cannot_be_provided_is_refused(self, schema: dict[str, Any], where: list[str]):
        """Every mistake, at its place; the first of them keeps the schema from being read."""
        assert places(schema) == [f"parameters.properties.{place}" for place in where]
        with pytest.raises(type(problems(schema)[0])):
            Provenance.of(schema)

    @each("level", ["signalling", "verified", "tenant", "model", "nonsense"])
    @each(
        ("schema", "at"),
        [
            (parameters(a={"type": "object", "properties": {"x": {}}}), ("properties", "a", "properties", "x")),
            (parameters(a={"type": "array", "items": {}}), ("properties", "a", "items")),
            (parameters(a={"anyOf": [TEXT, {}]}), ("properties", "a", "anyOf", 1)),
            (parameters(a={"$ref": "#/$defs/a"}) | {"$defs": {"a": {}}}, ("$defs", "a")),
            (parameters(a={"$ref": "#/shared/a"}) | {"shared": {"a": {}}}, ("shared", "a")),
            (parameters(a=TEXT) | {"if": {"properties": {"a": {}}}}, ("if", "properties", "a")),
            (parameters(a=TEXT), ()),
        ],
    )
    def test_a_declaration_that_would_have_no_effect_is_refused(
        self, schema: dict[str, Any], at: tuple[str | int, ...], level: str
    ):
        """Its author believes that the value is safe."""
        schema = json.loads(json.dumps(schema))
        node: Any = schema
        for part in at:
            node = node[part]
        node |= {"x-trust": level, "x-from": "caller_id"}
        where = "".join(f"/{part}" for part in at)
        assert places(schema) == [f"parameters{where}/x-trust", f"parameters{where}/x-from"]

    @each(
        ("rest", "where"),
        [
            ({"anyOf": [{"required": ["a"]}, {"required": ["x"]}]}, "/anyOf/1"),
            ({"allOf": [{"$ref": "#/$defs/both"}], "$defs": {"both": {"required": ["x"]}}}, "/$defs/both"),
            ({"not": {"properties": {"x": {"const": "y"}}}}, "/not"),
            ({"if": {"required": ["a"]}, "then": {"required": ["x"]}}, "/then"),
            ({"dependentRequired": {"a": ["x"]}}, ""),
            ({"dependentRequired": {"x": ["a"]}}, ""),
            ({"dependentSchemas": {"x": True}}, ""),
            ({"examples": [{"x": "Salon"}]}, ""),
            ({"default": {"x": "Salon"}}, ""),
            ({"enum": [{"x": "Salon"}]}, ""),
            ({"const": {"x": "Salon"}}, ""),
        ],
    )
    def test_a_schema_that_speaks_of_a_provided_parameter_elsewhere_is_refused(self, rest: dict[str, Any], where: str):
        """The model would be told of it, or asked for it."""
        assert places(parameters(a=TEXT, x=SHOP) | rest) == [f"parameters{where}"]

    @pytest.mark.parametrize("reference", ["#/properties/x", "#/x-shared"])
    def test_a_reference_to_what_the_model_is_not_shown_is_refused(self, reference: str):
        """It would lead nowhere in the schema that the model is shown."""
        schema = parameters(a={"$ref": reference}, x=SHOP) | {"x-shared": TEXT}
        assert places(schema) == ["parameters/properties/a/$ref"]


class TestWords:
    """What a model is told."""

    def test_the_model_is_shown_its_own_parameters_and_no_annotation(self):
        """`required` goes by what is shown."""
        assert Provenance.of(MESSAGE).visible(MESSAGE) == parameters("text", text=TEXT)
        only = parameters("phone", phone=SIGNALLED)
        assert Provenance.of(only).visible(only) == {"type": "object", "properties": {}}

    def test_annotations_go_wherever_a_schema_stands_and_names_like_them_stay(self):
        """A property called `x-ray` is an argument, and data is not searched."""
        noted = {"x-ui": 1, "type": "object", "properties": {"x-ray": TEXT | {"x-ui": 2, "default": "x-ui"}}}
        bare = {"type": "object", "properties": {"x-ray": TEXT | {"default": "x-ui"}}}
        schema = parameters(a={"type": "array", "items": noted}, b={"anyOf": [noted, True]}) | {"x-order": []}
        assert Provenance.of(schema).visible(schema) == parameters(
            a={"type": "array", "items": bare}, b={"anyOf": [bare, True]}
        )

    def test_a_definition_that_hides_nothing_is_told_as_it_is(self):
        """The same object, so that nothing is prepared twice."""
        plain = tool(parameters("text", text=TEXT), returns={"type": "object"}).definition
        assert declared(plain) is plain
        assert declared(replace(plain, returns={"type": "object", "x-ui": 1})) == plain

    @each("channel", Channel)
    @each("format", ["canonical", *FORMATS])
    def test_no_listing_holds_a_provided_parameter_or_an_annotation(self, format: str, channel: Channel):
        """Whatever the dialect and the channel; what the model may give is told."""
        returns = {"type": "object", "properties": {"ok": {"type": "boolean", "x-ui": 1}}, "x-ui": 2}
        offer = offering(tool(MESSAGE, returns=returns), channel)
        listing = offer.to_json(format)["tools"]
        keys = set(keys_in(listing))
        assert "text" in keys
        assert not {key for key in keys if key in PROVIDED or key.startswith("x-")}
        assert not PROVIDED & set(words_in(listing))
        assert "Write to Salon." in json.dumps(listing)

    def test_the_catalog_version_goes_by_what_the_model_is_told(self):
        """Hiding a parameter is news; where a hidden one comes from is not."""
        shown = parameters("text", "phone", text=TEXT, phone=TEXT)
        versions = [
            offering(tool(s)).catalog_version
            for s in (
                shown,
                parameters("text", "phone", text=TEXT, phone=SIGNALLED),
                parameters("text", "phone", text=TEXT, phone=VERIFIED),
            )
        ]
        assert versions[0] != versions[1] == versions[2]


def offering(offered: Tool, channel: Channel = Channel.PHONE) -> Offer:
    """Return an offer of one tool."""
    found = DefinitionSet("h", {offered.definition.name: offered})
    return make_offer(found, Situation(SALON, channel), Current(found, "firestore"))


def keys_in(value: Any) -> list[str]:
    """Return every key in a value."""
    if isinstance(value, dict):
        return [*value, *(key for inner in value.values() for key in keys_in(inner))]
    return [key for inner in value for key in keys_in(inner)] if isinstance(value, list) else []


def words_in(value: Any) -> list[str]:
    """Return every text in a value."""
    inside = list(value.values()) if isinstance(value, dict) else value
    if isinstance(inside, list):
        return [word for inner in inside for word in words_in(inner)]
    return [inside] if isinstance(inside, str) else []


class TestEdits:
    """What an edited definition may change about where arguments come from."""

    MAY: ClassVar = [
        pytest.param(SIGNALLED, SIGNALLED | {"description": "Other words."}, id="words"),
        pytest.param(SIGNALLED, VERIFIED, id="trusted more"),
        pytest.param(TEXT, CALLER, id="taken from the model"),
        pytest.param(TEXT, TEXT | {"x-trust": "model"}, id="left to the model"),
        pytest.param(SIGNALLED, None, id="dropped"),
    ]
    MAY_NOT: ClassVar = {
        "trusted less": (VERIFIED, SIGNALLED),
        "given to the model": (SIGNALLED, TEXT),
        "given to the model, said aloud": (SIGNALLED, TEXT | {"x-trust": "model"}),
        "anything": (SIGNALLED, True),
        "no level": (SIGNALLED, SIGNALLED | {"x-trust": "nonsense"}),
        "another fact": (SIGNALLED, SIGNALLED | {"x-from": "call_sid"}),
        "anybody, as the business": (CALLER, CALLER | {"x-trust": "tenant", "x-from": "business.id"}),
        "no fact": (SIGNALLED, TEXT | {"x-trust": "verified"}),
    }

    @staticmethod
    def where(built: Any, edited: Any) -> list[str]:
        """Return which arguments an edit of `x` takes from a less trusted place."""
        now = parameters(a=TEXT) if edited is None else parameters(a=TEXT, x=edited)
        return [error.field for error in lowered(parameters(a=TEXT, x=built), now)]

    @pytest.mark.parametrize(("built", "edited"), MAY)
    def test_an_edit_may_ask_for_more_trust(self, built: Any, edited: Any):
        """Words, more trust, or no such argument at all."""
        assert self.where(built, edited) == []

    @each(("built", "edited"), MAY_NOT.values(), ids=MAY_NOT.keys())
    def test_an_edit_may_not_lower_the_trust_the_code_was_built_for(self, built: Any, edited: Any):
        """Nor put one fact in another's place, even one that is trusted more."""
        assert self.where(built, edited) == ["parameters.properties.x"]

    def test_an_edit_that_names_no_properties_lowers_nothing(self):
        """A document may take all optional arguments away."""
        assert lowered(parameters(x=SIGNALLED), {"type": "object"}) == []


class TestBuild:
    """Tools are built with what the call provides."""

    HANDLER = '''
from switchboard.contract.response import Result


async def execute(ctx, desk, *, service: str, {name}: str, minutes: int = 30) -> Result:
    """Return a slot."""
    return Result({{"free": True}})
'''

    def built(self, tools: Path, inner: dict[str, Any], name: str = "caller_id", **files: Any) -> Build:
        """Build the sound tool with one more parameter."""
        wanted = properties(**{name: inner}) | {"required": ["service", name]}
        plant(tools, "find_slot", document=schema(parameters=wanted), handler=self.HANDLER.format(name=name), **files)
        return build(tools, lambda text: True, lambda name: True)

    def test_a_tool_may_take_a_fact_of_the_call_and_no_dialect_tells_of_it(self, tmp_path: Path):
        """The handler takes it, the examples do without it, and it needs no words for the model."""
        result = self.built(tmp_path, CALLER)
        assert result.errors == ()
        assert "caller_id" in result.tools[0].definition.parameters["properties"]
        assert "caller_id" not in json.dumps(dict(result.tools[0].provider_schemas))

    def test_an_example_cannot_give_what_the_call_provides(self, tmp_path: Path):
        """A guide shows what a model may send."""
        guide = '# a\n\nFinds it.\n\n## Examples\n\n**One?**\n\n```json\n{"service": "Cut", "who": "ana"}\n```\n'
        errors = self.built(tmp_path, CALLER, "who", guide=guide).errors
        assert [(error.file.name, error.field) for error in errors] == [("guide.md", "line 9")]

    def test_a_parameter_that_cannot_be_provided_is_not_built(self, tmp_path: Path):
        """The mistake stands in `schema.json`, at the parameter."""
        errors = self.built(tmp_path, CALLER | {"x-trust": "tenant"}).errors
        assert [error.field for error in errors] == ["parameters.properties.caller_id.x-from"]
        assert SCHEMA["parameters"]["required"] == ["service"]


def test_every_fact_can_be_declared_and_is_taken_from_the_call():
    """The table and the declarations speak of the same facts."""
    every = {f"x{i}": TEXT | {"x-trust": f.trust.value, "x-from": name} for i, (name, f) in enumerate(FACTS.items())}
    found = read(parameters(*every, **every), dict.fromkeys(every, "forged"), context(verified=True))
    assert set(found.values) == set(found.ignored) == set(every)
    assert "forged" not in found.values.values()
