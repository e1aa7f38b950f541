"""Group lessons as people enter them at first: what does not work says what does."""

from typing import Any

import pytest

from switchboard.admin.businesses.form import check_business
from switchboard.contract.business.business import read_business
from tests.admin.businesses.test_document import SALON

pytestmark = pytest.mark.requirement("004-2008")


def entered(kind: str, need: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a business with a lesson for eight."""
    lesson = {"id": "theory", "name": "Theory", "kind": kind, **more}
    return {**SALON, "resources": [lesson], "services": [{"name": "Theory lesson", "needs": [need]}]}


def test_a_thing_for_a_party_together_is_not_needed_by_each_of_it() -> None:
    """It could never be booked for more than one; the kind for that is named."""
    before = {**SALON, "services": []}
    (problem,) = check_business(entered("class", {"kind": "class", "perPerson": True}, capacity=8, seats=8), before)
    assert problem.field == "services[0].needs"
    assert 'the kind seats and the capacity 8, and let the service need {"kind": "seats"}' in problem.message


def test_what_it_says_works() -> None:
    """So does a thing that a party takes together, and one for each."""
    seats = entered("seats", {"kind": "seats"}, capacity=8)
    table = entered("table", {"kind": "table"}, seats=8)
    for document in (seats, table, entered("bike", {"kind": "bike", "perPerson": True})):
        assert check_business(document, {**SALON, "services": []}) == []
    for document in (seats, table):
        business = read_business("school", document)
        assert business.most_together(business.services[0]) == 8
