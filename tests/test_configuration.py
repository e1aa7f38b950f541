"""What the environment may say, and the one sentence that whoever wrote something else is told."""

import base64
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.app.container import build
from switchboard.app.settings import ConfigurationError, read_configuration, require_serving
from switchboard.integrations.vendor import VendorSettings
from tests.each import each

FIRESTORE = {"GOOGLE_CLOUD_PROJECT": "p"}
KEY = base64.b64encode(os.urandom(32)).decode()
MCP = {"SWITCHBOARD_PUBLIC_URL": "https://switchboard.example.com"}
KMS = "projects/p/locations/europe-west3/keyRings/switchboard/cryptoKeys/secrets"
GOOGLE = {"SWITCHBOARD_GOOGLE_CLIENT_ID": "id", "SWITCHBOARD_GOOGLE_CLIENT_SECRET": "shh"}
MICROSOFT = {"SWITCHBOARD_MICROSOFT_CLIENT_ID": "id", "SWITCHBOARD_MICROSOFT_CLIENT_SECRET": "shh"}
PIPEDREAM = {f"SWITCHBOARD_PIPEDREAM_{name}": "x" for name in ("CLIENT_ID", "CLIENT_SECRET", "PROJECT_ID")}


@each("said, threads", [(None, "1"), ("2", "2")])
def test_numpy_multiplies_on_one_processor_unless_the_environment_says_otherwise(monkeypatch, said, threads):
    if said is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", said)
    build(read_configuration({}))
    assert os.environ["OPENBLAS_NUM_THREADS"] == threads


def test_nothing_has_to_be_set_on_ones_own_machine():
    """No secret is needed for run and test."""
    found = read_configuration({})
    assert (found.store, found.is_local, found.embeddings) == ("memory", True, "offline")
    assert found.public_url is None
    assert all(settings == VendorSettings() for settings in found.vendors.values())
    require_serving(found)


@pytest.mark.requirement("004-64")
def test_how_many_proxies_stand_in_front_is_said_or_is_the_usual():
    """None on one's own machine, Cloud Run's front end where data is real, and as many as somebody says."""
    assert read_configuration({}).trusted_proxies == 0
    assert read_configuration(FIRESTORE).trusted_proxies == 1
    assert [read_configuration({"SWITCHBOARD_TRUSTED_PROXIES": n}).trusted_proxies for n in ("0", "2")] == [0, 2]
    assert read_configuration(FIRESTORE | {"SWITCHBOARD_TRUSTED_PROXIES": "2"}).trusted_proxies == 2


def test_whom_callers_reach_without_a_store_is_said_by_called_number():
    """With the language in which that is announced, which is English unless it is said."""
    text = "+15185550100:+15185550143, +493055501 : +493055502:de,"
    found = read_configuration({"SWITCHBOARD_SAFE_NUMBERS": text}).safe_numbers
    assert found == {"+15185550100": ("+15185550143", "en"), "+493055501": ("+493055502", "de")}


def test_what_is_set_is_what_is_used():
    """Base URLs lose their last slash, so that paths can be put behind them."""
    environ = {
        "SWITCHBOARD_GOOGLE_BASE_URL": "http://127.0.0.1:9540/",
        "SWITCHBOARD_TWILIO_BASE_URL": "http://127.0.0.1:8090",
        "SWITCHBOARD_SMTP_STAND_IN": "localhost:1025",
        "SWITCHBOARD_PUBLIC_URL": "https://switchboard.example.com/",
        "SWITCHBOARD_SECRETS_KEY": f"{KEY}, {KEY}",
        "SWITCHBOARD_EMBEDDINGS": "openai:text-embedding-3-small",
        "OPENAI_API_KEY": "sk-1",
        **GOOGLE,
    }
    found = read_configuration(environ)
    assert found.vendor("google").base_url == "http://127.0.0.1:9540"
    assert found.vendor("twilio").base_url == "http://127.0.0.1:8090"
    assert found.vendor("smtp").stand_in == ("localhost", 1025)
    assert found.public_url == "https://switchboard.example.com"
    assert found.vendor("google").values == {"CLIENT_ID": "id", "CLIENT_SECRET": "shh"}
    assert found.secrets_key == f"{KEY}, {KEY}"
    assert found.embeddings == "openai:text-embedding-3-small"
    assert "shh" not in repr(found)
    assert KEY not in repr(found)


@pytest.mark.parametrize(
    "issuer", ["https://login.example.com/", "https://login.example.com/t/1", "http://127.0.0.1:9"]
)
def test_an_issuer_is_kept_letter_for_letter(issuer: str):
    """As tokens have it, with a slash at its end or without one."""
    assert read_configuration(MCP | {"SWITCHBOARD_MCP_ISSUER": issuer}).mcp_issuer == issuer
    assert read_configuration(MCP | {"SWITCHBOARD_MCP_ISSUER": ""}).mcp_issuer is None


def test_access_tokens_need_an_address_that_they_are_made_for():
    """On one's own machine too; whoever only looks at the data may have the variable set all the same."""
    found = read_configuration({"SWITCHBOARD_MCP_ISSUER": "https://login.example.com"})
    with pytest.raises(ConfigurationError, match="SWITCHBOARD_PUBLIC_URL is not set"):
        require_serving(found)


@each(
    ("environ", "variable"),
    [
        (FIRESTORE | {"SWITCHBOARD_GOOGLE_BASE_URL": "http://127.0.0.1:1"}, "SWITCHBOARD_GOOGLE_BASE_URL"),
        (FIRESTORE | {"SWITCHBOARD_TWILIO_BASE_URL": "http://127.0.0.1:1"}, "SWITCHBOARD_TWILIO_BASE_URL"),
        (FIRESTORE | {"SWITCHBOARD_SMTP_STAND_IN": "127.0.0.1:1025"}, "SWITCHBOARD_SMTP_STAND_IN"),
        (FIRESTORE | {"SWITCHBOARD_EGRESS_STAND_INS": "127.0.0.1:9000"}, "SWITCHBOARD_EGRESS_STAND_INS"),
        ({"SWITCHBOARD_SMTP_STAND_IN": "smtp.example.com:25"}, "SWITCHBOARD_SMTP_STAND_IN"),
        ({"SWITCHBOARD_SMTP_STAND_IN": "127.0.0.1"}, "SWITCHBOARD_SMTP_STAND_IN"),
        ({"SWITCHBOARD_SMTP_STAND_IN": "127.0.0.1:0"}, "SWITCHBOARD_SMTP_STAND_IN"),
        ({"SWITCHBOARD_SMTP_STAND_IN": f"127.0.0.1:{'9' * 5000}"}, "SWITCHBOARD_SMTP_STAND_IN"),
        ({"SWITCHBOARD_SMTP_STAND_IN": "127.0.0.1:1,127.0.0.1:2"}, "SWITCHBOARD_SMTP_STAND_IN holds 2 addresses"),
        ({"SWITCHBOARD_EGRESS_STAND_INS": "localhost:9000, 127.0.0.1:70000"}, "SWITCHBOARD_EGRESS_STAND_INS"),
        ({"SWITCHBOARD_GOOGLE_BASE_URL": "127.0.0.1:9540"}, "SWITCHBOARD_GOOGLE_BASE_URL"),
        ({"SWITCHBOARD_TWILIO_BASE_URL": "ftp://127.0.0.1"}, "SWITCHBOARD_TWILIO_BASE_URL"),
        ({"SWITCHBOARD_TWILIO_BASE_URL": "http://a:b@127.0.0.1"}, "SWITCHBOARD_TWILIO_BASE_URL"),
        ({"SWITCHBOARD_TWILIO_BASE_URL": "http://127.0.0.1:port"}, "SWITCHBOARD_TWILIO_BASE_URL"),
        ({"SWITCHBOARD_PUBLIC_URL": "http://switchboard.example.com"}, "SWITCHBOARD_PUBLIC_URL"),
        ({"SWITCHBOARD_PUBLIC_URL": "https://switchboard.example.com?a=b"}, "SWITCHBOARD_PUBLIC_URL"),
        (FIRESTORE | {"SWITCHBOARD_PUBLIC_URL": "http://127.0.0.1:8080"}, "SWITCHBOARD_PUBLIC_URL"),
        (MCP | {"SWITCHBOARD_MCP_ISSUER": "http://login.example.com"}, "SWITCHBOARD_MCP_ISSUER"),
        (MCP | {"SWITCHBOARD_MCP_ISSUER": "login.example.com"}, "SWITCHBOARD_MCP_ISSUER"),
        (MCP | {"SWITCHBOARD_MCP_ISSUER": "https://login.example.com?a=b"}, "SWITCHBOARD_MCP_ISSUER"),
        (FIRESTORE | MCP | {"SWITCHBOARD_MCP_ISSUER": "http://127.0.0.1:9000"}, "SWITCHBOARD_MCP_ISSUER"),
        ({"SWITCHBOARD_GOOGLE_CLIENT_ID": "id"}, "SWITCHBOARD_GOOGLE_CLIENT_SECRET is not set"),
        ({"SWITCHBOARD_GOOGLE_CLIENT_SECRET": "s"}, "SWITCHBOARD_GOOGLE_CLIENT_ID is not set"),
        ({"SWITCHBOARD_MICROSOFT_CLIENT_ID": "id"}, "SWITCHBOARD_MICROSOFT_CLIENT_SECRET is not set"),
        ({"SWITCHBOARD_MICROSOFT_CLIENT_SECRET": "s"}, "SWITCHBOARD_MICROSOFT_CLIENT_ID is not set"),
        (FIRESTORE | {"SWITCHBOARD_MICROSOFT_BASE_URL": "http://127.0.0.1:1"}, "SWITCHBOARD_MICROSOFT_BASE_URL"),
        ({"SWITCHBOARD_SECRETS_KEY": "nearly a key"}, "SWITCHBOARD_SECRETS_KEY"),
        ({"SWITCHBOARD_SECRETS_KEY": base64.b64encode(b"short").decode()}, "SWITCHBOARD_SECRETS_KEY"),
        ({"SWITCHBOARD_SECRETS_KEY": f"{KEY},"}, "SWITCHBOARD_SECRETS_KEY"),
        ({"SWITCHBOARD_SECRETS_KEY": KEY, "SWITCHBOARD_KMS_KEY": KMS}, "are both set"),
        ({"SWITCHBOARD_KMS_KEY": "my-key"}, "SWITCHBOARD_KMS_KEY"),
        ({"SWITCHBOARD_TRUSTED_PROXIES": "two"}, "SWITCHBOARD_TRUSTED_PROXIES"),
        ({"SWITCHBOARD_TRUSTED_PROXIES": "-1"}, "SWITCHBOARD_TRUSTED_PROXIES"),
        ({"SWITCHBOARD_TRUSTED_PROXIES": "10"}, "SWITCHBOARD_TRUSTED_PROXIES"),
        ({"SWITCHBOARD_TRUSTED_PROXIES": "²"}, "SWITCHBOARD_TRUSTED_PROXIES"),
        *[
            ({"SWITCHBOARD_SAFE_NUMBERS": wrong}, "SWITCHBOARD_SAFE_NUMBERS")
            for wrong in (
                *("+15185550100", "+15185550100:5185550143", "+15185550100:+15185550143:German", "x:+15185550143"),
                *("+15185550100:+15185550100", "+15185550100:+1518555014,+15185550100:+1518555015", "+1:+2:en:de"),
            )
        ],
        ({"SWITCHBOARD_EMBEDDINGS": "word2vec"}, "SWITCHBOARD_EMBEDDINGS"),
        ({"SWITCHBOARD_EMBEDDINGS": "openai:"}, "SWITCHBOARD_EMBEDDINGS"),
        ({"SWITCHBOARD_EMBEDDINGS": "gemini:embedding-001"}, "GEMINI_API_KEY"),
        ({"SWITCHBOARD_EMBEDDINGS": "openai:small"}, "OPENAI_API_KEY"),
    ],
)
def test_what_cannot_work_is_one_sentence_with_the_variables_name(environ, variable):
    """Said before anything is built; a key that is nearly right is not shown."""
    with pytest.raises(ConfigurationError, match=variable) as caught:
        read_configuration(environ)
    text = str(caught.value)
    assert text.endswith(".")
    assert "\n" not in text
    assert "nearly a key" not in text
    assert KEY not in text


def test_an_endpoint_of_ones_own_may_need_no_key():
    """OPENAI_BASE_URL may lead to a server in the next room."""
    environ = {"SWITCHBOARD_EMBEDDINGS": "openai:small", "OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}
    assert read_configuration(environ).embeddings == "openai:small"


SIGNED = {"SWITCHBOARD_KMS_KEY": KMS, "SWITCHBOARD_SIGNING_KEY": "x" * 32}


@pytest.mark.parametrize("key", [{"SWITCHBOARD_SECRETS_KEY": KEY}, SIGNED])
def test_a_real_firestore_is_served_only_with_a_key_for_secrets(key):
    """What businesses keep secret is encrypted under a key that outlives the instance; the data can be read without."""
    bare = read_configuration(FIRESTORE)
    with pytest.raises(ConfigurationError, match=r"SWITCHBOARD_KMS_KEY is not set.*SWITCHBOARD_SECRETS_KEY"):
        require_serving(bare)
    require_serving(read_configuration(FIRESTORE | key))


def test_what_is_signed_needs_a_key_that_every_instance_has():
    """With Cloud KMS there is nothing that one could be made from."""
    with pytest.raises(ConfigurationError, match="SWITCHBOARD_SIGNING_KEY is not set"):
        require_serving(read_configuration(FIRESTORE | {"SWITCHBOARD_KMS_KEY": KMS}))
    with pytest.raises(ConfigurationError, match="too short"):
        read_configuration({"SWITCHBOARD_SIGNING_KEY": "short"})


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"SWITCHBOARD_MODEL": "openai:gpt-5.2"}, "OPENAI_API_KEY"),
        ({"SWITCHBOARD_MODEL": "gemini:gemini-3-flash"}, "GEMINI_API_KEY"),
        ({"SWITCHBOARD_MODEL": "anthropic:claude-sonnet-5-5"}, "ANTHROPIC_API_KEY"),
        ({"SWITCHBOARD_MODEL": "anthropic:"}, "SWITCHBOARD_MODEL"),
        ({"SWITCHBOARD_EMBEDDINGS": "anthropic:x", "ANTHROPIC_API_KEY": "k"}, "SWITCHBOARD_EMBEDDINGS"),
        ({"SWITCHBOARD_VOICES": "anthropic:x", "ANTHROPIC_API_KEY": "k"}, "SWITCHBOARD_VOICES"),
        ({"ANTHROPIC_BASE_URL": "api.anthropic.com"}, "ANTHROPIC_BASE_URL"),
        ({"SWITCHBOARD_MODEL": "llama"}, "SWITCHBOARD_MODEL is 'llama'; write .*anthropic:<model>"),
        ({"SWITCHBOARD_MODEL": "openai:"}, "SWITCHBOARD_MODEL"),
        ({"SWITCHBOARD_RELAY_URL": "https://switchboard.example.com/phone/relay"}, "SWITCHBOARD_RELAY_URL"),
        (FIRESTORE | {"SWITCHBOARD_RELAY_URL": "ws://switchboard.example.com/phone/relay"}, "SWITCHBOARD_RELAY_URL"),
    ],
)
def test_a_model_or_an_address_that_cannot_work_stops_the_start(environ, name):
    """One sentence that names the variable and the remedy."""
    with pytest.raises(ConfigurationError, match=name):
        read_configuration(environ)


@pytest.mark.parametrize("client", [GOOGLE, MICROSOFT])
def test_connecting_a_calendar_needs_an_address_to_come_back_to(client):
    """Owners are sent back to a registered address of this deployment."""
    environ = FIRESTORE | client | SIGNED
    with pytest.raises(ConfigurationError, match="SWITCHBOARD_PUBLIC_URL is not set"):
        require_serving(read_configuration(environ))
    require_serving(read_configuration(environ | {"SWITCHBOARD_PUBLIC_URL": "https://switchboard.example.com"}))


def test_a_vendor_that_sends_nobody_back_needs_no_address_for_that():
    """A project at Pipedream is registered like the others, and owners connect their apps there."""
    found = read_configuration(FIRESTORE | PIPEDREAM | SIGNED)
    assert found.vendor("pipedream").values["CLIENT_ID"] == "x"
    require_serving(found)


NAMES = [
    "SWITCHBOARD_GOOGLE_BASE_URL",
    "SWITCHBOARD_TWILIO_BASE_URL",
    "SWITCHBOARD_SMTP_STAND_IN",
    "SWITCHBOARD_EGRESS_STAND_INS",
    "SWITCHBOARD_PUBLIC_URL",
    "SWITCHBOARD_GOOGLE_CLIENT_ID",
    "SWITCHBOARD_GOOGLE_CLIENT_SECRET",
    "SWITCHBOARD_MICROSOFT_BASE_URL",
    "SWITCHBOARD_MICROSOFT_CLIENT_ID",
    "SWITCHBOARD_MICROSOFT_CLIENT_SECRET",
    "SWITCHBOARD_SECRETS_KEY",
    "SWITCHBOARD_KMS_KEY",
    "SWITCHBOARD_EMBEDDINGS",
    "FIRESTORE_EMULATOR_HOST",
]


@given(st.dictionaries(st.sampled_from(NAMES), st.one_of(st.text(max_size=30), st.just("http://[::1"))))
def test_whatever_the_environment_holds_it_is_read_or_refused_in_words(environ):
    """Never another exception than the one that names the remedy."""
    try:
        read_configuration(environ)
    except ConfigurationError as error:
        assert any(name in str(error) for name in environ) or "API_KEY" in str(error)


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"SWITCHBOARD_VOICES": "marin"}, "SWITCHBOARD_VOICES is 'marin'; write openai:<model>"),
        ({"SWITCHBOARD_VOICES": "openai:"}, "SWITCHBOARD_VOICES is 'openai:'; write openai:<model>"),
        ({"SWITCHBOARD_VOICES": "openai:a,openai:b"}, "SWITCHBOARD_VOICES is 'openai:a,openai:b'"),
        ({"SWITCHBOARD_VOICES": "openai:gpt realtime"}, "SWITCHBOARD_VOICES is 'openai:gpt realtime'"),
        ({"SWITCHBOARD_VOICES": "gemini:live"}, "GEMINI_API_KEY is not set; SWITCHBOARD_VOICES=gemini:live needs it."),
        (
            {"SWITCHBOARD_AGENT_MODELS": "openai:a,rehearsal"},
            "SWITCHBOARD_AGENT_MODELS is 'rehearsal'; write openai:<model>, gemini:<model> or anthropic:<model>.",
        ),
        (
            {"SWITCHBOARD_AGENT_MODELS": "anthropic:a"},
            "ANTHROPIC_API_KEY is not set; SWITCHBOARD_AGENT_MODELS=anthropic:a needs it.",
        ),
        ({"OPENAI_BASE_URL": "eu.api.openai.com/v1"}, "OPENAI_BASE_URL is 'eu.api.openai.com/v1'; write an address"),
        ({"GEMINI_BASE_URL": "https://g.example.com/?alt=sse"}, "GEMINI_BASE_URL is 'https://g.example.com/?alt=sse'"),
    ],
)
def test_what_cannot_work_with_a_vendor_stops_the_start_and_not_each_request(environ, sentence):
    """A server that has started and answers everything, its health too, with 500 says nothing to anybody."""
    with pytest.raises(ConfigurationError, match=re.escape(sentence)):
        read_configuration({"OPENAI_API_KEY": "sk-1", **environ})


def test_one_live_speech_model_of_each_vendor_may_be_named():
    environ = {"SWITCHBOARD_VOICES": " openai:gpt-realtime, gemini:live,", "OPENAI_API_KEY": "a", "GEMINI_API_KEY": "b"}
    assert read_configuration(environ).voices == environ["SWITCHBOARD_VOICES"]


def test_the_models_that_agents_may_choose_are_read_in_their_order_and_each_once():
    environ = {
        "SWITCHBOARD_AGENT_MODELS": " openai:a, gemini:b,openai:a ,",
        "OPENAI_API_KEY": "a",
        "GEMINI_API_KEY": "b",
    }
    assert read_configuration(environ).agent_models == ("openai:a", "gemini:b")
    assert read_configuration({}).agent_models == ()
