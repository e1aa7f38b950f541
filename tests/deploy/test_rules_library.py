"""The rules held against `@firebase/rules-unit-testing`, which must come to what the matrix of test_rules.py comes to.

That library speaks to the emulator as test_rules.py does: rules by REST, and people by tokens that nobody signed.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from switchboard.admin.access.roles import ALLOWED
from testing import outside_parts
from tests.architecture.house import ROOT
from tests.deploy.test_rules import COLLECTIONS, OWN, PEOPLE, READ_FOR, documents_of

PROGRAM = Path(__file__).with_name("rules_library") / "people.mjs"


@pytest.fixture
def node(missing_part: Callable[[str], NoReturn]) -> str:
    """Node, with the library installed for it."""
    return outside_parts.find_node() or missing_part(outside_parts.why_no_node())


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
    # Read from stdin, a program finds the packages of the folder that it runs in.
    done = subprocess.run(
        [node, "--input-type=module", "-", json.dumps(asked)],
        input=PROGRAM.read_text(),
        cwd=outside_parts.NODE_FOLDER,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    for name, (_, role) in PEOPLE.items():
        for kind, path in documents.items():
            may_read = kind in READ_FOR and role in ALLOWED[READ_FOR[kind]]
            expected = {"get": may_read, "create": False, "update": False, "delete": False}
            assert found[f"{name} {path}"] == expected, (name, kind)
