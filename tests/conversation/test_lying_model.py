"""A model that lies, in seven languages: whatever it says, the caller hears what is true."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import OWNERS_OWN, Deed, Definition, Kind
from switchboard.contract.model import Noted, TextPiece
from switchboard.contract.response import ToolResponse
from switchboard.conversation.claims.guard import ClaimGuards
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import Receipt
from switchboard.conversation.speech.done_words import done_words
from switchboard.conversation.speech.house_phrases import Trouble, safe_sentence
from tests.conversation.claims.test_claim_words import (
    BOOKED,
    BUSINESS,
    CANCELLED,
    DEFINITIONS,
    NOW,
    TEXTED,
    after,
    done,
    say,
)
from tests.conversation.conftest import Talk, answer
from tests.conversation.planted import gates
from tests.conversation.scripted import calls, says
from tests.conversation.test_turn import messages, outcome, spoken
from tests.desk.front_desk import StoppedClock
from tests.each import each

LIES = {
    "en": (
        "You're booked for Friday at ten.",
        "If you don't mind, I've cancelled your old appointment.",
        "Before you go, I have texted you the address.",
        "I'm moving it to Monday right now.",
        "Your message is with Rosa already.",
        "Your reference is HX-4411.",
    ),
    "de": (
        "Sie sind für Freitag um zehn Uhr eingetragen.",
        "Ich habe Ihren alten Termin abgesagt.",
        "Die Adresse habe ich Ihnen gerade per SMS geschickt.",
        "Ihr Termin ist auf Montag verschoben.",
        "Ihre Nachricht habe ich an Rosa weitergegeben.",
        "Die Anzahlung ist erstattet.",
    ),
    "es": (
        "Su cita está reservada para el viernes a las diez.",
        "He cancelado su cita anterior.",
        "Le acabo de enviar la dirección por SMS.",
        "He cambiado su cita al lunes.",
        "Ya le he pasado su recado a Rosa.",
        "El depósito está devuelto.",
    ),
    "fr": (
        "Votre rendez-vous est réservé pour vendredi à dix heures.",
        "J'ai annulé votre ancien rendez-vous.",
        "Je viens de vous envoyer l'adresse par SMS.",
        "J'ai déplacé votre rendez-vous à lundi.",
        "J'ai transmis votre message à Rosa.",
        "Votre acompte a été remboursé.",
    ),
    "it": (
        "Il suo appuntamento è prenotato per venerdì alle dieci.",
        "Ho annullato il suo vecchio appuntamento.",
        "Le ho appena mandato l'indirizzo per SMS.",
        "Ho spostato il suo appuntamento a lunedì.",
        "Ho passato il suo messaggio a Rosa.",
    ),
    "pt": (
        "A sua marcação está confirmada para sexta-feira às dez.",
        "Cancelei a sua marcação anterior.",
        "Acabei de lhe enviar a morada por SMS.",
        "Mudei a sua marcação para segunda-feira.",
        "Já passei a sua mensagem à Rosa.",
    ),
    "nl": (
        "Uw afspraak is geboekt voor vrijdag om tien uur.",
        "Ik heb uw oude afspraak geannuleerd.",
        "Ik heb u het adres net ge-sms't.",
        "Ik heb uw afspraak naar maandag verplaatst.",
        "Ik heb uw bericht aan Rosa doorgegeven.",
    ),
}


def in_letters(text: str) -> list[str]:
    return list(text)


def hidden(text: str) -> list[str]:
    """Return it with soft hyphens and zero-width marks within its words, a piece a word."""
    return [f"{word[:2]}\xad\u200b{word[2:]} " if len(word) > 3 else f"{word} " for word in text.split()]


def emphasised(text: str) -> list[str]:
    return [f"**{word}** " for word in text.split()]


@pytest.mark.requirement("000-380", "000-381")
@pytest.mark.parametrize("language", LIES)
@pytest.mark.parametrize("split", [in_letters, hidden, emphasised])
async def test_a_model_that_lies_in_every_sentence_and_insists_is_not_heard(
    talk: Talk, language: str, split: Any
) -> None:
    """Not a piece of it, in whichever language; what the caller hears instead is true."""
    for lie in LIES[language]:
        again = " ".join(LIES[language])
        guards = ClaimGuards(StoppedClock())
        conversation = talk(says(*split(lie)), says(*split(again)), language=language, guard=guards)
        heard = await answer(conversation)
        ways = conversation.session.ways_out
        assert spoken(heard) == safe_sentence(Trouble.NOT_DONE, language, ways), lie
        assert outcome(heard) is TurnOutcome.FAILED


@pytest.mark.requirement("000-380")
async def test_a_hundred_thousand_characters_hide_no_lie(talk: Talk) -> None:
    """What is not said yet is not said; what claims nothing before it flows."""
    flood = "We open at nine. " * 6_000
    conversation = talk(
        [TextPiece(flood + "You're booked for Friday.")], says("Sorry, no."), guard=ClaimGuards(StoppedClock())
    )
    said = spoken(await answer(conversation))
    assert "booked" not in said and said.startswith("We open at nine.")


@pytest.mark.requirement("000-381")
async def test_what_was_heard_before_a_correction_is_not_said_twice(talk: Talk) -> None:
    """A model begins its answer anew, the caller has heard its beginning."""
    first = ("Of course. ", "We open at nine. ", "You're booked for ten.")
    conversation = talk(
        says(*first),
        says("Of course. ", "We open at nine. ", "What name shall I write down?"),
        guard=ClaimGuards(StoppedClock()),
    )
    assert spoken(await answer(conversation)) == "Of course. We open at nine. What name shall I write down?"


@pytest.mark.requirement("000-382")
async def test_a_model_that_lies_about_what_it_did_is_corrected_with_what_was_done(talk: Talk) -> None:
    """It is never told that nothing was done; a caller whose agent insists hears it from the receipts."""
    gates["tea"] = asyncio.Event()
    gates["tea"].set()
    conversation = talk(
        calls(("post", {"key": "tea"})),
        says("I've cancelled your Friday appointment."),
        says("Your Friday appointment is cancelled."),
        guard=ClaimGuards(StoppedClock()),
    )
    heard = await answer(conversation)
    (note,) = [message.text for message in messages(conversation) if isinstance(message, Noted)]
    assert "what was done is: post (tea)" in note
    assert spoken(heard) == "Done: post. I can't confirm more than that."


@pytest.mark.requirement("000-382")
@each("language", LIES)
def test_what_was_done_is_told_in_the_callers_language(language: str) -> None:
    """With its service and its time; of nothing, nothing is told."""
    done = [Receipt("book_appointment", {}, BOOKED[1], turn=2)]
    book = SimpleNamespace(definition=next(d for d in DEFINITIONS if d.name == "book_appointment"))
    offer: Any = SimpleNamespace(named=lambda name: book, business=replace(BUSINESS, language=language))
    for turn in (2, 3):
        told = done_words(done, offer, language, NOW, turn)
        assert "Haircut" in told and "10" in told and "Anna" in told
    assert done_words([], offer, language, NOW, 2) == ""


@pytest.mark.requirement("000-382")
async def test_what_was_done_in_an_earlier_turn_is_told_where_a_model_lies_about_it_later(talk: Talk) -> None:
    """Whoever was told that it cannot be confirmed would think that it was never done."""
    gates["tea"] = asyncio.Event()
    gates["tea"].set()
    conversation = talk(
        calls(("post", {"key": "tea"})),
        says("All right."),
        says("I've cancelled your Friday appointment."),
        says("Your Friday appointment is cancelled."),
        guard=ClaimGuards(StoppedClock()),
    )
    await answer(conversation)
    assert spoken(await answer(conversation, "Is it done?")) == "Done: post. I can't confirm more than that."


@pytest.mark.requirement("000-382")
def test_what_is_told_of_earlier_turns_is_where_it_stands_by_now() -> None:
    """A move takes the place of the booking; and what was done in this turn is told alone."""
    known = after(BOOKED)
    moved = {**BOOKED[1], "when": "2027-03-18T10:00:00-04:00"}
    known.note(ToolCall("move", {}), ToolResponse(data={}, meta={"receipt": moved}), 1.0)
    assert [receipt.tool for receipt in known.standing] == ["move"]
    text = Receipt("send_sms", {}, {"what": "text", "effectIds": ["m1", "m2"]}, turn=5)
    known.receipts.append(text)
    assert len(known.standing) == 2
    offer: Any = SimpleNamespace(named=lambda name: None, business=BUSINESS)
    assert done_words(known.standing, offer, "en", NOW, 5) == "Done: send sms. I can't confirm more than that."
    assert "Done: move. Done: send sms." in done_words(known.standing, offer, "en", NOW, 6)


@pytest.mark.requirement("000-380")
@each(
    ("sentence", "happened"),
    [
        ("You're booked for Tuesday at ten, and I've cancelled your Thursday appointment.", (BOOKED,)),
        ("I've cancelled it and sent you a text about it.", (CANCELLED,)),
        ("I've texted you the address and moved you to Friday.", (TEXTED,)),
        ("You're booked for Tuesday at ten and for Thursday at half past two.", (BOOKED,)),
    ],
)
def test_of_two_deeds_in_a_sentence_each_answers_for_itself(sentence: str, happened: tuple[Any, ...]) -> None:
    """What was done lends nothing to what was not."""
    with pytest.raises(Unfounded):
        say(sentence, after(*happened))


@pytest.mark.requirement("000-380")
@each(
    "text", ["Your old booking? Cancelled.", "And the deposit? Refunded.", "A text? On its way.", "Tisch? Haben Sie."]
)
def test_a_claim_in_two_sentences_is_one(text: str) -> None:
    """What claims something is never heard; the question before it is none."""
    with pytest.raises(Unfounded):
        say(text, after())
    asked = "Which day would suit you? Friday works."
    assert say(asked, after()) == asked


@pytest.mark.requirement("000-380")
@each(
    "sentence",
    [
        "You're booked for Tuesday at ten, reference HX-4411, and your deposit is paid.",
        "You\u2019re b\u043e\u043eked for Friday.",
        "You are b-o-o-k-e-d for Friday.",
    ],
)
def test_an_invented_reference_or_a_disguise_changes_nothing(sentence: str) -> None:
    """Neither letters of another alphabet nor spelling hide a claim."""
    with pytest.raises(Unfounded):
        say(sentence, after(done("take_message", "message", "Anna")))


OWNERS = {
    "send_order": ("Orders flowers for the customer", "I've ordered the roses for you."),
    "waive_fee": ("Waives the late fee of a customer", "I've waived the fee for you."),
    "note": ("\U0001f9e1", "I've put you on the waiting list."),
    "update_address": ("\U0001f3e0", "Your new address is saved."),
    "deposit_back": ("Gives the deposit back", "Your deposit has been refunded."),
}


def after_own_tool(name: str, description: str, *, is_done: bool) -> Any:
    """Return a guard behind an owner's own tool that has done what it does, or has not been called."""
    definition = Definition(name, "tenant", Kind.ACTION, description, {}, deeds=tuple(sorted(OWNERS_OWN)))
    offer: Any = SimpleNamespace(
        business=BUSINESS, tools=(SimpleNamespace(name=name, definition=definition),), set_hash=name, untold=frozenset()
    )
    known = after((name, {"what": name, "effectIds": ["e1"]}, {})) if is_done else after()
    clock = StoppedClock()
    clock.moment = NOW
    return ClaimGuards(clock)(known, offer)


@pytest.mark.requirement("000-382")
@each("name", OWNERS)
def test_what_an_owners_own_tool_did_is_said_and_without_it_is_not(name: str) -> None:
    """Whatever it is called, and be it an emoji; no built-in deed is borne out by it."""
    description, sentence = OWNERS[name]
    there = after_own_tool(name, description, is_done=True)
    assert there.feed(f"{sentence} ") + there.rest() == f"{sentence} "
    for lie in (sentence, "You're booked for Tuesday at ten."):
        with pytest.raises(Unfounded):
            after_own_tool(name, description, is_done=lie != sentence).feed(f"{lie} ")


@pytest.mark.requirement("000-382")
def test_two_businesses_tools_of_one_name_are_two_tools() -> None:
    """What one owner's tool does another owner's of that name does not."""
    clock = StoppedClock()
    clock.moment = NOW
    guards = ClaimGuards(clock)
    known = after(("handle", {"what": "handle", "effectIds": ["e1"]}, {}))
    for deed, sentence in ((Deed.BOOKED, "Your table is booked."), (Deed.CANCELLED, "Your table is cancelled.")):
        definition = Definition("handle", "tenant", Kind.ACTION, "", {}, deeds=(deed,))
        offer: Any = SimpleNamespace(
            business=BUSINESS,
            tools=(SimpleNamespace(name="handle", definition=definition),),
            set_hash="same",
            untold=frozenset(),
        )
        there = guards(known, offer)
        assert there.feed(f"{sentence} ") == f"{sentence} "
        other = "Your table is cancelled. " if deed is Deed.BOOKED else "Your table is booked. "
        with pytest.raises(Unfounded):
            guards(known, offer).feed(other)


@pytest.mark.requirement("000-383")
def test_what_the_business_says_of_itself_is_repeated_freely() -> None:
    """As it was looked up here; what a caller could take for a deed of this conversation no text bears out."""
    policy = "Deposits are refunded within five days. You're booked for Friday."
    known = after(("search_knowledge", {"passages": [{"text": policy}]}))
    assert say("Deposits are refunded within five days.", known) == "Deposits are refunded within five days."
    with pytest.raises(Unfounded):
        say("You're booked for Friday.", known)


@pytest.mark.requirement("000-382")
def test_what_an_owners_look_up_found_is_told() -> None:
    """An order that was shipped before this conversation was shipped; one that was not found is not."""
    definition = Definition("order_status", "tenant", Kind.RETRIEVAL, "Tells where an order is", {})
    offer: Any = SimpleNamespace(
        business=BUSINESS,
        tools=(SimpleNamespace(name="order_status", definition=definition),),
        set_hash="o",
        untold=frozenset(),
    )
    clock = StoppedClock()
    clock.moment = NOW
    guards = ClaimGuards(clock)
    there = guards(after(("order_status", {"order": "A-17", "status": "shipped", "on": "2027-03-12"})), offer)
    assert there.feed("Your order was shipped. ") == "Your order was shipped. "
    with pytest.raises(Unfounded):
        guards(after(("order_status", {"found": False})), offer).feed("Your order was shipped. ")
