"""What the environment says, read once by `main.py` into one record; nothing here looks at the environment itself.

Anything missing or contradictory is one sentence that names the variable and the remedy.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from switchboard.app.addresses import (
    is_base,
    is_protected,
    local_servers,
    origin_of,
    safe_numbers,
    stream_url,
    trusted_proxies,
)
from switchboard.app.task_settings import task_account, task_queue
from switchboard.app.vendor_settings import (
    ANTHROPIC_URL,
    GEMINI_URL,
    OPENAI_URL,
    agent_models,
    read_vendors,
    vendor_problems,
    vendor_setting,
)
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.registry import vendor_folders
from switchboard.integrations.vendor import VendorSettings

LOCAL_ONLY = ("SWITCHBOARD_DEMO_KEY", "SWITCHBOARD_DEMO_TWILIO_TOKEN", "SWITCHBOARD_DEMO_OWNER_TOKEN")
_KMS_NAME = re.compile(r"projects/[^/\s]+/locations/[^/\s]+/keyRings/[^/\s]+/cryptoKeys/[^/\s]+")
_KEY_BYTES = 32


class ConfigurationError(Exception):
    """The configuration cannot work; the text names the variable and the remedy."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the environment says.

    Attributes:
        store: `memory`, `emulator` or `firestore`.
        project: The Google Cloud project (also names the emulator's data).
        database: The Firestore database, None for the default one.
        emulator_host: `host:port` of the emulator, None elsewhere.
        public_url: Where vendors reach this deployment, without a slash at the end; None where nobody said.
        mcp_issuer: The authorization server whose access tokens `/mcp` takes, letter for letter; None for no such.
        vendors: What is set of the integrations' vendors, by the vendor's name, such as `google`; see `vendor`.
        egress_stand_ins: `host:port` of servers on this machine that owners' requests may reach, for trying them out.
        task_queue: The full name of the Cloud Tasks queue that asks for accepted calls; None where nobody does.
        secrets_key: What wraps the keys of what businesses keep secret, in base64, the newest first; None with KMS.
        kms_key: The full name of the Cloud KMS key that wraps them instead.
        embeddings: What makes vectors of texts: `offline`, `none`, `openai:<model>` or `gemini:<model>`.
        model: What speaks: `rehearsal`, `openai:<model>`, `gemini:<model>` or `anthropic:<model>`.
        agent_models: The models that agents may choose beside it, each named as there.
        openai_url: Where OpenAI, or a server that speaks like it, is reached; its key beside it. Likewise Gemini and
            Anthropic.
        relay_url: The public WebSocket address of `/phone/relay`; empty where calls are held in turns.
        voices: The vendors' voices that a browser may speak with, `openai:<model>` and `gemini:<model>` behind commas.
        signing_key: At least 32 bytes that links and codes are signed and sealed with; empty lets each process make
            its own, as on one's own machine.
        log: `json` for lines as Cloud Logging reads them, `plain` to leave the log as the server has it.
        log_personal: Whether such a line has what may be personal, under `pii`.
        collector: The base address of an OTLP collector for traces and metrics, without a slash at the end; empty for
            none.
        service: The name under which they are shown; its version beside it.
        trusted_proxies: How many proxies stand in front that nobody gets past, each of which adds where a request came
            from.
        safe_numbers: By called number, who is rung while the store cannot say whose it is, and the language.
        task_token: What a scheduler shows that has work done for all businesses; empty lets nobody.
        task_account: The service account whose ID tokens Google's scheduler and queue show for that; empty for none.
    """

    store: str
    project: str
    database: str | None
    emulator_host: str | None
    public_url: str | None = None
    stream_url: str = ""
    mcp_issuer: str | None = None
    vendors: Mapping[str, VendorSettings] = field(default_factory=dict)
    egress_stand_ins: tuple[str, ...] = ()
    task_queue: str | None = None
    secrets_key: str | None = field(default=None, repr=False)
    kms_key: str | None = None
    embeddings: str = "offline"
    model: str = "rehearsal"
    openai_url: str = OPENAI_URL
    openai_key: str = field(default="", repr=False)
    gemini_url: str = GEMINI_URL
    gemini_key: str = field(default="", repr=False)
    anthropic_url: str = ANTHROPIC_URL
    anthropic_key: str = field(default="", repr=False)
    relay_url: str = ""
    agent_models: tuple[str, ...] = ()
    voices: str = ""
    signing_key: bytes = field(default=b"", repr=False)
    task_token: str = field(default="", repr=False)
    task_account: str = ""
    trusted_proxies: int = 0
    safe_numbers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    auth_emulator_host: str | None = None
    app_check_project: str = ""
    log: Literal["json", "plain"] = "plain"
    log_personal: bool = True
    collector: str = ""
    service: str = "switchboard"
    version: str = ""

    @property
    def page_origin(self) -> str:
        """Whose pages have their conversations at `stream_url`; empty where no others than its own."""
        return origin_of(self.public_url) if self.stream_url and self.public_url else ""

    def vendor(self, name: str) -> VendorSettings:
        """Return what is set of a vendor; nothing where nobody said."""
        return self.vendors.get(name) or VendorSettings()

    @property
    def is_local(self) -> bool:
        """Whether the data is this machine's own, so that stand-ins may stand in."""
        return self.store != "firestore"


def read_configuration(environ: Mapping[str, str]) -> Configuration:
    """Return the configuration that the environment describes.

    Raises:
        ConfigurationError: Something is missing or contradictory.
    """
    project = environ.get("GOOGLE_CLOUD_PROJECT") or environ.get("GCLOUD_PROJECT") or ""
    emulator_host = environ.get("FIRESTORE_EMULATOR_HOST") or None
    if emulator_host and emulator_host.rpartition(":")[2].isdigit() is False:
        raise ConfigurationError(f"FIRESTORE_EMULATOR_HOST is {emulator_host!r}; write it as host:port.")
    store = "emulator" if emulator_host else "firestore" if project else "memory"
    is_local = store != "firestore"
    _require_coherent(environ, store)
    return Configuration(
        store=store,
        project=project or "demo-switchboard",
        database=environ.get("FIRESTORE_DATABASE") or None,
        emulator_host=emulator_host,
        public_url=_public_url(environ, is_local),
        stream_url=stream_url(environ, is_local, ConfigurationError),
        mcp_issuer=_mcp_issuer(environ, is_local),
        vendors=read_vendors(environ, is_local, ConfigurationError),
        egress_stand_ins=local_servers(environ, "SWITCHBOARD_EGRESS_STAND_INS", is_local, ConfigurationError),
        task_queue=task_queue(environ, ConfigurationError),
        secrets_key=_secrets_key(environ),
        kms_key=_kms_key(environ),
        embeddings=vendor_setting(environ, "SWITCHBOARD_EMBEDDINGS"),
        model=vendor_setting(environ, "SWITCHBOARD_MODEL"),
        agent_models=agent_models(environ),
        openai_url=(environ.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/"),
        openai_key=environ.get("OPENAI_API_KEY") or "",
        gemini_url=(environ.get("GEMINI_BASE_URL") or GEMINI_URL).rstrip("/"),
        gemini_key=environ.get("GEMINI_API_KEY") or "",
        anthropic_url=(environ.get("ANTHROPIC_BASE_URL") or ANTHROPIC_URL).rstrip("/"),
        anthropic_key=environ.get("ANTHROPIC_API_KEY") or "",
        relay_url=_relay_url(environ, is_local),
        voices=environ.get("SWITCHBOARD_VOICES") or "",
        signing_key=_signing_key(environ),
        task_token=environ.get("SWITCHBOARD_TASK_TOKEN") or "",
        task_account=task_account(environ, ConfigurationError),
        trusted_proxies=trusted_proxies(environ, is_local, ConfigurationError),
        safe_numbers=safe_numbers(environ, ConfigurationError),
        auth_emulator_host=_auth_emulator(environ, is_local),
        app_check_project=_app_check_project(environ),
        log=_log(environ),
        log_personal=_log_personal(environ),
        collector=_collector(environ),
        service=environ.get("OTEL_SERVICE_NAME") or environ.get("K_SERVICE") or "switchboard",
        version=environ.get("K_REVISION") or "",
    )


def _require_coherent(environ: Mapping[str, str], store: str) -> None:
    if store == "memory" and environ.get("K_SERVICE"):
        # A deployed function would otherwise keep every booking in one instance's memory.
        raise ConfigurationError("GOOGLE_CLOUD_PROJECT is not set; set it to the project that holds Firestore.")
    for name in LOCAL_ONLY if store == "firestore" else ():
        if environ.get(name):
            raise ConfigurationError(f"{name} is for local running only; unset it to use a real Firestore.")
    for problem in vendor_problems(environ):
        raise ConfigurationError(problem)


def log_choice(environ: Mapping[str, str]) -> tuple[Literal["json", "plain"], str, bool]:
    """Return what a server's log is to be before anything else is known: its kind, the project, and `log_personal`.

    Raises:
        ConfigurationError: What the environment says of it cannot be.
    """
    project = environ.get("GOOGLE_CLOUD_PROJECT") or environ.get("GCLOUD_PROJECT") or ""
    return _log(environ), project, _log_personal(environ)


def require_serving(configuration: Configuration) -> None:
    """Make sure that there is everything that serving callers needs, and not only looking at the data.

    Raises:
        ConfigurationError: No address for access tokens; or with a real Firestore: nothing to keep secrets with, or no
            address for owners to come back to from a vendor.
    """
    if configuration.mcp_issuer and not configuration.public_url:
        raise ConfigurationError("SWITCHBOARD_PUBLIC_URL is not set; SWITCHBOARD_MCP_ISSUER gives tokens for it alone.")
    if configuration.is_local:
        return
    if not configuration.secrets_key and not configuration.kms_key:
        # A key made up here would be gone with the instance, and what it has encrypted with it.
        raise ConfigurationError(
            "SWITCHBOARD_KMS_KEY is not set; set it to the Cloud KMS key that protects what businesses keep secret, or "
            "SWITCHBOARD_SECRETS_KEY to 32 random bytes in base64."
        )
    if not configuration.signing_key:
        raise ConfigurationError(
            "SWITCHBOARD_SIGNING_KEY is not set; set it to at least 32 random characters, the same in every instance."
        )
    asking = any(folder.asks_owners and configuration.vendor(folder.vendor).values for folder in vendor_folders())
    if asking and not configuration.public_url:
        raise ConfigurationError(
            "SWITCHBOARD_PUBLIC_URL is not set; set it to the https address that owners are sent back to by the vendor "
            "of their calendar."
        )


def _public_url(environ: Mapping[str, str], is_local: bool) -> str | None:
    value = environ.get("SWITCHBOARD_PUBLIC_URL")
    if value and not is_protected(value, is_local):
        raise ConfigurationError(
            f"SWITCHBOARD_PUBLIC_URL is {value!r}; write the https address that vendors call and sign, such as "
            "https://switchboard.example.com."
        )
    return value.rstrip("/") if value else None


def _mcp_issuer(environ: Mapping[str, str], is_local: bool) -> str | None:
    name, value = "SWITCHBOARD_MCP_ISSUER", environ.get("SWITCHBOARD_MCP_ISSUER") or None
    if value and not is_protected(value, is_local):
        raise ConfigurationError(f"{name} is {value!r}; write the https address that tokens have as their issuer.")
    return value


def _log(environ: Mapping[str, str]) -> Literal["json", "plain"]:
    value = environ.get("SWITCHBOARD_LOG") or ("json" if environ.get("K_SERVICE") else "plain")
    if value == "json":
        return "json"
    if value == "plain":
        return "plain"
    raise ConfigurationError(f"SWITCHBOARD_LOG is {value!r}; write json or plain.")


def _log_personal(environ: Mapping[str, str]) -> bool:
    value = environ.get("SWITCHBOARD_LOG_PERSONAL") or "show"
    if value not in ("show", "hide"):
        raise ConfigurationError(f"SWITCHBOARD_LOG_PERSONAL is {value!r}; write show or hide.")
    return value == "show"


def _collector(environ: Mapping[str, str]) -> str:
    value = environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or ""
    if not value or (environ.get("OTEL_SDK_DISABLED") or "").lower() == "true":
        return ""
    if not is_base(value, ("http", "https")):
        raise ConfigurationError(
            f"OTEL_EXPORTER_OTLP_ENDPOINT is {value!r}; write the collector's address for OTLP over HTTP, such as "
            "http://127.0.0.1:4318."
        )
    return value.rstrip("/")


def _secrets_key(environ: Mapping[str, str]) -> str | None:
    value = environ.get("SWITCHBOARD_SECRETS_KEY")
    if not value:
        return None
    if environ.get("SWITCHBOARD_KMS_KEY"):
        raise ConfigurationError(
            "SWITCHBOARD_SECRETS_KEY and SWITCHBOARD_KMS_KEY are both set; keep the one that the stored secrets were "
            "encrypted with."
        )
    try:
        lengths = {len(base64.b64decode(part.strip(), validate=True)) for part in value.split(",")}
    except (binascii.Error, ValueError):
        lengths = set()
    if lengths != {_KEY_BYTES}:
        # Not shown: a key with a typing error is still nearly the key.
        raise ConfigurationError(
            "SWITCHBOARD_SECRETS_KEY is no key; write 32 random bytes in base64 (`openssl rand -base64 32`), the "
            "newest first and older ones behind commas."
        )
    return value


def _kms_key(environ: Mapping[str, str]) -> str | None:
    value = environ.get("SWITCHBOARD_KMS_KEY")
    if value and not _KMS_NAME.fullmatch(value):
        raise ConfigurationError(
            f"SWITCHBOARD_KMS_KEY is {value!r}; write it as projects/…/locations/…/keyRings/…/cryptoKeys/…."
        )
    return value or None


def _relay_url(environ: Mapping[str, str], is_local: bool) -> str:
    value = environ.get("SWITCHBOARD_RELAY_URL") or ""
    if value and not (is_base(value, ("wss",)) or (is_local and is_base(value, ("ws", "wss")))):
        raise ConfigurationError(
            f"SWITCHBOARD_RELAY_URL is {value!r}; write the WebSocket address that Twilio opens, such as "
            "wss://switchboard.example.com/phone/relay."
        )
    return value


def _signing_key(environ: Mapping[str, str]) -> bytes:
    """Return what is signed with: a key of its own, or else what the first key of the secrets yields."""
    own = environ.get("SWITCHBOARD_SIGNING_KEY")
    if own and len(own) < _KEY_BYTES:
        raise ConfigurationError(
            f"SWITCHBOARD_SIGNING_KEY is too short; write at least {_KEY_BYTES} random characters."
        )
    if own:
        return own.encode()
    secrets_key = (environ.get("SWITCHBOARD_SECRETS_KEY") or "").partition(",")[0].strip()
    return hashlib.sha256(f"signing|{secrets_key}".encode()).digest() if secrets_key else b""


def _auth_emulator(environ: Mapping[str, str], is_local: bool) -> str | None:
    value = environ.get("FIREBASE_AUTH_EMULATOR_HOST")
    if not value:
        return None
    if not is_local:
        # Its tokens are not signed: whoever writes one would be an owner.
        raise ConfigurationError("FIREBASE_AUTH_EMULATOR_HOST is for local running only; unset it.")
    if not value.rpartition(":")[0] or not value.rpartition(":")[2].isdigit():
        raise ConfigurationError(f"FIREBASE_AUTH_EMULATOR_HOST is {value!r}; write it as host:port.")
    return value


def _app_check_project(environ: Mapping[str, str]) -> str:
    value = environ.get("SWITCHBOARD_APP_CHECK_PROJECT") or ""
    if value and not value.isdigit():
        raise ConfigurationError(
            f"SWITCHBOARD_APP_CHECK_PROJECT is {value!r}; write the project's number, as the Firebase console shows it."
        )
    return value
