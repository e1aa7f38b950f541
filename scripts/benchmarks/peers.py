"""The same call by four peers, each in an environment of its own that is made once and kept, against ours."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.figure import Effort, Line
from benchmarks.timing import Spread, microseconds
from command_line import Problem
from setting_up import ensure_uv

_WORKERS = Path(__file__).with_name("peers")


@dataclass
class Peer:
    """One peer: its worker under peers/, what that needs, and how many times faster ours is to be, if that is promised.

    Attributes:
        times: For each round, how many times the bare handler's time its call took.
        peer_s: The seconds of a call, by round.
    """

    what: str
    worker: str
    requirement: str
    target: float | None = None
    times: list[float] = field(default_factory=list)
    peer_s: list[float] = field(default_factory=list)

    def measure(self, python: Path) -> None:
        """Let the worker measure one round."""
        done = subprocess.run([python, _WORKERS / f"{self.worker}.py"], capture_output=True, text=True)
        if done.returncode or not done.stdout.strip():
            raise Problem(f"{self.requirement} cannot be measured: {done.stderr.strip()[-300:]}")
        parsed = json.loads(done.stdout.splitlines()[-1])
        self.peer_s.append(parsed["peer"])
        self.times.append(parsed["peer"] / parsed["bare"])

    def line(self, ours: Spread, ours_s: float) -> Line:
        """Return the row: each against the bare handler in its own process, so that a slow moment meets both."""
        faster = Spread.of([times / ours.median for times in self.times])
        chosen = [microseconds(seconds) for seconds in (ours_s, Spread.of(self.peer_s).median)]
        promised = () if self.target is None else (f"≥ {self.target:g}", faster.median >= self.target)
        return Line(self.what, *chosen, str(faster), *promised)


def measure(effort: Effort, ours: Spread, ours_s: float) -> tuple[Line, ...]:
    """Return a row for each peer: how many times faster ours is.

    Args:
        effort: How thoroughly.
        ours: How many times the bare handler's time our call takes, with the handler that yields.
        ours_s: The seconds of it.

    Raises:
        Problem: An environment cannot be made.
    """
    peers = [
        Peer("faster than LangChain, StructuredTool.ainvoke", "langchain_tool", "langchain-core==1.7.2"),
        Peer("faster than OpenAI Agents SDK, with a time-out", "openai_agents_tool", "openai-agents==0.24.0"),
        Peer("faster than FastMCP, call_tool", "fastmcp_tool", "fastmcp==4.1.2"),
        Peer("faster than LiveKit, execute_function_call", "livekit_tool", "livekit-agents==1.8.9"),
    ]
    return against(peers, effort, ours, ours_s)


def against(peers: Sequence[Peer], effort: Effort, ours: Spread, ours_s: float) -> tuple[Line, ...]:
    """Return a row for each of these peers; see `measure`."""
    pythons = {peer.worker: environment(peer.requirement) for peer in peers}
    order = list(peers)
    for _ in range(effort.rounds):
        random.shuffle(order)
        for peer in order:
            peer.measure(pythons[peer.worker])
    return tuple(peer.line(ours, ours_s) for peer in peers)


def environment(*requirements: str) -> Path:
    """Return the Python of an environment that holds these packages, made when it is not there yet.

    Raises:
        Problem: It cannot be made.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "switchboard" / "peers" / "+".join(requirements)
    python, mark = folder / "bin" / "python", folder / "complete"
    if mark.exists():
        return python
    uv = ensure_uv()
    for command in (
        [uv, "venv", "--quiet", "--clear", "--python", sys.executable, folder],
        [uv, "pip", "install", "--quiet", "--python", python, *requirements],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Problem(f"the environment of {', '.join(requirements)} cannot be made: {done.stderr.strip()[-300:]}")
    mark.touch()
    return python
