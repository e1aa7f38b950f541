"""The key for secrets of a local run: made once where data lasts, forgotten with the run where it does not."""

import base64
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from command_line import Problem
from running.secrets_key import secrets_key
from switchboard.integrations.secrets.kms import LocalKeyKeeper


def test_a_key_that_must_last_is_made_once_and_is_its_owners_alone(tmp_path):
    """32 bytes in base64, in a file that nobody else can read; the next run finds the same."""
    here = {"XDG_STATE_HOME": str(tmp_path)}
    key = secrets_key(here, is_lasting=True)
    assert len(base64.b64decode(key, validate=True)) == 32
    assert secrets_key(here, is_lasting=True) == key
    (file,) = (tmp_path / "switchboard").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert secrets_key({"XDG_STATE_HOME": str(tmp_path / "other")}, is_lasting=True) != key


@pytest.mark.process
def test_runs_that_begin_at_once_agree_on_one(tmp_path):
    """Whoever comes second takes what the first has made."""
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: secrets_key({"XDG_STATE_HOME": str(tmp_path)}, is_lasting=True), range(64)))
    assert len(keys) == 1


async def test_without_data_that_lasts_nothing_is_written(tmp_path):
    """Each run has a key of its own; all of them can be used."""
    here = {"XDG_STATE_HOME": str(tmp_path)}
    keys = {secrets_key(here, is_lasting=False) for _ in range(3)}
    assert len(keys) == 3
    assert list(tmp_path.iterdir()) == []
    for key in keys:
        keeper = LocalKeyKeeper.from_text(key)
        assert await keeper.unwrap((await keeper.wrap(b"data key")).value) == b"data key"


@pytest.mark.parametrize("is_lasting", [True, False])
def test_a_key_that_is_named_is_used(tmp_path, is_lasting):
    """SWITCHBOARD_SECRETS_KEY wins, and nothing is written."""
    here = {"XDG_STATE_HOME": str(tmp_path), "SWITCHBOARD_SECRETS_KEY": "named"}
    assert secrets_key(here, is_lasting) == "named"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_had_is_one_sentence(tmp_path):
    """It names the variables that help."""
    (tmp_path / "switchboard").write_text("a file in the way")
    with pytest.raises(Problem, match="SWITCHBOARD_SECRETS_KEY"):
        secrets_key({"XDG_STATE_HOME": str(tmp_path)}, is_lasting=True)
