"""What is shipped of others is pinned by hash and under a licence that allows it, and all of it is audited."""

import json
import subprocess
import sys
from typing import Any

import pytest

import setting_up
from testing import supply
from tests.each import each


@pytest.mark.parametrize("path", supply.SHIPPED, ids=str)
def test_everything_that_is_shipped_is_under_a_licence_that_allows_it(path):
    """By the packages' own metadata: what a deployment installs, and what the admin pages need."""
    found = list(supply.packages((setting_up.ROOT / path).read_text()))
    assert found
    assert [package for package in found if not package.is_allowed] == []


@pytest.mark.parametrize("path", supply.LISTS, ids=str)
def test_everything_that_is_installed_is_pinned_by_hash(path):
    """Also the tests' own tools."""
    assert supply.unhashed((setting_up.ROOT / path).read_text()) == []


def test_no_lock_file_is_left_out():
    """Whoever adds one."""
    there = {path.relative_to(setting_up.ROOT) for path in setting_up.ROOT.glob("[!.]*/**/requirements*.txt")}
    there |= {path.relative_to(setting_up.ROOT) for path in setting_up.ROOT.glob("requirements*.txt")}
    assert there == set(supply.LISTS)
    assert any(
        package.name == "streamlit" for package in supply.packages((setting_up.ROOT / supply.SHIPPED[1]).read_text())
    )


SOUND = {"name": "sound", "version": "1", "vulns": []}
WEAK = {"name": "weak", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["2.1"], "aliases": []}]}
UNKNOWN = [{"name": f"own{i}", "skip_reason": f"Dependency not found on PyPI: own{i} (1)"} for i in range(7)]


@pytest.mark.parametrize(
    ("rows", "code", "told"),
    [
        ([SOUND, SOUND], 0, ["audited 1 of 1 packages\n"]),
        ([SOUND, WEAK], 1, ["weak 2: CVE-1, fixed in 2.1", "audited 2 of 2 packages\n"]),
        (
            [*UNKNOWN, WEAK],
            1,
            ["weak 2: CVE-1", "audited 1 of 8 packages, because 7: Dependency not found on PyPI (own0,"],
        ),
        (
            [*UNKNOWN, SOUND],
            3,
            ["audited 1 of 8 packages, because 7: Dependency not found on PyPI (own0, own1,", "...)"],
        ),
    ],
)
def test_an_audit_goes_on_past_packages_that_cannot_be_looked_up(
    capsys: Any, rows: list[Any], code: int, told: list[str]
):
    """One that is not on PyPI clears no other, and neither does it hide one; not to know is no all-clear."""
    assert supply.main([], lambda: json.dumps({"dependencies": rows})) == code
    said = "".join(capsys.readouterr())
    assert [part for part in told if part not in said] == []


@pytest.mark.parametrize("answer", ["", "{}", "[]", '{"dependencies": [{}]}'])
def test_an_audit_that_fails_clears_nothing(capsys: Any, answer: str):
    """And says so in a sentence."""
    assert supply.main([], lambda: answer) == 3
    assert "audited nothing, because" in capsys.readouterr().err


def test_whoever_is_offline_asks_nobody(capsys: Any):
    """By their own word."""
    assert supply.main(["--offline"], lambda: pytest.fail("asked")) == 0


@each(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND 0BSD", True),
        ("Apache Software License", True),
        ("", False),
        ("SSPL-1.0", False),
        ("GNU Affero General Public License v3", False),
        ("AGPL-3.0-only", False),
        ("LGPL-3.0 OR MIT", True),
        ("MPL-1.1 OR GPL-2.0-only OR LGPL-2.1-or-later", True),
        ("MIT AND GPL-3.0-only", False),
    ],
)
def test_a_licence_is_allowed_or_looked_at(licence: str, allowed: bool):
    """What tells none is looked at by a person."""
    assert supply.Package("x", "1", licence).is_allowed is allowed


def test_a_pin_without_a_hash_is_named():
    """Whoever edits the list by hand."""
    text = "a==1 \\\n    --hash=sha256:00\n    # via b\nc==2\n"
    assert supply.unhashed(text) == ["c"]


def lock(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/lock", *arguments], cwd=setting_up.ROOT, capture_output=True, text=True
    )


@pytest.mark.process
def test_whoever_asks_how_to_pin_is_told_of_our_command_and_nothing_is_pinned():
    """What resolves for us has a help of its own, with files and options that are not for choosing here."""
    done = lock("--help")
    assert done.returncode == 0
    assert "usage: scripts/lock" in done.stdout and "--upgrade-package NAME" in done.stdout
    assert "wrote" not in done.stdout


@pytest.mark.process
def test_a_word_that_is_no_option_is_not_taken_for_a_file_to_pin():
    done = lock("upgrade")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'upgrade' is no option" in done.stderr


@pytest.mark.process
def test_what_is_asked_for_reaches_the_resolver():
    """Our own options, and any other as it is."""
    code = (
        "import runpy, sys; sys.path.insert(0, 'scripts'); told = runpy.run_path('scripts/lock')['read_options'];"
        "print(told(['--upgrade', '--upgrade-package', 'a', '--upgrade-package=b', '--exclude-newer', '2026-01-01']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=setting_up.ROOT, capture_output=True, text=True, check=True)
    asked = ["--upgrade", "--upgrade-package=a", "--upgrade-package=b", "--exclude-newer", "2026-01-01"]
    assert done.stdout.strip() == str(asked)
