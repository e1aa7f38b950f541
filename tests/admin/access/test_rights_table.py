"""Which role may change what, as it is answered: the tables by which it is decided, and no second copy."""

import pytest

from switchboard.admin.access.field_rights import AGENT, BUSINESS, RESOURCE, TOOL
from switchboard.admin.access.rights_table import rights_table
from switchboard.admin.access.roles import ALLOWED
from tests.admin.whole_house import BUSINESS as PATH
from tests.admin.whole_house import opened

pytestmark = pytest.mark.requirement("004-1104")
TABLES = {"business": BUSINESS, "resource": RESOURCE, "agent": AGENT, "tool": TOOL}


def test_every_field_stands_in_it_once_with_those_who_may_set_it():
    """As the request that sets it is held against."""
    told = {(row["of"], field): set(row["may"]) for row in rights_table() for field in row["fields"]}
    decided = {(of, field): set(ALLOWED[right]) for of, rights in TABLES.items() for field, right in rights.items()}
    assert told == decided
    assert sum(len(row["fields"]) for row in rights_table()) == len(decided)


def test_what_more_people_may_set_comes_first():
    """So that the exceptions stand behind the rule."""
    for of in TABLES:
        counts = [len(row["may"]) for row in rights_table() if row["of"] == of]
        assert counts == sorted(counts, reverse=True)


async def test_whoever_may_look_at_the_business_is_told():
    """It holds nothing of anybody's; who is a stranger to the business is told nothing."""
    async with opened() as owner:
        for who in ("owner", "editor", "viewer"):
            answer = await owner.send("GET", f"{PATH}/rights", by=who)
            assert (answer.status_code, answer.json()["rights"]) == (200, rights_table())
        assert (await owner.send("GET", f"{PATH}/rights", by="nobody")).status_code == 403
