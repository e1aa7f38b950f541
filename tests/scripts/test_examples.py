"""`scripts/examples`: what docs/tools.md shows runs as it stands, with each vendor's own SDK against a real server."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import setting_up
from tests.scripts.model_server import Step, model_server
from tests.scripts.test_run import KEY, SETTINGS, Runs, Started

EXAMPLES = setting_up.ROOT / "scripts" / "examples"
NAMES = ("openai_chat", "anthropic_chat", "gemini_chat", "livekit_agent")
QUESTION = "May I cancel on the same day?"
MOST_LINES = 20


@pytest.fixture(scope="module")
def run() -> Iterator[Started]:
    """A server with the demo businesses in memory."""
    setting_up.ensure(Path("requirements.txt"))
    started = Runs()
    yield started.start("--store", "memory", "--port", "0", "--no-admin", "--no-stand-ins", SWITCHBOARD_DEMO_KEY=KEY)
    started.close()


def example(name: str, run: Started, model: str, key: str = KEY) -> subprocess.CompletedProcess[str]:
    """Run one example as its docstring says."""
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    told = {
        "SWITCHBOARD_URL": run.url(),
        "SWITCHBOARD_KEY": key,
        "MODEL": "some-model",
        "OPENAI_BASE_URL": f"{model}/v1",
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": model,
        "GEMINI_API_KEY": "none",
        "LIVEKIT_INFERENCE_URL": f"{model}/v1",
        "LIVEKIT_API_KEY": "none",
        "LIVEKIT_API_SECRET": "a-secret-that-is-long-enough-to-sign-with",
    }
    return subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), QUESTION],
        env={**environment, **told},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.process
@pytest.mark.parametrize("name", NAMES)
def test_an_example_answers_with_what_the_tools_said(run: Started, name: str):
    """The model is offered the tools, calls two at once and one wrongly, and reads what became of each."""
    steps: list[Step] = [
        [("get_policies", {"topic": "cancellation"}), ("search_knowledge", {"query": "parking"})],
        [("get_policies", {})],
        "Our policy: {told}",
    ]
    with model_server(*steps) as model:
        done = example(name, run, model.url)
    assert done.returncode == 0, done.stderr
    assert model.asked == QUESTION
    assert {"check_availability", "book_appointment", "get_policies"} <= set(model.tools)
    # Of two calls at once either may be answered first.
    assert sum("24 hours" in told for told in model.told[:2]) == 1
    assert sum("four free spaces" in told for told in model.told[:2]) == 1
    # Somebody who listens is not kept waiting for a third look-up (seed 003).
    refusal = "BUDGET_EXCEEDED" if name == "livekit_agent" else "VALIDATION"
    assert f'"type": "{refusal}"' in model.told[2]
    assert done.stdout.strip() == f"Our policy: {' | '.join(model.told)}"


@pytest.mark.process
def test_an_example_that_may_not_come_in_says_so(run: Started):
    """A wrong key ends it before the model is asked anything; all of them come in the same way."""
    with model_server("Hello.") as model:
        done = example("openai_chat", run, model.url, key="another")
    assert done.returncode != 0
    assert "401" in done.stderr
    assert (model.asked, done.stdout) == ("", "")


@pytest.mark.parametrize("name", [*NAMES, "switchboard_client"])
def test_an_example_is_short(name: str):
    """At most 20 lines, not counting its docstrings and blank lines."""
    text = (EXAMPLES / f"{name}.py").read_text()
    told: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            words = node.body[0]
            told |= set(range(words.lineno, (words.end_lineno or words.lineno) + 1))
    lines = [line for number, line in enumerate(text.splitlines(), 1) if line.strip() and number not in told]
    assert len(lines) <= MOST_LINES
