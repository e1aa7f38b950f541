"""What a deployment is told: the variables that are set openly, the secrets by reference, and what is still missing.

Secrets stay in Secret Manager, under the names of their variables; their values are never read here.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import setting_up
from command_line import Problem
from deploying.regions import REGIONS
from deploying.step import Argument, Joined, Kept, Step

sys.path.append(str(setting_up.ROOT / "functions"))

from switchboard.app.settings import ConfigurationError, read_configuration, require_serving
from switchboard.integrations.registry import vendor_folders

STREAM_URL = "SWITCHBOARD_STREAM_URL"
TRUSTED_PROXIES = "SWITCHBOARD_TRUSTED_PROXIES"
OPEN = (
    "ANTHROPIC_BASE_URL",
    "FIRESTORE_DATABASE",
    "GEMINI_BASE_URL",
    "OPENAI_BASE_URL",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_SDK_DISABLED",
    "OTEL_SERVICE_NAME",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
    "SWITCHBOARD_AGENT_MODELS",
    "SWITCHBOARD_APP_CHECK_PROJECT",
    "SWITCHBOARD_EMBEDDINGS",
    "SWITCHBOARD_KMS_KEY",
    "SWITCHBOARD_LOG",
    "SWITCHBOARD_LOG_PERSONAL",
    "SWITCHBOARD_MCP_ISSUER",
    "SWITCHBOARD_MODEL",
    "SWITCHBOARD_PUBLIC_URL",
    "SWITCHBOARD_RELAY_URL",
    "SWITCHBOARD_SAFE_NUMBERS",
    STREAM_URL,
    TRUSTED_PROXIES,
    "SWITCHBOARD_VOICES",
    *(name for folder in vendor_folders() for name in folder.open_variables),
)
"""Variables that are taken over from the environment in which the command runs."""

HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"
OPENAI_KEY = "OPENAI_API_KEY"

SECRET = {
    "SWITCHBOARD_SIGNING_KEY": "openssl rand -base64 48",
    "SWITCHBOARD_TASK_TOKEN": "openssl rand -hex 32",
    "SWITCHBOARD_SECRETS_KEY": "openssl rand -base64 32",
    **{name: "" for folder in vendor_folders() for name in folder.secret_variables},
    OPENAI_KEY: "",
    "GEMINI_API_KEY": "",
    "ANTHROPIC_API_KEY": "",
    HEADERS: "",
}
"""Variables that come from secrets of the same names, and what makes one up; empty where somebody else gives it."""

OWN = ("GOOGLE_CLOUD_PROJECT", "SWITCHBOARD_TASK_ACCOUNT", "SWITCHBOARD_TASK_QUEUE")
"""Variables that the deployment knows by itself."""

QUEUE = "switchboard"
TASK_ACCOUNT = "switchboard-tasks"
TASK_TOKEN = "SWITCHBOARD_TASK_TOKEN"
DEFAULT_DATABASE = "(default)"
FIREBASE = setting_up.ROOT / "firebase.json"
_PROJECT = re.compile(r"[a-z][a-z0-9-]{4,28}[a-z0-9]")
_CHANNEL = re.compile(r"(?:projects/[a-z0-9:.-]+/notificationChannels/)?\d+")
_MOST_CALLS, _MOST_INSTANCES = 1_000, 1_000
# Stands for secrets while the rest is checked; long enough, and a key in base64.
_SOMETHING = base64.b64encode(bytes(32)).decode()
_BETWEEN = "|"
RELAY = "switchboard-relay"
_NUMBER = "PROJECT_NUMBER"
# Google's own addresses of functions and services, which pass a stream on as it comes.
_UNBUFFERED = (".cloudfunctions.net", ".run.app")
_OF_GOOGLE = (*_UNBUFFERED, ".web.app", ".firebaseapp.com")


@dataclass(frozen=True)
class RelaySize:
    """How much the service that carries the WebSocket holds.

    Attributes:
        concurrency: Calls at once in one instance.
        max_instances: The most instances.
    """

    concurrency: int = 250
    max_instances: int = 20

    @property
    def calls(self) -> int:
        """The most calls at once."""
        return self.concurrency * self.max_instances


@dataclass(frozen=True)
class Settings:
    """A deployment.

    Attributes:
        project: The Google Cloud project.
        region: Where functions and services run.
        variables: What is set openly.
        secrets: The variables that come from secrets.
        relay: How much the service that carries the WebSocket holds.
        alert_channels: Whom alerts tell: ids of notification channels; none leaves that as it is.
    """

    project: str
    region: str
    variables: Mapping[str, str]
    secrets: tuple[str, ...]
    relay: RelaySize = RelaySize()
    alert_channels: tuple[str, ...] = ()

    @property
    def public_url(self) -> str:
        """Where vendors and visitors reach it."""
        return self.variables["SWITCHBOARD_PUBLIC_URL"].rstrip("/")

    @property
    def ready_url(self) -> str:
        """Where it is told whether this can serve, and if not, why; functions' own address knows each by its name."""
        is_functions = self.public_url.endswith(".cloudfunctions.net")
        return f"{self.public_url}/{'healthz/ready' if is_functions else 'ready'}"

    @property
    def relay_host(self) -> Joined:
        """The host at which the relay says whether it can serve: the domain it is called by, or its own address."""
        named = urlsplit(self.variables.get("SWITCHBOARD_RELAY_URL", "")).netloc
        if not named or named.endswith(_OF_GOOGLE) or named == urlsplit(self.public_url).netloc:
            return _relay_of(self.region)
        return Joined((named,))

    @property
    def database(self) -> str:
        """The Firestore database."""
        return self.variables.get("FIRESTORE_DATABASE", DEFAULT_DATABASE)

    @property
    def account(self) -> str:
        """The service account that everything runs as."""
        return f"switchboard@{self.project}.iam.gserviceaccount.com"

    @property
    def task_account(self) -> str:
        """The service account that queue and scheduler show; it may do nothing else."""
        return self.variables["SWITCHBOARD_TASK_ACCOUNT"]

    @property
    def functions_proxies(self) -> str:
        """How many proxies stand before the functions, as far as what they write down can be believed."""
        return self._proxies_before(self.public_url)

    @property
    def relay_proxies(self) -> str:
        """How many proxies stand before the relay, which pages and Twilio come straight to."""
        return self._proxies_before(self.variables.get(STREAM_URL, f"https://{RELAY}.run.app"))

    def _proxies_before(self, address: str) -> str:
        # Cloud Run's own front end is the one that nobody gets past: what it appends is whoever came to it. Hosting
        # stands before it only for who comes that way, and a request says nothing that a client could not say as well
        # who goes straight to the function's own address; so its word counts nowhere, and pages ask what is counted by
        # address of the relay. With a proxy of one's own in front, as many as one says.
        is_of_google = (urlsplit(address).hostname or "").endswith(_OF_GOOGLE)
        return "1" if is_of_google else self.variables.get(TRUSTED_PROXIES, "1")

    def environment(self, **more: str) -> tuple[Argument, Argument]:
        """Return the two options that set the variables of a function or service.

        Each secret in the version that `versions` has found: what is deployed keeps the secrets that it was deployed
        with, whatever is added to them afterwards, and whoever goes back to it gets these.
        """
        shown = _BETWEEN.join(f"{name}={value}" for name, value in {**self.variables, **more}.items())
        streams = (f"{_BETWEEN}{STREAM_URL}=", *self._streams.parts) if STREAM_URL not in self.variables else ()
        named: list[str | Kept] = []
        for before, name in zip(("--set-secrets=", *[","] * len(self.secrets)), self.secrets, strict=False):
            named += [f"{before}{name}={name}:", Kept(_version(name))]
        return Joined((f"--set-env-vars=^{_BETWEEN}^{shown}", *streams)), Joined(tuple(named))

    @property
    def _streams(self) -> Joined:
        """Where pages stream from: the relay's own address, which Google makes of names and the project's number."""
        if STREAM_URL in self.variables:
            return Joined((self.variables[STREAM_URL],))
        if urlsplit(self.public_url).netloc.endswith(_UNBUFFERED):
            return Joined((self.public_url,))
        return Joined(("https://", *_relay_of(self.region).parts))

    def addresses(self, values: Mapping[str, str]) -> list[str]:
        """Return which address is which, in sentences; what is not known yet stands as a shell would find it out."""
        streams = self._streams.filled({_NUMBER: f"${_NUMBER}", **values})
        if streams == self.public_url:
            return [f"{streams} is the address of everything: webhooks, API, pages and what they stream."]
        return [
            f"{self.public_url} is the address of webhooks, API and pages.",
            f"{streams} is what pages stream from; it lets pages of {self.public_url} in and no others. Firebase "
            "Hosting would hold back what is streamed, and cut it after 60 s.",
        ]

    def number_found_out(self, part: str, why: str) -> Step:
        """Return the look at the project's number, with what it is for."""
        command = ("gcloud", "projects", "describe", self.project, "--format=value(projectNumber)")
        return Step(part, f"the project's number is found out: {why}", command, keeps=_NUMBER)

    def found_out(self, part: str) -> Iterator[Step]:
        """Yield the looks at what `environment` needs: the project's number, and each secret's newest version."""
        if any(isinstance(one, Kept) for one in self._streams.parts):
            why = "the address that pages stream from is made of it; Hosting in front of it would hold streams back"
            yield self.number_found_out(part, why)
        for name in self.secrets:
            yield Step(
                part,
                f"{name} is handed over in its newest version, by number: whoever goes back gets the one of then",
                (
                    *("gcloud", "secrets", "versions", "describe", "latest", f"--secret={name}"),
                    *(f"--project={self.project}", "--format=value(name.basename())"),
                ),
                remedy=making(name, self.project),
                keeps=_version(name),
            )


def _relay_of(region: str) -> Joined:
    """Return the host that Google gives the relay, made of names and the project's number."""
    return Joined((f"{RELAY}-", Kept(_NUMBER), f".{region}.run.app"))


def making(secret: str, project: str) -> str:
    """Return the command that makes a secret."""
    made_by = SECRET[secret] or f"printf %s '<the {secret} that you were given>'"
    return f"{made_by} | gcloud secrets create {secret} --data-file=- --project={project}"


def _version(secret: str) -> str:
    return f"{secret}_VERSION"


def read_settings(
    project: str,
    region: str,
    environ: Mapping[str, str],
    relay: RelaySize = RelaySize(),
    alert_channels: tuple[str, ...] = (),
) -> Settings:
    """Return what is to be deployed.

    Raises:
        Problem: Something is missing or contradictory; the sentence names it and the remedy.
    """
    if not project:
        raise Problem("which project? Name it with --project, or in GOOGLE_CLOUD_PROJECT.")
    if not _PROJECT.fullmatch(project):
        raise Problem(f"{project!r} is no project id: 6 to 30 small letters, digits and hyphens.")
    if region not in REGIONS:
        raise Problem(f"{region!r} is no region; write one of {', '.join(sorted(REGIONS))}.")
    _require_sizes(relay)
    for channel in alert_channels:
        if not _CHANNEL.fullmatch(channel):
            raise Problem(
                f"{channel!r} is no notification channel; write ids as gcloud beta monitoring channels list shows them."
            )
    by_name = {name: environ[name] for name in OPEN if environ.get(name)}
    by_name.setdefault("SWITCHBOARD_PUBLIC_URL", f"https://{project}.web.app")
    by_name["GOOGLE_CLOUD_PROJECT"] = project
    by_name["SWITCHBOARD_TASK_ACCOUNT"] = f"{TASK_ACCOUNT}@{project}.iam.gserviceaccount.com"
    by_name["SWITCHBOARD_TASK_QUEUE"] = f"projects/{project}/locations/{region}/queues/{QUEUE}"
    if "OTEL_EXPORTER_OTLP_ENDPOINT" in by_name:
        # Cloud Monitoring takes no metric that does not say where it was measured.
        by_name.setdefault("OTEL_RESOURCE_ATTRIBUTES", f"cloud.platform=gcp_cloud_run,cloud.region={region}")
    for name, value in by_name.items():
        if _BETWEEN in value or not value.isprintable():
            raise Problem(f"{name} holds a character that cannot be handed on; leave out | and control characters.")
    _require_same_database(by_name.get("FIRESTORE_DATABASE", DEFAULT_DATABASE))
    # Their values stay where they are; that they are there tells that somebody of one's own asks for or shows them.
    named = {**by_name, **{name: "named" for name in (HEADERS, OPENAI_KEY, TASK_TOKEN) if environ.get(name)}}
    secrets = tuple(name for name in SECRET if _is_wanted(name, named))
    try:
        require_serving(read_configuration({**by_name, **dict.fromkeys(secrets, _SOMETHING)}))
    except ConfigurationError as error:
        raise Problem(str(error)) from None
    return Settings(project, region, dict(sorted(by_name.items())), secrets, relay, alert_channels)


def _require_sizes(relay: RelaySize) -> None:
    if not 1 <= relay.concurrency <= _MOST_CALLS:
        raise Problem(f"--relay-concurrency is {relay.concurrency}; Cloud Run takes 1 to {_MOST_CALLS}.")
    if not 1 <= relay.max_instances <= _MOST_INSTANCES:
        raise Problem(f"--relay-instances is {relay.max_instances}; write 1 to {_MOST_INSTANCES}.")


def _require_same_database(database: str) -> None:
    parsed = json.loads(FIREBASE.read_text())["firestore"].get("database", DEFAULT_DATABASE)
    if parsed != database:
        raise Problem(
            f"FIRESTORE_DATABASE is {database}, and firebase.json sends rules and indexes to {parsed}; name the same "
            'database in both ("firestore": {"database": ...}).'
        )


def _is_wanted(secret: str, variables: Mapping[str, str]) -> bool:
    match secret:
        case "SWITCHBOARD_SECRETS_KEY":
            return "SWITCHBOARD_KMS_KEY" not in variables
        case "SWITCHBOARD_TASK_TOKEN":
            # For a scheduler that is not Google's, which shows the token of an account instead.
            return TASK_TOKEN in variables
        case "OPENAI_API_KEY":
            # A server of one's own may ask for no key; live speech models always do.
            is_asked = "OPENAI_BASE_URL" not in variables or OPENAI_KEY in variables
            return _uses("openai", variables) and (is_asked or "openai:" in variables.get("SWITCHBOARD_VOICES", ""))
        case "GEMINI_API_KEY":
            return _uses("gemini", variables)
        case "ANTHROPIC_API_KEY":
            return _uses("anthropic", variables)
        case "OTEL_EXPORTER_OTLP_HEADERS":
            return "OTEL_EXPORTER_OTLP_ENDPOINT" in variables and HEADERS in variables
    of_vendor = next((folder for folder in vendor_folders() if secret in folder.secret_variables), None)
    return of_vendor is None or any(name in variables for name in of_vendor.registered_by)


def _uses(vendor: str, variables: Mapping[str, str]) -> bool:
    named = ("SWITCHBOARD_MODEL", "SWITCHBOARD_AGENT_MODELS", "SWITCHBOARD_EMBEDDINGS", "SWITCHBOARD_VOICES")
    return any(f"{vendor}:" in variables.get(name, "") for name in named)
