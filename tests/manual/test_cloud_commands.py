"""The manual's commands that reach a cloud: in front of stand-ins, and before the vendors' own parsers."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

import setting_up
from tests.deploy.shell import Deployment, deployment  # noqa: F401
from tests.each import each
from tests.manual.cloud import DEPLOYMENTS, GCLOUD, PREPARE, STREAMLIT, filled
from tests.manual.pages import commands


def prepared(program: str) -> list[str]:
    """Return the lines of the block that prepares a second region which run this program."""
    (block,) = [found for found in commands() if found.words.startswith(PREPARE)]
    lines = block.text.strip().splitlines()
    assert all(line.startswith(("scripts/deploy ", "gcloud ")) for line in lines)
    return [line for line in lines if line.startswith(f"{program} ")]


@pytest.mark.process
@pytest.mark.requirement("004-760")
@each("words", [*DEPLOYMENTS, *prepared("scripts/deploy")])
def test_a_deployment_can_be_looked_at_as_it_is_written(words: str, deployment: Deployment) -> None:  # noqa: F811
    """It names a part for every part that is asked for, and nobody is asked for anything."""
    arguments = [word for word in shlex.split(filled(words))[1:] if word != "--dry-run"]
    done = deployment.run(*arguments, "--dry-run")
    assert (done.returncode, done.stderr) == (0, ""), words
    assert re.search(r"^gcloud .*my-project", done.stdout, re.M)
    assert deployment.ran() == []


@pytest.mark.process
@pytest.mark.requirement("004-760")
def test_gcloud_understands_every_command_of_the_manual(
    deployment: Deployment,  # noqa: F811
    missing_part: Callable[[str], NoReturn],
) -> None:
    """As a shell runs it, with names in place of a reader's own."""
    gcloud = shutil.which("gcloud")
    if gcloud is None:
        pytest.skip("no gcloud on PATH: https://cloud.google.com/sdk/docs/install")
    log = deployment.folder / "manual"
    environ = {**deployment.environ, "FAKE_LOG": str(log)}
    every = [*GCLOUD, *prepared("gcloud")]
    for words in every:
        subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", filled(words)], env=environ, check=True, timeout=60)
    lines = [shlex.join(json.loads(line)) for line in log.read_text().splitlines()]
    assert len(lines) == len(every)
    file = deployment.folder / "commands.json"
    file.write_text(json.dumps([{"command_string": line} for line in lines]))
    done = subprocess.run(
        [gcloud, "meta", "lint-gcloud-commands", f"--commands-file={file}"],
        env={**os.environ, "CLOUDSDK_CONFIG": str(deployment.folder), "CLOUDSDK_CORE_DISABLE_PROMPTS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    found = json.loads(done.stdout)
    assert [(one["command_string"], one["error_message"]) for one in found if not one["success"]] == []
    assert len(found) == len(lines)


@pytest.mark.requirement("004-760")
def test_streamlit_has_the_settings_and_the_page_is_there() -> None:
    """It is not started: as it is written it listens to everybody."""
    from streamlit import config

    _, program, verb, page, *settings = shlex.split(STREAMLIT)
    assert (program, verb, Path(setting_up.ROOT / page).is_file()) == ("streamlit", "run", True)
    names = [re.sub(r"^--|=.*", "", setting) for setting in settings]
    assert set(names) <= set(config.get_config_options(force_reparse=False))
