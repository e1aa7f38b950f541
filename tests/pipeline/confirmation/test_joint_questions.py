"""Several calls of one turn that wait for a yes: one question that names each, and one yes or no to all of them."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.pipeline.confirmation.assent import answer_to_all
from switchboard.pipeline.confirmation.consent import plain_words
from switchboard.pipeline.confirmation.prompt import joint_question, read_back
from tests.each import each
from tests.pipeline.asked_questions import DEEDS, LANGUAGES, question
from tests.pipeline.confirmation.test_assent import rows

pytestmark = pytest.mark.requirement("003-421")

BOTH = {
    "en": "Shall I do both?",
    "de": "Soll ich beides machen?",
    "es": "¿Hago las dos cosas?",
    "fr": "Êtes-vous d'accord pour les deux ?",
    "it": "Faccio entrambe le cose?",
    "nl": "Zal ik beide doen?",
    "pt": "Faço as duas coisas?",
}
AGREED = {
    "en": """yes|yes please|both please|both|yes, both of them|yes, cancel both|yes go ahead|sure, cancel them both
        |yes, please cancel them|mm-hmm yes both|okay, do it|[noise] yes, both|yes to both""",
    "de": "ja|ja bitte|beide|ja, beide bitte|ja, beide absagen|ja, sagen Sie beide ab|alle beide|machen Sie das",
    "es": "sí|sí, por favor|ambas|sí, las dos|sí, cancele las dos|sí, cancélelas|las dos cosas, por favor",
    "fr": "oui|oui, s'il vous plaît|les deux|oui, les deux|oui, annulez les deux|oui, annulez-les",
    "it": "sì|sì, grazie|entrambe|sì, tutte e due|sì, entrambe le cose",
    "nl": "ja|ja graag|allebei|ja, allebei|ja, beide graag|doe maar allebei",
    "pt": "sim|sim, por favor|ambas|sim, as duas coisas|sim, cancele as duas",
}
NOT_AGREED = {
    "en": """only the first|yes, but not Friday's|just Friday|yes, Friday|yes, the haircut|the first one|yes, the first
        |yes, cancel it|yes, that one|not both|both?|yes, but only one|yes, at ten|one of them|yes, Anna's|the second
        |yes, cancel the haircut|yes and move the other|cancel it|both are fine where they are|yes, both but later
        |yes, friday at ten|yes, this one|yes, that's the one|either
        |yes, the cancellation|cancel one|all but the first|yes cancel friday""",
    "de": """nur den ersten|ja, aber nicht Freitag|ja, Freitag|ja, den ersten|ja, den Haarschnitt|nicht beide
        |den zweiten|ja, sagen Sie ihn ab|ja, stornieren Sie den|einen von beiden|beide nicht|ja, um zehn
        |ja, nur einen|ja, genau den|ja, den meine ich|beide behalten""",
    "es": """solo la primera|sí, pero no la del viernes|sí, la del viernes|la primera|sí, cancélela|sí, el corte
        |sí, a las dos|sí, una|la segunda|las dos no|sí, a las diez""",
    "fr": """seulement le premier|oui, mais pas vendredi|oui, vendredi|le premier|oui, annulez-le|oui, la coupe
        |pas les deux|oui, celui-là|c'est le mien, oui""",
    "it": "solo il primo|sì, ma non venerdì|sì, venerdì|il primo|sì, alle due|sì, il taglio",
    "nl": "alleen de eerste|ja, maar niet vrijdag|ja, vrijdag|de eerste|ja, die|niet allebei|ja, de knipbeurt",
    "pt": "só a primeira|sim, mas não a de sexta|sim, sexta|a primeira|sim, às duas|sim, o corte",
}
ALL = frozenset(
    plain_words("both all beide alle dos ambas todas deux tous entrambi tutti allebei allemaal ambas todas")
)
DECLINED = {"en": "no|neither|no, none of them", "de": "nein|keinen von beiden", "es": "no|ninguna", "fr": "non|aucun"}


def asked(language: str) -> str:
    """Return the question about two appointments that would be cancelled."""
    return joint_question([question("cancel", language)] * 2, language)


@each("language", LANGUAGES)
def test_one_yes_is_to_all_and_whoever_names_a_part_has_agreed_to_nothing(language):
    """A false yes cancels what somebody wanted to keep."""
    for text in AGREED[language].split("|"):
        assert (text, answer_to_all(text.strip(), language, asked(language), ("cancelled",))) == (text, "yes")
    for text in NOT_AGREED[language].split("|"):
        said = answer_to_all(text.strip(), language, asked(language), ("cancelled",))
        assert (text, said == "yes") == (text, False)
    for text in DECLINED.get(language, "no").split("|"):
        assert (text, answer_to_all(text.strip(), language, asked(language), ("cancelled",))) == (text, "no")


@each("language", LANGUAGES)
def test_of_all_recorded_answers_that_are_no_yes_only_all_of_them_is_one(language):
    """They were given to a question about one appointment, to which "both" is none."""
    for meaning, deed, text in rows(language):
        if meaning != "other":
            continue
        told = joint_question([question(deed, language)] * 2, language)
        is_all = not ALL.isdisjoint(plain_words(text))
        assert (text, answer_to_all(text, language, told, DEEDS[deed]) == "yes") in ((text, False), (text, is_all))


@each("text", ["yes, cancel them", "yes, move both", "yes, cancel both", "yes, cancel it", "yes, move it"])
def test_where_one_is_cancelled_and_one_moved_a_verb_agrees_to_neither(text):
    """It speaks of one of the two."""
    assert answer_to_all(text, "en", asked("en"), ()) == "unclear"


@each(("hour", "said"), [(14, "unclear"), (2, "unclear"), (10, "yes"), (12, "yes")])
def test_the_two_of_them_may_be_two_o_clock(hour, said):
    """In Spanish both are "las dos"; beside an appointment at two nobody can tell."""
    then = datetime(2027, 3, 16, hour, 0, tzinfo=ZoneInfo("Europe/Madrid"))
    words = {"es": "Voy a cancelar su cita del {{start_time}}. ¿Sigo adelante?"}
    business = Business("b", language="es", timezone=ZoneInfo("Europe/Madrid"))
    tool = Definition("cancel_appointment", "calendar", Kind.ACTION, "", {}, read_back=words)
    one = read_back(tool, {"start_time": then}, business, datetime(2027, 3, 1, tzinfo=UTC))
    assert answer_to_all("sí, las dos", "es", joint_question([one, one], "es"), ("cancelled",)) == said


@each("language", LANGUAGES)
def test_the_joint_question_names_each_and_asks_once(language):
    """In the language of its questions, as one sentence."""
    first, second = question("cancel", language), question("move", language)
    told = joint_question([first, second], language)
    assert told.endswith(BOTH[language])
    assert told.count("?") == 1 + told.startswith("¿")
    for one in (first, second):
        # From the appointment on, to the end of its sentence.
        words = one.rpartition(". ")[0].split(" ")
        assert " ".join(words[5:]) in told


@each("language", LANGUAGES)
def test_questions_in_an_owners_words_are_said_as_they_are(language):
    """With a last one of ours, which is what a yes is to."""
    assert joint_question(["Cancel A?", "Cancel B?"], language) == f"Cancel A? Cancel B? {BOTH[language]}"


def test_three_are_all_of_that():
    """Two are both."""
    three: list[Any] = [question("cancel", "en")] * 3
    assert joint_question(three, "en").endswith(
        ", and cancel your Haircut appointment for Anna Meyer on Friday, November 27 at 10:00 AM. "
        "Shall I do all of that?"
    )
