"""The project's access token: fetched once, renewed in time, and replaced where it is refused."""

import asyncio

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.pipedream import tokens
from switchboard.integrations.pipedream.actions import PipedreamActions
from tests.integrations.conftest import LONG_S
from tests.integrations.pipedream.connected import connected

SALON = connected()


async def test_twenty_at_once_fetch_one_token(apps):
    """And all of them run."""
    await asyncio.gather(*(apps.actions.run(SALON, apps.mail()) for _ in range(20)))
    assert len(apps.asked("token")) == 1
    assert len(apps.runs) == 20


async def test_a_token_is_renewed_before_it_expires(apps):
    """Five minutes before its hour is over, on the clock of this process."""
    await apps.actions.run(SALON, apps.mail())
    apps.clock.seconds += 3_299
    await apps.actions.run(SALON, apps.mail())
    assert len(apps.asked("token")) == 1
    apps.clock.seconds += 2
    await apps.actions.run(SALON, apps.mail())
    assert len(apps.asked("token")) == 2


async def test_a_refused_token_is_replaced_and_the_action_runs_once(apps):
    """What a 401 refused did not run."""
    await apps.actions.run(SALON, apps.mail())
    apps.stand_in.project.tokens.clear()
    await apps.actions.run(SALON, apps.mail())
    assert [line["status"] for line in apps.asked("actions.run")] == [200, 401, 200]
    assert len(apps.runs) == 2


async def test_a_token_that_is_refused_again_is_not_replaced_a_second_time(apps):
    """It is the project that is refused then, which no owner can repair: PERMANENT, not AUTH."""
    apps.fault("expired-token", times=None)
    with pytest.raises(ToolError) as caught:
        await apps.actions.run(SALON, apps.mail())
    assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.PERMANENT, False)
    assert len(apps.asked("actions.run")) == 2


async def test_wrong_credentials_of_the_project_are_the_operators_affair(apps):
    """PERMANENT: connecting an app again would not help; the secret is in no message."""
    wrong = PipedreamActions(apps.http, apps.project_with(client_secret="not-the-secret"), apps.clock)
    with pytest.raises(ToolError) as caught:
        await wrong.run(SALON, apps.mail())
    assert caught.value.type is ErrorType.PERMANENT
    assert "not-the-secret" not in f"{caught.value.message} {caught.value.detail}"


@pytest.mark.parametrize(("mode", "type"), [("429", ErrorType.RATE_LIMIT), ("slow-then-accept", ErrorType.TRANSIENT)])
async def test_a_token_that_does_not_come_lets_nothing_run(apps, mode, type, monkeypatch):
    """Certainly: nothing was asked for yet."""
    monkeypatch.setattr(tokens, "TOKEN_S", LONG_S if mode == "429" else 0.3)
    apps.fault(mode, "token", seconds=600)
    with pytest.raises(ToolError) as caught:
        await apps.actions.run(SALON, apps.mail())
    assert (caught.value.type, caught.value.partial_side_effects) == (type, False)
    assert apps.runs == []
