"""Has documents taken apart by another process, which ends in time whatever is in them."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from threading import BoundedSemaphore

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject

READS_WITHIN_S = 12.0
"""Less than a page waits for an answer, with the time to fetch what is read."""
_AT_ONCE = BoundedSemaphore(2)
_READER = "switchboard.admin.reading.reader"
_TOO_LONG = (
    "It takes longer to read than any document of text, and was given up. Save its text as a new file, or cut it into "
    "several."
)
_DIED = "It cannot be read: reading it broke off. Save its text as a new file, and try that."


async def extract_of(name: str, content: bytes, kind: str = "", charset: str = "") -> JsonObject:
    """Return what is in a document, as `Extract.to_json` says it.

    Args:
        name: The file's.
        content: All of it.
        kind: What it is said to be; it counts where what is in it does not tell.
        charset: What is claimed of its text.

    Raises:
        ToolError: PERMANENT, nothing of it can be kept, with a sentence that says why; TRANSIENT, others are being
            read.
    """
    header = json.dumps({"name": name, "kind": kind, "charset": charset}).encode()
    answer = await asyncio.to_thread(_asked, header + b"\n" + content)
    if answer is None:
        raise ToolError(ErrorType.TRANSIENT, "Other documents are being read right now; try again in a moment.")
    if "refused" in answer:
        raise ToolError(ErrorType.PERMANENT, f"{name}: {answer['refused']}")
    return answer


def _asked(given: bytes) -> JsonObject | None:
    """Return what the process says; None where as many are under way as may be."""
    # Taken and given back here: a thread is not ended with who waits for it, and the process goes on as long as it.
    if not _AT_ONCE.acquire(blocking=False):
        return None
    # Of the environment only what finds the code: no document may come near a secret.
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-m", _READER]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=READS_WITHIN_S, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return {"refused": _TOO_LONG}
    finally:
        _AT_ONCE.release()
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"refused": _TOO_LONG}
    answer: JsonObject = json.loads(done.stdout) if done.returncode == 0 else {"refused": _DIED}
    return answer
