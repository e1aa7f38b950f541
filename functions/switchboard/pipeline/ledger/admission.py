"""Letting a call in: recorded and counted before anything runs, whatever already stands in its way.

Found in the way may be an earlier delivery of the same call, another call that made the same wish, or a session that
another instance opened. Each is one look at the store, and then admission is tried again.
"""

from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.contract.context import Context
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.observability.hidden import hide
from switchboard.pipeline.checks.validate import read
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.effect_dedup import claims_wish, settle_claim
from switchboard.pipeline.ledger.ledger import Ledger, Met
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.result.secrecy import secrets_of

# Session and wish can each stand in the way once; a third time means that others keep changing them.
_ATTEMPTS = 3


class Admission:
    """Admits calls of every business."""

    def __init__(self, catalog: Catalog, ledger: Ledger) -> None:
        """Join the parts."""
        self._catalog, self._ledger = catalog, ledger

    async def admit(self, invocation: Invocation) -> CallRow | None:
        """Admit a call, so that `invocation.counts` is known; return the row of an earlier delivery if there is one.

        Raises:
            Refused: CONFLICT, retryable; the same wish is being granted at this moment.
            StoreError: The call is not recorded, as far as can be told.
        """
        for _ in range(_ATTEMPTS):
            met = await self._ledger.admit(invocation)
            if not isinstance(met, Met):
                invocation.counts = met
                if invocation.opens_session:
                    self._catalog.sessions.remember(
                        invocation.facts.business_id, invocation.facts.session_id, invocation.locked
                    )
                return None
            if met.call is not None:
                return CallRow(met.call)
            # Whoever claimed the wish anew has given it up: then there is nothing to replace.
            invocation.reclaims = None
            if met.effect is not None:
                earlier = await self._ledger.call_of(invocation, met.effect.data["callId"])
                settle_claim(invocation, met.effect, earlier, met.session)
            if met.session is not None and invocation.opens_session:
                await self._resume(invocation)
        raise Refused(ErrorType.CONFLICT, "This conversation is changing too quickly; try again.", retryable=True)

    async def _resume(self, invocation: Invocation) -> None:
        """Hold the call against the words with which another instance opened the session."""
        business_id, session_id = invocation.facts.business_id, invocation.facts.session_id
        invocation.locked = await self._catalog.sessions.resume(business_id, session_id, invocation.locked)
        await self._catalog.resumed(business_id, invocation.locked)
        invocation.offered(
            self._catalog.relocked(business_id, invocation.offer, invocation.locked, options_of(invocation.facts))
        )
        invocation.opens_session = False
        invocation.resolved(invocation.offer.named(invocation.call.name))
        prepare(invocation)


def prepare(invocation: Invocation) -> None:
    """Read the arguments, which admission counts by; refusing is left to the checks."""
    read(invocation)
    hide(*secrets_of(invocation))
    invocation.claims_wish = invocation.wish_granted is None and claims_wish(invocation)


def options_of(facts: Context) -> Options:
    """Return for whom a call's tools are looked up."""
    return Options(
        facts.channel,
        facts.session_id,
        facts.caller_verified,
        facts.agent_id,
        facts.is_call_start,
        PhoneNumbers.of(facts),
        facts.applies_intents,
        facts.staff is not None,
    )
