"""One instance in a process of its own: it answers one turn, and tells on its output how far it has come.

one_instance.py <host:port of the emulator> <project> first|second
"""

import asyncio
import json
import sys
from typing import Any

from switchboard.app.clients import SystemClock
from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.conversation.dependencies import join
from switchboard.conversation.event import Text
from switchboard.conversation.guard import Unguarded
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record import turn_lease, turn_numbers
from switchboard.conversation.record.deliveries import TurnDelivery
from switchboard.conversation.record.interactions import Interactions
from switchboard.conversation.speech.utterance import Utterance
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.state.firestore.store import FirestoreStore
from tests.conversation import planted
from tests.conversation.scripted import ScriptedModel, calls, says
from tests.pipeline.conftest import BUSINESS, PATHS, Instance
from tests.pipeline.planted import done

LEASE_S = 4.0
FACTS = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1", turn=0)
KEYS, MORE = calls(("hand_on", {"what": "the keys"})), calls(("hand_on", {"what": "something else"}))


def conversations(store: Any, *answers: Any) -> tuple[Conversations, ScriptedModel]:
    """Return the conversations of an instance whose time is the machine's."""
    clock, model = SystemClock(), ScriptedModel(*answers)
    office, interactions = Instance(store, clock, planted.registry()), Interactions(store, PATHS, clock)  # type: ignore[arg-type]

    async def system(*_: Any) -> str:
        return "You are Echo."

    services = office.catalog, office.dispatcher, Approvals(store, PATHS), clock
    parts = join(model, *services, system, lambda *_: Unguarded(), interactions.recorder)
    return Conversations(parts, interactions), model


async def main(host: str, project: str, which: str) -> None:
    """Answer the turn; the first one stops in the middle of it until it is told to go on."""
    for name in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
        setattr(policy, name, 30.0)
    turn_numbers._CLAIM_PATIENCE_S, turn_lease.RENEWED_AFTER_S = 30.0, 1.0
    store, gate = FirestoreStore(project, emulator_host=host), asyncio.Event()
    answers = [KEYS, [gate, *MORE], says("Too late.")] if which == "first" else [KEYS, says("Handed on.")]
    held, model = conversations(store, *answers)

    async def tell() -> None:
        while len(model.prompts) < 2:
            await asyncio.sleep(0.01)
        print("under way", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        gate.set()

    telling = asyncio.create_task(tell()) if which == "first" else None
    conversation, utterance = await held.open(FACTS), Utterance("Hello")
    delivery = TurnDelivery("k1", LEASE_S, patience_s=60.0)
    said = await conversation.begin_once(utterance, delivery)
    if said is None:
        events = [event async for event in conversation.reply(utterance)]
        said = "".join(event.text for event in events if isinstance(event, Text) and not event.is_filler)
        await delivery.settle(said)
    print(json.dumps({"said": said, "done": done}), flush=True)
    del telling
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
