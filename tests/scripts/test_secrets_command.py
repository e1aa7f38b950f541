"""The command scripts/secrets: a rotation that is killed again and again loses nothing and comes to its end."""

import base64
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest

import setting_up
from switchboard.contract.store import Set
from switchboard.integrations.secrets.key_rotation import KeyRotation
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
SECRETS = setting_up.ROOT / "scripts" / "secrets"
OLD, NEW = b"o" * 32, b"n" * 32
TEXTS = {name: base64.b64encode(key).decode() for name, key in (("old", OLD), ("new", NEW))}
BUSINESSES, EACH = 250, 4
KILLS = 5


@pytest.fixture
async def filled(firestore: FirestoreStore) -> AsyncIterator[FirestoreStore]:
    """A thousand secrets, two of each business, under the old key."""
    source = SealedSecrets(firestore, PATHS, LocalKeyKeeper(OLD))
    for start in range(0, BUSINESSES, 50):
        ids = [f"b{number:03}" for number in range(start, start + 50)]
        await firestore.commit([Set(PATHS.within(id).business, {"name": id}) for id in ids])
        for id in ids:
            values: dict[str, str | None] = {f"field{number}": f"{id} {number}" for number in range(EACH)}
            await firestore.commit([await source.to_write(id, "twilio", values)])
    yield firestore


def command(environ: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    """Begin the command on the emulator, with the keys of the environment."""
    return subprocess.Popen(
        [sys.executable, SECRETS, *arguments],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.process
@pytest.mark.emulator
@pytest.mark.requirement("004-834")
async def test_a_rotation_of_a_thousand_secrets_that_is_killed_at_random_loses_none(
    filled: FirestoreStore, emulator_host: str, emulator_project: str
) -> None:
    """As by a machine that dies: without a word, at any moment. In the end nothing hangs on the old key."""
    environ = os.environ | {
        "FIRESTORE_EMULATOR_HOST": emulator_host,
        "GOOGLE_CLOUD_PROJECT": emulator_project,
        "SWITCHBOARD_SECRETS_KEY": f"{TEXTS['new']},{TEXTS['old']}",
    }
    both, chance = KeyRotation(filled, PATHS, LocalKeyKeeper(NEW, OLD)), random.Random(23)
    left_after = list[int]()
    for kill in range(KILLS):
        running = command(environ, "rotate")
        assert running.stderr is not None
        # Once it has moved something, as it says itself, and for the rest at any moment, also before it has begun.
        has_moved = re.compile(r"businesses, [1-9]\d* secrets moved")
        while kill % 2 == 0 and (line := running.stderr.readline()) and not has_moved.search(line):
            pass
        time.sleep(chance.random() * (0.02 if kill % 2 == 0 else 0.5))
        running.send_signal(signal.SIGKILL)
        running.communicate(timeout=60)
        left_after.append((await both.counted(opens=False)).on_older)
    # One fell in the middle, and none gave anything back to the old key.
    assert any(0 < left < BUSINESSES * EACH for left in left_after), left_after
    assert left_after == sorted(left_after, reverse=True)
    left = left_after[-1]
    dry = command(environ, "rotate", "--dry-run")
    assert f"nothing was written: {left} secrets would be moved" in dry.communicate(timeout=120)[0]
    last = command(environ, "rotate")
    out, err = last.communicate(timeout=300)
    assert last.returncode == 0, err
    assert f"{left} secrets were moved; 0 are left on an older key" in out
    count = await KeyRotation(filled, PATHS, LocalKeyKeeper(NEW)).counted()
    assert (count.secrets.total(), count.on_older, count.unopened) == (BUSINESSES * EACH, 0, {})
    alone = SealedSecrets(filled, PATHS, LocalKeyKeeper(NEW))
    for number in range(BUSINESSES):
        id = f"b{number:03}"
        values = [await alone.reveal(id, "twilio", f"field{n}") for n in range(EACH)]
        assert values == [f"{id} {n}" for n in range(EACH)]
    # Then the old one can go, and the command says so.
    checked = command(environ | {"SWITCHBOARD_SECRETS_KEY": TEXTS["new"]}, "check")
    out, err = checked.communicate(timeout=120)
    assert (checked.returncode, err) == (0, ""), (out, err)
    assert f"{BUSINESSES * EACH} on the newest key" in out


@pytest.mark.process
@pytest.mark.emulator
async def test_what_does_not_open_is_named_with_what_helps(
    firestore: FirestoreStore, emulator_host: str, emulator_project: str
) -> None:
    """By whoever looks before a call finds it out."""
    await firestore.commit([Set(PATHS.within("salon").business, {"name": "salon"})])
    await SealedSecrets(firestore, PATHS, LocalKeyKeeper(OLD)).keep("salon", "twilio", "authToken", "t")
    environ = os.environ | {
        "FIRESTORE_EMULATOR_HOST": emulator_host,
        "GOOGLE_CLOUD_PROJECT": emulator_project,
        "SWITCHBOARD_SECRETS_KEY": TEXTS["new"],
    }
    done = command(environ, "check")
    out, _ = done.communicate(timeout=120)
    assert done.returncode == 1
    assert "salon: what it keeps secret does not open: a data key was wrapped with a key that" in out, out
    assert "their owners enter what they keep secret anew" in out


@pytest.mark.process
def test_without_a_key_the_command_says_which_it_needs() -> None:
    """In a sentence, and nothing is made up."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("SWITCHBOARD_", "GOOGLE_"))}
    done = command(environ | {"FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"}, "check")
    out, err = done.communicate(timeout=120)
    assert (done.returncode, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("scripts/secrets: which key? Set SWITCHBOARD_KMS_KEY or SWITCHBOARD_SECRETS_KEY")
