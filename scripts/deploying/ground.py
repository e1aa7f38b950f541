"""What has to be there before anything is sent: built tools, sound pins, Google's services, an account, secrets."""

from __future__ import annotations

from collections.abc import Iterator

from deploying.settings import TASK_ACCOUNT, Settings, making
from deploying.step import Step

SERVICES = (
    "artifactregistry",
    "cloudbuild",
    "cloudfunctions",
    "cloudscheduler",
    "cloudtasks",
    "firebase",
    "firestore",
    "firebaserules",
    "firebasehosting",
    "iam",
    "identitytoolkit",
    "monitoring",
    "run",
    "secretmanager",
)
ROLES = {
    "roles/datastore.user": "documents are read and written",
    "roles/cloudtasks.enqueuer": "calls that were accepted are queued",
    "roles/firebaseauth.viewer": "it is asked whether an owner's sign-in was taken back",
}


def tools(settings: Settings) -> Iterator[Step]:
    """Yield the build of what only lives in functions/ once it is built."""
    yield Step(
        "tools",
        "functions/tool_registry.json is what a process loads, and what it falls back on without Firestore; "
        "functions/business_templates.json is what businesses are made of",
        ("scripts/build_tools",),
    )


def lock(settings: Settings) -> Iterator[Step]:
    """Yield the check of the pinned packages."""
    yield Step(
        "lock",
        "what is deployed is what was tested: every package is pinned, with hashes, and none was forgotten",
        ("python3", "scripts/deploying/pins.py", "functions/requirements.in"),
        remedy="run scripts/lock and scripts/test, and commit what they change",
    )


def services(settings: Settings) -> Iterator[Step]:
    """Yield the switching on of Google's services."""
    names = [f"{name}.googleapis.com" for name in SERVICES]
    # Its consent page works without, and every calendar then fails.
    names += ["calendar-json.googleapis.com"] if "SWITCHBOARD_GOOGLE_CLIENT_ID" in settings.variables else []
    names += ["cloudkms.googleapis.com"] if "SWITCHBOARD_KMS_KEY" in settings.variables else []
    yield Step(
        "services",
        "a project begins with all of them off",
        ("gcloud", "services", "enable", *names, f"--project={settings.project}", "--quiet"),
    )


def firebase(settings: Settings) -> Iterator[Step]:
    """Yield the making of a Firebase project, which a Google Cloud project is not by itself."""
    yield Step(
        "firebase",
        "rules and hosting belong to Firebase, which a Google Cloud project does not have by itself",
        (),
        probe=("firebase", "apps:list", f"--project={settings.project}"),
        otherwise=("firebase", "projects:addfirebase", settings.project, "--non-interactive"),
        remedy="if Firebase's terms were never agreed to, sign in once at https://console.firebase.google.com",
    )


def account(settings: Settings) -> Iterator[Step]:
    """Yield the account that everything runs as, and what it may do."""
    project = f"--project={settings.project}"
    yield Step(
        "account",
        "functions run as an account of their own, which may do what follows and nothing else",
        (),
        probe=("gcloud", "iam", "service-accounts", "describe", settings.account, project),
        otherwise=("gcloud", "iam", "service-accounts", "create", "switchboard", project, "--quiet"),
    )
    member = f"--member=serviceAccount:{settings.account}"
    for role, why in ROLES.items():
        words = (settings.project, member, f"--role={role}", "--condition=None", "--quiet")
        yield Step("account", why, ("gcloud", "projects", "add-iam-policy-binding", *words))
    yield from _task_account(settings, member)
    key = settings.variables.get("SWITCHBOARD_KMS_KEY")
    if key:
        role = "--role=roles/cloudkms.cryptoKeyEncrypterDecrypter"
        yield Step(
            "account",
            "the keys of what businesses keep secret are wrapped and unwrapped",
            ("gcloud", "kms", "keys", "add-iam-policy-binding", key, member, role, "--quiet"),
        )


def _task_account(settings: Settings, member: str) -> Iterator[Step]:
    project = f"--project={settings.project}"
    yield Step(
        "account",
        "queue and scheduler ask for work as an account of their own, which may do nothing else",
        (),
        probe=("gcloud", "iam", "service-accounts", "describe", settings.task_account, project),
        otherwise=("gcloud", "iam", "service-accounts", "create", TASK_ACCOUNT, project, "--quiet"),
    )
    words = (settings.task_account, member, "--role=roles/iam.serviceAccountUser", project, "--quiet")
    yield Step(
        "account",
        "functions put tasks into the queue that are to show that account's token",
        ("gcloud", "iam", "service-accounts", "add-iam-policy-binding", *words),
    )


def secrets(settings: Settings) -> Iterator[Step]:
    """Yield, for each secret, a look whether it is there, and the leave to read it; values are not touched."""
    project = f"--project={settings.project}"
    for name in settings.secrets:
        yield Step(
            "secrets",
            f"{name} is handed to functions by reference, so it must be in Secret Manager",
            ("gcloud", "secrets", "versions", "describe", "latest", f"--secret={name}", project),
            remedy=making(name, settings.project),
        )
        reader = (f"--member=serviceAccount:{settings.account}", "--role=roles/secretmanager.secretAccessor")
        yield Step(
            "secrets",
            f"{name} is read by the functions' account alone",
            ("gcloud", "secrets", "add-iam-policy-binding", name, *reader, project, "--quiet"),
        )
