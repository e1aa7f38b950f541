"""What a business has set for its mail server, read from `integrations.email` and the secret beside it."""

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass

TOOLKIT = "email"
PASSWORD = "password"
# Seed 001: `smtp_port` is 587 when absent; 465 is the one port on which TLS comes before the first word.
SUBMISSION_PORT = 587
_TLS_PORT = 465
# Sends for a business without any address, where nothing leaves this machine.
_NOBODY = "nobody@business.invalid"

Security: TypeAlias = Literal["starttls", "tls", "none"]
"""`none` is no owner's to set: only what stands in on this very machine is spoken to in clear."""
_NAME = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)"
_HOST = re.compile(rf"(?=.{{1,253}}\Z){_NAME}(?:\.{_NAME})*")
_WORD = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_ADDRESS = re.compile(rf"(?=.{{1,254}}\Z){_WORD}(?:\.{_WORD})*@{_NAME}(?:\.{_NAME})+")


def is_address(text: str) -> bool:
    """Tell whether a text is one plain e-mail address, that and nothing else."""
    return _ADDRESS.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class SmtpAccount:
    """A business's way of sending mail.

    Attributes:
        server: The host name that the server's certificate must carry.
        port: Where it takes submissions.
        security: `starttls` begins in clear and turns to TLS before anything is told; `tls` begins with TLS. With
            `none` nobody logs in either.
        sender: The address that mail comes from.
        sender_name: What stands beside it: the business's name.
        reply_to: Where answers go: the business's own address, or the sender's where it has none.
        username: Whom to log in as.
        password: For logging in; never shown or logged.
    """

    server: str
    port: int
    security: Security
    sender: str
    sender_name: str
    reply_to: str
    username: str
    password: str = field(repr=False)


def read_account(business: Business, password: str | None) -> SmtpAccount:
    """Return the account that a business has connected.

    Raises:
        ToolError: PERMANENT, naming the setting that cannot work; AUTH where there is no password.
    """
    settings = business.integrations[TOOLKIT].settings
    server, port, sender = settings.get("smtpServer"), settings.get("smtpPort", SUBMISSION_PORT), _text(settings)
    if not isinstance(server, str) or not _HOST.fullmatch(server):
        raise _unusable("smtpServer", "a host name such as smtp.example.com")
    if not isinstance(port, int) or isinstance(port, bool) or not 1 <= port <= 65_535:
        raise _unusable("smtpPort", "a number from 1 to 65535")
    security = settings.get("security", "tls" if port == _TLS_PORT else "starttls")
    if security not in ("starttls", "tls"):
        raise _unusable("security", "starttls or tls; mail is never sent in clear")
    if not is_address(sender):
        raise _unusable("fromEmail", "an address such as hello@example.com")
    if not password:
        raise must_be_connected_again("integrations.email: no secret named password")
    return SmtpAccount(
        server=server,
        port=port,
        security=security,
        sender=sender,
        sender_name=business.name,
        reply_to=business.email if is_address(business.email) else sender,
        username=str(settings.get("username") or sender),
        password=password,
    )


def has_set_server(business: Business) -> bool:
    """Tell whether a business, or the agent that speaks for it, has named a mail server, connected or not."""
    known = business.integrations.get(TOOLKIT)
    return known is not None and bool(known.settings.get("smtpServer"))


def stand_in_account(business: Business, host: str, port: int) -> SmtpAccount:
    """Return what a business that has set no server sends by where one stands in on this machine."""
    known = business.integrations.get(TOOLKIT)
    own = (_text(known.settings) if known is not None else "", business.email)
    sender = next(filter(is_address, own), _NOBODY)
    return SmtpAccount(host, port, "none", sender, business.name, sender, username="", password="")


def must_be_connected_again(detail: str) -> ToolError:
    """Return the error for an account whose owner has to do something; `detail` is for the log."""
    return ToolError(
        ErrorType.AUTH,
        "The business's mail account must be connected again, so no e-mail can be sent.",
        detail=detail,
    )


def _text(settings: Mapping[str, Any]) -> str:
    sender = settings.get("fromEmail")
    return sender.strip() if isinstance(sender, str) else ""


def _unusable(name: str, right: str) -> ToolError:
    return ToolError(
        ErrorType.PERMANENT,
        "The business's mail account is not set up correctly, so no e-mail can be sent.",
        detail=f"integrations.email.{name} must be {right}",
    )
