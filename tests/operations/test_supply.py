"""What is shipped of others is pinned by hash and under a licence that allows it."""

import pytest

import setting_up
import supply


def test_everything_that_is_deployed_is_pinned_by_hash_and_allowed():
    """By the packages' own metadata."""
    text = (setting_up.ROOT / supply.LIST).read_text()
    found = list(supply.packages(text))
    assert len(found) > 20
    assert supply.unhashed(text) == []
    assert [package for package in found if not package.is_allowed] == []


@pytest.mark.parametrize(
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
    ],
)
def test_a_licence_is_allowed_or_looked_at(licence: str, allowed: bool):
    """What tells none is looked at by a person."""
    assert supply.Package("x", "1", licence).is_allowed is allowed


def test_a_pin_without_a_hash_is_named():
    """Whoever edits the list by hand."""
    text = "a==1 \\\n    --hash=sha256:00\n    # via b\nc==2\n"
    assert supply.unhashed(text) == ["c"]
