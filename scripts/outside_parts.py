"""The parts of a test run that Python packages cannot bring: a browser, Java, the Firestore emulator.

Standard library only. What is missing is installed where that is possible without asking, and otherwise named
together with the command that brings it.
"""

from __future__ import annotations

import os
import shutil
import subprocess

import emulator

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_CHROMIUM = "no Chromium on PATH: apt-get install chromium"
APT_GET = ("apt-get", "-y", "-qq", "-o", "DPkg::Lock::Timeout=300")


def find_chromium() -> str | None:
    """Return the path of a Chromium or Chrome that a test can drive, or None."""
    return next((path for path in map(shutil.which, CHROMIUM_NAMES) if path), None)


def bring_missing() -> None:
    """Install what is missing as Debian packages, if this is root on such a system; failures only leave it missing."""
    packages = [] if find_chromium() else ["chromium"]
    if emulator.needs_java():
        packages.append("default-jre-headless")
    if not packages or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    print(f"installing with apt-get, which can take two minutes: {' '.join(packages)}", flush=True)
    # a fresh machine knows no package yet; one that does is spared the update
    if not _apt_get("install", "--no-install-recommends", *packages):
        _apt_get("update")
        _apt_get("install", "--no-install-recommends", *packages)


def missing() -> list[str]:
    """Return one sentence for each part that this machine lacks, with the command that brings it."""
    sentences = [] if find_chromium() else [NO_CHROMIUM]
    if not emulator.named_host() and not emulator.find():
        sentences.append(emulator.why_missing())
    return sentences


def _apt_get(*words: str) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run([*APT_GET, *words], env=environment, stdout=subprocess.DEVNULL).returncode == 0
