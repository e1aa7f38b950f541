"""Definitions are read as written, completed from the built ones, and refused with the field and the remedy."""

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import DefinitionError, Kind, problems, read_definition
from tests.each import each

WHOLE = {
    "name": "send_sms",
    "category": "phone",
    "kind": "action",
    "channels": ["portal", "phone"],
    "requires": ["escalation:message"],
    "toolkit": "twilio",
    "description": "Text the caller.",
    "parameters": {"type": "object", "properties": {"body": {"type": "string"}}},
    "returns": {"type": "object"},
    "timeoutMs": 2500,
    "confirm": True,
    "readBack": {"en": "Shall I text you?"},
    "verified": True,
    "async": True,
    "onCallStart": True,
    "say": {"en": {"running": "One moment."}},
}


def test_a_whole_definition_survives_reading_and_writing():
    """Every field of design section "A tool" comes back as it was written."""
    definition = read_definition("send_sms", WHOLE)
    assert read_definition("send_sms", definition.to_document()) == definition
    assert definition.channels == (Channel.PHONE, Channel.PORTAL)
    assert (definition.kind, definition.timeout_ms, definition.writes) == (Kind.ACTION, 2500, True)


@pytest.mark.parametrize(
    ("language", "said"), [("es-MX", "Un momento."), ("ES", "Un momento."), ("it", "One moment."), ("", "One moment.")]
)
def test_a_phrase_is_told_in_its_language_or_else_in_english(language, said):
    """A moment for which nothing was written is silent."""
    say = {"en": {"running": "One moment."}, "es": {"running": "Un momento."}}
    definition = read_definition("send_sms", WHOLE | {"say": say})
    assert definition.phrase(language, "running") == said
    assert definition.phrase(language, "failed") == ""


@pytest.mark.requirement("004-13")
def test_a_document_of_three_fields_takes_the_rest_from_the_built_tool():
    """Seed 004: a Firestore document holds category, description and parameters."""
    built = read_definition("send_sms", WHOLE)
    edited = read_definition(
        "send_sms",
        {"category": "phone", "description": "New words.", "parameters": {"type": "object", "properties": {}}},
        built,
    )
    assert edited.description == "New words."
    assert (edited.kind, edited.requires, edited.say) == (built.kind, built.requires, built.say)


def test_a_document_that_moves_to_another_category_takes_that_categorys_conditions():
    """The old conditions belonged to the old category."""
    built = read_definition("send_sms", WHOLE)
    moved = read_definition("send_sms", {"category": "records"}, built)
    assert moved.requires is None


@each(
    ("change", "field"),
    [
        ({"kind": "magic"}, "kind"),
        ({"channels": ["fax"]}, "channels"),
        ({"channels": "phone"}, "channels"),
        ({"description": ""}, "description"),
        ({"description": 5}, "description"),
        ({"parameters": []}, "parameters"),
        ({"parameters": {"type": "string"}}, "parameters.type"),
        ({"timeoutMs": 0}, "timeoutMs"),
        ({"timeoutMs": True}, "timeoutMs"),
        ({"timeoutMs": "fast"}, "timeoutMs"),
        ({"confirm": "yes"}, "confirm"),
        ({"say": {"en": "hello"}}, "say.en"),
        ({"say": {"running": "One moment."}}, "say.running"),
        ({"result": {"text": "Done."}}, "result.text"),
        ({"readBack": "Shall I?"}, "readBack"),
        ({"readBack": {"text": "Shall I?"}}, "readBack.text"),
        ({"readBack": {"en": 5}}, "readBack.en"),
        ({"readBack": {"en": " "}}, "readBack.en"),
        ({"proposes": "with"}, "proposes"),
        ({"requires": [1]}, "requires"),
        ({"name": "other"}, "name"),
    ],
)
def test_a_field_that_cannot_be_used_is_named_with_its_remedy(change, field):
    """Whoever wrote the document learns where it is wrong and what would be right."""
    with pytest.raises(DefinitionError) as caught:
        read_definition("send_sms", WHOLE | change)
    assert caught.value.field == field
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["", "Send", "1up", "a-b", "a" * 41, "naïve"])
def test_a_name_that_no_dialect_could_carry_is_refused(name):
    """Names are the same in folder, schema, Firestore and every dialect."""
    assert problems(name, WHOLE | {"name": name})[0].field == "name"


def test_every_problem_of_a_document_is_reported_at_once():
    """An owner corrects a document once, not once per error."""
    found = problems("send_sms", WHOLE | {"kind": "magic", "channels": ["fax"], "timeoutMs": 0})
    assert {p.field for p in found} == {"kind", "channels", "timeoutMs"}


def test_a_question_that_is_not_by_language_is_told_what_it_should_be():
    """In a call nobody would notice: the general question of the house is asked instead."""
    (text,) = problems("send_sms", WHOLE | {"readBack": "Shall I change {{number}}?"})
    assert str(text).startswith('readBack: expected an object by language, such as {"en": "Shall I change number {{')
    (untold,) = problems("send_sms", WHOLE | {"readBack": {"text": "Shall I?"}})
    assert str(untold).startswith("readBack.text: 'text' is no language; write an object by language, such as {")
    assert not problems("send_sms", WHOLE | {"readBack": {"en": "Shall I?", "de-AT": "Soll ich?", "zh_Hant_TW": "?"}})


def test_a_question_of_an_edit_names_only_what_is_there():
    """What the tool itself takes and finds out, the edit need not say once more."""
    number = {"type": "object", "properties": {"number": {"type": "integer"}}}
    built = read_definition("send_sms", WHOLE | {"parameters": number, "proposes": ["old_number"]})
    good = {"en": "Shall I change {{ old_number }} to {{number}} at {{business.name}}?"}
    assert not problems("send_sms", {"readBack": good}, built)
    (near,) = problems("send_sms", {"readBack": {"de": "Soll ich {{nummer}} nehmen?"}}, built)
    assert str(near) == "readBack.de: {{nummer}} is no parameter; write {{number}}"
    (far,) = problems("send_sms", {"readBack": {"en": "For {{whom}}?"}}, built)
    assert far.remedy == "name one of {{number}}, {{old_number}}"
