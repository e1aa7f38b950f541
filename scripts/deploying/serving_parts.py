"""What serves: each Cloud Function, and the one process that carries the WebSocket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import setting_up
from deploying.settings import FIREBASE, RELAY, TRUSTED_PROXIES, Settings
from deploying.step import Step

ALIVE = "/health"
"""Where an instance tells that it lives (`functions/switchboard/channels/http/monitoring.py`)."""
FUNCTIONS = setting_up.ROOT / "functions" / "functions.yaml"


@dataclass(frozen=True)
class Function:
    """One Cloud Function as functions.yaml describes it, for the Firebase CLI and for us."""

    id: str
    entry_point: str
    memory_mb: int
    cpu: int
    concurrency: int
    min_instances: int
    max_instances: int
    timeout_s: int


def described() -> list[Function]:
    """Return every function; the file is written in the part of YAML that is JSON."""
    endpoints: dict[str, Any] = json.loads(FUNCTIONS.read_text())["endpoints"]
    return [
        Function(
            id,
            given["entryPoint"],
            given["availableMemoryMb"],
            given["cpu"],
            given["concurrency"],
            given["minInstances"],
            given["maxInstances"],
            given["timeoutSeconds"],
        )
        for id, given in endpoints.items()
    ]


def runtime() -> str:
    """Return the runtime that firebase.json pins."""
    parsed: str = json.loads(FIREBASE.read_text())["functions"][0]["runtime"]
    return parsed


def functions(settings: Settings) -> Iterator[Step]:
    """Yield the functions. They are plain ASGI; without FUNCTION_USE_ASGI the framework would call them as Flask's."""
    yield from settings.found_out("functions")
    for function in described():
        waiting = f"{function.min_instances} of it always waiting" if function.min_instances else "none of it waiting"
        yield Step(
            "functions",
            f"/{function.entry_point}, up to {function.concurrency} requests at once in each instance, {waiting}",
            (
                *("gcloud", "functions", "deploy", function.id, "--gen2", *_place(settings)),
                *("--source=functions", f"--runtime={runtime()}", f"--entry-point={function.entry_point}"),
                *("--trigger-http", "--allow-unauthenticated", f"--service-account={settings.account}"),
                *(f"--memory={function.memory_mb}Mi", f"--cpu={function.cpu}"),
                *(f"--concurrency={function.concurrency}", f"--timeout={function.timeout_s}s"),
                *(f"--min-instances={function.min_instances}", f"--max-instances={function.max_instances}"),
                *settings.environment(FUNCTION_USE_ASGI="true", **{TRUSTED_PROXIES: settings.functions_proxies}),
                "--quiet",
            ),
            remedy=_remedy(settings, function.id),
        )


def relay(settings: Settings) -> Iterator[Step]:
    """Yield the Cloud Run service, built from the same source and begun by its Procfile."""
    yield from settings.found_out("relay")
    major, minor = runtime().removeprefix("python")[:1], runtime().removeprefix("python")[1:]
    relay_url = settings.variables.get("SWITCHBOARD_RELAY_URL")
    text = f"as {relay_url}" if relay_url else "once SWITCHBOARD_RELAY_URL holds wss://<its address>/phone/relay"
    yield Step(
        "relay",
        f"Cloud Functions carry no WebSocket; this serves all functions in one process, {settings.relay.calls} calls "
        f"at once, and is called {text}",
        (
            *("gcloud", "run", "deploy", RELAY, *_place(settings)),
            *("--source=functions", f"--set-build-env-vars=GOOGLE_PYTHON_VERSION={major}.{minor}.x"),
            *("--allow-unauthenticated", f"--service-account={settings.account}"),
            # A call is one request as long as it lasts, and what goes on behind the calls needs the processor, too.
            *("--timeout=3600", "--no-cpu-throttling", "--memory=1Gi", "--cpu=1"),
            # Whether the process lives, and not whether it can serve: an outage of Firestore must end no phone call.
            f"--startup-probe=httpGet.path={ALIVE},periodSeconds=5,timeoutSeconds=5,failureThreshold=24",
            f"--liveness-probe=httpGet.path={ALIVE},periodSeconds=20,timeoutSeconds=10,failureThreshold=6",
            *(f"--concurrency={settings.relay.concurrency}", "--min-instances=1"),
            f"--max-instances={settings.relay.max_instances}",
            *(*settings.environment(**{TRUSTED_PROXIES: settings.relay_proxies}), "--quiet"),
        ),
        remedy=_remedy(settings, RELAY),
    )


def _remedy(settings: Settings, service: str) -> str:
    """Return what helps in organizations that hold back what a project has by itself elsewhere.

    In some, the account which builds has no roles; in others nothing may be opened to everybody (Domain Restricted
    Sharing), and a service is then reached without that.
    """
    number = f"$(gcloud projects describe {settings.project} --format='value(projectNumber)')"
    place = f"--project={settings.project} --region={settings.region}"
    return (
        "see above for why; if allUsers is refused (Domain Restricted Sharing, iam.allowedPolicyMemberDomains), "
        f"gcloud run services update {service} {place} --no-invoker-iam-check, which opens the service without it: "
        "requests prove themselves to the application; if the build lacks a permission, "
        f"gcloud projects add-iam-policy-binding {settings.project} "
        f'--member="serviceAccount:{number}-compute@developer.gserviceaccount.com" '
        "--role=roles/cloudbuild.builds.builder --condition=None"
    )


def _place(settings: Settings) -> tuple[str, str]:
    return f"--project={settings.project}", f"--region={settings.region}"
