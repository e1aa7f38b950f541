"""Runs the steps of a deployment one after another, and stops at the first that fails."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence

import setting_up
from command_line import Problem
from deploying.step import Command, FromOutput, Joined, Step, written

INSTALL = {
    "gcloud": "install the Google Cloud CLI (https://cloud.google.com/sdk/docs/install)",
    "firebase": "install the Firebase CLI (npm install -g firebase-tools)",
}
ENVIRONMENT = {"CLOUDSDK_CORE_DISABLE_PROMPTS": "true"}


def require_programs(steps: Sequence[Step]) -> None:
    """Return if everything that the steps run can be run.

    Raises:
        Problem: A program is missing, or nobody is signed in.
    """
    used = {str(command[0]) for step in steps for command in (step.command, step.probe, step.otherwise) if command}
    for program, remedy in INSTALL.items():
        if program in used and shutil.which(program) is None:
            raise Problem(f"{program} is not on PATH; {remedy}.")
    if "gcloud" in used:
        asked = ("gcloud", "auth", "list", "--filter=status:ACTIVE", "--format=value(account)")
        done = subprocess.run(asked, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True)
        if done.returncode or not done.stdout.strip():
            raise Problem("nobody is signed in to gcloud; run gcloud auth login.")
    if "firebase" in used:
        done = subprocess.run(("firebase", "projects:list"), capture_output=True, text=True)
        # It fails for other reasons, too, and signs in by whatever it finds, a machine's own account among them.
        if done.returncode and "firebase login" in done.stdout + done.stderr:
            raise Problem("nobody is signed in to firebase; run firebase login.")


def carry_out(steps: Sequence[Step]) -> Mapping[str, str]:
    """Run the steps, and return what those of them found out that keep something.

    Raises:
        Problem: One failed; what was done before it stays, and doing it again does no harm.
    """
    by_name: dict[str, str] = {}
    for number, step in enumerate(steps, 1):
        print(f"[{number}/{len(steps)}] {step.part}: {step.reason}", flush=True)
        command = step.command
        if step.probe and _run(step.probe, by_name, quiet=True) != 0:
            command = step.otherwise
        if not command:
            continue
        if step.keeps:
            by_name[step.keeps] = _first_line(command, step.remedy)
            print(f"    {step.keeps} is {by_name[step.keeps]}", flush=True)
            continue
        code = _run(command, by_name)
        if code != 0:
            remedy = step.remedy or "see above for why"
            raise Problem(
                f"{step.part} failed with exit code {code}: {written(command)}\n"
                f"Remedy: {remedy}. Then run it again; what was done before stays."
            )
    return by_name


def _run(command: Command, values: Mapping[str, str], quiet: bool = False) -> int:
    words = _words(command, values)
    output = subprocess.DEVNULL if quiet else None
    environment = {**os.environ, **ENVIRONMENT}
    return subprocess.run(words, cwd=setting_up.ROOT, env=environment, stdout=output, stderr=output).returncode


def _words(command: Command, values: Mapping[str, str]) -> list[str]:
    rows = []
    for word in command:
        if isinstance(word, FromOutput):
            rows.append(word.before + _first_line(word.read, may_be_empty=word.may_be_empty))
        else:
            rows.append(word.filled(values) if isinstance(word, Joined) else word)
    return rows


def _first_line(command: Command, remedy: str = "", may_be_empty: bool = False) -> str:
    environment = {**os.environ, **ENVIRONMENT}
    done = subprocess.run(_words(command, {}), cwd=setting_up.ROOT, env=environment, capture_output=True, text=True)
    value = done.stdout.strip().partition("\n")[0]
    if done.returncode or not (value or may_be_empty):
        text = f"\n{done.stderr.strip()}" if done.stderr.strip() else ""
        text += f"\nRemedy: {remedy}. Then run it again; what was done before stays." if remedy else ""
        raise Problem(f"what is there already cannot be read: {written(command)}{text}")
    return value
