"""One account: its texts and its phone calls, and what becomes of them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from stand_ins.twilio import rest
from stand_ins.twilio.refusal import Refusal

SID, TOKEN = "AC" + "0" * 32, "stand-in-token"
_VERSION = "2010-04-01"
_LONGEST = 1_600
_LONGEST_TWIML = 4_000
_UNDER_WAY = ("queued", "ringing", "in-progress")
# A text gets one step further every time that somebody looks.
_NEXT = {"queued": "sent", "sent": "delivered"}


@dataclass
class Account:
    """Texts and phone calls by their ids, the oldest first, as Twilio shows them.

    Attributes:
        numbers: The account's own phone numbers; every number counts as its own while there is none.
    """

    sid: str = SID
    token: str = TOKEN
    numbers: set[str] = field(default_factory=set)
    texts: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: dict[str, dict[str, Any]] = field(default_factory=dict)

    def send(self, form: dict[str, list[str]]) -> dict[str, Any]:
        """Take a text on.

        Raises:
            Refusal: As Twilio refuses it.
        """
        to, sender, body = (form.get(name, [""])[0] for name in ("To", "From", "Body"))
        if not sender and "MessagingServiceSid" not in form:
            raise Refusal(400, 21603, "A 'From' phone number is required.")
        if not (body or "MediaUrl" in form or "ContentSid" in form):
            raise Refusal(400, 21602, "Message body is required.")
        if len(body) > _LONGEST:
            raise Refusal(400, 21617, "The concatenated message body exceeds the 1600 character limit")
        if not rest.is_number(to):
            raise Refusal(400, 21211, f"Invalid 'To' Phone Number: {to}")
        if sender:
            self._check_own(sender, 21606)
        sid, now = "SM" + secrets.token_hex(16), format_datetime(datetime.now(UTC))
        uri = f"/{_VERSION}/Accounts/{self.sid}/Messages/{sid}.json"
        text = {
            "sid": sid,
            "account_sid": self.sid,
            "messaging_service_sid": form.get("MessagingServiceSid", [None])[0],
            "to": to,
            "from": sender or None,
            "body": body,
            "status": "queued",
            "direction": "outbound-api",
            "num_segments": "1" if sender else "0",
            "num_media": str(len(form.get("MediaUrl", []))),
            "date_created": now,
            "date_updated": now,
            "date_sent": None,
            "price": None,
            "price_unit": None,
            "error_code": None,
            "error_message": None,
            "api_version": _VERSION,
            "uri": uri,
            "subresource_uris": {"media": uri.removesuffix(".json") + "/Media.json"},
        }
        rest.check_answer("message", text)
        self.texts[sid] = text
        return text

    def look(self, sid: str) -> dict[str, Any]:
        """Return a text, a step further than before.

        Raises:
            Refusal: 404.
        """
        if sid not in self.texts:
            raise Refusal(404, 20404, f"The requested resource /Messages/{sid}.json was not found")
        text = self.texts[sid]
        text["status"] = _NEXT.get(text["status"], text["status"])
        text["date_sent"] = text["date_sent"] or text["date_created"]
        return text

    def listed(self, to: str | None, sender: str | None) -> list[dict[str, Any]]:
        """Return the texts to or from a number, the newest first."""
        chosen = [t for t in self.texts.values() if to in (None, t["to"]) and sender in (None, t["from"])]
        return [self.look(text["sid"]) for text in reversed(chosen)]

    def incoming(self, sender: str, to: str, sid: str = "") -> dict[str, Any]:
        """Return a phone call that is under way, as if somebody had called; `sid` is its id where it has one."""
        return self._call(sender, to, "inbound", "in-progress", sid)

    def dial(self, form: dict[str, list[str]]) -> dict[str, Any]:
        """Begin a phone call.

        Raises:
            Refusal: As Twilio refuses it.
        """
        to, sender = form["To"][0], form["From"][0]
        if not {"Url", "Twiml", "ApplicationSid"} & form.keys():
            raise Refusal(400, 21205, "Url parameter is required.")
        if not rest.is_number(to):
            raise Refusal(400, 21211, f"Invalid 'To' Phone Number: {to}")
        self._check_own(sender, 21210)
        return self._call(sender, to, "outbound-api", "queued")

    def call(self, sid: str) -> dict[str, Any]:
        """Return a phone call.

        Raises:
            Refusal: 404.
        """
        if sid not in self.calls:
            raise Refusal(404, 20404, f"The requested resource /Calls/{sid}.json was not found")
        return self.calls[sid]

    def change(self, sid: str, form: dict[str, list[str]]) -> dict[str, Any]:
        """Change a phone call that is under way.

        Raises:
            Refusal: As Twilio refuses it; 21220 once it has ended.
        """
        call = self.call(sid)
        if len({"Url", "Twiml"} & form.keys()) > 1:
            raise Refusal(400, 21218, "Url and Twiml cannot both be given")
        if len(form.get("Twiml", [""])[0]) > _LONGEST_TWIML:
            raise Refusal(400, 20001, "Twiml is longer than 4000 characters")
        if call["status"] not in _UNDER_WAY:
            raise Refusal(400, 21220, "Call is not in-progress. Cannot redirect.")
        status = form.get("Status", [call["status"]])[0]
        if status == "canceled" and call["status"] == "in-progress":
            raise Refusal(400, 21220, "Call is in-progress. Cannot cancel.")
        call["status"], call["date_updated"] = status, format_datetime(datetime.now(UTC))
        return call

    def end(self, sid: str) -> dict[str, Any]:
        """Return a phone call that somebody has hung up.

        Raises:
            Refusal: 404.
        """
        call = self.call(sid)
        call["status"], call["date_updated"] = "completed", format_datetime(datetime.now(UTC))
        return call

    def _call(self, sender: str, to: str, direction: str, status: str, sid: str = "") -> dict[str, Any]:
        sid, now = sid or "CA" + secrets.token_hex(16), format_datetime(datetime.now(UTC))
        known = dict.fromkeys(rest.document()["answers"]["call"])
        uri = f"/{_VERSION}/Accounts/{self.sid}/Calls/{sid}.json"
        call = known | {
            "sid": sid,
            "account_sid": self.sid,
            "to": to,
            "from": sender,
            "to_formatted": to,
            "from_formatted": sender,
            "status": status,
            "direction": direction,
            "date_created": now,
            "date_updated": now,
            "start_time": now if status == "in-progress" else None,
            "api_version": _VERSION,
            "queue_time": "0",
            "uri": uri,
            "subresource_uris": {"recordings": uri.removesuffix(".json") + "/Recordings.json"},
        }
        rest.check_answer("call", call)
        self.calls[sid] = call
        return call

    def _check_own(self, number: str, code: int) -> None:
        if not rest.is_number(number) or (self.numbers and number not in self.numbers):
            raise Refusal(400, code, f"{number} is not a number of this account that can do that.")
