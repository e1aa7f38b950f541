"""What would be offered if: a business as it is, or with accounts, rules and features otherwise, on every channel.

Nothing is stored, and no account is asked: the same rows decide as for a real caller (`catalog/offer/inclusion.py`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.conversations.trial_models import WhatIfQuery, WhatIfTable, named
from switchboard.catalog.definitions.definitions import Current
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.catalog.offer.inclusion import NOBODY, TENANT, Situation, conditions
from switchboard.catalog.offer.offer import Offer, make_offer
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.business.business import CALENDARS, Business, EscalationRule, Integration
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Unavailable

STATES: Mapping[str, Integration] = {
    "connected": Integration(is_connected=True),
    "refused": Integration(is_connected=True, needs_reauth=True),
    "off": Integration(),
}
"""How an account can stand."""


@dataclass(frozen=True, slots=True)
class Otherwise:
    """How a business is imagined; what is None is as it is.

    Attributes:
        integrations: One of `STATES` by integration.
        rules: The actions of its escalation rules.
        features: Those that are switched on.
        agent_id: Who answers everywhere.
    """

    integrations: Mapping[str, str]
    rules: frozenset[str] | None = None
    features: frozenset[str] | None = None
    agent_id: str | None = None

    def applied(self, business: Business) -> Business:
        """Return the business as it is imagined."""
        states = {
            name: _as(STATES[state], business.integrations.get(name)) for name, state in self.integrations.items()
        }
        return replace(
            business,
            integrations={**business.integrations, **states},
            escalation_rules=business.escalation_rules if self.rules is None else _rules(business, self.rules),
            features=business.features if self.features is None else self.features,
        )


class WhatIf(EndpointGroup):
    """Says what would be offered. What the store raises passes through."""

    _PATH = "/businesses/{business_id}/what-if"

    def __init__(self, catalog: Catalog) -> None:
        """Imagine the businesses that `catalog` knows."""
        self._catalog = catalog

    async def table(self, business_id: str, wish: Otherwise) -> JsonObject:
        """Return, for each tool, whether it is offered on each channel to callers known and not, and what decides.

        Raises:
            NotFound: There is no such agent.
            NotValid: It names an account or a feature that nothing here asks for.
            ToolError: NOT_FOUND; there is no such business.
        """
        _, locked, _ = await self._catalog.for_call(business_id, Options(Channel.PHONE))
        current = self._catalog.definitions.fresh() or await self._catalog.definitions.current()
        now = await self._catalog.tenant(business_id)
        if now is None:
            raise Unavailable("the business cannot be read")
        if wish.agent_id is not None and wish.agent_id not in now.agents:
            raise NotFound("This business has no agent of that id.")
        _require_known(wish, now.business, locked.published)
        tenant = Tenant(wish.applied(now.business), now.own, now.agents)
        current = replace(current, set=locked)
        offers = [
            (channel, is_verified, self._offer(tenant, wish, current, channel, is_verified))
            for channel in Channel
            for is_verified in (False, True)
        ]
        definitions = locked.published
        return {
            "source": current.source,
            "integrations": _integrations(tenant.business, definitions.values()),
            "rules": sorted({rule.action for rule in tenant.business.escalation_rules}),
            "features": sorted(tenant.business.features),
            "knownFeatures": sorted(_features(now.business, definitions)),
            "agents": [{"id": agent.id, "name": agent.name} for agent in now.agents.values()],
            "tools": [
                *(_row(tool.told(tenant.business, NOBODY), offers) for tool in locked.tools.values()),
                *(_unusable(name, reason) for name, reason in locked.skipped.items() if name not in definitions),
            ],
        }

    def _offer(self, tenant: Tenant, wish: Otherwise, current: Current, channel: Channel, is_verified: bool) -> Offer:
        agent = tenant.agent(wish.agent_id, channel)
        circuits = self._catalog.circuits_of(tenant.business.id)
        situation = Situation(
            business=tenant.as_seen_by(agent),
            channel=channel,
            is_verified=is_verified,
            agent=agent,
            attached=tenant.attached_to(agent),
            agents=tenant.agents,
            writes_allowed=current.writes_allowed,
            # An account that is imagined is imagined to work, or not to.
            open_circuits=circuits.open - wish.integrations.keys(),
            recovering_circuits=circuits.recovering - wish.integrations.keys(),
        )
        return make_offer(current.set, situation, current)

    @endpoint("GET", _PATH, Operation.SEE_SETUP, WhatIfTable)
    async def _answer(self, permit: Caller, query: Annotated[WhatIfQuery, Query()]) -> Response:
        """Tell what is offered where, or would be in another situation."""
        return json_answer(await self.table(permit.business_id, _wish(query)))


def _row(definition: Definition, offers: Iterable[tuple[Channel, bool, Offer]]) -> JsonObject:
    cells = []
    for channel, is_verified, offer in offers:
        why = offer.why_not(definition.name)
        cells.append(
            {
                "channel": channel.value,
                "isVerified": is_verified,
                "condition": why.condition if why is not None else None,
                "reason": why.reason if why is not None else "",
            }
        )
    return {
        "name": definition.name,
        "kind": definition.kind.value,
        "description": definition.description,
        "isOwn": definition.category == TENANT,
        "cells": cells,
    }


def _unusable(name: str, reason: str) -> JsonObject:
    cells = [
        {"channel": channel.value, "isVerified": is_verified, "condition": "definition:valid", "reason": reason}
        for channel in Channel
        for is_verified in (False, True)
    ]
    return {"name": name, "kind": "", "description": "", "isOwn": True, "cells": cells}


def _integrations(business: Business, definitions: Iterable[Definition]) -> list[JsonObject]:
    named = sorted(_accounts(business, definitions))
    integrations = {name: business.integrations.get(name, STATES["off"]) for name in named}
    return [{"name": name, "state": _state(integration)} for name, integration in integrations.items()]


def _accounts(business: Business, definitions: Iterable[Definition]) -> frozenset[str]:
    """Return the accounts that tools ask for, or that the business has."""
    known = list(definitions)
    asked = _named("integration", known) - {"calendar"}
    return frozenset({d.toolkit for d in known if d.toolkit} | asked | {*CALENDARS, *business.integrations})


def _features(business: Business, definitions: Mapping[str, Definition]) -> frozenset[str]:
    """Return the features that tools ask for, or that the business has."""
    opening = {d.opened_by for d in definitions.values() if d.opened_by is not None}
    return business.features | opening | _named("feature", definitions.values())


def _require_known(wish: Otherwise, business: Business, definitions: Mapping[str, Definition]) -> None:
    """Refuse names that nothing has: what is imagined of them would change nothing, and say so of everything."""
    sides = (
        ("integrations", wish.integrations.keys(), _accounts(business, definitions.values()), "an account"),
        ("features", wish.features or frozenset(), _features(business, definitions), "a feature"),
    )
    problems = [
        EntryProblem(field, f"No tool asks for {what} {name[:60]!r}. Use {', '.join(sorted(known))}.")
        for field, names_wanted, known, what in sides
        for name in sorted(names_wanted - known)
    ]
    if problems:
        raise NotValid(problems)


def _state(integration: Integration) -> str:
    if not integration.is_connected:
        return "off"
    return "refused" if integration.needs_reauth else "connected"


def _as(state: Integration, now: Integration | None) -> Integration:
    return replace(now, is_connected=state.is_connected, needs_reauth=state.needs_reauth) if now else state


def _rules(business: Business, actions: frozenset[str]) -> tuple[EscalationRule, ...]:
    rules = [rule for rule in business.escalation_rules if rule.action in actions]
    added = actions - {rule.action for rule in rules}
    return (*rules, *(EscalationRule(action) for action in sorted(added)))


def _named(group: str, definitions: Iterable[Definition]) -> frozenset[str]:
    parts = (condition.partition(":") for d in definitions for condition in conditions(d))
    return frozenset(name for kind, _, name in parts if kind == group)


def _wish(query: WhatIfQuery) -> Otherwise:
    rules, features = named(query.rules), named(query.features)
    return Otherwise(
        query.states,
        None if rules is None else frozenset(rules),
        None if features is None else frozenset(features),
        query.agent_id,
    )
