"""The parts of a test run that our own Python packages cannot bring: a browser, Java, the emulator, others' packages.

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

import setting_up
from running import emulator

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_CHROMIUM = "no Chromium on PATH: apt-get install chromium"
NODE_LISTS = (Path("tests/deploy/rules_library/package.json"), Path("tests/deploy/rules_library/package-lock.json"))
"""Which npm packages the tests use, and the lock that pins them by hash."""
NODE_FOLDER = setting_up.VENV / "node"
"""Where they lie, so that no walk through the checkout meets their thousands of files."""
STAMP = "installed"
NPM_CI = ("npm", "ci", "--ignore-scripts", "--include=dev", "--prefer-offline", "--no-audit", "--no-fund")
NO_NODE = "no node and npm on PATH: apt-get install nodejs npm"
NO_NODE_PACKAGES = f"what {NODE_LISTS[1]} pins is not installed: scripts/test without arguments brings it"
OLDER_CLIENTS_LIST = Path("tests/channels/mcp/older_clients/requirements.txt")
"""The lock of MCP clients of the first generation, which cannot stand in one environment with the second."""
OLDER_CLIENTS_FOLDER = setting_up.VENV / "older_clients"
NO_OLDER_CLIENTS = f"what {OLDER_CLIENTS_LIST} pins is not installed: scripts/test without arguments brings it"
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


def find_older_clients() -> Path | None:
    """Return the Python of an environment that has MCP's clients of the first generation, or None."""
    try:
        is_current = (OLDER_CLIENTS_FOLDER / STAMP).read_text() == _older_clients_digest()
    except OSError:
        return None
    return OLDER_CLIENTS_FOLDER / "bin" / "python" if is_current else None


def bring_missing() -> None:
    """Install what is missing; failures only leave it missing."""
    _bring_debian_packages()
    _bring_node_packages()
    _bring_older_clients()


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
    if not find_older_clients():
        sentences.append(NO_OLDER_CLIENTS)
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
        (fresh / STAMP).write_text(_node_digest())
        shutil.rmtree(NODE_FOLDER, ignore_errors=True)
        with suppress(OSError):
            fresh.rename(NODE_FOLDER)


def _bring_older_clients() -> None:
    if find_older_clients():
        return
    print("installing MCP's older clients, which can take half a minute", flush=True)
    uv, listed = setting_up.ensure_uv(), setting_up.ROOT / OLDER_CLIENTS_LIST
    with tempfile.TemporaryDirectory(prefix="older-", dir=setting_up.VENV) as folder:
        fresh = Path(folder) / "clients"
        for command in (
            (uv, "venv", "--quiet", "--relocatable", "--python", setting_up.PYTHON, fresh),
            (uv, "pip", "install", "--quiet", "--python", fresh / "bin/python", "--require-hashes", "-r", listed),
        ):
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            if done.returncode != 0:
                return
        # As a whole, as npm's packages are.
        (fresh / STAMP).write_text(_older_clients_digest())
        shutil.rmtree(OLDER_CLIENTS_FOLDER, ignore_errors=True)
        with suppress(OSError):
            fresh.rename(OLDER_CLIENTS_FOLDER)


def _older_clients_digest() -> str:
    parts = (setting_up.PYTHON_VERSION.encode(), (setting_up.ROOT / OLDER_CLIENTS_LIST).read_bytes())
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _has_node_packages() -> bool:
    try:
        return (NODE_FOLDER / STAMP).read_text() == _node_digest()
    except OSError:
        return False


def _node_digest() -> str:
    return hashlib.sha256(b"".join((setting_up.ROOT / path).read_bytes() for path in NODE_LISTS)).hexdigest()


def _apt_get(*words: str) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run([*APT_GET, *words], env=environment, stdout=subprocess.DEVNULL).returncode == 0
