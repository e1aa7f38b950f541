"""Every command that scripts/deploy prints, held against the parser of gcloud itself, which reaches nobody for it."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploying.plan import planned
from deploying.settings import RelaySize, read_settings
from deploying.step import Command, FromOutput, Joined, Kept
from tests.deploy.shell import KMS

EVERYTHING = {
    "SWITCHBOARD_KMS_KEY": KMS,
    "SWITCHBOARD_MODEL": "openai:gpt-5",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.com",
    "OTEL_EXPORTER_OTLP_HEADERS": "named",
}


def commands(command: Command) -> Iterator[Command]:
    """Yield a command, and those whose output it takes."""
    yield command
    for word in command:
        if isinstance(word, FromOutput):
            yield from commands(word.read)


def in_place_of(word: FromOutput | Joined) -> str:
    if isinstance(word, FromOutput):
        return word.before + "something"
    return word.filled({part.name: "1" for part in word.parts if isinstance(part, Kept)})


def typed(command: Command) -> str:
    """Return a command with something in every place that is found out when it is run."""
    words = (word if isinstance(word, str) else in_place_of(word) for word in command)
    # Of an option that is quoted as a whole, the check makes the value of the option before it.
    parts = (word.partition("=") if word.startswith("--") else ("", "", word) for word in words)
    return " ".join(f"{name}{equals}{shlex.quote(value) if value else ''}" for name, equals, value in parts)


# Options whose values only name which of many like things is meant.
NAMING = ("--policy-from-file", "--filter", "--collection-group", "--secret")


def shape(line: str) -> tuple[str, ...]:
    """Return what of a command gcloud's parser could object to."""
    return tuple(word.partition("=")[0] if word.startswith(NAMING) else word for word in shlex.split(line))


@pytest.mark.process
def test_gcloud_understands_every_command(tmp_path: Path) -> None:
    """A command or an option that gcloud does not have would end a deployment halfway."""
    gcloud = shutil.which("gcloud")
    if gcloud is None:
        pytest.skip("no gcloud on PATH: https://cloud.google.com/sdk/docs/install")
    settings = read_settings("my-project", "us-central1", EVERYTHING, RelaySize(), ("11",))
    as_before = read_settings("my-project", "us-central1", EVERYTHING)
    steps = [*planned(settings), *planned(as_before, ("alerts",))]
    every = [c for step in steps for part in (step.command, step.probe, step.otherwise) for c in commands(part)]
    lines = sorted({typed(command) for command in every if command and command[0] == "gcloud"})
    # One of each shape: every command costs gcloud a tenth of a second, and one about another file tells nothing new.
    asked = sorted({shape(line): line for line in lines}.values())
    file = tmp_path / "commands.json"
    file.write_text(json.dumps([{"command_string": line} for line in asked]))
    environ = {**os.environ, "CLOUDSDK_CONFIG": str(tmp_path), "CLOUDSDK_CORE_DISABLE_PROMPTS": "1"}
    done = subprocess.run(
        [gcloud, "meta", "lint-gcloud-commands", f"--commands-file={file}"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=600,
    )
    found = json.loads(done.stdout)
    assert len(found) == len(asked) > 50
    assert [(one["command_string"], one["error_message"]) for one in found if not one["success"]] == []
