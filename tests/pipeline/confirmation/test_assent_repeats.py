"""A yes that says the question's own number, day, person, service or verb again, with whatever is hummed between."""

from pathlib import Path

import pytest

from switchboard.pipeline.confirmation.assent import answer_to, answer_to_all
from switchboard.pipeline.confirmation.assent_beside import led_by_yes
from switchboard.pipeline.confirmation.prompt import as_said, joint_question
from tests.each import each

pytestmark = pytest.mark.requirement("004-2511")
_ROWS = [
    line.split("\t")
    for line in (Path(__file__).parents[1] / "data" / "assents_repeated.tsv").read_text(encoding="utf-8").splitlines()
]
# By what is asked and the language in which it is.
QUESTIONS = {
    ("move", "en"): (
        "I would now move your Haircut appointment for Paul Whitman with Marcus from Friday, December 4 "
        "at 3:00 PM to Saturday, December 5 at 11:00 AM. Shall I go ahead?"
    ),
    ("move", "de"): (
        "Ich würde jetzt Ihren Termin „Haarschnitt“ für Paul Whitman bei Marcus von Freitag, 4. Dezember "
        "um 15:00 Uhr auf Samstag, 5. Dezember um 11:00 Uhr verlegen. Soll ich das machen?"
    ),
    ("move", "es"): (
        "Voy a cambiar su cita de Corte para Paul Whitman con Marcus del viernes, 4 de diciembre a las "
        "15:00 al sábado, 5 de diciembre a las 11:00. ¿Sigo adelante?"
    ),
    ("move", "fr"): (
        "Je vais déplacer votre rendez-vous « Coupe » pour Paul Whitman avec Marcus du vendredi 4 "
        "décembre à 15h00 au samedi 5 décembre à 11h00. Êtes-vous d'accord ?"
    ),
    ("number", "en"): (
        "I would now change your Table for dinner appointment for Kevin Dorsey on Saturday, December 5 at "
        "7:30 PM to 6 people. Shall I go ahead?"
    ),
    ("number", "de"): (
        "Ich würde jetzt Ihren Termin „Tisch am Abend“ für Kevin Dorsey am Samstag, 5. Dezember um 19:30 "
        "Uhr auf 6 Personen ändern. Soll ich das machen?"
    ),
    ("number", "es"): (
        "Voy a cambiar su cita de Mesa para cenar para Kevin Dorsey del sábado, 5 de diciembre a las "
        "19:30 a 6 personas. ¿Sigo adelante?"
    ),
    ("number", "fr"): (
        "Je vais modifier votre rendez-vous « Table du soir » pour Kevin Dorsey du samedi 5 décembre à "
        "19h30 à 6 personnes. Êtes-vous d'accord ?"
    ),
    ("cancel", "en"): (
        "I would now cancel your Haircut appointment for Paul Whitman with Marcus on Friday, December 4 "
        "at 3:00 PM. Shall I go ahead?"
    ),
    ("cancel", "de"): (
        "Ich würde jetzt Ihren Termin „Haarschnitt“ für Paul Whitman bei Marcus am Freitag, 4. Dezember "
        "um 15:00 Uhr absagen. Soll ich das machen?"
    ),
    ("cancel", "es"): (
        "Voy a cancelar su cita de Corte para Paul Whitman con Marcus del viernes, 4 de diciembre a las "
        "15:00. ¿Sigo adelante?"
    ),
    ("cancel", "fr"): (
        "Je vais annuler votre rendez-vous « Coupe » pour Paul Whitman avec Marcus du vendredi 4 décembre "
        "à 15h00. Êtes-vous d'accord ?"
    ),
    ("at6", "en"): (
        "I would now change your Table for dinner appointment for Kevin Dorsey on Saturday, December 5 at "
        "6:00 PM to 7 people. Shall I go ahead?"
    ),
    ("both", "en"): (
        "I would now move your Table for dinner appointment for Kevin Dorsey from Friday, December 4 at "
        "7:30 PM to Saturday, December 5 at 8:00 PM, then for 6 people. Shall I go ahead?"
    ),
    ("table", "de"): (
        "Ich würde jetzt Ihren Termin „Tisch am Abend“ für Kevin Dorsey von Freitag, 4. Dezember um 20:00 "
        "Uhr auf Samstag, 5. Dezember um 19:30 Uhr verlegen. Soll ich das machen?"
    ),
    ("four", "en"): (
        "I would now change your Dinner appointment for Ida Brandt with Lou on Sunday, March 14 at 4:00 "
        "PM to 4 people. Shall I go ahead?"
    ),
    ("eight", "de"): (
        "Ich würde jetzt Ihren Termin „Brunch“ für Ida Brandt am Sonntag, 14. März um 10:30 Uhr auf 8 "
        "Personen ändern. Soll ich das machen?"
    ),
    ("eight", "es"): (
        "Voy a cambiar su cita de Cena para Ida Brandt del domingo, 14 de marzo a las 21:00 a 8 personas. "
        "¿Sigo adelante?"
    ),
    ("eight", "fr"): (
        "Je vais modifier votre rendez-vous « Brunch » pour Ida Brandt du dimanche 14 mars à 12h30 à 8 "
        "personnes. Êtes-vous d'accord ?"
    ),
    ("eight", "it"): (
        "Ora vorrei cambiare il suo appuntamento «Cena» per Ida Brandt di domenica 14 marzo alle 20:30 a "
        "9 persone. Va bene?"
    ),
    ("eight", "pt"): (
        "Agora vou alterar a sua marcação de Jantar para Ida Brandt de domingo, 14 de março às 20:30 para "
        "9 pessoas. Está bem?"
    ),
    ("eight", "nl"): (
        "Ik ga nu uw afspraak „Diner” voor Ida Brandt van zondag 14 maart om 19:30 uur naar 9 personen "
        "wijzigen. Is dat goed?"
    ),
    ("book", "en"): ("I would now book Haircut on Tuesday, March 16 at 10:00 AM, for Anna. Shall I go ahead?"),
    ("class", "en"): (
        "I would now change your Level 2 yoga appointment for Ida on Sunday, March 14 at 4:00 PM to Level "
        "3 yoga, 90 minutes long to 4 people. Shall I go ahead?"
    ),
    ("thu", "en"): (
        "I would now move your Cleaning appointment for Dana Kim with Nora from Wednesday, December 9 at "
        "9:30 AM to Thursday, December 10 at 2:15 PM. Shall I go ahead?"
    ),
    ("thu", "de"): (
        "Ich würde jetzt Ihren Termin „Zahnreinigung“ für Dana Kim bei Nora von Mittwoch, 9. Dezember um "
        "9:30 Uhr auf Donnerstag, 10. Dezember um 14:30 Uhr verlegen. Soll ich das machen?"
    ),
    ("thu", "es"): (
        "Voy a cambiar su cita de Limpieza para Dana Kim con Nora del miércoles, 9 de diciembre a las "
        "9:30 al jueves, 10 de diciembre a las 14:30. ¿Sigo adelante?"
    ),
    ("thu", "fr"): (
        "Je vais déplacer votre rendez-vous « Détartrage » pour Dana Kim avec Nora du mercredi 9 décembre "
        "à 9h30 au jeudi 10 décembre à 14h30. Êtes-vous d'accord ?"
    ),
}
DEEDS = {"cancel": ("cancelled",), "book": ("booked",)}


def meant(text: str, asked: str, language: str, words: str) -> str:
    told = text, language, words, DEEDS.get(asked, ("moved",))
    return "yes" if led_by_yes(*told) else answer_to(*told)


@each("form", ["written", "said", "again"])
@each(("meaning", "is_yes"), [("yes", True), ("other", False)])
def test_a_yes_may_repeat_what_was_asked_and_nothing_else_is_one(meaning: str, is_yes: bool, form: str) -> None:
    """In whichever form the question is put; another number, day, person or deed, a condition and a doubt are none."""
    wrong = []
    for language, told, asked, text in _ROWS:
        words = QUESTIONS[asked, language]
        put = words if form == "written" else as_said(words, language, again=form == "again")
        if told == meaning and (meant(text, asked, language, put) == "yes") is not is_yes:
            wrong.append((asked, language, text))
    assert wrong == []


@each(
    ("text", "reply"),
    [
        ("Yes, for five.", "unclear"),
        ("Yes, five.", "unclear"),
        ("Right.", "unclear"),
        ("Yes, five people.", "yes"),
    ],
)
def test_a_number_alone_is_one_of_people_only_where_nothing_but_that_is_asked(text: str, reply: str) -> None:
    """Of a booking it may be an hour that was misheard."""
    words = "I would now book Dinner on Friday, March 19 at 10:00 AM, for Anna, for 5 people. Shall I go ahead?"
    assert answer_to(text, "en", words, ("booked",)) == reply


@each(
    ("text", "reply"),
    [
        ("yes, um, please", "yes"),
        ("oh, um, yes", "yes"),
        ("uh, yes, both", "yes"),
        ("I guess so, yes", "yes"),
        ("yes, I guess so", "unclear"),
        ("uh uh", "unclear"),
        ("yes, um", "unclear"),
        ("oh, um, okay", "unclear"),
    ],
)
def test_what_is_hummed_says_nothing_to_a_question_about_two_either(text: str, reply: str) -> None:
    """Before a yes and between its words; behind it more may come."""
    put = joint_question([QUESTIONS["cancel", "en"], QUESTIONS["cancel", "en"]], "en")
    assert (answer_to_all(text, "en", put, ("cancelled",)) == "yes") is (reply == "yes")


@each(
    ("text", "language", "reply"),
    [
        ("yes, um, please", "de", "yes"),
        ("um, yes, please", "de", "yes"),
        ("yes, uh, Saturday at eleven", "es", "yes"),
        ("ja, um elf", "de", "yes"),
        ("ja, um zwölf", "de", "unclear"),
    ],
)
def test_an_um_of_one_language_is_a_word_of_another(text: str, language: str, reply: str) -> None:
    """So it is left where it leads to an hour."""
    assert meant(text, "move", language, QUESTIONS["move", language]) == reply
