"""A yes with something beside it agrees; a yes that something behind it takes back, narrows or prices does not."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from switchboard.pipeline.confirmation.asked_times import AskedDays, AskedTimes
from switchboard.pipeline.confirmation.assent import answer_to
from switchboard.pipeline.confirmation.assent_beside import led_by_yes
from tests.each import each
from tests.pipeline.asked_questions import DEEDS, question

MOVE = (
    "I would now move your Highlights appointment for Hannah Li from Wednesday, December 9 at 1:30 PM to Friday, "
    "December 11 at 2:00 PM. Shall I go ahead?"
)
CANCEL = {
    "en": "I would now cancel your Haircut appointment for Anna Whitfield on Wednesday, December 2 at 9:30 AM. "
    "Shall I go ahead?",
    "de": "Ich würde jetzt Ihren Termin „Haircut“ für Jonas Pohl am Donnerstag, 3. Dezember um 15:00 Uhr absagen. "
    "Soll ich das machen?",
    "es": "Voy a cancelar su cita de Color para Grace Okafor del jueves, 3 de diciembre a las 10:30. ¿Sigo adelante?",
}


@pytest.mark.requirement("003-190")
@each(
    "text",
    [
        "yes i said yes :) and yes could you text me the address",
        "yes please, and could you text me the address",
        "yeah. oh and is there parking",
        "yes and tell rosa i'm sorry",
        "Sure, go ahead. Do you have parking by the way?",
        "Yes. Could you send me a confirmation by text please",
        "Yes. What are your opening hours?",
        "Ja bitte. Haben Sie eigentlich Parkplätze vor der Tür?",
        "Sí. ¿Hay dónde estacionar por ahí?",
        "Oui. Pouvez-vous m'envoyer l'adresse s'il vous plaît ?",
    ],
)
def test_what_has_nothing_to_do_with_the_question_takes_no_yes_back(text: str) -> None:
    """Whoever has agreed is not asked again because they wanted something else as well."""
    assert led_by_yes(text, "en", MOVE, ("moved",))


@pytest.mark.requirement("003-190")
@each(
    ("language", "text"),
    [
        ("en", "Yes yes please do, and move it to Monday at five"),
        ("en", "Yes yes please do. Oh, scratch that, I meant Tuesday"),
        ("en", "Yes. Forget what I said"),
        ("en", "yes. my mistake, wrong person"),
        ("en", "yes. Let me check with my husband"),
        ("en", "Yes. I was kidding you"),
        ("en", "Yes? Can you hear me?"),
        ("en", "Okay? Are you a robot?"),
        ("en", "Yes? I cannot hear you well"),
        ("en", "Yes. Would you mind if I came Monday"),
        ("en", "I can't come on Monday, so please cancel it"),
        ("en", "Bella is the one who can't come, so please cancel it"),
        ("en", "I never said so please cancel it"),
        ("en", "yes yes please do and keep the other one"),
        ("de", "Ja. Ich hab mich vertan"),
        ("de", "Ja. Vergessen Sie alles bitte"),
        ("de", "Ja? Hallo, hören Sie mich?"),
        ("en", "yes, for Bella"),
        ("en", "yes, and cancel the other one too"),
        ("en", "yes and what does that cost"),
        ("en", "yes. but not my daughter's please"),
        ("en", "yes. hold on my husband says no"),
        ("en", "yes and i think i should keep my slot"),
        ("en", "yes. my mother wants to keep hers"),
        ("en", "yes and is there a fee for late notice"),
        ("en", "yes. and make it three o'clock please"),
        ("en", "is it wednesday? yes and i love it"),
        ("de", "ja bitte absagen. kostet das was?"),
        ("de", "ja. und für meine tochter bitte auch am freitag"),
        ("de", "ja und wenn das geht lieber nächste woche"),
        ("es", "sí y si no hay cargo por favor"),
        ("es", "sí, pero mejor la cambio de día"),
    ],
)
def test_what_narrows_prices_or_takes_back_leaves_the_question_open(language: str, text: str) -> None:
    """A false approval cancels what somebody wanted to keep."""
    asked = CANCEL[language], ("cancelled",)
    assert answer_to(text, language, *asked) != "yes"
    assert not led_by_yes(text, language, *asked)


@pytest.mark.requirement("003-190")
@each(
    ("language", "text", "meaning"),
    [
        ("de", "ja hab ich doch gesagt, absagen", "yes"),
        ("en", "yes, I already said so", "yes"),
        ("es", "sí, le digo que sí", "yes"),
        ("de", "nein hab ich doch gesagt", "no"),
        ("de", "hab ich doch gesagt", "unclear"),
    ],
)
def test_that_it_was_said_before_makes_no_yes_unclear(language: str, text: str, meaning: str) -> None:
    """Nor does it make a yes of anything else."""
    assert answer_to(text, language, CANCEL[language], ("cancelled",)) == meaning


@pytest.mark.requirement("003-190")
@each(
    ("language", "text"),
    [
        ("es", "ay pues no sé eh espérese y si mejor la cambio para la semana que viene qué tiene"),
        ("en", "hmm could we move it to next week instead"),
        ("de", "ach weiß ich nicht, vielleicht verschieben wir ihn lieber"),
    ],
)
def test_whoever_weighs_something_else_is_not_asked_the_same_again(language: str, text: str) -> None:
    """They have not agreed: nothing is done, and what they want now is answered."""
    assert answer_to(text, language, CANCEL[language], ("cancelled",)) == "no"


@pytest.mark.requirement("003-190")
@each(
    "text",
    [
        "yes. Would you undo everything",
        "yes. Can you abort",
        "yes and ask my mother",
        "yes please ask Rosa",
        "yeah. oh and is rosa there",
        "ok. Is there a penalty",
        "yes. Would you put me through to a human",
        "yes. Could you wait a minute",
        "yes. Could you tell me what it costs",
        "yes. Do you have parking, I'll be there at ten",
        "yes. Could you text me the address of the other salon",
        "yes. Could you text me before you do it",
        "yes. Could you text me",
        "yes and tell rosa i'm sorry i'll be late",
        "yes and tell rosa i'm on my way",
        "ja. Könnten Sie einen Moment Geduld haben",
        "ja. Gibt es eine Strafe",
        "oui. Pouvez-vous patienter",
        "oui. Il y a une pénalité",
        "sí. Hay penalización",
        "sí. Me puede pasar con una persona",
    ],
)
def test_a_question_about_anything_else_beside_a_yes_leaves_the_question_open(text: str) -> None:
    """Who waits, asks what it costs or who is there, or wants somebody, is answered first."""
    assert not led_by_yes(text, "en", MOVE, ("moved",))
    assert not led_by_yes(text, "en", CANCEL["en"], ("cancelled",))


@pytest.mark.requirement("003-190")
@each(
    ("language", "text"),
    [
        ("en", "please why not cancel"),
        ("de", "soll ich den absagen bitte"),
        ("de", "warum absagen bitte"),
        ("es", "por qué cancelar por favor"),
        ("fr", "pourquoi annuler s'il vous plaît"),
        ("en", "okay I feel bad"),
        ("en", "but I told you"),
        ("en", "okay but I told you"),
    ],
)
def test_who_asks_why_or_regrets_has_not_agreed(language: str, text: str) -> None:
    """A question whose mark nobody hears, and what is said before a no as well."""
    told = text, language, question("cancel", language), ("cancelled",)
    assert answer_to(*told) == "unclear" and not led_by_yes(*told)


@pytest.mark.requirement("003-190")
@each(
    ("language", "text"),
    [("en", "please take me off"), ("de", "bitte sagen Sie ab"), ("es", "por favor cancele la cita")],
)
def test_who_asks_for_the_deed_agrees(language: str, text: str) -> None:
    assert answer_to(text, language, question("cancel", language), ("cancelled",)) == "yes"


@pytest.mark.requirement("003-190")
@each(
    ("language", "text", "asked", "reply"),
    [
        ("en", "not sure I'll be around so take me off", "cancel", "unclear"),
        ("de", "lieber Montag, genau", "move", "unclear"),
        ("de", "lieber Montag um halb vier", "move", "unclear"),
        ("de", "lieber Dienstag", "move", "no"),
        ("en", "Monday at half past three instead please", "move", "unclear"),
        ("en", "Tuesday instead please", "move", "no"),
        ("en", "no I won't be there, cancel it", "cancel", "unclear"),
        ("en", "no, cancel it", "cancel", "unclear"),
        ("en", "no problem at all with that, go ahead", "move", "unclear"),
        ("es", "no hay inconveniente, cámbiela", "move", "unclear"),
        ("en", "no, don't cancel it", "cancel", "no"),
        ("en", "no, I don't want you to cancel it", "cancel", "no"),
        ("de", "nein, bitte nicht absagen", "cancel", "no"),
        ("en", "nope, keep it, cancel nothing", "cancel", "no"),
    ],
)
def test_what_names_the_deed_or_the_new_time_is_not_taken_for_a_no(
    language: str, text: str, asked: str, reply: str
) -> None:
    """A yes that is read as a no voids the question, and nobody asks again."""
    assert answer_to(text, language, question(asked, language), DEEDS[asked]) == reply


@pytest.mark.requirement("003-190")
@each(
    ("text", "deed"),
    [
        ("Yes. Could you write Bob in the subject", "mailed"),
        ("Yes. Could you add my phone number please", "texted"),
        ("Yes. Can you make Bella do my hair", "booked"),
    ],
)
def test_what_is_asked_for_beside_what_can_still_be_worded_leaves_the_question_open(text: str, deed: str) -> None:
    """It may be meant to stand in the text that was read out, or to change what would be booked."""
    assert not led_by_yes(text, "en", MOVE, (deed,))


@pytest.mark.requirement("003-190")
@each(
    ("language", "text"),
    [
        ("en", "Yes please. Maybe text me the address too"),
        ("en", "Yes. I don't know how to thank you"),
        ("en", "I'd rather cancel it"),
        ("de", "Ja bitte, vielleicht schicken Sie mir noch die Adresse"),
        ("de", "Ich möchte lieber absagen"),
        ("es", "Sí, mejor cancélela"),
    ],
)
def test_whoever_agrees_or_names_what_was_asked_has_not_declined(language: str, text: str) -> None:
    """A word of doubt beside it is asked about, and does not void the question."""
    assert answer_to(text, language, CANCEL[language], ("cancelled",)) == "unclear"


@pytest.mark.requirement("003-190")
@each("asked", ["cancel", "move"])
@each(
    ("language", "text"),
    [
        ("en", "yes I can hear you, go ahead"),
        ("en", "sorry I missed that, yes go ahead"),
        ("en", "let me get a pen, yes go ahead"),
        ("en", "don't do it, yes"),
        ("en", "not sure about yes cancel it"),
        ("en", "the other one, yes cancel it"),
        ("en", "please go on"),
        ("en", "please cancel that"),
        ("de", "ich höre Sie, ja machen Sie"),
        ("de", "den anderen, ja, absagen"),
        ("de", "lieber telefonisch, ja bitte machen Sie das"),
        ("es", "no le oigo, sí, siga"),
        ("es", "la otra, sí, cancélela"),
        ("fr", "je vous écoute, oui allez-y"),
        ("fr", "ça va aller"),
        ("fr", "plutôt lundi prochain, oui faites"),
    ],
)
def test_a_yes_behind_words_that_nobody_knows_is_none(language: str, text: str, asked: str) -> None:
    """Who lets somebody go on speaking says "yes, go ahead" as well; nobody can list what a yes may stand behind."""
    told = text, language, question(asked, language), DEEDS[asked]
    assert answer_to(*told) != "yes" and not led_by_yes(*told)


ZONE = ZoneInfo("Europe/Berlin")
START = datetime(2026, 11, 27, 10, 0, tzinfo=ZONE)


@pytest.mark.requirement("003-190", "004-1011")
def test_a_known_question_of_its_own_behind_a_yes_takes_nothing_back() -> None:
    """When it is open, where it is, how to come and what with, and how much comes back once it is over; not what the
    deed costs, nor what somebody asks who means to come, nor a further wish.
    """
    lines = (Path(__file__).parents[1] / "data" / "asked_beside.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    put = datetime(2026, 11, 24, 12, 0, tzinfo=ZONE)
    days = AskedTimes(START, None, "Europe/Berlin", put).days(put)
    wrong = [row for row in rows if (_reply(*row[:2], row[3], days) == "yes") != (row[2] == "yes")]
    assert wrong == []
    for language in ("en", "de", "es", "fr"):
        assert sum(row[0] == language and row[2] == "yes" for row in rows) >= 20


def _reply(language: str, asked: str, text: str, days: AskedDays | None) -> str:
    told = text, language, question(asked, language), DEEDS[asked], days
    reply = answer_to(*told)
    return "yes" if reply == "unclear" and led_by_yes(*told) else reply


@pytest.mark.requirement("004-1011")
@each(
    ("language", "text"),
    [
        ("en", "Yes cancel it, and what time do you open tomorrow?"),
        ("de", "Ja bitte. Wann macht ihr morgen auf?"),
        ("es", "Sí, por favor. ¿A qué hora abren mañana?"),
        ("fr", "Oui, annulez. À quelle heure vous ouvrez demain ?"),
    ],
)
def test_who_asks_about_the_very_day_may_mean_to_come(language: str, text: str) -> None:
    """Nor is it known which day is meant where nobody knows when it is."""
    put = datetime(2026, 11, 26, 12, 0, tzinfo=ZONE)
    for days in (AskedTimes(START, None, "Europe/Berlin", put).days(put), None):
        assert _reply(language, "cancel", text, days) == "unclear"


@pytest.mark.requirement("003-190")
@each("is_tomorrow", [False, True])
def test_of_300_answers_that_begin_as_a_yes_and_are_none_nothing_is_taken_for_one(is_tomorrow: bool) -> None:
    """Written as an enemy would, before anybody had looked at what becomes of them: jokes, other people, conditions,
    what was heard of somebody else, deferrals, reasons that go on as another wish, and fees.
    """
    lines = (Path(__file__).parents[1] / "data" / "no_yes_beside.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    assert len(rows) >= 300
    zone = ZoneInfo("Europe/Berlin")
    start, put = datetime(2026, 11, 27, 10, 0, tzinfo=zone), datetime(2026, 11, 26, 12, 0, tzinfo=zone)
    days = AskedTimes(start, None, "Europe/Berlin", put).days(put) if is_tomorrow else None
    taken = []
    for language, asked, text in rows:
        told = text, language, question(asked, language), DEEDS[asked], days
        if answer_to(*told) == "yes" or led_by_yes(*told):
            taken.append(text)
    assert taken == []


@pytest.mark.requirement("003-190")
@each(
    ("language", "asked", "text", "reply"),
    [
        ("en", "cancel", "um okay yes yes cancel it is this thing working", "yes"),
        ("en", "cancel", "yes go ahead and cancel it sorry i've got the dog barking here", "yes"),
        ("en", "cancel", "yeah cancel it i just can't make it with the kids and everything", "yes"),
        ("de", "cancel", "ja sagen sie ihn ab ich bin leider krank", "yes"),
        ("es", "cancel", "sí cancélela es que no puedo ir", "yes"),
        ("fr", "cancel", "oui annulez je suis malade", "yes"),
        ("en", "move", "yes move it sorry the dog is barking", "yes"),
        ("en", "move", "yes move it i can't make it", "unclear"),
        ("en", "cancel", "yes i'm sick", "unclear"),
        ("en", "cancel", "cancel it i'm sick", "unclear"),
        ("en", "cancel", "yes i'm sick cancel it", "unclear"),
        ("en", "cancel", "yes cancel it i'm sick of this", "unclear"),
        ("en", "cancel", "yes cancel it i can't make it so early", "unclear"),
        ("es", "cancel", "sí cancelar no puedo", "unclear"),
        ("fr", "cancel", "oui annuler je ne peux pas", "unclear"),
        ("en", "cancel", "go on take me off please and uh the waiving thing would i get that then", "unclear"),
    ],
)
def test_a_remark_about_oneself_behind_a_yes_and_its_deed_changes_nothing(
    language: str, asked: str, text: str, reply: str
) -> None:
    """Only known remarks, said last: that somebody cannot come may mean the new time of a move."""
    assert answer_to(text, language, question(asked, language), DEEDS[asked]) == reply
