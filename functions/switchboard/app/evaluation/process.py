"""The process in which kept tests are played: `python -m switchboard.app.evaluation.process`.

It is asked line by line, as JSON, and answers each with one line: first the definitions, once it has begun, then a
scenario at a time. It has no settings and no credentials, and can connect to nobody: whatever a test does stays in it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Mapping
from typing import Any

from switchboard.admin.evals.playing import LONGEST_TOLD
from switchboard.admin.evals.scenario import BadScenario, scenario_of
from switchboard.app.core import REGISTRY
from switchboard.app.evaluation.connection import unhurried
from switchboard.app.evaluation.furnishing import furnish
from switchboard.app.evaluation.judging import Finding
from switchboard.app.evaluation.running import HeldScenario, run
from switchboard.app.evaluation.variations import plain
from switchboard.app.evaluation.vendors import TakenDown
from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.error import ToolError
from switchboard.contract.store import StoreError

_REACHING_OUT = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "subprocess.Popen", "os.system")
_LESS_URGENT = 10
_BREAKS = (ToolError, StoreError, ValueError, TypeError, LookupError, AttributeError, RuntimeError, OSError)


def main() -> None:
    """Answer until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What anything else prints is no answer.
    os.dup2(2, 1)
    os.nice(_LESS_URGENT)
    logging.disable(logging.CRITICAL)
    sys.addaudithook(keep_in)
    definitions = json.loads(sys.stdin.readline() or "{}")
    print("{}", file=answers, flush=True)
    tools = [*Registry.load(REGISTRY).tools]
    with unhurried():
        for line in sys.stdin:
            print(json.dumps(_verdict(json.loads(line), definitions, tools)), file=answers, flush=True)


def keep_in(event: str, arguments: Any) -> None:
    """Refuse what would leave this process, as an audit hook that nothing can take off again.

    Raises:
        ConnectionRefusedError: It would.
    """
    if event in _REACHING_OUT:
        raise ConnectionRefusedError("nothing is reached from a rehearsal")


def _verdict(document: Mapping[str, Any], definitions: Mapping[str, Any], tools: list[str]) -> dict[str, str]:
    try:
        held = asyncio.run(_held(document, definitions, tools))
    except BadScenario as problem:
        return {"what": _told(f"{problem}")}
    except _BREAKS as error:
        # Of anything else the process ends, and the next test is played in another.
        return {"what": _told(f"it breaks what plays it: {type(error).__name__}: {error}")}
    first = held.findings[0] if held.findings else Finding("")
    told = {"what": first.what, "sentence": first.sentence, "call": _call(held, first.call)}
    return {name: _told(words) for name, words in told.items()} | {"catalogHash": held.catalog_hash}


async def _held(document: Mapping[str, Any], definitions: Mapping[str, Any], tools: list[str]) -> HeldScenario:
    scenario = scenario_of(document)
    premises = await furnish(scenario, tools, definitions=definitions)
    return await run(scenario, premises, TakenDown(), plain(scenario))


def _call(held: HeldScenario, id: str) -> str:
    call = next((call for call in held.talk.seen.calls if call.id == id), None) if held.talk and id else None
    if call is None:
        return ""
    failure = call.response.failure
    return f"{call.tool}: {failure.message if failure is not None else 'done'}"


def _told(words: str) -> str:
    return " ".join(words.split())[:LONGEST_TOLD]


if __name__ == "__main__":
    main()
