"""The parts of a test run that Python packages cannot bring: a browser, Java, the Firestore emulator, npm's packages.

Standard library only. What is missing is installed where that is possible without asking, and otherwise named
together with the command that brings it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import emulator
import setting_up

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_CHROMIUM = "no Chromium on PATH: apt-get install chromium"
NODE_LISTS = (Path("tests/deploy/rules_library/package.json"), Path("tests/deploy/rules_library/package-lock.json"))
"""Which npm packages the tests use, and the lock that pins them by hash."""
NODE_FOLDER = setting_up.VENV / "node"
"""Where they lie, so that no walk through the checkout meets their thousands of files."""
NODE_STAMP = "installed"
NPM_CI = ("npm", "ci", "--ignore-scripts", "--include=dev", "--prefer-offline", "--no-audit", "--no-fund")
NO_NODE = "no node and npm on PATH: apt-get install nodejs npm"
NO_NODE_PACKAGES = f"what {NODE_LISTS[1]} pins is not installed: scripts/test without arguments brings it"
APT_GET = ("apt-get", "-y", "-qq", "-o", "DPkg::Lock::Timeout=300")


def find_chromium() -> str | None:
    """Return the path of a Chromium or Chrome that a test can drive, or None."""
    return next((path for path in map(shutil.which, CHROMIUM_NAMES) if path), None)


def find_node() -> str | None:
    """Return the path of node, if what a test runs in it is installed too; else None, and `why_no_node` says why."""
    return shutil.which("node") if _has_node_packages() else None


def why_no_node() -> str:
    """Say in one sentence which part of running npm's packages is not on this machine, and what brings it."""
    return NO_NODE_PACKAGES if shutil.which("node") and shutil.which("npm") else NO_NODE


def bring_missing() -> None:
    """Install what is missing; failures only leave it missing."""
    _bring_debian_packages()
    _bring_node_packages()


def _bring_debian_packages() -> None:
    # only for root on such a system, who need not be asked for a password
    packages = [] if find_chromium() else ["chromium"]
    if emulator.needs_java():
        packages.append("default-jre-headless")
    if not shutil.which("node"):
        packages += ["nodejs", "npm"]
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
    if not find_node():
        sentences.append(why_no_node())
    return sentences


def _bring_node_packages() -> None:
    if _has_node_packages() or not shutil.which("node") or not shutil.which("npm"):
        return
    print("installing npm's packages, which can take half a minute", flush=True)
    with tempfile.TemporaryDirectory(prefix="node-", dir=setting_up.VENV) as folder:
        fresh = Path(folder) / "node"
        fresh.mkdir()
        for path in NODE_LISTS:
            shutil.copy(setting_up.ROOT / path, fresh)
        done = subprocess.run(NPM_CI, cwd=fresh, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            return
        # Moved as a whole: whoever is ended here leaves no half, and of two who do this at once one is the last.
        (fresh / NODE_STAMP).write_text(_node_digest())
        shutil.rmtree(NODE_FOLDER, ignore_errors=True)
        with suppress(OSError):
            fresh.rename(NODE_FOLDER)


def _has_node_packages() -> bool:
    try:
        return (NODE_FOLDER / NODE_STAMP).read_text() == _node_digest()
    except OSError:
        return False


def _node_digest() -> str:
    return hashlib.sha256(b"".join((setting_up.ROOT / path).read_bytes() for path in NODE_LISTS)).hexdigest()


def _apt_get(*words: str) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run([*APT_GET, *words], env=environment, stdout=subprocess.DEVNULL).returncode == 0
