"""Documents are taken apart by a process of their own, which ends in time whatever is in them."""

import pytest

from switchboard.admin.reading import reading_process
from switchboard.admin.reading.reading_process import extract_of
from switchboard.contract.error import ErrorType, ToolError
from tests.admin.reading.made_files import pdf

pytestmark = pytest.mark.process


@pytest.mark.requirement("004-731")
async def test_a_document_is_taken_apart_by_another_process():
    """And what it refuses is told with the file's name."""
    answer = await extract_of("price list.pdf", pdf("Haircut 40 euros"))
    assert answer["pieces"] == [{"place": "page 1", "text": "Haircut 40 euros"}]
    with pytest.raises(ToolError) as caught:
        await extract_of("photo.pdf", b"\xff\xd8\xff\xe0")
    assert caught.value.type is ErrorType.PERMANENT
    assert caught.value.message.startswith("photo.pdf: It is a picture")


HARMFUL = {
    "never ends": ("while True: pass", "longer to read"),
    "takes all memory": ("import sys; sys.exit(1)", "broke off"),
    "is killed": ("import os; os.kill(os.getpid(), 9)", "longer to read"),
}


@pytest.mark.requirement("004-731")
@pytest.mark.parametrize(("code", "words"), HARMFUL.values(), ids=HARMFUL)
async def test_a_process_that_does_not_come_back_is_ended(code: str, words: str, monkeypatch, tmp_path):
    """After a time, whatever it does, and the next document is read as ever."""
    (tmp_path / "harmful_reader.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(reading_process, "READS_WITHIN_S", 1.0)
    monkeypatch.setattr(reading_process, "_READER", "harmful_reader")
    for _ in range(3):
        with pytest.raises(ToolError, match=words):
            await extract_of("a.pdf", b"")


@pytest.mark.requirement("004-731")
async def test_what_asks_for_more_memory_than_it_may_have_is_refused(monkeypatch, tmp_path):
    """In a sentence, and not by the end of the process that serves."""
    code = "from switchboard.admin.reading import reader\n"
    code += "def greedy(*_): return bytearray(8 * reader.MEMORY_BYTES)\nreader.read = greedy\nreader.main()\n"
    (tmp_path / "greedy_reader.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(reading_process, "_READER", "greedy_reader")
    with pytest.raises(ToolError, match="more memory"):
        await extract_of("a.pdf", b"x")
