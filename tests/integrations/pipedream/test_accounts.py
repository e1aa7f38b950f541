"""The accounts that a business has connected: its own alone, page by page, and nothing of them that opens one."""

import pytest

from switchboard.contract.error import ErrorType
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.pipedream.accounts import PipedreamAccounts
from tests.integrations.pipedream.connected import Apps, connected
from tests.refused import failure

SALON = connected()


def listing(apps: Apps, **changes: str) -> PipedreamAccounts:
    return PipedreamAccounts(apps.http, apps.project_with(**changes), apps.clock)


async def test_a_business_sees_its_own_accounts_with_app_and_state(apps: Apps):
    """Those of others, and those of the other environment, are not there."""
    apps.account("gmail", user="demo-plumber")
    apps.account("gmail", environment="development")
    second = apps.account("gmail", name="front@example.com")
    project = apps.stand_in.project
    project.account(second)["healthy"], project.account(apps.sheets)["dead"] = False, True
    found, behind = await listing(apps).of(SALON)
    assert behind is None
    assert [(row["id"], row["name"], row["app"], row["appName"], row["isUsable"]) for row in found] == [
        (apps.gmail, "Gmail", "gmail", "Gmail", True),
        (apps.sheets, "Google Sheets", "google_sheets", "Google Sheets", False),
        (second, "front@example.com", "gmail", "Gmail", False),
    ]
    assert all(row["connectedAt"] == project.account(row["id"])["created_at"] for row in found)
    canaries = [row["credentials"]["oauth_access_token"] for row in project.accounts.values()]
    assert not any(canary in repr(found) for canary in canaries)
    assert [row["id"] for row in (await listing(apps).of(SALON, "google_sheets"))[0]] == [apps.sheets]


async def test_a_long_list_comes_in_pages_that_go_on_where_the_one_before_ended(apps: Apps):
    """Each account once, and an end."""
    known = [apps.gmail, apps.sheets, *(apps.account("gmail") for _ in range(3))]
    seen, after = [], ""
    while after is not None:
        rows, after = await listing(apps).of(SALON, limit=2, after=after)
        seen += [row["id"] for row in rows]
        assert len(rows) <= 2
    assert seen == known


async def test_what_is_somebody_elses_is_left_out_whatever_pipedream_answers(apps: Apps, monkeypatch):
    """Rows that are none, too; an answer without a list is no empty list."""
    rows = b'[{"id": "apn_1", "external_id": "demo-plumber"}, 7, {"id": "apn_2", "app": 5, "name": 3}]'
    bodies = [b'{"data": ' + rows + b', "page_info": 5}', b'{"data": {}}']
    own = listing(apps)
    await own.of(SALON)

    async def answered(*_: object, **__: object) -> HttpAnswer:
        return HttpAnswer(200, {}, bodies.pop(0))

    monkeypatch.setattr(apps.http, "request", answered)
    blank = dict.fromkeys(("name", "app", "appName"), "")
    assert await own.of(SALON) == ([{"id": "apn_2", **blank, "isUsable": True, "connectedAt": None}], None)
    assert (await failure(own.of(SALON))).type is ErrorType.TRANSIENT


@pytest.mark.parametrize(
    ("mode", "type"),
    [
        ("400", ErrorType.VALIDATION),
        ("402", ErrorType.PERMANENT),
        ("429", ErrorType.RATE_LIMIT),
        ("500", ErrorType.TRANSIENT),
    ],
)
async def test_a_pipedream_in_trouble_is_called_as_everywhere(apps: Apps, mode: str, type: ErrorType):
    """Nothing was changed by asking."""
    apps.fault(mode, "accounts.list")
    error = await failure(listing(apps).of(SALON))
    assert (error.type, error.partial_side_effects) == (type, False)
