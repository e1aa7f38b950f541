"""Businesses of other trades beside the demo's: those of `seeds/templates`, with what a run on this machine gives them.

What needs packages is imported when it is needed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import setting_up
from command_line import Problem

if TYPE_CHECKING:
    from switchboard.contract.ports import Paths, Store

TEMPLATES = setting_up.ROOT / "seeds" / "templates"


def names() -> tuple[str, ...]:
    """Return which there are, each trade in each language."""
    return tuple(sorted(folder.name for folder in TEMPLATES.iterdir() if folder.is_dir()))


async def furnish(
    store: Store, paths: Paths, chosen: Sequence[str], *, now: datetime, url: str, secrets_key: str, token: str
) -> None:
    """Bring them into the store under their folders' names; one that an earlier run has brought in stays as it is.

    Args:
        store: Holds the businesses.
        paths: Where things are in it.
        chosen: Some of `names()`.
        now: An aware moment, from which their bookings are counted.
        url: Where their portals are served.
        secrets_key: What the server reads its secrets with.
        token: The auth token of the phone account that stands in for theirs.

    Raises:
        Problem: The files, the key or the store refuse.
    """
    if not chosen:
        return
    from operations import seeding
    from running.demo import opened_before
    from switchboard.contract.error import ToolError
    from switchboard.contract.store import StoreError, Update
    from switchboard.integrations.secrets.kms import LocalKeyKeeper
    from switchboard.integrations.secrets.sealed_secrets import SealedSecrets

    with tempfile.TemporaryDirectory() as made:
        businesses = Path(made) / "businesses"
        businesses.mkdir()
        for name in chosen:
            (businesses / name).symlink_to(TEMPLATES / name)
        try:
            files = seeding.read_seeds(Path(made), ("businesses",))
            # Whatever has been saved there since an earlier run stays.
            kept = await opened_before(store, paths, files.businesses or {})
            new = {id: folder for id, folder in (files.businesses or {}).items() if id not in kept}
            files = replace(files, businesses=new)
            await seeding.push(store, paths, files, now=now, out=lambda _: None, by="scripts/run")
            secrets = SealedSecrets(store, paths, LocalKeyKeeper.from_text(secrets_key))
            for name in chosen:
                await secrets.keep(name, "twilio", "authToken", token)
                portal = {"portalUrl": f"{url.rstrip('/')}/portal/"}
                await store.commit([Update(paths.within(name).business, portal)])
        except (seeding.BadSeeds, StoreError, ToolError, ValueError) as error:
            raise Problem(f"serving {', '.join(chosen)} failed: {error}") from None
