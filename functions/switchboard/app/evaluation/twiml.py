"""What the product answers the phone network, as far as a caller notices it."""

from __future__ import annotations

from dataclasses import field
from xml.etree import ElementTree

from switchboard.contract.python.dataclass import dataclass

PARAMETER = "parameter "
"""What stands before the names of a relay's custom parameters in `Twiml.relay`."""


@dataclass
class Twiml:
    """A TwiML document, as far as a caller notices it."""

    said: list[str] = field(default_factory=list)
    gather: str = ""
    redirect: str = ""
    relay: dict[str, str] = field(default_factory=dict)
    ended: str = ""
    dialled: list[str] = field(default_factory=list)
    result: str = ""
    hangs_up: bool = False


def read_twiml(text: str) -> Twiml:
    """Return what a document does.

    Raises:
        ValueError: It is no TwiML.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"the answer is no TwiML: {error}") from None
    twiml = Twiml(hangs_up=not len(root))
    for verb in root:
        if verb.tag == "Say":
            twiml.said.append(verb.text or "")
        elif verb.tag == "Gather":
            twiml.gather = verb.get("action", "")
            twiml.said += [say.text or "" for say in verb.iter("Say")]
        elif verb.tag == "Redirect":
            twiml.redirect = verb.text or ""
        elif verb.tag == "Connect":
            twiml.ended = verb.get("action", "")
            for relay in verb.iter("ConversationRelay"):
                twiml.relay = dict(relay.attrib)
                twiml.relay |= {f"{PARAMETER}{p.get('name')}": p.get("value", "") for p in relay.iter("Parameter")}
        elif verb.tag == "Dial":
            twiml.dialled = [n.text or "" for n in verb.iter("Number")] or [(verb.text or "").strip()]
            twiml.result = verb.get("action", "")
        elif verb.tag == "Hangup":
            twiml.hangs_up = True
    return twiml
