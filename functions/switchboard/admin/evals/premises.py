"""A stored business as a scenario says it: its own document, so that the scenario needs nothing beside itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from switchboard.admin.access.known_business import business_document
from switchboard.admin.businesses.models import BusinessFields
from switchboard.contract.business.agent_trial import ENDED_TRIALS, TRIAL
from switchboard.contract.business.business import BUILT_IN_CALENDAR, read_business
from switchboard.contract.document import mapping
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Query

_TWILIO = ("isConnected", "textsPerHour", "textsPerDay", "countries", "textAnyone")
_ACCOUNT = "AC00000000000000000000000000000000"
_CALENDAR = ("defaultEventDuration", "minNoticeMinutes", "maxDaysAhead", "textConfirmations")
# A scenario is played with the agent that all have, whatever is tried beside it.
_AGENT_STAMPS = ("createdAt", "updatedAt", "updatedBy", TRIAL, ENDED_TRIALS)
_MOST_AGENTS = 20


@dataclass(frozen=True, slots=True)
class StoredPremises:
    """A business's document and its agents, as scenarios say them."""

    document: JsonObject
    agents: Mapping[str, JsonObject]

    def joined(self, scenario: JsonObject) -> JsonObject:
        """Return a scenario's fields with the business that it is about, and its agents."""
        added = dict(mapping(scenario.get("add")))
        if self.agents:
            added["agents"] = dict(self.agents)
        fields = {**scenario, "document": self.document, **({"add": added} if added else {})}
        # What is long and seldom edited stands at the end.
        return {name: fields[name] for name in (*(n for n in fields if n != "document"), "document")}


async def read_premises(store: Store, within: BusinessPaths) -> StoredPremises:
    """Return a business as it is now.

    Appointments are made in Switchboard's own calendar, and no key or token of the business is taken along.

    Raises:
        NotFound: There is no such business.
        StoreError: The store's.
    """
    business = await business_document(store, within)
    agents = await store.query(Query(within.collection("agents"), limit=_MOST_AGENTS))
    return StoredPremises(_document(business.data), {one.id: _plain(one.data, _AGENT_STAMPS) for one in agents})


async def with_premises(store: Store, within: BusinessPaths, scenario: JsonObject) -> JsonObject:
    """Return a scenario's fields with the business that it is about, as it is now, and its agents.

    Raises:
        NotFound: There is no such business.
        StoreError: The store's.
    """
    return (await read_premises(store, within)).joined(scenario)


def _document(data: Mapping[str, Any]) -> JsonObject:
    names = [*(field.alias or name for name, field in BusinessFields.model_fields.items()), *BusinessFields.elsewhere]
    fields = _plain({name: data[name] for name in names if data.get(name) is not None and name != "integrations"}, ())
    integrations = mapping(data.get("integrations"))
    # Vendors that nothing stands in for are left out: none of them may be reached.
    settings = mapping(integrations.get(read_business("business", data).calendar))
    by_name = {BUILT_IN_CALENDAR: {"isConnected": True} | {k: settings[k] for k in _CALENDAR if k in settings}}
    twilio = mapping(integrations.get("twilio"))
    if twilio:
        by_name["twilio"] = {"accountSid": _ACCOUNT} | {k: twilio[k] for k in _TWILIO if k in twilio}
    if mapping(integrations.get("email")):
        by_name["email"] = {"isConnected": mapping(integrations["email"]).get("isConnected")}
    return {**fields, "integrations": _plain(by_name, ())}


def _plain(value: Any, without: Sequence[str]) -> Any:
    """Return a value without what YAML would write in a form of its own, such as times of the store."""
    if isinstance(value, Mapping):
        pairs = ((str(name), _plain(inner, without)) for name, inner in value.items() if name not in without)
        return {name: inner for name, inner in pairs if inner is not None}
    if isinstance(value, list | tuple):
        return [_plain(inner, without) for inner in value]
    return value if isinstance(value, str | int | float | bool) else None
