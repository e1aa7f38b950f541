"""A fresh salon for each test."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from switchboard.pipeline.execution.deadline import outlived
from tests.channels.portal import planted
from tests.channels.portal.salon import Salon

Open = Callable[..., Awaitable[Salon]]


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    """Open a salon whose model gives these answers; instances with the same `store` share it."""
    salons: list[Salon] = []
    planted.forget()

    async def open(*answers: object, **how: object) -> Salon:
        salon = Salon(*answers, **how)  # type: ignore[arg-type]
        salons.append(salon)
        return await salon.furnish()

    yield open
    for gate in (*planted.gates.values(), *planted.planted.gates.values()):
        gate.set()
    for salon in salons:
        await salon.conversations.close()
        await salon.http.aclose()
    await outlived()
