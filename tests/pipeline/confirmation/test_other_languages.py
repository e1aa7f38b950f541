"""A plain yes and no in languages that the house does not speak: the whole utterance, and nothing beside it."""

import pytest

from switchboard.contract.business.languages import HOUSE_LANGUAGES
from switchboard.pipeline.confirmation.assent import answer_to, answer_to_all
from switchboard.pipeline.confirmation.consent import PHRASES
from switchboard.pipeline.confirmation.other_languages import PLAIN, plain_reply

pytestmark = pytest.mark.requirement("004-1503")
QUESTION = "Shall I cancel your Haircut appointment with Rosa on Friday, December 4 at 2:30 PM?"
# By language: a yes, another with a please or thanks; a no, another with thanks; and what is more than a plain answer.
SAID = {
    "tr": ("Evet", "evet, lütfen", "Hayır.", "hayır teşekkürler", "Evet ama cumartesi"),
    "pl": ("Tak.", "tak, proszę", "Nie", "nie, dziękuję", "tak, ale w sobotę"),
    "ru": ("Да", "Да, пожалуйста.", "Нет", "net, spasibo", "да, но в субботу"),
    "uk": ("Так", "так, будь ласка", "Ні", "ні, дякую", "так, але в суботу"),
    "ar": ("نعم", "نعم، من فضلك", "لا", "لا، شكرا", "نعم لكن السبت"),
    "zh": ("好的", "是的，谢谢。", "不要", "不用，謝謝", "好的但是星期六"),
    "vi": ("Vâng", "dạ vâng, cảm ơn", "Không", "không, cảm ơn", "vâng nhưng thứ bảy"),
    "ko": ("네", "네, 부탁드립니다.", "아니요", "아니요, 감사합니다", "네 그런데 토요일에요"),
    "tl": ("Opo", "opo, salamat", "Hindi po", "hindi, salamat", "opo pero sa Sabado"),
    "hi": ("हाँ", "haan ji", "नहीं", "नहीं, धन्यवाद", "हाँ लेकिन शनिवार को"),
    "ro": ("Da", "da, vă rog", "Nu", "nu, mulțumesc", "da, dar sâmbătă"),
    "hu": ("Igen", "igen, kérem", "Nem", "nem, köszönöm", "igen, de szombaton"),
    "cs": ("Ano", "ano, prosím", "Ne", "ne, děkuji", "ano, ale v sobotu"),
    "el": ("Ναι", "ναι, παρακαλώ", "Όχι", "όχι, ευχαριστώ", "ναι, αλλά το Σάββατο"),
    "sv": ("Ja", "ja, tack", "Nej", "nej tack", "ja, men på lördag"),
    "da": ("Ja", "ja tak", "Nej", "nej tak", "ja, men på lørdag"),
    "no": ("Ja", "ja, takk", "Nei", "nei takk", "ja, men på lørdag"),
    "fi": ("Kyllä", "joo, kiitos", "Ei", "ei kiitos", "kyllä, mutta lauantaina"),
    "hr": ("Da", "da, molim", "Ne", "ne, hvala", "да, али у суботу"),
    "ja": ("はい", "はい、お願いします。", "いいえ", "いいえ、ありがとうございます", "はい、でも土曜日に"),
}
NOT_YET = """
    Evet?
    \u3044\u3044\u3048\uff1f
    evet...
    da,
    tak \U0001f44e
    D\u0336a\u0336
    ne ne evet
    da nu
    hao
    nai
    hai
    evet hayır
    tabii ki değil
    net da
    """


def test_there_are_twenty() -> None:
    """The languages that callers in the US and in Europe speak most beside the house's own."""
    assert SAID.keys() == PLAIN.keys() and len(PLAIN) == 20


@pytest.mark.parametrize("asked_in", ["en", "fr", "fi"])
@pytest.mark.parametrize("language", SAID)
def test_a_plain_yes_is_a_yes_and_a_plain_no_a_no_and_more_is_asked_again(language: str, asked_in: str) -> None:
    """Said of the question that was asked, of whichever deed, and of several at once."""
    *plain, more = SAID[language]
    for said, meant in zip(plain, ("yes", "yes", "no", "no"), strict=True):
        assert (said, answer_to(said, asked_in, QUESTION, ("cancelled",))) == (said, meant)
        assert (said, answer_to_all(said, asked_in, QUESTION, ("cancelled",))) == (said, meant)
    assert answer_to(more, asked_in, QUESTION, ("cancelled",)) != "yes"


@pytest.mark.parametrize("language", HOUSE_LANGUAGES)
def test_what_asks_breaks_off_or_says_both_is_no_answer(language: str) -> None:
    """Nor is a word that is a yes in one language and a no or a greeting in another."""
    said = [line.strip() for line in NOT_YET.strip().splitlines()]
    assert [each for each in said if answer_to(each, language, QUESTION, ("cancelled",)) == "yes"] == []


@pytest.mark.parametrize("language", HOUSE_LANGUAGES)
def test_no_yes_of_theirs_refuses_or_doubts_in_a_language_of_the_house(language: str) -> None:
    """The house's own words are looked at first, and none of them is turned round."""
    doubts = [
        phrase.strip()
        for own in (language, "en")
        for sense in ("no", "vague", "surprise", "hesitation", "filler")
        for phrase in PHRASES[own].get(sense, "").split(",")  # type: ignore[call-overload]
    ]
    assert [phrase for phrase in doubts if plain_reply(phrase, language) == "yes"] == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        *(("de", "da"), ("it", "Da."), ("pt", "da"), ("nl", "naam"), ("nl", "nu"), ("da", "tak")),
        *(
            ("de", "Da, da."),
            ("it", "da da"),
            ("pt", "Da da."),
            ("nl", "Naam, naam."),
            ("nl", "nu nu"),
            ("da", "Tak, tak."),
        ),
    ],
)
def test_a_word_that_the_conversations_own_language_has_for_something_else_is_unclear(language: str, said: str) -> None:
    """Somebody who speaks German means "here"."""
    assert plain_reply(said, language) == "unclear"


@pytest.mark.parametrize("language", HOUSE_LANGUAGES)
@pytest.mark.parametrize("said", ["Oo.", "Oo, oo.", "oooo"])
def test_a_sigh_is_no_yes(language: str, said: str) -> None:
    """Tagalog's yes counts with its "po", which nobody sighs."""
    assert plain_reply(said, language) == "unclear"
    assert plain_reply("Oo po.", language) == "yes"
