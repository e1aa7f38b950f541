"""What Firestore is told: rules, indexes and when documents end."""

from __future__ import annotations

import json
from collections.abc import Iterator

import setting_up
from deploying.settings import Settings
from deploying.step import Step

INDEXES = setting_up.ROOT / "firestore.indexes.json"


def database(settings: Settings) -> Iterator[Step]:
    """Yield the database, where there is none yet."""
    named = (f"--database={settings.database}", f"--project={settings.project}")
    yield Step(
        "database",
        "documents need a database; where it lies can never be changed, and functions should be near",
        (),
        probe=("gcloud", "firestore", "databases", "describe", *named),
        otherwise=(
            *("gcloud", "firestore", "databases", "create", *named),
            *(f"--location={settings.region}", "--type=firestore-native", "--quiet"),
        ),
    )


def rules(settings: Settings) -> Iterator[Step]:
    """Yield the rules."""
    yield Step(
        "rules",
        "browsers and telephones read what firestore.rules lets owners read, and write nothing",
        _firebase("firestore:rules", settings),
    )


def indexes(settings: Settings) -> Iterator[Step]:
    """Yield the indexes."""
    yield Step(
        "indexes",
        "Firestore refuses a query whose index is not there; building one takes minutes, so it comes before the code",
        _firebase("firestore:indexes", settings),
    )


def ttl(settings: Settings) -> Iterator[Step]:
    """Yield a policy for every kind of document that ends."""
    overrides = json.loads(INDEXES.read_text())["fieldOverrides"]
    for override in (o for o in overrides if o.get("ttl")):
        collection, name = override["collectionGroup"], override["fieldPath"]
        yield Step(
            "ttl",
            f"documents of {collection} are deleted after their {name}; also said by firestore.indexes.json, which "
            "older Firebase CLIs do not read it from",
            (
                *("gcloud", "firestore", "fields", "ttls", "update", name, f"--collection-group={collection}"),
                *("--enable-ttl", "--async", f"--database={settings.database}", f"--project={settings.project}"),
                "--quiet",
            ),
        )


def hosting(settings: Settings) -> Iterator[Step]:
    """Yield the site that leads to the functions, and before it the making of one where there is none."""
    yield Step(
        "hosting",
        f"a project begins without a site; {settings.project} is the usual name of the first",
        (),
        probe=("firebase", "hosting:sites:get", settings.project, f"--project={settings.project}"),
        otherwise=(
            *("firebase", "hosting:sites:create", settings.project),
            *(f"--project={settings.project}", "--non-interactive"),
        ),
        remedy='if somebody else has that name, create another and name it in firebase.json ("hosting": {"site": …})',
    )
    yield Step(
        "hosting",
        f"{settings.public_url} leads to the functions by their first path segment, which must be there before",
        ("python3", "scripts/deploying/site_region.py", settings.region, *_firebase("hosting", settings)),
    )


def _firebase(what: str, settings: Settings) -> tuple[str, ...]:
    return ("firebase", "deploy", f"--only={what}", f"--project={settings.project}", "--non-interactive")
