"""Whether somebody wants no more texts, in whole plain words of seven languages."""

import pytest

from switchboard.contract.caller.stop_wishes import asks_for_no_texts

pytestmark = pytest.mark.requirement("004-2455")


@pytest.mark.parametrize(
    "said",
    [
        *("Stop texting me.", "Don't text me any more", "no more texts", "Please never text me again, thanks."),
        *("Could you please stop texting me?", "I don't want to be texted any more.", "Stop sending me texts"),
        *(
            "Take my number off your list.",
            "I do not want any more text messages from you",
            "Never send me texts again",
        ),
        *("Please stop texting me, and can I book a haircut?", "Hi, unsubscribe me from your texts please"),
        *("Keine SMS mehr bitte!", "Schicken Sie mir keine Nachrichten mehr", "Bitte schreiben Sie mir nicht mehr."),
        *("Ich möchte keine SMS mehr bekommen", "Hören Sie auf, mir SMS zu schicken"),
        *("No me manden más mensajes", "No quiero más mensajes de texto", "Dejen de mandarme mensajes, por favor"),
        *("Ne m'envoyez plus de SMS", "Je ne veux plus recevoir de SMS", "Arrêtez de m'envoyer des messages"),
        *("Non mandatemi più messaggi", "Basta messaggi", "Non voglio più ricevere SMS"),
        *("Não me mandem mais mensagens", "Não quero mais receber mensagens", "Parem de me mandar mensagens"),
        *("Stuur me geen sms'jes meer", "Geen berichten meer alstublieft", "Ik wil geen sms meer ontvangen"),
    ],
)
def test_a_plain_wish_is_one_in_seven_languages(said):
    """Whatever else is said in the same breath."""
    assert asks_for_no_texts(said)
    assert asks_for_no_texts(said, in_writing=True)


@pytest.mark.parametrize(
    "said",
    [
        *("No, don't text me", "Don't text me the address, just tell me", "Don't stop texting me", "stop"),
        *("My friend said stop texting me so much", "Can you text me?", "no more haircuts", "Cancel my appointment"),
        *("Take me off the waiting list", "Can I stop by tomorrow?", "plus de détails", "Keine Nachricht hinterlassen"),
        *("I don't want texts about the price but about the time", "Text me no more than once", "", "x" * 5_000),
    ],
)
def test_what_is_about_something_else_is_none(said):
    """A text that somebody does not want now may be wanted tomorrow."""
    assert not asks_for_no_texts(said)


@pytest.mark.parametrize(
    "text", ["remove me", "take me off your list", "do not text me", "dont text me again", "Leave me alone!", "Stop it"]
)
def test_more_is_a_wish_in_a_text(text):
    """Nothing was offered there that it could be the answer to."""
    assert asks_for_no_texts(text, in_writing=True)


@pytest.mark.parametrize(
    "text",
    [
        *("Keine SMS mehr bekommen.", "Hallo, keine SMS mehr erhalten. Bitte nochmal schicken.", "So no more texts?"),
        *("You said: no more texts", "If I text STOP, no more messages?", "Geen berichten meer ontvangen."),
        *("I don't want more texts, just the one confirmation", "Wenn ich das sage, keine SMS mehr?"),
        *("No SMS. Can you send the code again?", "Keine SMS. Bitte nochmal.", "Don't text me, call me"),
        *("Stop, that's the wrong day. Stop that.", "Do not text me the address, I have it"),
    ],
)
def test_a_complaint_a_question_and_all_but_one_are_no_wish_spoken_or_written(text):
    """Whoever is taken for having said it gets no code and no link any more."""
    assert not asks_for_no_texts(text)
    assert not asks_for_no_texts(text, in_writing=True)


@pytest.mark.parametrize(
    "text", ["I'm busy, stop texting me", "Can you please stop texting me?", "Do not text me. Leave me alone!"]
)
def test_a_wish_beside_other_words_is_one(text):
    """In writing, and the first two spoken as well."""
    assert asks_for_no_texts(text, in_writing=True)
