"""The order of a deployment: what others rest on comes first, and the doors open last."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from deploying import background, data, ground, serving_parts, watching
from deploying.settings import Settings
from deploying.step import Step

PARTS: dict[str, Callable[[Settings], Iterator[Step]]] = {
    "tools": ground.tools,
    "lock": ground.lock,
    "services": ground.services,
    # Before rules and hosting, which are Firebase's.
    "firebase": ground.firebase,
    "account": ground.account,
    "secrets": ground.secrets,
    "database": data.database,
    "rules": data.rules,
    # Before the code that asks for them.
    "indexes": data.indexes,
    "ttl": data.ttl,
    # Before the functions that put tasks into it.
    "queue": background.queue,
    # Before the functions whose pages stream from it.
    "relay": serving_parts.relay,
    "functions": serving_parts.functions,
    # After the functions that it leads to.
    "hosting": data.hosting,
    # After the address that it asks at.
    "scheduler": background.scheduler,
    "dashboards": watching.dashboards,
    # Before the alert that goes by it.
    "uptime": watching.uptime,
    "alerts": watching.alerts,
}
"""What `--only` takes, in order."""


def planned(settings: Settings, only: Collection[str] = ()) -> list[Step]:
    """Return the steps, of some parts or of all."""
    rows: list[Step] = []
    names_kept: set[str] = set()
    for step in (step for name, steps in PARTS.items() if not only or name in only for step in steps(settings)):
        # Found out once: every part is given the same, whatever is added meanwhile.
        if not step.keeps or step.keeps not in names_kept:
            rows.append(step)
            names_kept.add(step.keeps)
    return rows
