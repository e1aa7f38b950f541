"""Held against the question that was put: what a natural yes may say again, and what makes of it no yes."""

from pathlib import Path

import pytest

from switchboard.pipeline.confirmation.assent import answer_to
from switchboard.pipeline.confirmation.assent_beside import led_by_yes
from tests.each import each
from tests.pipeline.asked_questions import DEEDS, LANGUAGES, question

_DATA = Path(__file__).parents[1] / "data"
_MOST_UNCLEAR, _MOST_UNSEEN_UNCLEAR = 0.03, 0.06
_FEWEST = {"en": 600, "de": 600, "es": 600, "fr": 600, "it": 200, "nl": 200, "pt": 200}
_SHORT = 5
_FEWEST_SHORT = {"en": 0.85, "de": 0.85, "es": 0.75, "fr": 0.7, "it": 0.5, "nl": 0.5, "pt": 0.5}
_EVERY = 3
"""Each third row was not looked at while the words were chosen, but in German."""


def _meant(text: str, language: str, asked: str) -> str:
    return answer_to(text, language, question(asked, language), DEEDS[asked])


def rows(language: str) -> list[tuple[str, str, str]]:
    lines = (_DATA / f"assents_{language}.tsv").read_text(encoding="utf-8").splitlines()
    return [(meaning, asked, text) for meaning, asked, text in (line.split("\t") for line in lines)]


@pytest.mark.requirement("003-190")
@each("language", LANGUAGES)
def test_of_everything_that_is_no_yes_nothing_is_taken_for_one_and_hardly_a_yes_is_asked_again(language):
    """A false approval cancels what somebody wanted to keep; a yes that is asked again makes callers hang up."""
    found = rows(language)
    assert len(found) >= _FEWEST[language]
    for some in (found, found[_EVERY - 1 :: _EVERY]):
        assert [
            text for meaning, asked, text in some if meaning == "other" and _meant(text, language, asked) == "yes"
        ] == []
    clear = [(asked, text) for meaning, asked, text in found if meaning == "yes"]
    unclear = [text for asked, text in clear if _meant(text, language, asked) != "yes"]
    assert len(unclear) <= _MOST_UNCLEAR * len(clear), unclear


@pytest.mark.requirement("003-190")
def test_answers_written_after_the_words_were_chosen_are_understood_as_well():
    """What a table was made for proves little: these name other times, people and ways of refusing."""
    lines = (_DATA / "assents_unseen.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    assert [row for row in rows if row[1] == "other" and _meant(row[3], row[0], row[2]) == "yes"] == []
    clear = [row for row in rows if row[1] == "yes"]
    assert len([row for row in clear if _meant(row[3], row[0], row[2]) != "yes"]) <= _MOST_UNSEEN_UNCLEAR * len(clear)


@pytest.mark.heavy
@pytest.mark.requirement("003-190")
@each("language", LANGUAGES)
def test_of_answers_in_peoples_own_words_nothing_is_taken_for_a_yes_that_is_none(language):
    """Thousands by writers who knew none of our words, two thirds of them made to look like a yes; short yeses count.

    Whoever says more than five words beside a yes may be asked once more.
    """
    lines = (_DATA / f"told_{language}.tsv").read_text(encoding="utf-8").splitlines()
    told = [[*line.split("\t"), ""][:4] for line in lines]
    others = [(asked, text, put) for meaning, asked, text, put in told if meaning != "yes"]
    assert [text for asked, text, put in others if _told(text, language, asked, put) == "yes"] == []
    short = [row for row in told if row[0] == "yes" and len(row[2].split()) <= _SHORT]
    known = sum(_told(text, language, asked, put) == "yes" for _, asked, text, put in short)
    assert known >= _FEWEST_SHORT[language] * len(short), f"{known} of {len(short)}"


def _told(text: str, language: str, asked: str, put: str) -> str:
    told = text, language, put or question(asked, language), DEEDS[asked]
    reply = answer_to(*told)
    return "yes" if reply == "unclear" and led_by_yes(*told) else reply


@pytest.mark.requirement("003-190")
@each(
    ("text", "asked", "meaning"),
    [
        ("Yes, Friday at ten.", "cancel", "yes"),
        ("Yes, Friday at eleven.", "cancel", "unclear"),
        ("Yes, Friday at ten.", "move", "unclear"),
        ("Yes, Monday at half past three.", "move", "yes"),
        ("Yes, from Monday.", "move", "unclear"),
        ("Yes, the haircut.", "cancel", "yes"),
        ("Yes, the massage.", "cancel", "unclear"),
        ("Yes, for Anna.", "cancel", "yes"),
        ("Yes, for Bella.", "cancel", "unclear"),
        ("Yes, change at will.", "email", "unclear"),
    ],
)
def test_a_yes_names_the_questions_own_time_service_and_person_alone(text, asked, meaning):
    """Of two times the new one is meant; what an e-mail says is no part of the question."""
    assert _meant(text, "en", asked) == meaning


@pytest.mark.requirement("003-190")
@each("language", LANGUAGES)
@each(
    ("text", "meaning"),
    [
        ("Ja, gerne.", "yes"),
        ("Sí, por favor.", "yes"),
        ("Oui, allez-y.", "yes"),
        ("Ja, graag.", "yes"),
        ("Sim, obrigado.", "yes"),
        ("Yes, please.", "yes"),
        ("Nein danke", "no"),
        ("Ja, aber nicht jetzt", "unclear"),
        ("Ok, ma Anna", "unclear"),
        ("Ja, of Anna", "unclear"),
    ],
)
def test_whoever_answers_in_another_language_than_the_business_s_is_understood(text, meaning, language):
    """A tourist says it as at home; a little word of one language is a "but" or an "or" of another.

    In Portuguese "ja" is no yes but an "already".
    """
    safe = "unclear" if language == "pt" and text == "Ja, gerne." else meaning
    assert _meant(text, language, "cancel") == safe


@pytest.mark.requirement("003-190")
@each("text", ["[noise] yes", "um, yes", "yes 👍", "*coughs* yes", "YES YES yes", "uh huh", "mm-hmm"])
def test_noise_and_repetition_make_no_yes_unclear(text):
    """A recogniser writes down what it hears."""
    assert _meant(text, "en", "cancel") == "yes"


@pytest.mark.requirement("003-190")
@each("text", ["[inaudible] yes", "yes 👎", "yes?", "yes, um", "yes, the", "yes " * 100])
def test_what_was_not_understood_or_goes_on_is_no_yes(text):
    """What is missing may be the "don't"."""
    assert _meant(text, "en", "cancel") == "unclear"


@pytest.mark.requirement("003-190")
@each(
    ("text", "meaning"),
    [
        ("oh um yeah i'm afraid so i hate doing it but go right ahead", "yes"),
        ("mhm yeah go on then bless you", "yes"),
        ("yeah go ahead please that's the one i mean she's burning up so there's just no way", "yes"),
        ("oh um yes yes sorry i'm all over the place yes please", "yes"),
        ("yeah no go ahead i guess that's what we gotta do", "yes"),
        ("yes yes please do sorry i ramble when i haven't slept", "yes"),
        ("i hate to but yes go ahead", "yes"),
        ("sorry but yes", "yes"),
        ("i hate to say it but yes", "yes"),
        ("oh i'm so sorry but yes please", "yes"),
        ("i feel bad but yeah", "yes"),
        ("but yes", "unclear"),
        ("well but yes", "unclear"),
        ("sorry but okay", "unclear"),
        ("sorry but yes to friday's massage", "unclear"),
        ("sorry but", "unclear"),
        ("sorry no but yes", "unclear"),
        ("sorry but yes i want to keep it", "unclear"),
        ("yes but", "unclear"),
        ("yeah i hate to but", "unclear"),
        ("yes but the haircut", "unclear"),
        ("yeah i hate to but give me a second", "unclear"),
        ("yes but go ahead with friday's massage", "unclear"),
        ("i'm afraid so", "unclear"),
        ("yes my little one is sick", "unclear"),
        ("yeah but can you move it", "unclear"),
        ("no but go ahead", "unclear"),
        ("yeah no that's what it'll have to be", "unclear"),
    ],
)
def test_who_is_sorry_gives_in_and_turns_back_to_the_yes_has_agreed(text: str, meaning: str) -> None:
    """As callers ramble; what only begins so, or turns to anything else, is asked once more."""
    assert _meant(text, "en", "cancel") == meaning


@pytest.mark.requirement("003-190")
@each(
    ("text", "hour", "meaning"),
    [
        ("yes, at noon", "12:00 PM", "yes"),
        ("yes, Friday at noon", "12:00 PM", "yes"),
        ("yes, cancel Friday noon", "12:00 PM", "yes"),
        ("yes, at midday please", "12:00 PM", "yes"),
        ("ja, am Mittag", "12:00 PM", "yes"),
        ("sí, al mediodía", "12:00 PM", "yes"),
        ("oui, à midi", "12:00 PM", "yes"),
        ("yes, at midnight", "12:00 AM", "yes"),
        ("yes, at noon", "12:30 PM", "unclear"),
        ("yes, at noon", "12:00 AM", "unclear"),
        ("yes, at midnight", "12:00 PM", "unclear"),
        ("yes, at noon", "1:00 PM", "unclear"),
        ("yes, noon on Thursday", "12:00 PM", "unclear"),
        ("yes, before noon", "12:00 PM", "unclear"),
        ("noon", "12:00 PM", "unclear"),
    ],
)
def test_noon_and_midnight_name_their_hour_and_no_other(text: str, hour: str, meaning: str) -> None:
    """As people say twelve o'clock, in whichever language they answer."""
    put = f"I would now cancel your Haircut on Friday, November 27 at {hour}. Shall I go ahead?"
    assert answer_to(text, "en", put, ("cancelled",)) == meaning
