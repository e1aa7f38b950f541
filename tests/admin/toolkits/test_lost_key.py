"""After the key that keeps secrets was lost: what owners are told of it, over HTTP, and how they go on."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2 as httpx
import pytest

from stand_ins.loopback import serving
from stand_ins.twilio.account import SID, TOKEN
from stand_ins.twilio.app import TwilioStandIn
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.catalog.tenant_tools.toolkit import Toolkit
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Query, Set, Update
from switchboard.integrations.secrets.kms import LocalKeyKeeper, WrappedKey
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import OWN, SignIns
from tests.admin.whole_house import BUSINESS, CLIENTS, PATHS, WITHIN, Lending, Owner
from tests.desk.front_desk import SALON

pytestmark = pytest.mark.requirement("004-833")
CONFIGS: dict[str, dict[str, Any]] = {
    "caldav": {
        "serverUrl": "https://dav.example.com/",
        "username": "salon",
        "calendarUrl": "https://dav.example.com/salon/",
    },
    "email": {"smtpServer": "smtp.example.com", "fromEmail": "hello@example.com"},
    "microsoft_calendar": {"calendarId": "c1"},
    "twilio": {"accountSid": SID},
    "vapi": {},
}
TRIED = build(read_configuration(CLIENTS), MemoryStore())
TOOLKITS = [one for one in TRIED.admin_app.toolkits.all if one.name in TRIED.integrations.probes()]


class BrokenKeeper(LocalKeyKeeper):
    """A keeper whose key was switched off: it wraps nothing and opens nothing."""

    async def wrap(self, key: bytes) -> WrappedKey:
        """Refuse."""
        raise ToolError(ErrorType.PERMANENT, "not in order", detail="the key version is disabled")

    async def unwrap(self, wrapped: bytes) -> bytes:
        """Refuse."""
        raise ToolError(ErrorType.PERMANENT, "not in order", detail="the key version is disabled")


@asynccontextmanager
async def opened(**settings: str) -> AsyncIterator[Owner]:
    """Open the whole house, with the salon in it."""
    house, remote = build(read_configuration(CLIENTS | settings), MemoryStore()), Lending()
    house.__dict__ |= {"sign_ins": SignIns(), "remote_tools": remote}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://t") as http:
        await house.store.commit([Set(WITHIN.business, {**SALON, "integrations": {}})])
        yield Owner(house, http, remote)
    await house.close()


async def _lost(owner: Owner, toolkit: Toolkit) -> None:
    """Keep what a toolkit needs under a key that nobody has any more."""
    lost = SealedSecrets(owner.house.store, PATHS, LocalKeyKeeper(os.urandom(32)))
    for field in toolkit.required_secrets:
        await lost.keep(OWN, toolkit.name, field, "of before")
    connection = CONFIGS[toolkit.name] | {"isConnected": True}
    await owner.house.store.commit([Update(WITHIN.business, {f"integrations.{toolkit.integration}": connection})])


@pytest.mark.parametrize("toolkit", TOOLKITS, ids=lambda one: one.name)
async def test_who_tries_an_account_is_told_that_what_was_stored_cannot_be_opened(toolkit: Toolkit) -> None:
    """Every toolkit that can be tried: nothing that is set is wrong, and checking it would be in vain."""
    async with opened() as owner:
        await _lost(owner, toolkit)
        answer = (await owner.send("POST", f"{BUSINESS}/toolkits/{toolkit.name}/test")).json()
        assert answer["ok"] is False
        assert answer["message"].startswith(f"What is stored as {toolkit.required_secrets[0]} of {toolkit.name} cannot")
        assert "enter it anew" in answer["message"] and "check" not in answer["message"]


async def test_a_secret_that_cannot_be_opened_is_entered_anew_and_works() -> None:
    """From the finding and the try, by the new secret, to what works again and a finding that is gone."""
    with serving(TwilioStandIn().app) as url:
        async with opened(SWITCHBOARD_TWILIO_BASE_URL=url) as owner:
            twilio = next(one for one in TOOLKITS if one.name == "twilio")
            await _lost(owner, twilio)
            path = f"{BUSINESS}/toolkits/twilio"
            assert "cannot be opened any more" in (await owner.send("POST", f"{path}/test")).json()["message"]
            [finding] = await _findings(owner)
            assert "twilio.authToken" in finding["means"] and "Enter it anew" in finding["do"]
            # Saving other settings changes nothing about it, and is not refused for it.
            await owner.done("PUT", path, {"config": {"accountSid": SID, "textsPerHour": 20}})
            assert "cannot be opened any more" in (await owner.send("POST", f"{path}/test")).json()["message"]
            saved = await owner.done("PUT", path, {"sensitiveConfig": {"authToken": TOKEN}})
            assert saved["isConnected"] is True
            tried = (await owner.send("POST", f"{path}/test")).json()
            assert tried == {"ok": True, "message": "It works."}
            assert await _findings(owner) == []


async def test_where_nothing_can_be_kept_a_new_secret_is_refused_in_a_sentence_for_the_owner() -> None:
    """422: the key is switched off for good; nothing was changed, and the audit tells of nothing."""
    async with opened() as owner:
        path = f"{BUSINESS}/toolkits/email"
        given = {"config": CONFIGS["email"], "sensitiveConfig": {"password": "of before"}}
        await owner.done("PUT", path, given)
        before = await _everything(owner), await owner.audit()
        revision = await owner.revision(path)
        sound = owner.house.secrets._keys
        owner.house.secrets._keys = SealedSecrets(owner.house.store, PATHS, BrokenKeeper(os.urandom(32)))._keys
        anew = {"config": CONFIGS["email"] | {"dailyLimit": 7}, "sensitiveConfig": {"password": "new"}}
        refused = await owner.send("PUT", path, anew, revision)
        assert refused.status_code == 422, refused.text
        error = refused.json()["error"]
        assert error["message"].startswith("Nothing can be kept secret now, so nothing was saved")
        assert "scripts/secrets check" in error["message"] and error["retryable"] is False
        assert (await _everything(owner), await owner.audit()) == before
        owner.house.secrets._keys = sound
        assert await owner.house.secrets.reveal(OWN, "email", "password") == "of before"
        assert (await owner.send("PUT", path, anew, revision)).status_code == 200


async def test_a_server_whose_key_cannot_be_opened_is_told_at_its_header() -> None:
    """Its tools cannot be looked at; which field is to be entered anew is named."""
    async with opened() as owner:
        lost = SealedSecrets(owner.house.store, PATHS, LocalKeyKeeper(os.urandom(32)))
        await lost.keep(OWN, "tools", "crmKey", "of before")
        server = {
            "url": "https://tools.example.com/mcp",
            "headers": {"authorization": {"secret": "crmKey", "prefix": "Bearer "}},
        }
        answer = await owner.send("POST", f"{BUSINESS}/mcp/discover", {"server": server})
        assert answer.status_code == 400, answer.text
        error = answer.json()["error"]
        assert error["field"] == "server.headers.authorization" and "cannot be opened any more" in error["message"]


async def _findings(owner: Owner) -> list[dict[str, Any]]:
    """Return what health says of secrets, looked at anew."""
    answer = (await owner.send("GET", f"{BUSINESS}/health")).json()
    return [finding for finding in answer["findings"] if finding["what"] == "secrets_unopened"]


async def _everything(owner: Owner) -> dict[str, Any]:
    store = owner.house.store
    business = await store.get(WITHIN.business)
    assert business is not None
    secrets = await store.query(Query(WITHIN.collection("secrets")))
    return {"business": business.data, **{one.id: one.data for one in secrets}}
