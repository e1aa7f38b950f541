"""The demo businesses: put them into a store, make the keys that let people in, and word a first call.

Imported only under an environment that has the packages.
"""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import setting_up
from command_line import Problem

# isort: split
from operations import seeding
from switchboard.admin.credentials.api_keys import create_key, list_keys
from switchboard.admin.maintenance.business_folder import BusinessFolder
from switchboard.contract.business.business import read_business
from switchboard.contract.credential import OWNER_SCOPES, SERVICE_SCOPES, Scope
from switchboard.contract.error import ToolError
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Delete, Order, Query, StoreError, Unavailable, Update
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets

SALON = "demo-salon"
SEEDS = setting_up.ROOT / "seeds"
KEY_NAME = "demo"
OWNER_NAME, OPERATOR_NAME = "demo owner", "demo operator"
_DAYS_TRIED = 30
_TRIES = 3
_COMMANDS = "scripts/"


async def furnish(
    store: Store, paths: Paths, now: datetime, tell: Callable[[str], object] = lambda _: None, *, seeds: Path = SEEDS
) -> list[str]:
    """Bring the files of seeds/ into the store, and return what was left as it is because somebody has worked on it.

    Where a store outlives a run, what owners have saved since stays: a business that an earlier run has opened is not
    written again, nor are tools and prompts that were last published by somebody else than our commands.

    Raises:
        Problem: The files or the store refuse.
    """
    try:
        for patience in range(_TRIES - 1, -1, -1):
            try:
                files, left = await _of_nobody_yet(store, paths, seeding.read_seeds(seeds))
                await seeding.push(store, paths, files, now=now, out=tell, by="scripts/run")
                return left
            except Unavailable:
                # A store that has just been started may be too slow for calls that must not keep a caller waiting.
                if not patience:
                    raise
                await asyncio.sleep(seeding.PAUSE_S)
    except (seeding.BadSeeds, seeding.CannotPublish, StoreError) as error:
        raise Problem(f"seeding the demo businesses failed: {error}") from None
    return []


async def _of_nobody_yet(store: Store, paths: Paths, files: seeding.Seeds) -> tuple[seeding.Seeds, list[str]]:
    """Return what is to be pushed, and the names of what is not."""
    kept = await opened_before(store, paths, files.businesses or {})
    new = {id: folder for id, folder in (files.businesses or {}).items() if id not in kept}
    last = await store.query(Query(paths.publications, (), (Order("at", descending=True),), limit=1))
    if last and not str(last[0].data.get("by", "")).startswith(_COMMANDS):
        return replace(files, tools=None, prompts=None, businesses=new), [*kept, "tools and prompts"]
    return replace(files, businesses=new), kept


async def opened_before(store: Store, paths: Paths, folders: Mapping[str, BusinessFolder]) -> list[str]:
    """Return which of these businesses an earlier run has brought in whole.

    The last that a run does to one is to say where its portal is served (`open_portals`), which no file can know.
    """
    documents = await store.get_many([paths.within(id).business for id in folders])
    return [
        id
        for (id, folder), document in zip(folders.items(), documents, strict=True)
        if document and document.data.get("portalUrl") != folder.document.get("portalUrl")
    ]


async def make_keys(store: Store, paths: Paths, salon_key: str | None) -> dict[str, str]:
    """Return one API key per demo business; keys that an earlier run made are gone afterwards.

    Args:
        store: Holds the businesses.
        paths: Where things are in it.
        salon_key: The text of demo-salon's key; random without it, as the others' always are.

    Raises:
        Problem: The text cannot be a key, or the store does not answer.
    """
    keys = {}
    for business_id in business_ids():
        text = salon_key if business_id == SALON else None
        try:
            keys[business_id] = await _replace_key(store, paths, business_id, text)
        except ToolError as error:
            culprit = "SWITCHBOARD_DEMO_KEY cannot be used" if text else f"making a key for {business_id} failed"
            raise Problem(f"{culprit}: {error.message}") from None
        except StoreError as error:
            raise Problem(f"making the demo keys failed: {error}") from None
    return keys


async def make_owner_tokens(store: Store, paths: Paths, text: str | None) -> dict[str, str]:
    """Return the bearer token of each demo business's owner; the salon's is random unless `text` fixes it.

    Raises:
        Problem: The text cannot be a key, or the store does not answer.
    """
    try:
        return {
            id: await _replace_key(store, paths, id, text if id == SALON else None, OWNER_NAME, OWNER_SCOPES)
            for id in business_ids()
        }
    except (ToolError, StoreError) as error:
        raise Problem(f"making the owners' tokens failed (SWITCHBOARD_DEMO_OWNER_TOKEN): {error}") from None


async def make_operator_tokens(store: Store, paths: Paths) -> dict[str, str]:
    """Return the bearer tokens that local pages use, by business: whoever runs all of it may also publish definitions.

    Raises:
        Problem: The store does not answer.
    """
    try:
        return {id: await _replace_key(store, paths, id, None, OPERATOR_NAME, tuple(Scope)) for id in business_ids()}
    except (ToolError, StoreError) as error:
        raise Problem(f"making the pages' tokens failed: {error}") from None


async def keep_twilio_token(store: Store, paths: Paths, secrets_key: str, token: str) -> None:
    """Keep the auth token of the demo businesses' Twilio account, encrypted, with each that has connected it.

    Args:
        store: Holds the businesses.
        paths: Where things are in it.
        secrets_key: What the server reads its secrets with.
        token: The account's.

    Raises:
        Problem: The key cannot be used, or not with what is there; or the store does not answer.
    """
    try:
        secrets = SealedSecrets(store, paths, LocalKeyKeeper.from_text(secrets_key))
        for business_id in business_ids():
            if unopened := await secrets.unopened(business_id):
                raise _of_another_key(f"{', '.join(unopened)} of {business_id} does not open")
            document = await store.get(paths.within(business_id).business)
            if document and "twilio" in document.data.get("integrations", {}):
                await secrets.keep(business_id, "twilio", "authToken", token)
    except ValueError as error:
        raise Problem(f"SWITCHBOARD_SECRETS_KEY cannot be used: {error}.") from None
    except ToolError as error:
        raise _of_another_key(error.detail) from None
    except StoreError as error:
        raise Problem(f"keeping the demo's Twilio token failed: {error}") from None


def _of_another_key(reason: str) -> Problem:
    return Problem(
        f"SWITCHBOARD_SECRETS_KEY is not the key of what is kept in this store ({reason}); set that one, or empty the "
        "store."
    )


async def open_portals(store: Store, paths: Paths, url: str) -> None:
    """Let the links that the demo businesses text to their callers lead to where their portals are served.

    Args:
        store: Holds the businesses.
        paths: Where things are in it.
        url: The address of the server.

    Raises:
        Problem: The store does not answer.
    """
    address = f"{url.rstrip('/')}/portal/"
    try:
        for path in (paths.within(id).business for id in business_ids()):
            document = await store.get(path)
            # Not written where it says so: whoever has it open in the pages would be told of another's change.
            if document and document.data.get("portalUrl") != address:
                await store.commit([Update(path, {"portalUrl": address})])
    except StoreError as error:
        raise Problem(f"saying where the demo's portals are failed: {error}") from None


async def connect_vapi(store: Store, paths: Paths, secrets_key: str, key: str) -> None:
    """Connect demo-salon with the voice platform that stands in for Vapi.

    Raises:
        Problem: The store does not answer.
    """
    path = paths.within(SALON).business
    try:
        await SealedSecrets(store, paths, LocalKeyKeeper.from_text(secrets_key)).keep(SALON, "vapi", "apiKey", key)
        document = await store.get(path)
        if document and "vapi" not in document.data.get("integrations", {}):
            await store.commit([Update(path, {"integrations.vapi": {"isConnected": True}})])
    except (StoreError, ToolError) as error:
        raise Problem(f"connecting the demo with Vapi's stand-in failed: {error}") from None


async def connect_mail(store: Store, paths: Paths, *, is_there: bool) -> None:
    """Let the demo businesses that have set no mail server of their own send e-mail where something stands in for one.

    Args:
        store: Holds the businesses.
        paths: Where things are in it.
        is_there: Whether something does; what an earlier run has connected is taken back where nothing does.

    Raises:
        Problem: The store does not answer.
    """
    try:
        for path in (paths.within(id).business for id in business_ids()):
            document = await store.get(path)
            known = document.data.get("integrations", {}).get("email", {}) if document else {}
            if document and not known.get("smtpServer") and known.get("isConnected", False) is not is_there:
                await store.commit([Update(path, {"integrations.email": {**known, "isConnected": is_there}})])
    except StoreError as error:
        raise Problem(f"connecting the demo with the mail server that stands in failed: {error}") from None


async def _replace_key(
    store: Store,
    paths: Paths,
    business_id: str,
    text: str | None,
    name: str = KEY_NAME,
    scopes: tuple[Scope, ...] = SERVICE_SCOPES,
) -> str:
    # Deleted and not revoked: keys of the past must not pile up where an emulator keeps running, and a text that was
    # revoked could never be used again.
    old = [key.id for key in await list_keys(store, paths, business_id) if key.name == name]
    if old:
        await store.commit([Delete(paths.within(business_id).document("apiKeys", id)) for id in old])
    return (await create_key(store, paths, business_id, name, scopes=scopes, text=text)).text


def business_ids() -> list[str]:
    """Return the demo businesses."""
    ids = sorted(folder.name for folder in (SEEDS / "businesses").iterdir() if folder.is_dir())
    return sorted(ids, key=lambda id: id != SALON)  # the salon first: it is what everything printed is about


async def first_call(store: Store, paths: Paths, url: str, key: str, now: datetime) -> str:
    """Return a shell command that asks demo-salon for the free times of its next open day, over HTTP."""
    document = await store.get(paths.within(SALON).business)
    if document is None:
        raise Problem(f"seeds/businesses holds no {SALON}, which the demo needs.")
    business = read_business(SALON, document.data)
    today = now.astimezone(business.timezone).date()
    days = (today + timedelta(days=ahead) for ahead in range(1, _DAYS_TRIED))
    day = next((day for day in days if business.working_hours.on(day)), today)
    body = {
        "businessId": SALON,
        "name": "check_availability",
        "args": {"date": day.isoformat(), "service": business.services[0].name},
        "context": {"channel": "phone"},
    }
    words = [
        f"curl -s {shlex.quote(f'{url}/tools/execute')}",
        f"-H {shlex.quote(f'Authorization: Bearer {key}')}",
        "-H 'Content-Type: application/json'",
        f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}",
    ]
    return " \\\n  ".join(words)
