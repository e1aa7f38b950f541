"""What every calendar's tests begin with: a salon in New York, its secrets, and a time that stands still."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.business.calendar import CalendarEntry
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

SALON = "demo-salon"
PATHS = FirestorePaths()
NEW_YORK = ZoneInfo("America/New_York")
DAY = datetime(2027, 3, 10, tzinfo=NEW_YORK)


class MovingClock:
    """The time, which only moves when told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def wait(self, seconds: float) -> None:
        self.seconds += seconds

    def now(self) -> datetime:
        return datetime(2027, 3, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return 1_000.0 + self.seconds


@dataclass
class CalendarPremises:
    """The salon, its secrets, and its calendar's vendor next door."""

    url: str
    stand_in: Any
    store: MemoryStore = field(default_factory=MemoryStore)
    http: HttpSession = field(default_factory=HttpSession)
    clock: MovingClock = field(default_factory=MovingClock)
    keeper: LocalKeyKeeper = field(default_factory=lambda: LocalKeyKeeper(b"k" * 32))

    def __post_init__(self) -> None:
        self.secrets = SealedSecrets(self.store, PATHS, self.keeper)

    def fail(self, method: str, mode: str, times: int | None = 1, **more: Any) -> None:
        self.stand_in.faults.set({"method": method, "mode": mode, "times": times, **more})

    def asked(self, *methods: str) -> list[dict[str, Any]]:
        """Return what the vendor was asked, of these methods or of all."""
        return [line for line in self.stand_in.faults.journal if not methods or line["method"] in methods]


def visit(id: str = "bk00001", hour: int = 10, **more: Any) -> CalendarEntry:
    """Return an hour's visit on the day."""
    start = DAY.replace(hour=hour)
    known: dict[str, Any] = {"title": "Haircut: Ana Lopez", "booking_id": "bk_1"}
    return CalendarEntry(id=id, start=start, end=start + timedelta(hours=1), **{**known, **more})
