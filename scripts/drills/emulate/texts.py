"""The flood of wishes for texts, against emulate's Twilio: no limit is passed, and nobody gets one twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from drills import texts
from drills.emulate.account import SENDING, EmulatedAccount, seed
from drills.emulate.passage import ANSWER_LOST, Passage
from drills.emulate.server import emulating, version
from drills.result import Effort, Result
from stand_ins.faults import Fault

# Within the texts that do go out.
_LOST = 2
LEFT_OUT = (
    "Left out: 429 and 500, which emulate never answers. Answers are lost on the way from it, after it has taken the "
    "text on."
)


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no Firestore emulator, or no emulate.
    """
    with emulating("twilio", seed()) as target:
        passage = Passage(target)
        passage.losses.waiting.append(Fault(SENDING, ANSWER_LOST, _LOST))

        async def sent() -> Sequence[Mapping[str, str]]:
            async with EmulatedAccount(target) as account:
                return await account.texts()

        with passage.open() as url:
            result = texts.flooded(effort, url, sent)
    return replace(result, title=f"{result.title}, to emulate {version()}", notes=(*result.notes, LEFT_OUT))
