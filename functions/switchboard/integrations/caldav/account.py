"""What a business has set for its CalDAV account, read from `integrations.caldavCalendar` and the secret beside it."""

import base64
import re
from dataclasses import field

from switchboard.contract.business.business import Integration
from switchboard.contract.error import ErrorType
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.caldav.failures import failure
from switchboard.integrations.egress.target import Target, UnusableAddress, read_target

INTEGRATION = "caldavCalendar"
"""The connection's name in `businesses/{id}.integrations`."""
TOOLKIT = "caldav"
"""The toolkit's name, under which its secrets are kept."""
PASSWORD = "appPassword"

# Those who keep accounts on many hosts, and whose every host is their own: Apple's partitions, such as
# p42-caldav.icloud.com. Elsewhere a password goes to the very host that the owner named.
_PARTITIONED = ("icloud.com",)
_USER = re.compile(r"[^:\x00-\x1f\x7f\ud800-\udfff]{1,254}")


@dataclass(frozen=True, slots=True)
class CaldavAccount:
    """An account on a CalDAV server.

    Attributes:
        server: Where its owner says that it is.
        username: Whom to log in as.
        calendar_url: The chosen calendar, ending with a slash; empty where none is chosen yet.
        password: Never shown or logged.
    """

    server: Target
    username: str
    calendar_url: str
    password: str = field(repr=False)

    @property
    def authorization(self) -> str:
        """The header that shows who asks; for `may_receive` hosts only."""
        pair = f"{self.username}:{self.password}".encode("utf-8", "surrogatepass")
        return "Basic " + base64.b64encode(pair).decode()

    def may_receive(self, url: str) -> bool:
        """Tell whether the password may be sent to an address: that of the server, or of another host of the same."""
        try:
            target = read_target(url)
        except UnusableAddress:
            return False
        if target.origin == self.server.origin:
            return True
        if target.scheme != "https" or self.server.scheme != "https" or target.port != self.server.port:
            return False
        return any(_is_under(target.host, name) and _is_under(self.server.host, name) for name in _PARTITIONED)


def read_account(connection: Integration, password: str | None) -> CaldavAccount:
    """Return the account that a business has set up.

    The server and the user are the business's own, also where an agent, a person or an older booking names another
    calendar: the password was kept for these.

    Raises:
        ToolError: PERMANENT, naming in its detail the setting that cannot work; AUTH where there is no password.
    """
    url, username = (connection.account.get(name) for name in ("serverUrl", "username"))
    chosen = connection.settings.get("calendarUrl")
    try:
        server = read_target(url if isinstance(url, str) else "")
    except UnusableAddress as error:
        raise failure(ErrorType.PERMANENT, f"serverUrl cannot be used: {error}") from None
    if not isinstance(username, str) or not _USER.fullmatch(username):
        raise failure(ErrorType.PERMANENT, "username cannot be one")
    if not password:
        raise failure(ErrorType.AUTH, "there is no password")
    calendar_url = chosen if isinstance(chosen, str) else ""
    account = CaldavAccount(server, username, calendar_url and calendar_url.rstrip("/") + "/", password)
    if calendar_url and not account.may_receive(calendar_url):
        raise failure(ErrorType.PERMANENT, "calendarUrl is on another host than serverUrl")
    return account


def _is_under(host: str, name: str) -> bool:
    return host == name or host.endswith(f".{name}")
