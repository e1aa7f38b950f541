"""The control address of a phone call, from the TwiML with which Vapi takes it over (seed 002, "On-Call-Start")."""

import html
import re

_STREAM = re.compile(r"""<Stream\b[^>]*?\burl\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_TRANSPORT = re.compile(r"/transport(?=$|[?])")
_SCHEMES = {"wss://": "https://", "ws://": "http://"}


def control_address(twiml: str) -> str | None:
    """Return where the phone call is told things, None where the TwiML has no `<Stream>` that names one.

    It is the stream's address with `/control` in place of `/transport`, over HTTP. Whether it is Vapi's own is for
    whoever sends something there to check.
    """
    found = _STREAM.search(twiml)
    if found is None:
        return None
    stream = html.unescape(found[1] or found[2] or "").strip()
    scheme = next((scheme for scheme in _SCHEMES if stream.lower().startswith(scheme)), None)
    address, count = _TRANSPORT.subn("/control", stream)
    if scheme is None or count != 1:
        return None
    return _SCHEMES[scheme] + address[len(scheme) :]
