"""Conversations by session: what this process remembers, unless another has gone on since."""

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.conversation.dependencies import Dependencies, join
from switchboard.conversation.guard import Unguarded
from switchboard.conversation.held_conversations import Conversations
from switchboard.pipeline.confirmation.approvals import Approvals
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office, office
from tests.conversation.scripted import ScriptedModel, calls, says
from tests.pipeline.conftest import BUSINESS, PATHS

__all__ = ["office"]
FACTS = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1", turn=0)


def parts(office: Office, *answers: object) -> Dependencies:
    async def system(*_: object) -> str:
        return "You are Echo."

    return join(
        ScriptedModel(*answers),  # type: ignore[arg-type]
        office.instance.catalog,
        office.instance.dispatcher,
        Approvals(office.store, PATHS),
        office.clock,
        system,
        lambda *_: Unguarded(),
        office.interactions.recorder,
    )


async def test_a_session_goes_on_with_everything_that_is_remembered(office: Office) -> None:
    """Also with what the tools answered, which no record holds."""
    open = Conversations(parts(office, calls(("look", {})), says("Hi."), says("Bye.")), office.interactions)
    first = await open.open(FACTS)
    await answer(first)
    second = await open.open(FACTS)
    assert second is first
    assert second.session.tool_context
    await answer(second)
    assert second.session.facts.turn == 2


async def test_what_another_instance_has_heard_since_counts(office: Office) -> None:
    """A phone call may fall back to another instance, a chat may be balanced to one."""
    here = Conversations(parts(office, says("One.")), office.interactions)
    there = Conversations(parts(office, says("Two.")), office.interactions)
    await answer(await here.open(FACTS), "a")
    await answer(await there.open(FACTS), "b")
    again = await here.open(FACTS)
    assert again.session.facts.turn == 2
    assert [m.text for m in again.session.history.messages if hasattr(m, "text")] == ["a", "One.", "b", "Two."]
