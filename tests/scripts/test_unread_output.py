"""A command whose output nobody reads any more (`... | head -1`) ends without a word, as commands do."""

import os
import signal
import subprocess
import sys

import pytest

import setting_up
from tests.each import each

SCRIPTS = setting_up.ROOT / "scripts"
# How Python buffers decides where it notices: when it prints, or when it has ended.
BUFFERINGS = {"at once": "1", "at the end": ""}
BREAKS_ITS_CONNECTION = """
import socket, command_line
command_line.CommandLine("scripts/x", "A program.").parse_args([])
one, other = socket.socketpair()
other.close()
one.sendall(b"x")
"""


def unread(command, unbuffered):
    """Run a command whose output has no reader; returns exit code and stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run([sys.executable, *command], stdout=writing, stderr=subprocess.PIPE, env=environment)
    finally:
        os.close(writing)
    return done.returncode, done.stderr.decode()


@pytest.mark.process
@each("unbuffered", BUFFERINGS.values(), ids=BUFFERINGS)
@each("name", ["api_key", "bench", "call_tool", "drill", "explain", "run", "seed"])
def test_a_command_without_a_reader_ends_without_a_word(name, unbuffered):
    """Whichever it is, and however much it had still to say."""
    code, told = unread([str(SCRIPTS / name), "--help"], unbuffered)
    assert told == ""
    assert code in (0, -signal.SIGPIPE)


@pytest.mark.process
@pytest.mark.parametrize("unbuffered", BUFFERINGS.values(), ids=BUFFERINGS)
def test_a_called_tool_whose_answer_nobody_reads_leaves_no_traceback(unbuffered):
    """A shell sees what it sees of any other program: the signal that says so."""
    call = [str(SCRIPTS / "call_tool"), "search_knowledge", '{"query": "parking"}', "--store", "memory"]
    code, told = unread(call, unbuffered)
    # On a busy machine the log says that the search was slow.
    assert (code, "Traceback" in told, "BrokenPipe" in told) == (-signal.SIGPIPE, False, False)


@pytest.mark.process
def test_a_broken_connection_is_still_told():
    """The same error from elsewhere is no reason to be silent."""
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    command = [sys.executable, "-c", BREAKS_ITS_CONNECTION]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "BrokenPipeError" in done.stderr
