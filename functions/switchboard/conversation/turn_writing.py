"""When a turn is written down: at its end, or, where it answers a delivery, together with what that was answered."""

from switchboard.conversation.dependencies import Recorder
from switchboard.conversation.record.deliveries import TurnDelivery
from switchboard.conversation.session import CallSession


class TurnWriting:
    """Writes the turns of one conversation down, each once."""

    def __init__(self, recorder: Recorder, session: CallSession) -> None:
        """Let `recorder` write."""
        self._recorder, self._session = recorder, session
        self._delivery: TurnDelivery | None = None
        self._is_waiting = False

    def begun(self, delivery: TurnDelivery | None) -> None:
        """Note what has begun the turn that is under way; None where nothing comes twice."""
        self._delivery = delivery
        if delivery is not None:
            delivery.begun(self._settle)

    async def ended(self) -> None:
        """Write a turn down that is over, unless that waits for what its delivery is answered."""
        self._is_waiting = self._delivery is not None and not self._delivery.is_settled
        if not self._is_waiting:
            await self._recorder.save(self._session)

    async def rest(self) -> None:
        """Write down a turn that waits for its answer: that comes alone then, or not at all."""
        if self._is_waiting:
            self._is_waiting = False
            await self._recorder.save(self._session)

    async def _settle(self, delivery: TurnDelivery) -> None:
        if self._is_waiting and self._delivery is delivery:
            self._is_waiting = False
            await self._recorder.save(self._session, delivery)
        else:
            # Its turn goes on without those who asked, or was written down when somebody interrupted.
            await self._recorder.settle(delivery)
