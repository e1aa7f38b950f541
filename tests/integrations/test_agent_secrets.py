"""Secrets that belong to one agent: used before the business's own, sealed in their own place, and listed by time."""

from datetime import UTC, datetime, timedelta

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Query, Set
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
PLACE = ("salon", "email", "password")


@pytest.fixture
def store() -> MemoryStore:
    """An empty store."""
    return MemoryStore()


@pytest.fixture
def secrets(store: MemoryStore) -> SealedSecrets:
    """Secrets over that store."""
    return SealedSecrets(store, PATHS, LocalKeyKeeper(b"k" * 32))


async def test_an_agents_own_secret_is_used_before_the_businesss(secrets: SealedSecrets):
    """And the business's by every agent that has none."""
    await secrets.keep(*PLACE, "business")
    await secrets.keep(*PLACE, "mine", agent_id="ada")
    assert await secrets.reveal(*PLACE, agent_id="ada") == "mine"
    assert await secrets.reveal(*PLACE, agent_id="bob") == "business"
    assert await secrets.reveal(*PLACE) == "business"
    await secrets.forget("salon", "email", agent_id="ada")
    assert await secrets.reveal(*PLACE, agent_id="ada") == "business"


async def test_an_agents_secret_opens_for_nobody_else(store: MemoryStore, secrets: SealedSecrets):
    """Moved to another agent, or to the business itself, it does not."""
    await secrets.keep(*PLACE, "mine", agent_id="ada")
    within = PATHS.within("salon")
    moved = await store.get(within.document("secrets", "email~ada"))
    assert moved is not None and b"mine" not in repr(moved.data).encode()
    for id, agent in (("email~bob", "bob"), ("email", "")):
        await store.commit([Set(within.document("secrets", id), moved.data)])
        with pytest.raises(ToolError) as caught:
            await secrets.reveal(*PLACE, agent_id=agent)
        assert caught.value.type is ErrorType.AUTH


async def test_only_since_when_a_secret_is_kept_is_told(secrets: SealedSecrets):
    """By field, until they are taken away."""
    before = datetime.now(UTC) - timedelta(seconds=1)
    await secrets.keep(*PLACE, "canary")
    await secrets.keep("salon", "email", "other", "canary")
    since = await secrets.kept_since("salon", "email")
    assert set(since) == {"password", "other"} and all(at > before for at in since.values())
    assert "canary" not in repr(since)
    await secrets.forget("salon", "email")
    assert await secrets.kept_since("salon", "email") == {}
    assert await secrets.reveal(*PLACE) is None
    assert await secrets.kept_since("salon", "email", agent_id="ada") == {}


async def test_forgetting_what_is_not_there_is_no_failure(secrets: SealedSecrets):
    """Neither a toolkit nor an agent."""
    await secrets.forget("salon", "email")
    assert await secrets.to_forget_agent("salon", "ada") == []


async def test_an_agent_leaves_with_all_of_its_secrets_and_no_others(store: MemoryStore, secrets: SealedSecrets):
    """The business's and another agent's stay."""
    for agent in ("ada", "bob", ""):
        for toolkit in ("email", "twilio"):
            await secrets.keep("salon", toolkit, "x", agent or "own", agent_id=agent)
    await store.commit(await secrets.to_forget_agent("salon", "ada"))
    left = {d.id for d in await store.query(Query(PATHS.within("salon").collection("secrets")))}
    assert left == {"~keys", "email", "twilio", "email~bob", "twilio~bob"}


async def test_an_agents_secret_survives_a_rotation(secrets: SealedSecrets):
    """As the business's own do."""
    await secrets.keep(*PLACE, "mine", agent_id="ada")
    await secrets.rotate("salon")
    assert await secrets.reveal(*PLACE, agent_id="ada") == "mine"
