"""Which addresses a deployment may be given: bare ones in plain letters, unencrypted on this machine only."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names of this machine."""
MOST_PROXIES = 9
"""As many as anybody has in front of a deployment."""
_PORT, _LAST_PORT = re.compile(r"[0-9]{1,5}"), 65_535
_E164 = re.compile(r"\+[1-9][0-9]{6,14}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_PLAIN = re.compile(r"[!-~]+")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|(?=[0-9a-f.]*:)[0-9a-f:.]+")


def is_base(value: str, schemes: tuple[str, ...]) -> bool:
    """Tell whether a value is an address that paths can be put behind: nothing asked for in it, and nobody named."""
    try:
        parts = urlsplit(value)
        is_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_bare = not (parts.query or parts.fragment or parts.username or parts.password)
    is_plain = bool(_PLAIN.fullmatch(value) and _HOST.fullmatch(parts.hostname or ""))
    return parts.scheme in schemes and is_port and is_bare and is_plain


def is_protected(value: str, is_local: bool) -> bool:
    """Tell whether a value is such an address, and what goes there is encrypted or stays on this machine."""
    is_here = is_local and is_base(value, ("http",)) and urlsplit(value).hostname in LOOPBACK
    return is_here or is_base(value, ("https",))


def local_servers(environ: Mapping[str, str], name: str, is_local: bool, wrong: type[Exception]) -> tuple[str, ...]:
    """Return the servers of this machine that a variable names, as `host:port`.

    Raises:
        wrong: One of them is elsewhere or is no address, or the data is not this machine's own.
    """
    servers = tuple(part.strip() for part in (environ.get(name) or "").split(",") if part.strip())
    if servers and not is_local:
        raise wrong(f"{name} leads to servers of this machine, for local running only; unset it.")
    for place in servers:
        host, _, port = place.rpartition(":")
        if host not in LOOPBACK or not _PORT.fullmatch(port) or not 0 < int(port) <= _LAST_PORT:
            raise wrong(f"{name} holds {place!r}; write addresses such as 127.0.0.1:9000, with commas.")
    return servers


def local_server(
    environ: Mapping[str, str], name: str, is_local: bool, wrong: type[Exception]
) -> tuple[str, int] | None:
    """Return host and port of the one server of this machine that a variable names; None where it names none.

    Raises:
        wrong: As `local_servers` does, and where it names several.
    """
    servers = local_servers(environ, name, is_local, wrong)
    if len(servers) > 1:
        raise wrong(f"{name} holds {len(servers)} addresses; write one, such as 127.0.0.1:1025.")
    places = (place.rpartition(":") for place in servers)
    return next(((host, int(port)) for host, _, port in places), None)


def trusted_proxies(environ: Mapping[str, str], is_local: bool, wrong: type[Exception]) -> int:
    """Return how many proxies stand in front of this process that nobody gets past; each writes down who came to it.

    Raises:
        wrong: It is no such number.
    """
    value = environ.get("SWITCHBOARD_TRUSTED_PROXIES")
    if not value:
        # Cloud Run's own front end is one; on one's own machine nothing stands in front.
        return 0 if is_local else 1
    if not (value.isascii() and value.isdigit() and int(value) <= MOST_PROXIES):
        raise wrong(
            f"SWITCHBOARD_TRUSTED_PROXIES is {value!r}; write how many proxies stand in front that nobody gets past, 0 "
            f"to {MOST_PROXIES}: 1 for Cloud Run, also where Firebase Hosting leads to it."
        )
    return int(value)


def stream_url(environ: Mapping[str, str], is_local: bool, wrong: type[Exception]) -> str:
    """Return the origin that pages of the public address have their conversations with; empty where that is their own.

    Raises:
        wrong: It is none, or there is no public address whose pages could be let in.
    """
    value = (environ.get("SWITCHBOARD_STREAM_URL") or "").rstrip("/")
    if not value:
        return ""
    if not is_protected(value, is_local) or value != origin_of(value):
        raise wrong(
            f"SWITCHBOARD_STREAM_URL is {value!r}; write the https address of the Cloud Run service that pages stream "
            "from, without a path, such as https://switchboard-relay-123456789012.us-central1.run.app."
        )
    public_url = environ.get("SWITCHBOARD_PUBLIC_URL")
    if not public_url:
        raise wrong("SWITCHBOARD_PUBLIC_URL is not set; SWITCHBOARD_STREAM_URL answers its pages alone.")
    return value if value != origin_of(public_url) else ""


def origin_of(url: str) -> str:
    """Return the origin of an address, as browsers write it."""
    parts = urlsplit(url)
    usual = {"https": ":443", "http": ":80"}.get(parts.scheme, "")
    return f"{parts.scheme}://{parts.netloc.lower().removesuffix(usual)}"


def safe_numbers(environ: Mapping[str, str], wrong: type[Exception]) -> dict[str, tuple[str, str]]:
    """Return by called number who is rung while nobody can say whose it is, and in what language that is announced.

    Raises:
        wrong: The list cannot be read, or a number would ring itself.
    """
    name, numbers = "SWITCHBOARD_SAFE_NUMBERS", dict[str, tuple[str, str]]()
    for entry in filter(None, (part.strip() for part in (environ.get(name) or "").split(","))):
        called, number, language, *more = [*(part.strip() for part in entry.split(":")), "", ""]
        is_read = _E164.fullmatch(called) and _E164.fullmatch(number) and not any(more)
        if not is_read or (language and not _LANGUAGE.fullmatch(language)):
            raise wrong(
                f"{name} holds {entry!r}; write the called number, who is rung, and perhaps the language, such as "
                "+15185550100:+15185550143 or +493055501:+493055502:de, with commas between."
            )
        if called in numbers or called == number:
            raise wrong(
                f"{name} has {called} {'twice' if called in numbers else 'ring itself'}; name one other number."
            )
        numbers[called] = (number, language or "en")
    return numbers
