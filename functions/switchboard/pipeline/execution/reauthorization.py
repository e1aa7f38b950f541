"""What follows from AUTH: the integration is marked `needsReauth`, once, and its tools leave the offer (seed 004).

Handlers only report it. Every call that failed for this reason comes here, on every instance, and one of them writes:
whoever finds the mark, or a connection made since, leaves it alone.
"""

import logging
from collections.abc import Callable
from datetime import datetime

from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Missing, Stale, StoreError, Update

log = logging.getLogger(__name__)


class Reauthorisation:
    """Marks integrations whose authorisation is gone."""

    def __init__(self, store: Store, paths: Paths, forget: Callable[[str], None]) -> None:
        """Write to `store`; `forget` lets the catalog read a business anew."""
        self._store, self._paths, self._forget = store, paths, forget
        self._marking: set[tuple[str, str]] = set()

    async def mark(self, business_id: str, integration: str, since: datetime) -> None:
        """Mark an integration, unless it is marked or was connected after `since`, when the failed call began.

        A store that does not answer leaves the mark to the next call that fails.
        """
        key = (business_id, integration)
        if key in self._marking:
            return
        self._marking.add(key)
        try:
            await self._mark(business_id, integration, since)
        except (Missing, Stale):
            # Somebody changed the business in this moment; if it is still true, the next call finds out.
            pass
        except StoreError as error:
            log.error(
                "reauthorisation not marked",
                extra={"integration": integration, "reason": type(error).__name__, "pii.detail": str(error)},
            )
        finally:
            self._marking.discard(key)
            self._forget(business_id)

    async def _mark(self, business_id: str, integration: str, since: datetime) -> None:
        path = self._paths.within(business_id).business
        document = await self._store.get(path)
        integrations = document.data.get("integrations") if document else None
        known = integrations.get(integration) if isinstance(integrations, dict) else None
        if document is None or not isinstance(known, dict) or known.get("needsReauth") is True:
            return
        connected_at = known.get("connectedAt")
        if isinstance(connected_at, datetime) and connected_at > since:
            return
        fields = {f"integrations.{integration}.needsReauth": True}
        await self._store.commit([Update(path, fields, if_update_time=document.update_time)])
        log.warning("integration needs reauthorisation", extra={"business": business_id, "integration": integration})
