"""The house speaks as the caller does: questions, what bridges a wait, what stands for words that are held back."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.business.business import Business
from switchboard.contract.channel import Channel
from switchboard.contract.model import ModelError
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import ToolStarted
from switchboard.conversation.speech.callers_language import follow
from switchboard.conversation.speech.utterance import Utterance
from tests.conversation import planted
from tests.conversation.conftest import Talk, answer
from tests.conversation.scripted import calls, says
from tests.conversation.test_turn import spoken
from tests.pipeline import planted as pipeline_planted
from tests.pipeline.planted import done

pytestmark = pytest.mark.requirement("004-1501")
WISH, OTHER = ("call_off", {"what": "lunch"}), ("call_off", {"what": "dinner"})
SPANISH, GERMAN = "Quería anular mi cita del viernes, por favor.", "Ich möchte meinen Termin am Freitag absagen."
FIRST = {
    "en": "Shall I cancel lunch?",
    "de": "Soll ich lunch absagen?",
    "es": "¿Procedo a cancelar lunch?",
    "fr": "Est-ce que je peux annuler lunch ?",
    "it": "Posso annullare lunch?",
    "pt": "Posso desmarcar lunch?",
    "nl": "Zal ik lunch annuleren?",
}
READ_BACK = {
    "en": "I would now cancel {{what}}. Shall I go ahead?",
    "de": "Ich würde jetzt {{what}} absagen. Soll ich das machen?",
    "es": "Voy a cancelar {{what}}. ¿Sigo adelante?",
    "fr": "Je vais annuler {{what}}. Êtes-vous d'accord ?",
    "it": "Ora vorrei annullare {{what}}. Va bene?",
    "pt": "Agora vou desmarcar {{what}}. Está bem?",
    "nl": "Ik ga nu {{what}} annuleren. Is dat goed?",
}
ASKED = {
    "en": "I need to cancel the one on Friday.",
    "de": GERMAN,
    "es": SPANISH,
    "fr": "Je voudrais annuler mon rendez-vous de vendredi.",
    "it": "Vorrei disdire il mio appuntamento di venerdì.",
    "pt": "Queria desmarcar a minha marcação de sexta.",
    "nl": "Ik wil mijn afspraak van vrijdag afzeggen.",
}


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a tool that asks in the house's languages, and has words for a wait in two of them."""

    known: Callable[[], Registry] = planted.registry
    tool = pipeline_planted._tool(
        planted.book,
        "action",
        {"what": {"type": "string"}},
        name="call_off",
        confirm=True,
        readBack=READ_BACK,
        say={"en": {"running": "I'm cancelling."}, "es": {"running": "Estoy anulando."}},
    )
    monkeypatch.setattr(planted, "registry", lambda: Registry("1.0.00000000", dict(known().tools) | {"call_off": tool}))


@pytest.mark.parametrize("business", ["", "de"])
@pytest.mark.parametrize("language", FIRST)
async def test_what_the_house_asks_before_it_acts_is_asked_in_the_callers_language(
    talk: Talk, language: str, business: str
) -> None:
    """Whatever the business speaks; the yes comes in the same."""
    conversation = talk(calls(WISH), calls(WISH), says("..."), language=business)
    assert spoken(await answer(conversation, ASKED[language])) == FIRST[language]
    yes = {"en": "Yes.", "de": "Ja.", "es": "Sí.", "fr": "Oui.", "it": "Sì.", "pt": "Sim.", "nl": "Ja."}[language]
    await answer(conversation, yes)
    assert done == ["lunch"]


@pytest.mark.parametrize("said", ["No le entiendo, ¿me habla en español?", "No le entiendo.", "¿Habla español?"])
async def test_who_has_not_understood_the_question_is_asked_it_in_their_own_language(talk: Talk, said: str) -> None:
    """The call is the same one still, and its yes too."""
    conversation = talk(calls(WISH), says("Claro."), calls(WISH), says("Hecho."))
    assert spoken(await answer(conversation, "cancel lunch")) == FIRST["en"]
    heard = spoken(await answer(conversation, said))
    assert heard == "Claro. Solo para estar seguros: ¿procedo a cancelar lunch?"
    assert done == []
    await answer(conversation, "Sí, adelante.")
    assert done == ["lunch"]


async def test_a_question_that_was_not_heard_to_its_end_is_said_anew_in_the_callers_language(talk: Talk) -> None:
    """What was cut off was in another."""
    conversation = talk(calls(WISH), says(""), calls(WISH), says("Hecho."))
    await answer(conversation, "cancel lunch")
    await conversation.interrupt("Shall I can")
    assert "cancelar lunch?" in spoken(await answer(conversation, "Perdone, no le entiendo."))
    await answer(conversation, "Sí.")
    assert done == ["lunch"]


async def test_one_question_about_two_calls_follows_the_caller_as_well(talk: Talk) -> None:
    """Asked together in English, and again together in Spanish."""
    conversation = talk(calls(WISH, OTHER), says(""), calls(WISH, OTHER), says("Hecho."))
    assert spoken(await answer(conversation, "both")) == (
        "I would now cancel lunch, and cancel dinner. Shall I do both?"
    )
    heard = spoken(await answer(conversation, "¿Me habla en español, por favor?"))
    assert heard.strip() == "Voy a cancelar lunch, y cancelar dinner. ¿Hago las dos cosas?"
    await answer(conversation, "Sí, las dos.")
    assert sorted(done) == ["dinner", "lunch"]


async def test_a_yes_a_name_and_thanks_leave_the_language_as_it_is(talk: Talk) -> None:
    """It goes back by another whole sentence alone."""
    conversation = talk(*(says("...") for _ in range(5)), calls(WISH))
    for said in (SPANISH, "Okay, thanks!", "Ana Rivas", "yes", "Anna von der Leyen"):
        await answer(conversation, said)
        assert conversation.session.language == "es"
    assert spoken(await answer(conversation, "Please cancel the one for lunch.")) == FIRST["en"]


async def test_an_address_leaves_the_language_as_it_is_until_another_turn_bears_it_out(talk: Talk) -> None:
    """Also where it is said twice."""
    conversation = talk(*(says("...") for _ in range(4)))
    address = "Hauptstraße zwölf, im zweiten Stock"
    for said, language in ((address, "en"), (address, "en"), ("zwei oder drei, mit Anna", "de")):
        await answer(conversation, said)
        assert conversation.session.language == language


async def test_what_stands_for_words_that_are_missing_is_said_in_the_callers_language(talk: Talk) -> None:
    """The model does not answer."""
    conversation = talk([ModelError("away")])
    assert spoken(await answer(conversation, SPANISH)).startswith("Ahora mismo no puedo consultarlo.")


@pytest.mark.parametrize(
    ("said", "label"), [(SPANISH, "Estoy anulando."), (ASKED["it"], ""), (ASKED["en"], "I'm cancelling.")]
)
async def test_a_wait_is_bridged_by_the_tools_words_in_the_callers_language_or_else_by_the_houses(
    talk: Talk, said: str, label: str
) -> None:
    """Never by the tool's English where the house has words of its own in that language."""
    conversation = talk(calls(WISH), calls(WISH), says("..."))
    await answer(conversation, said)
    heard = await answer(conversation, "ok sí yes")
    labels = [event.label for event in heard if isinstance(event, ToolStarted)]
    assert labels == ([label] if done else [""])


async def test_the_owners_own_words_for_a_wait_are_left_out_in_another_language(talk: Talk) -> None:
    """They are in the agent's."""
    conversation = talk(says("..."), says("..."))
    await answer(conversation, "hello")
    business = conversation.session.business
    assert business is not None
    conversation.session.business = replace(business, fillers=("Hang on.",))
    assert conversation._speaking() == ("en", ("Hang on.",))
    conversation.session.facts = replace(conversation.session.facts, language="es")
    assert conversation._speaking() == ("es", ())


@pytest.mark.parametrize("how", [{"digits": "1"}, {"button": "yes"}, {"text": SPANISH, "is_unsaid": True}])
async def test_keys_and_buttons_say_nothing_of_a_language(talk: Talk, how: Any) -> None:
    """Nor does a turn in which nobody spoke."""
    conversation: Conversation = talk()
    conversation.session.business = Business("salon", language="en")
    follow(conversation.session, Utterance(**how))
    assert conversation.session.language == "en"


@pytest.mark.parametrize("channel", Channel)
async def test_it_is_so_on_every_channel(talk: Talk, channel: Channel) -> None:
    """Where people read the question as well."""
    conversation = talk(calls(WISH), channel=channel)
    assert spoken(await answer(conversation, SPANISH)) == FIRST["es"]
