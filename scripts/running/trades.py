"""Businesses of other trades beside the demo's: those of `seeds/templates`, with what a run on this machine gives them.

What needs packages is imported when it is needed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
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
    """Bring them into the store under their folders' names; what is there already is not written again.

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
            await seeding.seed(
                store, paths, Path(made), now=now, only=("businesses",), out=lambda _: None, by="scripts/run"
            )
            secrets = SealedSecrets(store, paths, LocalKeyKeeper.from_text(secrets_key))
            for name in chosen:
                await secrets.keep(name, "twilio", "authToken", token)
                portal = {"portalUrl": f"{url.rstrip('/')}/portal/"}
                await store.commit([Update(paths.within(name).business, portal)])
        except (seeding.BadSeeds, StoreError, ToolError, ValueError) as error:
            raise Problem(f"serving {', '.join(chosen)} failed: {error}") from None
