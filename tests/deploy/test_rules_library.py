"""The rules held against `@firebase/rules-unit-testing`, which must come to what the matrix of test_rules.py comes to.

That library speaks to the emulator as test_rules.py does: rules by REST, and people by tokens that nobody signed.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from switchboard.admin.roles import ALLOWED
from tests.architecture.house import ROOT
from tests.deploy.test_rules import COLLECTIONS, OWN, PEOPLE, READ_FOR, documents_of

LIBRARY = Path(__file__).with_name("rules_library")
INSTALL = f"npm ci --ignore-scripts --prefix {LIBRARY.relative_to(ROOT)}"


@pytest.fixture
def node() -> str:
    """Node, with the library beside it; the tests of test_rules.py stand in for both where either is missing."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("no node on PATH; test_rules.py tests the same rules without it")
    if not (LIBRARY / "node_modules").is_dir():
        pytest.skip(f"@firebase/rules-unit-testing is not installed: {INSTALL}")
    return found


@pytest.mark.emulator
def test_firebase_s_own_library_finds_the_rules_as_open_and_as_closed_as_the_matrix(
    node: str, emulator_host: str, worker_project: str
) -> None:
    host, _, port = emulator_host.rpartition(":")
    documents = {name: path for name, path in documents_of(OWN).items() if name in ("", *COLLECTIONS)}
    asked = {
        "host": host,
        "port": int(port),
        "project": f"{worker_project}-library",
        "rules": str(ROOT / "firestore.rules"),
        "people": {name: claims for name, (claims, _) in PEOPLE.items()},
        "paths": list(documents.values()),
    }
    done = subprocess.run(
        [node, "people.mjs", json.dumps(asked)], cwd=LIBRARY, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    for name, (_, role) in PEOPLE.items():
        for kind, path in documents.items():
            may_read = kind in READ_FOR and role in ALLOWED[READ_FOR[kind]]
            expected = {"get": may_read, "create": False, "update": False, "delete": False}
            assert found[f"{name} {path}"] == expected, (name, kind)
