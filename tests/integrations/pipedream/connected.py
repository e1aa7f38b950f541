"""A business whose apps are connected in the stand-in's project: everything between the port and the wire is real."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from stand_ins.pipedream.app import PipedreamStandIn
from stand_ins.pipedream.project import CLIENT_ID, CLIENT_SECRET, PROJECT_ID
from switchboard.contract.business.business import Business
from switchboard.contract.definitions.tenant_tool import BoundAction
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.pipedream.actions import PipedreamActions
from switchboard.integrations.pipedream.project import PipedreamProject
from tests.desk.front_desk import salon

SALON_ID = "demo-salon"


class MovingClock:
    """The time, which only moves when told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2027, 3, 10, 15, 0, tzinfo=UTC)

    def monotonic(self) -> float:
        return self.seconds


def connected(id: str = SALON_ID, **settings: Any) -> Business:
    """Return the salon with apps connected."""
    return salon(id, integrations={"pipedream": {"isConnected": True} | settings})


@dataclass
class Apps:
    """The stand-in, its accounts, and the port that reaches it."""

    url: str
    stand_in: PipedreamStandIn
    clock: MovingClock = field(default_factory=MovingClock)
    http: HttpSession = field(default_factory=HttpSession)

    def __post_init__(self) -> None:
        self.project = self.project_with()
        self.actions = PipedreamActions(self.http, self.project, self.clock)
        self.gmail = self.account("gmail")
        self.sheets = self.account("google_sheets")

    def project_with(self, **changes: Any) -> PipedreamProject:
        known = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "project_id": PROJECT_ID, "base_url": self.url}
        return PipedreamProject(**known | changes)

    def account(self, app: str, user: str = SALON_ID, **more: Any) -> str:
        found: str = self.stand_in.project.connect({"external_user_id": user, "app": app, **more})["id"]
        return found

    def fault(self, mode: str, method: str = "actions.run", **more: Any) -> None:
        self.stand_in.faults.set({"mode": mode, "method": method, **more})

    def asked(self, method: str) -> list[dict[str, Any]]:
        return [line for line in self.stand_in.faults.journal if line["method"] == method]

    @property
    def runs(self) -> list[dict[str, Any]]:
        return self.stand_in.project.runs

    def mail(self, **changes: Any) -> BoundAction:
        """Return the action that sends an e-mail."""
        props = {"to": ["anna@example.com"], "subject": "Your booking", "body": "See you on Tuesday."}
        bound = {"app": "gmail", "account_id": self.gmail, "action_key": "gmail-send-email", "props": props}
        return BoundAction(**bound | changes)

    def row(self, **changes: Any) -> BoundAction:
        """Return the action that adds a row, whose columns are known only once the sheet is."""
        props = {"sheetId": "s1", "hasHeaders": True, "col_0000": "Tom Becker", "col_0001": "+15185550164"}
        key = "google_sheets-add-single-row"
        bound = {"app": "google_sheets", "account_id": self.sheets, "action_key": key, "props": props}
        return BoundAction(**bound | changes)
