"""Numbers that more than one business claims: refused where one is entered, told in Health where it is there already.

A number that is another's main one (`twilioNumber`) is always theirs. One that another lists stands in one phone
account, so it is theirs only where both sign with that account's token: who merely names somebody's account keeps
nobody from anything. Nobody is told what a business is called that is not theirs.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.health.findings import HealthFinding
from switchboard.catalog.offer.phone_numbers import NumberClaim, NumberClaims, claims_of, rightful_first
from switchboard.contract.business.business import read_business
from switchboard.contract.business.own_addresses import TOOLKIT
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Secrets, Store
from switchboard.contract.store import Document

log = logging.getLogger(__name__)

_TOKEN = "authToken"


class NumberConflicts:
    """Holds the numbers of one business against those of all others. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, secrets: Secrets) -> None:
        """Look in `store`; `secrets` tell who signs with the same token, and none of them leaves this class."""
        self._store, self._paths, self._secrets = store, paths, secrets
        self._claims = NumberClaims(store, paths)

    async def of_main(self, permit: Permit, before: JsonObject, after: JsonObject) -> list[EntryProblem]:
        """Return what is wrong with a business's main number, where it changes."""
        number = after.get("twilioNumber")
        if not isinstance(number, str) or not number or number == before.get("twilioNumber"):
            return []
        document = await self._store.get(self._paths.within(permit.business_id).business)
        if document is None:
            return []
        claims = await self._of_others(Document(document.path, {**document.data, **after}, *_times(document)))
        return [EntryProblem("twilioNumber", _taken(permit, number, claims[number]))] if number in claims else []

    async def of_new(self, permit: Permit, document: Document) -> list[EntryProblem]:
        """Return what is wrong with the main number of a business that is not stored yet."""
        others = await self._of_others(document)
        return [EntryProblem("twilioNumber", _taken(permit, number, claims)) for number, claims in others.items()]

    async def of_lists(
        self, permit: Permit, before: Document, after: JsonObject, secrets: Mapping[str, str | None]
    ) -> list[EntryProblem]:
        """Return what is wrong with the numbers that a business lists with its phone account.

        Args:
            permit: Who lists them.
            before: The business as it is stored; what it has claimed before is not held against it, unless the account
                or its token changes.
            after: Its fields as they are to be.
            secrets: The secrets that change with them; one that is None is taken away.
        """
        is_same_account = _account(before.data) == _account(after) and _TOKEN not in secrets
        known = {number for number, _ in claims_of(before)} if is_same_account else set[str]()
        changed = Document(before.path, after, *_times(before))
        listed = [number for number, claim in claims_of(changed) if not claim.is_main and number not in known]
        if not listed:
            return []
        given = (secrets[_TOKEN] or "",) if _TOKEN in secrets else ()
        others = await self._of_others(changed, *given)
        rows = after["integrations"][TOOLKIT]["phoneNumbers"]
        at = {row.get("number"): place for place, row in enumerate(rows) if isinstance(row, Mapping)}
        return [
            EntryProblem(f"config.phoneNumbers[{at[number]}].number", _taken(permit, number, others[number]))
            for number in sorted(listed, key=lambda number: at[number])
            if number in others
        ]

    async def findings(self, document: Document) -> list[HealthFinding]:
        """Return a finding for each number of a business that another claims as well, whoever answers it.

        None where nobody can tell right now, since whoever looks needs the other findings all the more then.
        """
        entries = list[HealthFinding]()
        try:
            others = await self._of_others(document)
        except ToolError as error:
            log.warning("whose numbers are claimed twice is not known", extra={"reason": error.type.value})
            return entries
        for number, own in claims_of(document):
            if number in others:
                is_ours = rightful_first([own, *others[number]])[0] is own
                entries.append(HealthFinding("number_shared" if is_ours else "number_elsewhere", number))
        return entries

    async def _of_others(self, document: Document, *token: str) -> dict[str, list[NumberClaim]]:
        """Return by number which others claim what a business claims; `token` is what it signs with from now on."""
        own = dict(claims_of(document))
        if not own:
            return {}
        main, account = read_business(document.id, document.data).twilio_number, _account(document.data)
        of_main, listing, claims = await asyncio.gather(
            self._claims.main(own), self._claims.listed(main or ""), self._of_account(account)
        )
        claims_by_number = {number: list(claims) for number, claims in of_main.items()}
        if main:
            # Who lists somebody's main number gets none of its calls, whatever the account.
            claims_by_number.setdefault(main, []).extend(listing)
        signs = token[0] if token else None
        same = dict[str, bool]()
        for number in own.keys() & claims.keys():
            for claim in claims[number]:
                if claim.business_id == document.id or claim in claims_by_number.get(number, ()):
                    continue
                if claim.business_id not in same:
                    signs = signs if signs is not None else await self._token(document.id)
                    same[claim.business_id] = bool(signs) and signs == await self._token(claim.business_id)
                if same[claim.business_id]:
                    claims_by_number.setdefault(number, []).append(claim)
        others = (
            (n, [claim for claim in claims if claim.business_id != document.id])
            for n, claims in claims_by_number.items()
        )
        return {number: list(rightful_first(claims)) for number, claims in others if claims}

    async def _of_account(self, account: str) -> dict[str, tuple[NumberClaim, ...]]:
        return (await self._claims.of_account(account))[0] if account else {}

    async def _token(self, business_id: str) -> str:
        """Return what a business signs with; nothing where that can never be read: it answers nothing then."""
        try:
            return await self._secrets.reveal(business_id, TOOLKIT, _TOKEN) or ""
        except ToolError as error:
            if error.type is ErrorType.TRANSIENT:
                raise
            return ""


def _account(data: Mapping[str, Any]) -> str:
    connection = read_business("business", data).integrations.get(TOOLKIT)
    account = connection.settings.get("accountSid") if connection else None
    return account if isinstance(account, str) else ""


def _times(document: Document) -> tuple[Any, Any]:
    return document.update_time, document.create_time


def _taken(permit: Permit, number: str, others: Iterable[NumberClaim]) -> str:
    """Return whose number it is already: by name where the one who asks has a part in that business, else not."""
    theirs = next((claim for claim in others if permit.identity.role_in(claim.business_id) is not None), None)
    if theirs is None:
        return (
            f"{number} is a number of another business already, and belongs to one alone; enter one that is yours, or "
            "ask whoever runs this system."
        )
    return (
        f"{number} is a number of {theirs.name or theirs.business_id} ({theirs.business_id}) already, and belongs to "
        "one business alone; take it out there first."
    )
