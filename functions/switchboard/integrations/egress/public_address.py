"""Which IP addresses anybody on the internet may be reached at; all others are refused.

The lists are our own rather than `ipaddress.is_global`, whose meaning changes with the version of Python. They follow
the IANA special-purpose registries, and also no address that carries an IPv4
address within it, since what it leads to is decided by a gateway that we do not see.
"""

import socket
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

from switchboard.integrations.egress.target import IpAddress

_NOT_PUBLIC_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by carriers; Alibaba's metadata at 100.100.100.200
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's own agent, which looks public
        "169.254.0.0/16",  # link-local: the metadata of most clouds
        "172.16.0.0/12",
        "192.0.0.0/24",  # protocol assignments; Oracle's metadata at 192.0.0.192
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",  # multicast, reserved, broadcast
    )
)
_PUBLIC_V6 = IPv6Network("2000::/3")
"""All that is assigned to the public; NAT64, mapped, unique-local, link-local, site-local lie outside."""
_NOT_PUBLIC_V6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo, benchmarking, ORCHID
        "2001:db8::/32",
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


def refusal(text: str) -> str | None:
    """Return why an address may not be connected to, or None where it may.

    Args:
        text: As the system's resolver spells it, perhaps with a zone (`fe80::1%eth0`).
    """
    try:
        address = ip_address(text)
    except ValueError:
        return "its host stands for something that is no IP address"
    if not is_public(address):
        return "its host is not on the public internet"
    return "its host is this machine" if _is_own(address) else None


def is_public(address: IpAddress) -> bool:
    """Return whether an address is one of the public internet."""
    if not isinstance(address, IPv6Address):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    if address.scope_id is not None or address not in _PUBLIC_V6:
        return False
    carries_v4 = (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP
    return not carries_v4 and not any(address in network for network in _NOT_PUBLIC_V6)


def _is_own(address: IpAddress) -> bool:
    """Return whether it is one of this machine's own, however public: what listens here expects no strangers."""
    family = socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            # Choosing a route sends nothing; from one's own address one would come from that address.
            probe.connect((str(address), 9))
        except OSError:
            return False
        return bool(probe.getsockname()[0] == str(address))
