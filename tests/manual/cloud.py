"""Commands of the manual that reach a cloud: what a reader fills in, and which are dry runs of this house."""

FILLED = {
    "EMAIL": "till@my-project.iam.gserviceaccount.com",
    "URL": "https://api.example.com",
    "BUCKET": "my-bucket",
    "DATE": "2026-12-01",
    "NAME": "switchboard-relay",
    "REVISION": "switchboard-relay-00042-abc",
    "FIRST-PROJECT": "my-project",
    "SECOND-PROJECT": "my-project-two",
    "JOB": "switchboard-reap",
    "<id>": "my-project",
    "ID": "my-project",
}
"""What stands for a reader's own names."""

DEPLOYMENTS = (
    "scripts/deploy --project <id> --dry-run",
    "scripts/deploy --project ID --dry-run",
    "scripts/deploy --project ID",
    "scripts/deploy --only account,scheduler,functions,relay",
    "scripts/deploy --only functions,relay,hosting,scheduler",
)
"""Those that are shown here as dry runs, whose commands `tests/deploy/test_gcloud_parser.py` holds against gcloud."""

GCLOUD = (
    "gcloud auth print-identity-token --impersonate-service-account=EMAIL --include-email --audiences=URL",
    "openssl rand -base64 48 | gcloud secrets create SWITCHBOARD_SIGNING_KEY --data-file=-",
    "gcloud components install alpha",
    "gcloud scheduler jobs list",
    "gcloud firestore export gs://BUCKET/DATE",
    "gcloud firestore import gs://BUCKET/DATE",
    "gcloud firestore indexes composite list",
    "gcloud run services update-traffic NAME --to-revisions=REVISION=100",
    "gcloud firestore export gs://BUCKET/DATE --project=FIRST-PROJECT",
    "gcloud firestore import gs://BUCKET/DATE --project=SECOND-PROJECT",
    "gcloud scheduler jobs pause JOB --project=FIRST-PROJECT --location=us-central1",
    "gcloud run services update switchboard-relay --min-instances=0 --project=FIRST-PROJECT --region=us-central1",
    "gcloud scheduler jobs resume JOB --project=SECOND-PROJECT --location=europe-west1",
)
"""Those of Google's own command line, which its own parser reads without reaching anybody."""

PREPARE = "scripts/deploy --project SECOND-PROJECT --region europe-west1 --dry-run"
"""How the block begins that prepares a second region: deployments and Google's commands, a line each."""

STREAMLIT = (
    "SWITCHBOARD_URL=https://… streamlit run admin_ui/app.py --server.address=0.0.0.0 "
    "--server.allowedHosts=pages.example.com"
)


def filled(words: str) -> str:
    """Return a command with names in place of what a reader fills in."""
    for blank, name in FILLED.items():
        words = words.replace(blank, name)
    return words
