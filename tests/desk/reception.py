"""A reception to test callers and their verification with: records, a telephone in the caller's pocket, and calls."""

import re
from dataclasses import replace
from typing import Any

from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, CallContext, Context
from switchboard.contract.error import ToolError
from switchboard.contract.ports import Store
from switchboard.desk.callers.callers import Callers
from switchboard.desk.callers.code_state import CodeHash
from switchboard.desk.callers.moderation import Moderation
from switchboard.desk.callers.one_time_codes import OneTimeCodes
from switchboard.desk.callers.verification import Verification
from switchboard.desk.limits.rate_limits import RateLimits
from tests.desk.front_desk import StoppedClock, call, salon, write_down

PEPPER = b"a pepper for tests, 16 or more"
ANNA = "+15185550161"
RECORDS: dict[str, dict[str, Any]] = {
    "clr_anna": {
        "name": "Anna Whitfield",
        "phone": ANNA,
        "email": "anna.whitfield@mail.example",
        "dateOfBirth": "1988-04-12",
    },
    "clr_grace": {"name": "Grace Okafor", "phone": "+15185550163", "dateOfBirth": "1991-07-09"},
    "clr_tom": {"name": "Tom Becker", "phone": "+15185550164", "email": "becker@mail.example"},
    "clr_lily": {"name": "Lily Becker", "phone": "+15185550164"},
    "clr_paul": {"name": "Paul Reed", "email": "Paul.Reed@mail.example"},
}


class Pocket:
    """The telephone in the callers' pockets: every text message that was sent, or the error it fails with."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, str]] = []
        self.effect_keys: list[str] = []
        self.error: ToolError | None = None

    async def __call__(self, ctx: CallContext, to: str, body: str, *, effect_key: str, purpose: str) -> None:
        assert purpose == "code"
        if self.error is not None:
            if self.error.partial_side_effects:
                self.texts.append((to, body))
            raise self.error
        self.effect_keys.append(effect_key)
        self.texts.append((to, body))

    @property
    def code(self) -> str:
        """The code in the latest text."""
        found = re.search(r"\b\d{6}\b", self.texts[-1][1])
        assert found is not None
        return found[0]


class CountingSeal(CodeHash):
    """A seal that counts how many codes were held against it."""

    def __init__(self, pepper: bytes = PEPPER) -> None:
        super().__init__(pepper)
        self.evaluated = 0

    def opens(self, sealed: str, code: str, *bound_to: str) -> bool:
        self.evaluated += 1
        return super().opens(sealed, code, *bound_to)


class Reception:
    """One instance's verification over a store that others may share."""

    def __init__(self, store: Store, clock: StoppedClock, pocket: Pocket | None = None) -> None:
        self.store, self.clock, self.pocket, self.seal = store, clock, pocket or Pocket(), CountingSeal()
        self.callers = Callers(store)
        self.codes = OneTimeCodes(store, RateLimits(store, clock), self.seal, self.pocket)
        self.verification = Verification(store, self.callers, self.codes)
        self.moderation = Moderation(store, self.callers)

    def asking_for(
        self, level: str = "match", *, channel: Channel = Channel.PORTAL, id: str = "demo-salon", **facts: Any
    ) -> CallContext:
        """Return a call to a business that asks for a level and has agreed to being shown numbers."""
        business = salon(id, ai={"callerVerification": level, "trustCallerId": True})
        return reached_by(call(business, now=self.clock.moment), channel, **facts)

    def phoned(self, level: str = "match", number: str | None = ANNA, **facts: Any) -> CallContext:
        """Return a phone call whose number the carrier vouches for."""
        known = {"attestation": VOUCHED_FOR, "caller_phone": number} | facts
        return self.asking_for(level, channel=Channel.PHONE, **known)

    async def open(self, records: dict[str, dict[str, Any]] | None = None, id: str = "demo-salon") -> None:
        """Write the records down."""
        await write_down(self.store, id, "callers", RECORDS if records is None else records)


def reached_by(ctx: CallContext, channel: Channel, **facts: Any) -> CallContext:
    """Return the same call over another channel, where the network signals no number unless `facts` say so."""
    known: dict[str, Any] = {"business_id": ctx.business.id, "session_id": "session-1", "call_id": "call-1"}
    found: Context = CONTEXTS[channel](**(known | facts))
    return replace(ctx, facts=found)
