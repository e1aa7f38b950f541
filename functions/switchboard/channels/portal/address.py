"""From where a request comes, as far as it can be told, for counting visitors."""

from ipaddress import IPv6Address, ip_address

from starlette.requests import Request

_NEIGHBOURHOOD = 64


def address_of(request: Request, proxies: int) -> str:
    """Return the client's address; of an IPv6 address its /64, since one household has all of that.

    Args:
        request: The request.
        proxies: How many proxies of ours stand in front; each adds one address to `X-Forwarded-For`. What stands
            before those was written by the client and may be anything.
    """
    told = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    forwarded = [part.strip() for part in told if part.strip()]
    peer = request.client.host if request.client else ""
    return _coarse(forwarded[-proxies] if 0 < proxies <= len(forwarded) else peer)


def _coarse(text: str) -> str:
    try:
        address = ip_address(text)
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return f"{IPv6Address(int(address) >> _NEIGHBOURHOOD << _NEIGHBOURHOOD)}/{_NEIGHBOURHOOD}"
    return str(address)
