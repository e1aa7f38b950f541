"""That a caller has no appointment: of a week or a month it is so where the known ones lie outside of it."""

from collections.abc import Callable

import pytest

from switchboard.conversation.session import CallSession
from tests.conversation.claims.told_salon import booked, is_said, looked
from tests.each import each

# Today is Monday, November 30.
ON_FRIDAY_THE_FOURTH, ON_WEDNESDAY_THE_NINTH = looked, booked
TRUE = [
    (ON_WEDNESDAY_THE_NINTH, "You have no appointments this week."),
    (ON_WEDNESDAY_THE_NINTH, "You have no appointment this week."),
    (ON_WEDNESDAY_THE_NINTH, "You don't have any appointments in November."),
    (ON_WEDNESDAY_THE_NINTH, "You have no appointments this month."),
    (ON_WEDNESDAY_THE_NINTH, "You have no appointments before Friday."),
    (ON_WEDNESDAY_THE_NINTH, "You have no appointment this weekend."),
    (ON_WEDNESDAY_THE_NINTH, "Sie haben diese Woche keinen Termin."),
    (ON_WEDNESDAY_THE_NINTH, "No tiene ninguna cita esta semana."),
    (ON_WEDNESDAY_THE_NINTH, "Vous n'avez aucun rendez-vous cette semaine."),
    (ON_WEDNESDAY_THE_NINTH, "Non ha nessun appuntamento questa settimana."),
    (ON_WEDNESDAY_THE_NINTH, "Não tem nenhuma consulta esta semana."),
    (ON_WEDNESDAY_THE_NINTH, "U heeft deze week geen afspraak."),
    (ON_FRIDAY_THE_FOURTH, "You have no appointments in January."),
    (ON_FRIDAY_THE_FOURTH, "I see no appointment next week."),
    (ON_FRIDAY_THE_FOURTH, "No tiene ninguna cita la semana que viene."),
    (ON_FRIDAY_THE_FOURTH, "Sie haben nächste Woche keinen Termin."),
    (ON_FRIDAY_THE_FOURTH, "Sie haben im Januar keinen Termin."),
    (ON_FRIDAY_THE_FOURTH, "Vous n'avez pas de rendez-vous en janvier."),
    (ON_FRIDAY_THE_FOURTH, "I don't see any bookings with Dana."),
    (ON_FRIDAY_THE_FOURTH, "I can't find any appointment for a color."),
    (ON_FRIDAY_THE_FOURTH, "You have no appointment in the afternoon."),
    (ON_FRIDAY_THE_FOURTH, "Am Nachmittag haben Sie keinen Termin."),
]
UNTRUE = [
    (ON_WEDNESDAY_THE_NINTH, "You have no appointments."),
    (ON_WEDNESDAY_THE_NINTH, "You have no appointments next week."),
    (ON_WEDNESDAY_THE_NINTH, "You have no appointments in December."),
    (ON_WEDNESDAY_THE_NINTH, "You have no appointments next month."),
    (ON_WEDNESDAY_THE_NINTH, "Sie haben nächste Woche keinen Termin."),
    (ON_WEDNESDAY_THE_NINTH, "No tiene ninguna cita en diciembre."),
    (ON_FRIDAY_THE_FOURTH, "I see no appointment this week."),
    (ON_FRIDAY_THE_FOURTH, "Non ha nessun appuntamento questa settimana."),
    (ON_FRIDAY_THE_FOURTH, "U heeft deze week geen afspraak."),
]


@each(("known", "sentence"), TRUE)
@pytest.mark.requirement("004-1602")
def test_a_week_or_a_month_without_a_known_appointment_is_told(known: Callable[[], CallSession], sentence: str) -> None:
    assert is_said(sentence, known())


@each(("known", "sentence"), UNTRUE)
@pytest.mark.requirement("004-1602")
def test_a_week_or_a_month_with_a_known_appointment_is_not_told_as_empty(
    known: Callable[[], CallSession], sentence: str
) -> None:
    assert not is_said(sentence, known())
