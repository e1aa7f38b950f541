"""Call-backs that nobody makes, and free times that nobody has looked up."""

import pytest

from tests.conversation.claims.told_salon import asked, day_found, found, is_said, knows, taken
from tests.each import each

CALLS = [
    "I'll call you back in ten minutes.",
    "Sure, I will call you back.",
    "Somebody calls you within the hour.",
    "She is calling you at five.",
    "I'll text you when it's ready.",
    "Ich rufe Sie in zehn Minuten zurück.",
    "Ich schreibe Ihnen, sobald es fertig ist.",
    "Le llamo en diez minutos.",
    "Le escribo cuando esté listo.",
    "Je vous rappelle tout de suite.",
    "La richiamo tra dieci minuti.",
    "Eu ligo-lhe daqui a dez minutos.",
    "Ik bel u over tien minuten terug.",
]
NO_PROMISE = [
    "I can't call you back myself, but I can take a message.",
    "Would you like somebody to call you back?",
    "You can call us back tomorrow.",
    "I'll text you the confirmation once it's booked.",
    "If you tell me your name, I'll call you Anna.",
    "Ich kann Sie leider nicht zurückrufen.",
    "¿Cómo la llamo?",
    "Je vous rappelle que nous sommes fermés le dimanche.",
]
NEVER_LOOKED_UP = [
    "The next free slot is Thursday at 3 PM.",
    "Our next opening is on Thursday at three.",
    "The earliest I can offer is Thursday at three.",
    "Someone just took that slot.",
    "Der nächste freie Termin ist Donnerstag um fünfzehn Uhr.",
    "La próxima hora libre es el jueves a las tres.",
    "Alguien acaba de coger esa hora.",
    "Le prochain créneau libre est jeudi à quinze heures.",
    "Quelqu'un vient de prendre ce créneau.",
    "Il prossimo posto libero è giovedì alle quindici.",
    "A próxima vaga é na quinta às três.",
    "De eerstvolgende vrije plek is donderdag om drie uur.",
]


@each("sentence", CALLS)
@pytest.mark.requirement("004-2463")
def test_whoever_speaks_promises_no_call(sentence: str) -> None:
    assert not is_said(sentence, asked())
    assert not is_said(sentence, taken())


@each("sentence", NO_PROMISE)
@pytest.mark.requirement("004-2463")
def test_what_promises_no_call_is_said(sentence: str) -> None:
    assert is_said(sentence, asked())


@pytest.mark.requirement("004-2463")
def test_a_call_back_that_the_house_promises_is_told() -> None:
    assert is_said("Somebody calls you within the hour.", knows("We call back within the hour."))


@each("sentence", NEVER_LOOKED_UP)
@pytest.mark.requirement("004-2464")
def test_the_next_free_time_is_one_that_was_looked_up(sentence: str) -> None:
    assert not is_said(sentence, asked())


@pytest.mark.requirement("004-2464")
def test_a_day_is_free_as_long_as_it_was_found_free() -> None:
    """One time that was looked up is no day; a stretch of some hours is."""
    assert is_said("The next free slot is Friday at 2:30 PM.", found())
    assert not is_said("Marcus is free all day on Friday.", found())
    assert not is_said("Marcus ist am Freitag den ganzen Tag frei.", found())
    assert is_said("Rosa is free all morning on Friday.", day_found())
    assert not is_said("Dana is free all day on Friday.", day_found())
