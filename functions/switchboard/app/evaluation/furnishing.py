"""A business as a scenario says it, in a store of its own, with what the scenario changes and adds."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, get_args
from zoneinfo import ZoneInfo

from switchboard.admin.credentials.api_keys import create_key
from switchboard.admin.definitions.definition_set import publish, read_published
from switchboard.admin.evals.scenario import BadScenario, Scenario, check_against
from switchboard.admin.maintenance.business_folder import COLLECTIONS, FolderReader, read_business_folder
from switchboard.admin.maintenance.demo_bookings import enter
from switchboard.app.evaluation.connection import StandingClock
from switchboard.app.evaluation.vendors import VendorsAccount
from switchboard.app.evaluation.world import KEY, PATHS, SECRETS_KEY, TWILIO_TOKEN, FurnishedPremises
from switchboard.contract.credential import SERVICE_SCOPES
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection
from switchboard.contract.store import Set
from switchboard.desk.bookings.obstacles import horizon
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore

_BY = "evaluation"
_ACCOUNT = "AC" + "0" * 32


async def furnish(
    scenario: Scenario,
    tools: Sequence[str],
    folders: Sequence[Path] = (),
    definitions: Mapping[str, JsonObject] | None = None,
) -> FurnishedPremises:
    """Return the business of a scenario, with what the scenario changes and adds.

    Args:
        scenario: Whose.
        tools: Those that there are.
        folders: Where businesses lie that scenarios name and do not describe.
        definitions: What is published, as it is stored; nothing for the tools as they were built.

    Raises:
        BadScenario: There is no such business, or it cannot be that way; or the scenario names what is not there.
    """
    source = next((folder / scenario.business for folder in folders if (folder / scenario.business).is_dir()), None)
    if source is None and not scenario.document:
        known = sorted(path.name for folder in folders if folder.is_dir() for path in folder.iterdir() if path.is_dir())
        raise BadScenario(f"business: there is no {scenario.business!r}; there are {', '.join(known)}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / scenario.business
        if source is None or scenario.document:
            folder.mkdir()
            (folder / "business.json").write_text(json.dumps(scenario.document), encoding="utf-8")
        else:
            shutil.copytree(source, folder)
        _write(folder, scenario)
        reader = FolderReader(folder)
        read = read_business_folder(reader, folder)
    if reader.problems:
        raise BadScenario(f"change, add: {reader.problems[0]}")
    if unknown := sorted(scenario.add.keys() - set(get_args(BusinessCollection))):
        raise BadScenario(f"add: a business has no collection {unknown[0]!r}")
    tools = [*tools, *scenario.add.get("tools", {})]
    now = scenario.now if scenario.now.tzinfo else _local(scenario.now, read.business.timezone)
    latest = horizon(read.business, now).latest - now
    check_against(scenario, tools, [service.name for service in read.business.services], now, latest)
    store, within = MemoryStore(StandingClock(now)), PATHS.within(scenario.business)
    if definitions:
        await publish(store, PATHS, await read_published(store, PATHS), definitions, _BY)
    documents: dict[tuple[str, str], JsonObject] = {}
    documents |= {(name, id): one for name, by_id in read.stored.items() for id, one in by_id.items()}
    # What a seed knows nothing of is taken as it is written.
    documents |= {
        (n, id): one for n, by_id in scenario.add.items() if n not in COLLECTIONS for id, one in by_id.items()
    }
    await store.commit([Set(within.business, read.document)])
    for (name, id), one in documents.items():
        await store.commit([Set(within.document(name, id), one)])  # type: ignore[arg-type]
    for wish in read.wishes:
        await enter(store, within, wish, now)
    account = await _account(store, scenario.business, read.document)
    return FurnishedPremises(read.business, now, store, account)


async def _account(store: MemoryStore, business: str, document: Mapping[str, Any]) -> VendorsAccount:
    """Keep what lets its callers in, and return the business's account with the phone network."""
    await create_key(store, PATHS, business, "evaluation", scopes=SERVICE_SCOPES, text=KEY)
    twilio = document.get("integrations", {}).get("twilio", {})
    if twilio:
        secrets = SealedSecrets(store, PATHS, LocalKeyKeeper.from_text(SECRETS_KEY))
        await secrets.keep(business, "twilio", "authToken", TWILIO_TOKEN)
    sid = twilio.get("accountSid", _ACCOUNT)
    return VendorsAccount(sid, TWILIO_TOKEN, (str(document.get("twilioNumber")),))


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    local = moment.replace(tzinfo=zone)
    if local.astimezone(ZoneInfo("UTC")).astimezone(zone).replace(tzinfo=None) != moment:
        raise BadScenario(f"now: in {zone.key} the clocks skip {moment:%Y-%m-%d %H:%M}")
    return local


def _write(folder: Path, scenario: Scenario) -> None:
    """Write into a business's folder what a scenario changes and adds."""
    path = folder / "business.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for name, value in scenario.change.items():
        place = document
        *above, last = name.split(".")
        for part in above:
            place = place.setdefault(part, {})
        place[last] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    for collection, documents in scenario.add.items():
        if collection not in COLLECTIONS:
            continue
        path = folder / f"{collection}.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        path.write_text(json.dumps({**known, **documents}), encoding="utf-8")
