"""A yes with something beside it agrees; a yes that something behind it takes back, narrows or prices does not."""

import pytest

from switchboard.pipeline.assent import answer_to
from switchboard.pipeline.assent_beside import ends_in_it, led_by_yes
from tests.each import each

MOVE = (
    "I would now move your appointment, Highlights for Hannah Li, from Wednesday, December 9 at 1:30 PM to Friday, "
    "December 11 at 2:00 PM. Shall I go ahead?"
)
CANCEL = {
    "en": "I would now cancel your appointment on Wednesday, December 2 at 9:30 AM, Haircut for Anna Whitfield. "
    "Shall I go ahead?",
    "de": "Ich würde jetzt Ihren Termin am Donnerstag, 3. Dezember um 15:00 Uhr, Haircut für Jonas Pohl, absagen. "
    "Soll ich das machen?",
    "es": "Voy a cancelar su cita del jueves, 3 de diciembre a las 10:30, Color para Grace Okafor. ¿Sigo adelante?",
}


@pytest.mark.requirement("003-190")
@each(
    "text",
    [
        "yes i said yes :) and yes please ask Rosa",
        "yes please, and could you text me the address",
        "yeah. oh and is rosa there today",
        "yes and tell rosa i'm sorry",
        "Sure, go ahead. Do you have parking by the way?",
    ],
)
def test_what_has_nothing_to_do_with_the_question_takes_no_yes_back(text: str) -> None:
    """Whoever has agreed is not asked again because they wanted something else as well."""
    assert led_by_yes(text, "en", MOVE, ("moved",))


@pytest.mark.requirement("003-190")
@each(
    ("text", "agrees"),
    [
        (
            "oh uh yeah sorry yes that's the one please do and um i wanted another haircut next week if you have any",
            True,
        ),
        ("yes yes please do and keep the other one", False),
        ("yes yes and only if it's free please", False),
        ("yes and another haircut for next week please", False),
    ],
)
def test_whoever_has_agreed_twice_may_go_on_to_anything_that_takes_nothing_back(text: str, agrees: bool) -> None:
    """A yes of a word or two may still lead to what narrows it."""
    assert led_by_yes(text, "en", CANCEL["en"], ("cancelled",)) is agrees


@pytest.mark.requirement("003-190")
@each(
    ("language", "text"),
    [
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
    ("text", "agrees"),
    [
        ("hm i mean i never used it well it is what it is i can't come anyway so take me off please", True),
        ("i'm sick so please cancel it", True),
        ("he can't come so cancel his please", False),
        ("i can't come so cancel the other one please", False),
        ("i'm not sure so please don't cancel it", False),
        ("i never said so please", False),
        ("i'm sick so maybe cancel it please", False),
        ("it costs money so only cancel it if you must please", False),
    ],
)
def test_whoever_says_why_and_asks_for_the_deed_agrees_to_it(text: str, agrees: bool) -> None:
    """A deed alone is no yes: "cancel it" declines as well."""
    assert ends_in_it(text, "en", CANCEL["en"], ("cancelled",)) is agrees
