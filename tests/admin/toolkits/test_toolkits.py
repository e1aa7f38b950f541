"""Toolkits as owners set them up over HTTP: settings checked, secrets kept and never shown, accounts tried."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from stand_ins.loopback import serving
from stand_ins.twilio.account import SID, TOKEN
from stand_ins.twilio.app import TwilioStandIn
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract import policy
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import Unavailable, Update
from switchboard.integrations.smtp.mailer import SmtpMailer, SmtpMailers
from switchboard.integrations.twilio import integration as twilio
from switchboard.integrations.twilio.accounts import TwilioAccounts
from switchboard.integrations.vendor import probe_of
from switchboard.state.memory.store import MemoryStore
from tests.admin.office import CANARY, OTHER, PATHS, SALON, Office, opened
from tests.desk.front_desk import StoppedClock
from tests.each import each
from tests.integrations.smtp.conftest import certified  # noqa: F401 - a fixture
from tests.integrations.smtp.mail_server import HOST, PASSWORD, USERNAME, Certificates, listening

EMAIL = {"smtpServer": "smtp.example.com", "fromEmail": "hello@example.com"}


@pytest.fixture
async def office(store: Store) -> AsyncIterator[Office]:
    """An office over each store in turn."""
    async with opened(store) as found:
        yield found


@pytest.mark.requirement("001-09", "001-10", "001-11", "001-27")
async def test_an_owner_sees_every_toolkit_with_its_form_its_tools_and_what_is_missing(office: Office):
    """Before anything is set up."""
    listed = {t["name"]: t for t in (await office.done("GET", "toolkits"))["toolkits"]}
    assert {"google_calendar", "email", "twilio"} <= listed.keys()
    email = listed["email"]
    assert email["configSchema"]["required"] == ["smtpServer", "fromEmail"]
    assert email["missing"] == ["smtpServer", "fromEmail", "password"]
    assert (email["config"], email["isConnected"]) == ({}, False)
    assert email["sensitiveConfig"] == {"password": {"isSet": False, "since": None}}
    (tool,) = email["tools"]
    assert (tool["name"], tool["parameters"]["required"]) == ("send_email", ["to", "subject", "body"])
    assert listed["google_calendar"]["auth"]["scopes"]
    assert await office.done("GET", "toolkits/googleCalendar") == listed["google_calendar"]


@pytest.mark.requirement("001-27", "001-28")
async def test_settings_and_secrets_are_kept_apart_and_the_toolkit_is_connected(office: Office):
    """What a secret is, nobody is told again; the integration can read it."""
    answer = await office.done("PUT", "toolkits/email", {"config": EMAIL, "sensitiveConfig": {"password": CANARY}})
    assert (answer["config"], answer["isConnected"], answer["missing"]) == (EMAIL, True, [])
    assert answer["sensitiveConfig"]["password"]["isSet"] is True
    assert answer["sensitiveConfig"]["password"]["since"].endswith("Z")
    assert (await office.business())["integrations"]["email"] == EMAIL | {"isConnected": True, "needsReauth": False}
    assert await office.secrets.reveal(SALON, "email", "password") == CANARY
    seen = await office.ask("GET", "toolkits")
    assert CANARY not in seen.text + (await office.everything())
    assert seen.headers["cache-control"] == "no-store"
    assert office.forgotten[-1] == SALON


@pytest.mark.requirement("001-34", "001-35", "001-82")
async def test_settings_may_be_named_as_the_seed_writes_them(office: Office):
    """Seed 001, "Component 3" and "Adding a New Tool": they are stored in one spelling all the same."""
    seeds = {"smtp_server": "smtp.example.com", "smtp_port": 587, "from_email": "hello@example.com"}
    answer = await office.done("PUT", "toolkits/email", {"config": seeds})
    assert answer["config"] == EMAIL | {"smtpPort": 587}
    calendar = {"calendar_id": "primary", "default_event_duration": 45}
    found = await office.done("PUT", "toolkits/google_calendar", {"config": calendar})
    assert found["config"] == {"calendarId": "primary", "defaultEventDuration": 45}


async def test_a_setting_in_both_spellings_is_refused(office: Office):
    """Nobody could tell which counts."""
    both = EMAIL | {"from_email": "other@example.com"}
    error = await office.refused("PUT", "toolkits/email", {"config": both}, 400)
    assert error["problems"][0]["field"] == "config.from_email"


async def test_the_parts_may_come_one_by_one(office: Office):
    """Connected once nothing is missing, and no longer when a secret is taken away."""
    first = await office.done("PUT", "toolkits/email", {"sensitiveConfig": {"password": CANARY}})
    assert (first["isConnected"], first["missing"]) == (False, ["smtpServer", "fromEmail"])
    second = await office.done("PUT", "toolkits/email", {"config": EMAIL})
    assert (second["isConnected"], second["missing"]) == (True, [])
    third = await office.done("PUT", "toolkits/email", {"sensitiveConfig": {"password": None}})
    assert (third["isConnected"], third["missing"]) == (False, ["password"])
    assert third["config"] == EMAIL
    assert await office.secrets.reveal(SALON, "email", "password") is None


async def test_a_secret_that_was_kept_for_one_server_is_not_shown_to_another(office: Office):
    """Whoever names another server gives the password anew, or takes it away; all else may be changed without it."""
    await office.done("PUT", "toolkits/email", {"config": EMAIL, "sensitiveConfig": {"password": CANARY}})
    elsewhere = EMAIL | {"smtpServer": "mail.evil.example"}
    error = await office.refused("PUT", "toolkits/email", {"config": elsewhere}, 400)
    (problem,) = error["problems"]
    assert problem["field"] == "sensitiveConfig.password" and "another smtpServer" in problem["message"]
    assert (await office.business())["integrations"]["email"]["smtpServer"] == EMAIL["smtpServer"]
    await office.done("PUT", "toolkits/email", {"config": EMAIL | {"dailyLimit": 7}})
    await office.done("PUT", "toolkits/email", {"config": elsewhere, "sensitiveConfig": {"password": "anew"}})
    gone = await office.done("PUT", "toolkits/email", {"config": EMAIL, "sensitiveConfig": {"password": None}})
    assert gone["missing"] == ["password"]


async def test_of_two_who_save_at_once_one_is_shown_what_the_other_saved(office: Office):
    """And both count once it is sent again."""
    parts: list[dict[str, Any]] = [{"config": EMAIL}, {"sensitiveConfig": {"password": CANARY}}]
    for _ in range(5):
        await office.done("DELETE", "toolkits/email")
        read = await office.revision("toolkits/email")
        answers = await asyncio.gather(*(office.ask("PUT", "toolkits/email", part, revision=read) for part in parts))
        assert sorted(answer.status_code for answer in answers) == [200, 412]
        late = next(n for n, answer in enumerate(answers) if answer.status_code == 412)
        conflict = answers[late].json()["error"]["conflict"]
        assert CANARY not in answers[late].text
        answer = await office.ask("PUT", "toolkits/email", parts[late], revision=conflict["revision"])
        assert answer.json()["isConnected"] is True


async def test_new_settings_take_the_place_of_the_old_ones_and_end_a_refusal(office: Office):
    """What is left out is gone; what the running system noted beside them is replaced only where it must be."""
    await office.done("PUT", "toolkits/email", {"config": EMAIL | {"dailyLimit": 5}})
    await office.done("PUT", "toolkits/email", {"sensitiveConfig": {"password": "old"}})
    noted = {"integrations.email.needsReauth": True, "integrations.email.note": "kept"}
    await office.store.commit([Update(PATHS.within(SALON).business, noted)])
    assert (await office.done("GET", "toolkits/email"))["needsReauth"] is True
    answer = await office.done("PUT", "toolkits/email", {"config": EMAIL, "sensitiveConfig": {"password": "new"}})
    assert (answer["config"], answer["needsReauth"]) == (EMAIL, False)
    assert (await office.business())["integrations"]["email"]["note"] == "kept"


WRONG: list[tuple[Any, list[str]]] = [
    ({}, [""]),
    ([], [""]),
    ({"settings": {}}, ["settings"]),
    ({"config": []}, ["config"]),
    (
        {"config": {"smtpPort": 0, "isConnected": True}, "sensitiveConfig": {"password": ""}},
        ["config.smtpServer", "config.smtpPort", "config.fromEmail", "config.isConnected", "sensitiveConfig.password"],
    ),
    ({"config": EMAIL, "sensitiveConfig": {"token": CANARY}}, ["sensitiveConfig.token"]),
    ({"sensitiveConfig": {"password": [CANARY]}}, ["sensitiveConfig.password"]),
    ({"sensitiveConfig": CANARY}, ["sensitiveConfig"]),
]


@each(("body", "fields"), WRONG)
async def test_what_is_wrong_is_told_all_at_once_and_nothing_is_changed(office: Office, body: Any, fields: list[str]):
    """By name, and never with a secret in it."""
    error = await office.refused("PUT", "toolkits/email", body, 400)
    assert sorted(p["field"] for p in error["problems"]) == sorted(fields)
    assert all(p["message"] for p in error["problems"])
    assert CANARY not in str(error)
    assert (await office.business())["integrations"] == {}
    assert await office.secrets.reveal(SALON, "email", "password") is None


@each("content", [b"{", b'{"config": {}, "config": {}}', b"\xff", b'{"config": NaN}'])
async def test_a_body_that_is_no_json_is_refused(office: Office, content: bytes):
    """Whatever is wrong with it."""
    headers = {"Authorization": f"Bearer {SALON}"}
    answer = await office.client.put(f"/businesses/{SALON}/toolkits/email", content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "VALIDATION")


async def test_a_body_that_is_too_large_is_not_read_to_its_end(office: Office):
    """413."""
    headers = {"Authorization": f"Bearer {SALON}"}
    path = f"/businesses/{SALON}/toolkits/email"
    answer = await office.client.put(path, content=b" " * (policy.BODY_BYTES + 1), headers=headers)
    assert answer.status_code == 413


async def test_a_toolkit_that_is_connected_by_consent_takes_settings_but_no_secrets(office: Office):
    """Nor does a setting connect it; what is required has its default."""
    error = await office.refused("PUT", "toolkits/google_calendar", {"sensitiveConfig": {"refreshToken": CANARY}}, 400)
    assert "consent" in error["message"]
    answer = await office.done("PUT", "toolkits/google_calendar", {"config": {"maxDaysAhead": 30}})
    assert (answer["isConnected"], answer["missing"]) == (False, ["refreshToken"])
    await office.store.commit([Update(PATHS.within(SALON).business, {"integrations.googleCalendar.isConnected": True})])
    await office.done("PUT", "toolkits/google_calendar", {"config": {"calendarId": "team"}})
    stored = (await office.business())["integrations"]["googleCalendar"]
    assert stored == {"isConnected": True, "calendarId": "team"}


async def test_removing_forgets_settings_and_secrets(office: Office):
    """And again changes nothing."""
    await office.done("PUT", "toolkits/email", {"config": EMAIL, "sensitiveConfig": {"password": CANARY}})
    for _ in range(2):
        assert await office.done("DELETE", "toolkits/email") == {"removed": True}
        assert "email" not in (await office.business())["integrations"]
        assert await office.secrets.reveal(SALON, "email", "password") is None


async def test_removing_gives_a_consent_back(memory: MemoryStore):
    """To whoever it was given by, after the toolkit has been taken away; it is read while it is there."""
    seen = []

    async def withdraw(business_id: str) -> Callable[[], Awaitable[None]]:
        async def note() -> None:
            document = await memory.get(PATHS.within(business_id).business)
            assert document is not None
            seen.append((business_id, "googleCalendar" in document.data["integrations"]))

        await note()
        return note

    async with opened(memory, withdrawals={"google_calendar": withdraw}) as office:
        await office.done("PUT", "toolkits/google_calendar", {"config": {}})
        await office.done("PUT", "toolkits/google_calendar", {"config": {"maxDaysAhead": 30}})
        await office.done("DELETE", "toolkits/googleCalendar")
    assert seen == [(SALON, True), (SALON, False)]


@pytest.mark.requirement("001-62")
async def test_a_toolkit_that_does_not_exist_is_not_found(office: Office):
    """The message names those that do."""
    for method, path in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/test")):
        error = await office.refused(method, f"toolkits/fax{path}", {"config": {}}, 404)
        assert "google_calendar" in error["message"]


ROUTES = [
    ("GET", "toolkits"),
    ("GET", "toolkits/email"),
    ("PUT", "toolkits/email"),
    ("DELETE", "toolkits/email"),
    ("POST", "toolkits/email/test"),
]


@each(("method", "path"), ROUTES)
async def test_nobody_reaches_anothers_toolkits(office: Office, method: str, path: str):
    """Neither another business's owner nor anybody without a key; and a business that is not there is not found."""
    body = {"config": EMAIL}
    assert (await office.ask(method, path, body, by=OTHER)).status_code == 403
    assert (await office.ask(method, path, body, by="")).status_code == 401
    assert (await office.ask(method, path, body, by="nobody", of="nobody")).status_code == 404
    assert (await office.business())["integrations"] == {}


async def test_a_store_that_is_away_is_told_as_that(office: Office, monkeypatch: pytest.MonkeyPatch):
    """Owners are asked to try again."""

    async def away(*_: object) -> None:
        raise Unavailable("away")

    monkeypatch.setattr(office.store, "get", away)
    for method, path in ROUTES:
        error = await office.refused(method, path, {"config": EMAIL}, 503)
        assert error["retryable"] is True


@pytest.mark.parametrize(
    ("raised", "answer"),
    [
        (None, {"ok": True, "message": "It works."}),
        (ErrorType.AUTH, {"ok": False, "type": "AUTH"}),
        (ErrorType.TRANSIENT, {"ok": False, "type": "TRANSIENT"}),
        (ErrorType.PERMANENT, {"ok": False, "type": "PERMANENT"}),
    ],
)
async def test_an_account_is_tried_and_the_outcome_told_in_an_owners_words(
    memory: MemoryStore, raised: ErrorType | None, answer: dict[str, Any]
):
    """Not in those for a model in the middle of a call, nor with what the vendor said."""

    async def probe(business: Business) -> None:
        assert business.integrations["email"].is_usable
        if raised is not None:
            raise ToolError(raised, "Offer to take a message.", detail=CANARY)

    async with opened(memory, probes={"email": probe}) as office:
        await office.done("PUT", "toolkits/email", {"config": EMAIL, "sensitiveConfig": {"password": "x"}})
        found = await office.done("POST", "toolkits/email/test")
    assert found.items() >= answer.items()
    assert "message." not in found["message"] and CANARY not in str(found)


async def test_an_account_that_is_not_set_up_yet_is_not_tried(office: Office):
    """What is missing is named; a toolkit that cannot be tried says so."""
    assert "cannot be tried" in (await office.refused("POST", "toolkits/google_calendar/test", None, 400))["message"]
    async with opened(MemoryStore(), probes={"email": _never}) as other:
        error = await other.refused("POST", "toolkits/email/test", None, 400)
    assert [p["field"] for p in error["problems"]] == ["smtpServer", "fromEmail", "password"]


async def _never(business: Business) -> None:
    raise AssertionError


async def test_twilios_credentials_are_tried_at_twilio(memory: MemoryStore):
    """The auth token that an owner stored is the one that the integration uses; a wrong one is told as that."""
    with serving(TwilioStandIn().app) as url:
        async with opened(memory) as office:
            accounts = TwilioAccounts(office.secrets, url)
            async with opened(memory, probes={"twilio": probe_of(accounts, twilio.attempt)}) as office:
                path, config = "toolkits/twilio", {"accountSid": SID}
                await office.done("PUT", path, {"config": config, "sensitiveConfig": {"authToken": TOKEN}})
                assert (await office.done("POST", f"{path}/test"))["ok"] is True
                await office.done("PUT", path, {"sensitiveConfig": {"authToken": CANARY}})
                assert (await office.done("POST", f"{path}/test"))["type"] == "AUTH"
            await accounts.close()


async def test_a_mail_account_is_tried_at_its_server_without_sending(
    memory: MemoryStore,
    certified: Certificates,  # noqa: F811
):
    """The password that an owner stored logs in; a wrong one is told as that; nothing is sent."""
    async with listening(certified.server, "starttls") as server, opened(memory) as first:
        mailers = SmtpMailers(first.secrets, StoppedClock(), certified.client)
        async with opened(memory, probes={"email": probe_of(mailers, SmtpMailer.log_in)}) as office:
            config = {"smtpServer": HOST, "smtpPort": server.port, "fromEmail": USERNAME, "security": "starttls"}
            await office.done("PUT", "toolkits/email", {"config": config, "sensitiveConfig": {"password": PASSWORD}})
            assert await office.done("POST", "toolkits/email/test") == {"ok": True, "message": "It works."}
            await office.done("PUT", "toolkits/email", {"sensitiveConfig": {"password": CANARY}})
            found = await office.done("POST", "toolkits/email/test")
            assert (found["type"], CANARY in str(found)) == ("AUTH", False)
        assert server.messages == []


async def test_an_account_that_is_switched_off_is_told_by_its_probe():
    """A probe of a business without one does not pass."""
    tried = build(read_configuration({})).integrations.probes()
    assert tried.keys() == {"twilio", "email", "vapi", "caldav", "microsoft_calendar"}
    for probe in tried.values():
        with pytest.raises(ToolError):
            await probe(read_business(SALON, {"integrations": {}}))
