"""One plain-text e-mail as bytes, with headers that nobody can add to."""

import re
import unicodedata
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from switchboard.integrations.smtp.account import SmtpAccount, is_address

_ID = re.compile(r"[A-Za-z0-9_-]{1,120}")
# What ends a line somewhere, beyond the control characters: a header must not have a second one.
_LINE_ENDS = frozenset("\u0085\u2028\u2029")


class UnfitMessage(ValueError):
    """The message cannot be sent as it is; the text says what is wrong with it."""


def compose(account: SmtpAccount, to: str, subject: str, body: str, message_id: str, now: datetime) -> bytes:
    """Return the message in ASCII: its text UTF-8 in quoted-printable, its lines ending in CRLF.

    Args:
        account: Gives sender, name and where answers go.
        to: One address.
        subject: On one line.
        body: Plain text, any characters but controls other than line ends and tabs.
        message_id: The part before the @; the domain is the sender's.
        now: The date it carries (aware).

    Raises:
        UnfitMessage: A header would hold a line end or another control character, the address is none, or the id
            has characters of its own.
    """
    if not _ID.fullmatch(message_id):
        raise UnfitMessage(f"the message id {message_id!r:.60} holds more than letters, digits, _ and -")
    # Before the library sees it: its parser of addresses takes comments and lists, and fails on others in its own ways.
    if not is_address(to):
        raise UnfitMessage("the recipient is not one e-mail address")
    message = EmailMessage(policy=SMTP)
    message["Message-ID"] = f"<{message_id}@{account.sender.rpartition('@')[2]}>"
    message["Date"] = format_datetime(now)
    message["From"] = Address(_one_line("the name of the business", account.sender_name), addr_spec=account.sender)
    message["To"] = to
    message["Reply-To"] = account.reply_to
    message["Subject"] = _one_line("the subject", subject)
    # Keeps out-of-office replies and mailing lists from answering a machine (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_plain(body), charset="utf-8", cte="quoted-printable")
    return message.as_bytes()


def _one_line(what: str, text: str) -> str:
    if any(unicodedata.category(c) in ("Cc", "Cs") or c in _LINE_ENDS for c in text):
        raise UnfitMessage(f"{what} holds a line end or another control character")
    return text


def _plain(body: str) -> str:
    # Cs: half a character, which UTF-8 cannot write.
    if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\r\n\t" for c in body):
        raise UnfitMessage("the text holds control characters")
    return body
