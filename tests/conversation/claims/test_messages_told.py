"""What becomes of messages: nobody else got one, nobody is said to have answered, and no call is promised."""

from dataclasses import replace

import pytest

from switchboard.contract.model import Spoken, UserMessage
from tests.conversation.claims.told_salon import SALON, asked, is_said, knowledge, knows, taken
from tests.each import each

OTHERS = [
    "I left the message with Marcus.",
    "I've told Marcus.",
    "Marcus has your message now.",
    "Le dejé el recado a Marcus.",
    "Ya se lo dije a Marcus.",
    "J'ai laissé le message à Marcus.",
    "J'ai prévenu Marcus.",
    "Ich habe Marcus Bescheid gesagt.",
    "Ho lasciato il messaggio a Marcus.",
    "L'ho detto a Marcus.",
    "Deixei o recado ao Marcus.",
    "Ik heb het tegen Marcus gezegd.",
]
ANSWERS = [
    "Rosa has already read your message.",
    "I spoke to Rosa and she says yes.",
    "She said yes.",
    "Dana got your note and says it's fine.",
    "Rosa ya leyó su mensaje.",
    "Ya hablé con Rosa y dice que sí.",
    "Rosa dice que no hay problema.",
    "Rosa a déjà lu votre message.",
    "J'ai parlé à Rosa, elle est d'accord.",
    "Rosa hat Ihre Nachricht schon gelesen.",
    "Rosa ist einverstanden.",
    "Rosa ha detto che va bene.",
    "A Rosa já leu o seu recado.",
    "Rosa heeft uw bericht al gelezen.",
]
PROMISES = [
    "Somebody will call you back within the hour.",
    "Rosa will call you this afternoon.",
    "You'll hear from Rosa today.",
    "Rosa la va a llamar esta tarde.",
    "Rosa le devolverá la llamada antes de las seis.",
    "Mañana a primera hora la llaman, seguro.",
    "On vous rappelle demain matin, sans faute.",
    "Rosa vous rappellera avant dix-huit heures.",
    "Rosa ruft Sie heute Nachmittag zurück.",
    "Rosa la richiamerà oggi pomeriggio.",
    "A Rosa vai ligar-lhe esta tarde.",
    "Rosa belt u vanmiddag terug.",
]
TRUE = [
    "Rosa is fine with kids.",
    "Marcus is OK with dogs.",
    "I've left your message for Rosa.",
    "I've told Rosa that you want to talk about highlights.",
    "Rosa will find your message when she's in; I can't say when she'll call.",
    "I've noted that you'd like Rosa to call you this afternoon.",
    "Rosa hasn't read your message yet, as far as I know.",
    "As soon as Rosa has read your message, she can get back to you.",
    "Rosa recibirá su recado en cuanto lo lea.",
    "Le pasé el recado a Rosa; no sé cuándo podrá llamarla.",
    "El recado para Rosa ya está; si ella puede, la llamará.",
    "C'est transmis à Rosa.",
    "J'ai noté que vous voulez que Rosa vous rappelle.",
    "Rosa verra votre message, mais je ne peux pas vous dire quand elle rappellera.",
    "Ich habe Rosa Bescheid gegeben.",
    "Ich habe notiert, dass Rosa Sie heute Nachmittag zurückrufen soll.",
    "Wann Rosa zurückruft, kann ich nicht versprechen.",
    "Rosa riceverà il suo messaggio.",
    "Ho scritto che preferisce essere richiamata nel pomeriggio.",
    "Deixei o recado à Rosa.",
    "Anotei que prefere que a Rosa lhe ligue esta tarde.",
    "Rosa krijgt uw bericht.",
]


@each("sentence", OTHERS)
@pytest.mark.requirement("004-1601")
def test_a_message_went_to_nobody_for_whom_it_was_not(sentence: str) -> None:
    assert not is_said(sentence, taken())
    assert is_said(sentence, taken("Please tell Marcus that I want to talk about highlights."))


@pytest.mark.requirement("004-1601")
def test_whose_name_was_heard_a_little_otherwise_is_whom_it_was_for() -> None:
    assert is_said("I've told Marcus.", taken("Tell Markus that I want to talk about highlights."))


@each("sentence", ANSWERS)
@pytest.mark.requirement("004-1601")
def test_what_nobody_has_told_of_an_answer_is_held(sentence: str) -> None:
    assert not is_said(sentence, taken())


@pytest.mark.requirement("004-1601")
def test_an_answer_that_a_result_tells_of_is_told() -> None:
    assert is_said("Rosa says that balayage takes two hours.", knows("Rosa says: balayage takes two hours."))


@each("sentence", PROMISES)
@pytest.mark.requirement("004-1601")
def test_nobody_promises_by_when_somebody_calls(sentence: str) -> None:
    assert not is_said(sentence, taken())
    known = knowledge("We call back within two hours, and always before 6 pm.")
    assert is_said(sentence, taken("Please tell Rosa that I want to talk about highlights.", known))


@pytest.mark.requirement("004-1601")
def test_what_the_owners_own_words_promise_is_promised() -> None:
    house = replace(SALON, prompt="Rosa calls everybody back within one hour.")
    assert is_said("Rosa will call you back within the hour.", taken(), house)


@each(
    "sentence",
    [
        "I'm letting Rosa know right now.",
        "Aviso a Rosa ahora mismo.",
        "Le estoy avisando a Rosa en este momento.",
        "J'ai prévenu Rosa.",
        "Je le dis à Rosa tout de suite.",
        "Ich gebe Rosa gleich Bescheid.",
        "Ho avvisato Rosa.",
        "Avisei a Rosa.",
        "Ik laat het Rosa nu weten.",
    ],
)
@pytest.mark.requirement("004-1601")
def test_with_nothing_done_nobody_was_told(sentence: str) -> None:
    assert not is_said(sentence, asked())


@pytest.mark.requirement("004-1601")
def test_beside_the_call_that_does_it_somebody_is_being_told() -> None:
    assert is_said("I'm letting Rosa know right now.", taken())


@each(
    "sentence",
    [
        "One moment, I'll call up your appointment on Friday.",
        "I'll call it up in a moment.",
        "I'll answer your question about Friday first.",
        "I'll answer that in a moment.",
        "I'll get back to you in a moment.",
        "I'll get right back to you in just a moment.",
        "We'll get back to that in a moment.",
        "We'll get back to your question about Friday in a minute.",
    ],
)
@pytest.mark.requirement("004-1601")
def test_what_goes_on_in_this_conversation_promises_no_call(sentence: str) -> None:
    assert is_said(sentence, asked())


@each(
    "sentence",
    [
        "I'll call you up on Friday.",
        "I'll get back to you by Friday.",
        "Rosa will get back to you in a moment.",
        "I'll get back to you in a moment, and Rosa will call you this afternoon.",
        "We'll answer you on Friday.",
        "We'll get back to that in a moment, and I've passed your message on to Rosa.",
    ],
)
@pytest.mark.requirement("004-1601")
def test_a_call_promised_beside_is_held(sentence: str) -> None:
    assert not is_said(sentence, asked())


@each("sentence", TRUE)
@pytest.mark.requirement("004-1601")
def test_what_is_known_of_a_message_is_told(sentence: str) -> None:
    assert is_said(sentence, taken())


@each(
    "sentence",
    [
        "Shall I let Rosa know that you called?",
        "If you like, I can ask Rosa to call you back.",
        "If Rosa is free, she will call you tomorrow.",
        "¿Quiere que avise a Rosa?",
        "Puedo pedirle a Rosa que la llame.",
        "Voulez-vous que je prévienne Rosa ?",
        "Soll ich Rosa Bescheid geben?",
        "Vuole che avvisi Rosa?",
        "Quer que eu avise a Rosa?",
    ],
)
@pytest.mark.requirement("004-1601")
def test_what_is_offered_is_no_promise(sentence: str) -> None:
    assert is_said(sentence, asked())


@each(
    "words, sentence",
    [
        ("Can you tell her that I am running late?", "I've passed your message on to Rosa."),
        ("Please let him know I'll be late.", "I've passed your message on to Marcus."),
        ("Dígale que llego tarde, por favor.", "Le pasé el recado a Rosa."),
        ("Sagen Sie ihr bitte, dass ich später komme.", "Ich habe Rosa Bescheid gegeben."),
        ("Dites-lui que je suis en retard.", "J'ai prévenu Rosa."),
        ("Le dica che arrivo tardi.", "L'ho detto a Rosa."),
        ("Diga-lhe que chego tarde.", "Deixei o recado à Rosa."),
        ("Zeg haar dat ik later kom.", "Ik heb het tegen Rosa gezegd."),
    ],
)
@pytest.mark.requirement("004-2415")
def test_her_or_him_is_whoever_was_named_last(words: str, sentence: str) -> None:
    """By the agent or by a result; nobody else is meant, and nobody where nobody was named."""
    who, other = ("Marcus", "Rosa") if "Marcus" in sentence else ("Rosa", "Marcus")
    look = ("lookup_appointment", {}, {"appointments": [{"bookingId": "bk_9", "with": who}]}, {})
    known = taken(words)
    assert not is_said(sentence, known)
    named = taken(words)
    named.history.messages.insert(0, Spoken(f"Your appointment is with {who}."))
    assert is_said(sentence, named)
    assert not is_said(sentence.replace(who, other), named)
    found = taken("When is my appointment?", look)
    found.history.add(UserMessage(words))
    assert is_said(sentence, found)
