"""What is set up wrongly is found at the start or by a finding, is named, and is mended as it is told.

Whoever is on call for fifty businesses learns it from one of these, and not from a caller.
"""

import base64
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import pytest

from switchboard.app.container import build
from switchboard.app.settings import ConfigurationError, read_configuration
from switchboard.contract.store import DELETE_FIELD, Delete, Set, Update
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore
from tests.admin.health.test_health import OWN, PATHS, WITHIN, Ward, opened_ward

KEY = base64.b64encode(b"k" * 32).decode()
KMS = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
QUEUE = "projects/p/locations/l/queues/q"
RIGHT = {
    "GOOGLE_CLOUD_PROJECT": "calls",
    "SWITCHBOARD_PUBLIC_URL": "https://calls.example.com",
    "SWITCHBOARD_SECRETS_KEY": KEY,
    "SWITCHBOARD_SIGNING_KEY": "s" * 32,
    "K_SERVICE": "tools",
}


@pytest.mark.parametrize(
    ("wrong", "named", "mended"),
    [
        ({"SWITCHBOARD_RELAY_URL": "https://x"}, "write the WebSocket address", {"SWITCHBOARD_RELAY_URL": ""}),
        ({"SWITCHBOARD_PUBLIC_URL": "calls.example.com"}, "write the https address", {}),
        ({"SWITCHBOARD_SECRETS_KEY": ""}, "SWITCHBOARD_KMS_KEY is not set", {}),
        ({"SWITCHBOARD_SECRETS_KEY": "secret"}, "SWITCHBOARD_SECRETS_KEY is no key; write 32 random bytes", {}),
        ({"SWITCHBOARD_KMS_KEY": KMS}, "are both set; keep the one", {"SWITCHBOARD_KMS_KEY": ""}),
        ({"SWITCHBOARD_SECRETS_KEY": "", "SWITCHBOARD_KMS_KEY": "k"}, "as projects/", {"SWITCHBOARD_KMS_KEY": ""}),
        ({"SWITCHBOARD_SIGNING_KEY": "short"}, "SWITCHBOARD_SIGNING_KEY is too short; write at least", {}),
        ({"GOOGLE_CLOUD_PROJECT": ""}, "GOOGLE_CLOUD_PROJECT is not set; set it to the project", {}),
        ({"SWITCHBOARD_LOG": "xml"}, "SWITCHBOARD_LOG is 'xml'; write json or plain", {"SWITCHBOARD_LOG": ""}),
        ({"SWITCHBOARD_DEMO_KEY": "d"}, "is for local running only; unset it", {"SWITCHBOARD_DEMO_KEY": ""}),
        (
            {"SWITCHBOARD_TASK_QUEUE": "q", "SWITCHBOARD_TASK_TOKEN": "t" * 40},
            "write projects/<project>/locations/<region>/queues/<queue>",
            {"SWITCHBOARD_TASK_QUEUE": QUEUE},
        ),
        (
            {"SWITCHBOARD_APP_CHECK_PROJECT": "calls"},
            "write the project's number",
            {"SWITCHBOARD_APP_CHECK_PROJECT": "123456789012"},
        ),
    ],
)
def test_a_setting_that_is_wrong_is_named_at_the_start(
    wrong: Mapping[str, str], named: str, mended: Mapping[str, str]
) -> None:
    """Nothing is served with it; as it says, so it starts."""
    with pytest.raises(ConfigurationError) as caught:
        build(read_configuration(RIGHT | wrong))
    assert named in str(caught.value)
    repaired = RIGHT | wrong | {name: RIGHT[name] for name in wrong if name in RIGHT} | mended
    build(read_configuration({name: value for name, value in repaired.items() if value}))


Change: TypeAlias = Callable[[Ward], Awaitable[None]]
OLD, NEW = LocalKeyKeeper(b"o" * 32), LocalKeyKeeper(b"n" * 32)
RULES = [{"action": "message", "destination": "+15185550144"}]
GOOGLE: dict[str, Any] = {"isConnected": True}


def stored(fields: dict[str, Any]) -> Change:
    """Return what writes fields into the business's document, as somebody does by hand."""

    async def change(ward: Ward) -> None:
        await ward.store.commit([Update(WITHIN.business, fields)])

    return change


def published(fields: dict[str, Any]) -> Change:
    """Return what writes a tool of the business's own; without fields it is taken away."""
    path = WITHIN.document("tools", "t1")

    async def change(ward: Ward) -> None:
        await ward.store.commit([Set(path, fields) if fields else Delete(path)])

    return change


def entered(keeper: LocalKeyKeeper) -> Change:
    """Return what enters a secret, kept with a key."""

    async def change(ward: Ward) -> None:
        await SealedSecrets(ward.store, PATHS, keeper).keep(OWN, "twilio", "authToken", "t")

    return change


@pytest.mark.parametrize(
    ("wrong", "what", "severity", "named", "mended"),
    [
        (
            stored({"timezonee": "America/New_York", "timezone": DELETE_FIELD}),
            *("zone_unknown", "trouble", "'timezonee'"),
            stored({"timezonee": DELETE_FIELD, "timezone": "America/New_York"}),
        ),
        (
            stored({"timezone": "America/NewYork"}),
            *("zone_unknown", "trouble", "America/New_York comes nearest"),
            stored({"timezone": "America/New_York"}),
        ),
        (
            stored({"services": [{"name": "Haircut", "durationMinuts": 45}]}),
            *("field_mistyped", "trouble", "Did you mean durationMinutes?"),
            stored({"services": [{"name": "Haircut", "durationMinutes": 45}]}),
        ),
        (
            stored({"escalation": {"rules": [{"action": "mesage", "destination": "+15185550144"}]}}),
            *("entry_unusable", "trouble", "must be transfer or message"),
            stored({"escalation": {"rules": RULES}}),
        ),
        (
            stored({"workingHours": {"monday": [{"open": "9", "close": "17:00"}]}}),
            *("entry_unusable", "trouble", "workingHours"),
            stored({"workingHours": {"monday": [{"open": "09:00", "close": "17:00"}]}}),
        ),
        (
            stored({"integrations": {"googleCalendar": GOOGLE | {"needsReauth": True}}}),
            *("needs_reauth", "trouble", "googleCalendar"),
            stored({"integrations": {"googleCalendar": GOOGLE}}),
        ),
        (
            stored({"integrations": {"googleCalendar": GOOGLE, "calendar": "microsoftCalendar"}}),
            *("calendar_away", "trouble", "microsoftCalendar"),
            stored({"integrations": {"googleCalendar": GOOGLE, "calendar": "googleCalendar"}}),
        ),
        (
            stored({"integrations": {"twillio": {"isConnected": True}}}),
            *("field_mistyped", "trouble", "Did you mean twilio?"),
            stored({"integrations": {}}),
        ),
        (
            stored({"enabledTools": "all"}),
            *("business_problem", "warning", "enabledTools"),
            stored({"enabledTools": DELETE_FIELD}),
        ),
        (
            stored({"enabledTools": ["book_apointment", "end_call"]}),
            *("field_mistyped", "trouble", "Did you mean book_appointment?"),
            stored({"enabledTools": ["book_appointment", "end_call"]}),
        ),
        (
            stored({"features": {"recrods": True}}),
            *("field_mistyped", "trouble", "Did you mean records?"),
            stored({"features": {"records": True}}),
        ),
        (
            stored({"integrations": {"builtinCalendar": {"isConnected": "true"}}}),
            *("entry_unusable", "trouble", "neither true nor false"),
            stored({"integrations": {"builtinCalendar": {"isConnected": True}}}),
        ),
        (
            stored({"integrations": {"builtinCalendar": {"isConnected": True, "minNoticeMinutes": "soon"}}}),
            *("business_problem", "warning", "minNoticeMinutes"),
            stored({"integrations": {"builtinCalendar": {"isConnected": True}}}),
        ),
        (
            stored({"escalation": {"rules": [{"action": "transfer", "destinaton": "+15185550144"}]}}),
            *("entry_unusable", "trouble", "needs a destination"),
            stored({"escalation": {"rules": RULES}}),
        ),
        (published({"type": "nonsense"}), "tool_skipped", "warning", "t1", published({})),
        (
            stored({"escalation": {"rules": []}, "phone": "", "twilioNumber": DELETE_FIELD}),
            *("no_way_to_a_person", "warning", "phone"),
            stored({"phone": "+15185550142"}),
        ),
        (entered(OLD), "secrets_unopened", "trouble", "twilio.authToken", entered(NEW)),
    ],
)
async def test_what_is_wrong_in_firestore_is_a_finding_and_goes_with_its_mending(
    wrong: Change, what: str, severity: str, named: str, mended: Change
) -> None:
    """At the next look, which is at most a minute away: nothing of what is found is kept for longer."""
    store = MemoryStore()
    async for ward in opened_ward(store, SealedSecrets(store, PATHS, NEW)):
        await stored({"twilioNumber": "+15185550100", "phone": "+15185550142", "integrations": {}})(ward)

        async def told(ward: Ward = ward) -> list[dict[str, Any]]:
            ward.clock.wait(60)
            return [finding for finding in (await ward.health())["findings"] if finding["what"] == what]

        assert await told() == []
        await wrong(ward)
        findings = await told()
        assert [finding["severity"] for finding in findings] == [severity]
        assert named in findings[0]["subject"] and findings[0]["do"]
        await mended(ward)
        assert await told() == []
