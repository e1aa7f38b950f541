"""Which control addresses are told something: a caller's facts go to Vapi's own hosts and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.vapi.control import checked
from tests.integrations.vapi.conftest import Vapi

HOST = "phone-call-websocket.aws-us-west-2-backend-production1.vapi.ai"
STRANGERS = [
    "",
    "x",
    f"http://{HOST}/7/control",
    f"wss://{HOST}/7/control",
    f"ftp://{HOST}/7/control",
    "https://vapi.ai.example.com/7/control",
    "https://evilvapi.ai/7/control",
    "https://example.com/vapi.ai",
    "https://example.com/?x=.vapi.ai",
    "https://example.com#.vapi.ai",
    "https://vapi.ai@example.com/7/control",
    "https://user:word@api.vapi.ai/7/control",
    "https://api.vapi.ai:8443/7/control",
    "https://api.vapi.ai:port/7/control",
    "https://example.com\\.vapi.ai/7/control",
    "https://example.com%2f.vapi.ai.example.com/7",
    "https://api.vapi.ai/7/control\r\nHost: example.com",
    "https://[::1]/7/control",
    "https://127.0.0.1/7/control",
    "https://vapi.ai./7/control",
    "https://\uff56api.ai/7/control",  # a wide v
    "//api.vapi.ai/7/control",
    "https://api.vapi.ai/" + "x" * 3_000,
]


@pytest.mark.parametrize("url", STRANGERS)
async def test_an_address_that_is_not_vapis_own_gets_nothing(vapi: Vapi, url: str):
    """VALIDATION, nothing is sent, and neither error nor log repeats the address."""
    with pytest.raises(ToolError) as caught:
        await (await vapi.account()).add_message(url, "system", "secret")
    assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.VALIDATION, False)
    assert vapi.requests("calls.control") == []
    assert len(url) < 5 or url not in f"{caught.value.message} {caught.value.detail}"


@pytest.mark.parametrize(
    "url", [f"https://{HOST}/7/control", "https://vapi.ai/7/control", f"https://{HOST.upper()}:443/7/control?a=b"]
)
def test_vapis_own_addresses_are_used_as_they_are(url: str):
    """Any host below its domain: which one, depends on where the phone call runs."""
    assert checked(url) == url


@pytest.mark.parametrize("base", [None, "http://127.0.0.1:8091"])
def test_a_stand_ins_address_counts_only_where_that_stand_in_is_used(base: str | None):
    """With real Vapi, an address on this machine is a stranger's."""
    for url in ("http://127.0.0.1:8090/7/control", "http://localhost:8091/7/control", "https://127.0.0.1:8091/7"):
        with pytest.raises(ToolError):
            checked(url, base)
    url = "http://127.0.0.1:8091/7/control"
    if base:
        assert checked(url, base) == url
    else:
        with pytest.raises(ToolError):
            checked(url, base)


@given(st.text(max_size=60), st.sampled_from(["", ".vapi.ai", "vapi.ai/", "@vapi.ai"]))
def test_whatever_passes_is_https_and_ends_in_the_vendors_domain(start: str, end: str):
    """For any text at all: it is refused, or a browser would call its host Vapi's."""
    from yarl import URL

    try:
        url = URL(checked(f"https://{start}{end}"))
    except ToolError as error:
        assert error.type is ErrorType.VALIDATION
        return
    assert url.scheme == "https" and url.host is not None and url.user is None
    assert url.host == "vapi.ai" or url.host.endswith(".vapi.ai")
