"""Where egress goes, and where it never goes: literals, spellings, names, names that change, redirects."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.egress.egress import SafeEgress
from switchboard.integrations.egress.public_address import is_public, refusal
from switchboard.integrations.egress.target import UnusableAddress, read_target
from tests.each import each
from tests.integrations.egress.internet import ADDRESS, NAME, answer, contexts, internet

PRIVATE = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2a00:1450:4001::5efe:a00:1",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    ADDRESS,
    "100.128.0.1",
    "172.32.0.1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:80b::200e",
]
SPELLINGS = [
    "http://{}/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://127.0.0.01/",
    "https://127.0.0.1./",
    "https://127.0.0.1%00.example.com/",
    "https://127。0。0。1/",
    "https://\uff11\uff12\uff17.\uff10.\uff10.\uff11/",
    "https://①②⑦.⓪.⓪.①/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::1%25lo]/",
    "https://[fe80::1%eth0]/",
    "https://[::1/",
    "https://::1/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://metadata/",
    "https://user@127.0.0.1/",
    "https://api.example.com@127.0.0.1/",
    "https://api.example.com:443@127.0.0.1/",
    "https://127.0.0.1\\@api.example.com/",
    "https://api.example.com\\.evil.example/",
    "https://api.example.com%2f@127.0.0.1/",
    "https://api%2eexample.com/",
    "https://api.example.com#@127.0.0.1\\/",
    "https:///127.0.0.1/",
    "https:127.0.0.1/",
    "//127.0.0.1/",
    "/relative",
    "",
    "gopher://127.0.0.1/",
    "file:///etc/passwd",
    "https://api.example.com\t.evil.example/",
    "https://api.example.com\r\nHost: 127.0.0.1/",
    "https://api.example.com:22/",
    "https://api.example.com:0443/",
    "https://api.example.com:/",
    "https://api.example.com:99999/",
    "https://api.example.com:+443/",
    "https://api..example.com/",
    "https://-api.example.com/",
    "https://" + "a" * 64 + ".example.com/",
    "https://api.example.com/" + "a" * 9_000,
]


@pytest.fixture
async def sink() -> AsyncIterator[tuple[int, list[object]]]:
    """A port of this machine, on IPv4 and IPv6, with what has connected to it."""
    connected: list[object] = []

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.append(writer.get_extra_info("peername"))
        writer.close()

    first = await asyncio.start_server(count, "127.0.0.1", 0)
    port: int = first.sockets[0].getsockname()[1]
    second = await asyncio.start_server(count, "::1", port)
    yield port, connected
    first.close()
    second.close()


async def refused(egress: SafeEgress, url: str, method: str = "GET") -> ToolError:
    with pytest.raises(ToolError) as caught:
        await egress.request(method, url, {}, None)
    return caught.value


@pytest.mark.requirement("002-54")
async def test_nothing_connects_to_what_is_not_public(sink: tuple[int, list[object]]):
    """A real listening sink, the system's own names and sockets: 0 connections, and the owner is told."""
    port, connected = sink
    egress = SafeEgress(ports={port, 443})
    hosts = [
        "127.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "0.0.0.0",
        "[::]",
        "2130706433",
        "127.1",
        "0x7f.1",
    ]
    for url in [f"https://{host}:{port}/" for host in hosts] + [f"http://{host}:{port}/" for host in hosts]:
        error = await refused(egress, url)
        assert (error.type, error.meta["reason"], error.partial_side_effects) == (
            ErrorType.PERMANENT,
            "address_not_allowed",
            False,
        )
    assert connected == []
    await egress.close()


@each("address", PRIVATE)
async def test_a_name_that_leads_inside_is_refused_also_among_others(address: str):
    """Every answer must pass: one that leads inside spoils all of them, in whichever place."""
    async with internet() as net:
        egress = net.egress()
        for answers in ([address], [ADDRESS, address], [address, ADDRESS]):
            net.names["inside.example.com"] = [answers]
            error = await refused(egress, "https://inside.example.com/", "POST")
            assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.PERMANENT, False, False)
            assert address not in error.message
        literal = f"[{address}]" if ":" in address else address
        await refused(egress, f"https://{literal}/")
        assert (net.opened, net.server.connections) == ([], 0)
        await egress.close()


@each("url", SPELLINGS)
async def test_spellings_that_could_mean_two_things_are_refused(url: str):
    """Before any name is looked up."""
    async with internet() as net:
        egress = net.egress()
        assert (await refused(egress, url.format("127.0.0.1"))).type is ErrorType.PERMANENT
        assert (net.asked, net.opened, net.server.connections) == ([], [], 0)
        await egress.close()


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address: str):
    """What stands beside the refused ranges is not refused."""
    assert refusal(address) is None


def test_this_machines_own_addresses_are_refused_however_public(monkeypatch: pytest.MonkeyPatch):
    """What listens on them expects no strangers."""
    monkeypatch.setattr("switchboard.integrations.egress.public_address.is_public", lambda address: True)
    assert refusal("127.0.0.1") == "its host is this machine"


@given(st.ip_addresses(v=4))
def test_no_private_address_is_public(address: IPv4Address):
    """Also not within IPv6, in any of the ways to write one there."""
    assert not (is_public(address) and (address.is_private or address.is_multicast or address.is_reserved))
    number = int(address)
    for within in (number, 0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80):
        assert not is_public(IPv6Address(within))


@given(st.ip_addresses(v=6))
def test_nothing_outside_the_public_block_of_ipv6_is_public(address: IPv6Address):
    """An oracle of another make: the standard library's."""
    assert not (is_public(address) and (not address.is_global or address.is_multicast))


@given(
    st.ip_addresses(v=4).filter(lambda address: not is_public(address)),
    st.lists(st.sampled_from(["{:d}", "0x{:x}", "0{:o}", "{:03d}", "0X{:X}", "{:d}"]), min_size=1, max_size=4),
    st.sampled_from(["", ".", ".."]),
    st.sampled_from(["", ":443", "#", "?", "/", "\\", "@"]),
)
def test_a_number_is_read_as_that_address_or_not_at_all(address: IPv4Address, forms: list[str], dot: str, after: str):
    """Decimal, octal, hexadecimal, short: what the system's resolver would take for it is refused or seen through."""
    groups = len(forms)
    number, parts = int(address), []
    for place, form in enumerate(forms):
        bits = 8 if place < groups - 1 else 32 - 8 * (groups - 1)
        shift = 32 - 8 * (place + 1) if place < groups - 1 else 0
        parts.append(form.format(number >> shift & (1 << bits) - 1))
    try:
        target = read_target(f"https://{'.'.join(parts)}{dot}{after}")
    except UnusableAddress:
        return
    assert target.address is not None
    assert not is_public(target.address)


@given(st.text(alphabet="abx018.:-_@[]/\\?#%é０。ß٠\t", max_size=14) | st.text(max_size=14), st.text(max_size=20))
@example("bücher.example.com", "ü?q={x}")
@example("[2606:4700::1111]:8443", "")
def test_what_is_sent_is_what_was_checked(host: str, rest: str):
    """Whatever is accepted reads as the same host again, by ours and by the client's own reader."""
    from yarl import URL

    try:
        target = read_target(f"https://{host}/{rest}")
    except UnusableAddress:
        return
    assert read_target(target.url) == target
    url = URL(target.url, encoded=True)
    assert (url.raw_host, url.port, url.user) == (target.host, target.port, None)
    if target.address is not None:
        assert ip_address(target.host) == target.address


async def test_a_name_that_changes_its_mind_is_asked_once_and_pinned():
    """DNS rebinding, 200 times: the address that was checked is the one that is connected to."""
    async with internet() as net:
        egress = net.egress()
        for turn in range(200):
            name = f"r{turn}.example.com"
            net.names[name] = [[ADDRESS], ["127.0.0.1"]]
            # The name is not the certificate's, so that it ends there: what counts is where it went.
            assert (await refused(egress, f"https://{name}/")).type is ErrorType.PERMANENT
            assert (await refused(egress, f"https://{name}/")).meta["reason"] == "address_not_allowed"
        assert net.opened == [ADDRESS] * 200
        await egress.close()


async def test_a_socket_is_opened_to_nothing_that_was_not_checked(monkeypatch: pytest.MonkeyPatch):
    """Were the check of names ever passed by, the one at the socket still stands."""
    monkeypatch.setattr("switchboard.integrations.egress.transport.CheckedResolver.resolve", _unchecked)
    async with internet() as net:
        egress = net.egress()
        assert (await refused(egress, f"https://{NAME}/", "POST")).partial_side_effects is False
        assert net.opened == []
        await egress.close()


async def _unchecked(self: object, host: str, port: int = 0, family: int = 0) -> list[dict[str, object]]:
    return [
        {"hostname": host, "host": "127.0.0.1", "port": port, "family": socket.AF_INET, "proto": 0, "flags": 0},
        {"hostname": host, "host": "10.0.0.1", "port": port, "family": socket.AF_INET, "proto": 0, "flags": 0},
    ]


@each(
    "location",
    [
        "https://inside.example.com/",
        "https://169.254.169.254/latest/meta-data/",
        "http://api.example.com/",
        "//127.0.0.1/",
        "https://api.example.com:8443/",
        "https://other.example.com/",
        "https://api.example.com@127.0.0.1/",
        "https://[",
        "file:///etc/passwd",
    ],
)
async def test_a_redirect_to_elsewhere_is_an_answer_and_not_followed(location: str):
    """Neither inside nor to another host, port or scheme."""
    async with internet(answer(b"", "302 Found", Location=location)) as net:
        egress = net.egress()
        status, headers, _ = await egress.request("GET", f"https://{NAME}/", {"Authorization": "canary"}, None)
        assert (status, headers["Location"]) == (302, location)
        assert (net.asked, len(net.server.requests)) == ([NAME], 1)
        await egress.close()


async def test_a_get_is_sent_on_once_within_its_own_origin():
    """The second redirect is an answer."""
    async with internet(answer(b"", "301 Moved", Location="/v2/x?y=1")) as net:
        egress = net.egress()
        assert (await egress.request("GET", f"https://{NAME}/v1/x", {}, None))[0] == 301
        assert [request.split(b"\r\n")[0] for request in net.server.requests] == [
            b"GET /v1/x HTTP/1.1",
            b"GET /v2/x?y=1 HTTP/1.1",
        ]
        await egress.close()


async def test_a_redirect_of_the_same_name_is_checked_again():
    """Where a new connection is needed, the name's new answer counts."""
    async with internet(answer(b"", "302 Found", Location="/", Connection="close")) as net:
        net.names[NAME] = [[ADDRESS], ["10.0.0.1"]]
        egress = net.egress()
        assert (await refused(egress, f"https://{NAME}/x")).meta["reason"] == "address_not_allowed"
        assert net.opened == [ADDRESS]
        await egress.close()


@each("method", ["POST", "PUT", "PATCH", "DELETE"])
@each("status", ["301 x", "302 x", "303 x", "307 x", "308 x"])
async def test_what_changes_something_is_never_sent_on(method: str, status: str):
    """Not even within its own origin."""
    async with internet(answer(b"", status, Location="/elsewhere")) as net:
        egress = net.egress()
        assert (await egress.request(method, f"https://{NAME}/", {}, b"{}"))[0] == int(status[:3])
        assert len(net.server.requests) == 1
        await egress.close()


async def test_own_addresses_of_the_deployment_are_refused():
    """A tool that calls the system that runs it would go round in circles."""
    async with internet() as net:
        egress = net.egress(own_urls=[f"https://{NAME}"])
        assert (await refused(egress, f"https://{NAME.upper()}./api/tools/x/execute")).type is ErrorType.PERMANENT
        assert net.asked == []
        await egress.close()


@pytest.mark.parametrize(
    "url",
    [
        f"https://{NAME}/a/b%2Fc?q=1&r=%20#part",
        f"HTTPS://{NAME.upper()}./",
        f"https://{NAME}:443",
        f"https://{NAME}:8443/x",
        "https://bücher.example.com/",
        f"https://{NAME}/ü",
        f"https://{NAME}?q={{x}}",
    ],
)
async def test_legitimate_addresses_work(url: str):
    """Capital letters, final dots, ports where https is served, names and paths in other alphabets."""
    async with internet(answer(b'{"fine": true}')) as net:
        net.names["xn--bcher-kva.example.com"] = [[ADDRESS]]
        egress = net.egress()
        assert (await egress.request("GET", url, {}, None))[::2] == (200, b'{"fine": true}')
        assert net.opened == [ADDRESS]
        await egress.close()


async def test_escapes_in_an_address_stay_what_they_are():
    """What was encoded is not encoded again."""
    async with internet() as net:
        egress = net.egress()
        await egress.request("GET", f"https://{NAME}/b%2Fc?q=a%20b+c&r=ü", {}, None)
        assert net.server.requests[0].split(b"\r\n")[0] == b"GET /b%2Fc?q=a%20b+c&r=%C3%BC HTTP/1.1"
        await egress.close()


async def test_a_server_must_prove_to_be_who_its_name_says():
    """Neither another name's certificate nor one of an authority that nobody knows is believed; nothing is sent."""
    async with internet() as net:
        net.names["other.example.com"] = [[ADDRESS]]
        for egress, url in (
            (net.egress(), "https://other.example.com/"),
            (net.egress(), f"https://{ADDRESS}/"),
            (net.egress(trust=ssl.create_default_context()), f"https://{NAME}/"),
            (net.egress(trust=None), f"https://{NAME}/"),
        ):
            error = await refused(egress, url, "POST")
            assert (error.type, error.meta["reason"]) == (ErrorType.PERMANENT, "certificate_refused")
            await egress.close()
        assert net.server.requests == []


@pytest.mark.parametrize(
    ("url", "days", "trusts", "why"),
    [
        (f"https://{NAME}/", (-3, -1), True, "its certificate has expired"),
        (f"https://{NAME}/", (1, 3), True, "its certificate is not valid yet"),
        ("https://other.example.com/", (-1, 1), True, "its certificate is for another name"),
        (f"https://{ADDRESS}/", (-1, 1), True, "its certificate is for another name, not for this number"),
        (f"https://{NAME}/", (-1, 1), False, "its certificate is signed by nobody but itself"),
    ],
)
async def test_what_is_wrong_with_a_certificate_is_told(url: str, days: tuple[int, int], trusts: bool, why: str):
    """Whoever runs the server can mend it; the log alone would tell them nothing."""
    serving, believing = contexts(days)
    async with internet(tls=serving) as net:
        net.names["other.example.com"] = [[ADDRESS]]
        egress = net.egress(trust=believing if trusts else ssl.create_default_context())
        error = await refused(egress, url, "POST")
        assert f": {why}." in error.message
        assert (error.type, error.meta["reason"]) == (ErrorType.PERMANENT, "certificate_refused")
        assert not error.partial_side_effects and net.server.requests == []
        await egress.close()


async def test_a_server_that_speaks_no_tls_is_told_as_that():
    """It is no outage that passes: nothing is tried again, and its owner hears what to look for."""
    async with internet(tls=None) as net:
        egress = net.egress()
        error = await refused(egress, f"https://{NAME}/", "POST")
        assert (error.type, error.retryable, error.meta["reason"]) == (ErrorType.PERMANENT, False, "tls_failed")
        assert "plain http" in error.message and not error.partial_side_effects
        await egress.close()


async def test_stand_ins_are_reached_by_http_and_only_they(sink: tuple[int, list[object]]):
    """Local mode names hosts, or hosts with their port; without it nothing of this machine is reached."""
    port, connected = sink
    for stand_in in ("127.0.0.1", f"127.0.0.1:{port}"):
        connected.clear()
        egress = SafeEgress(stand_ins=[stand_in], ports={port})
        # The sink takes the connection and hangs up.
        assert (await refused(egress, f"http://127.0.0.1:{port}/")).type is ErrorType.TRANSIENT
        assert len(connected) == 1
        for other in (f"http://localhost:{port}/", f"https://[::1]:{port}/", f"https://127.0.0.2:{port}/"):
            assert (await refused(egress, other)).type is ErrorType.PERMANENT
        assert len(connected) == 1
        await egress.close()
    egress = SafeEgress(stand_ins=[f"127.0.0.1:{port + 1}"], ports={port})
    assert (await refused(egress, f"http://127.0.0.1:{port}/")).type is ErrorType.PERMANENT
    await egress.close()
