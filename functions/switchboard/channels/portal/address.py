"""From where a request comes, as far as it can be told, for counting visitors."""

from ipaddress import IPv6Address, ip_address

from starlette.requests import Request

_NEIGHBOURHOOD = 64
_READ = 32


def address_of(request: Request, proxies: int) -> str:
    """Return the client's address; of an IPv6 address its /64, since one household has all of that.

    Args:
        request: The request.
        proxies: How many proxies of ours stand in front that nobody gets past; each adds one address to
            `X-Forwarded-For`. One that can be gone round, as Firebase Hosting before Cloud Run, is none of them. What
            stands before those was written by the client and may be anything. Of fewer, somebody has come past a proxy:
            the nearest one has then written down who, and without any the connection tells.
    """
    told = ",".join(request.headers.getlist("x-forwarded-for")).split(",")[-_READ:]
    forwarded = [part.strip() for part in told]
    peer = request.client.host if request.client else ""
    if proxies <= 0 or forwarded == [""]:
        return _coarse(peer)
    # An empty or unreadable place is still a place: it must not move who is looked at.
    return _coarse(forwarded[-proxies] if proxies <= len(forwarded) else forwarded[-1])


def _coarse(text: str) -> str:
    # Some proxies write the port as well.
    bracketed, _, _ = text.removeprefix("[").partition("]")
    text = bracketed if text.startswith("[") else text.partition(":")[0] if text.count(":") == 1 else text
    try:
        address = ip_address(text)
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return f"{IPv6Address(int(address) >> _NEIGHBOURHOOD << _NEIGHBOURHOOD)}/{_NEIGHBOURHOOD}"
    return str(address)
