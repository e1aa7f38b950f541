"""Whom somebody who asks for a person is put through to: whoever was named, else whoever is there, else it is asked."""

from collections.abc import Callable, Collection

from switchboard.contract.call import ToolCall
from switchboard.contract.document import mapping, text
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.models.rehearsal.person_named import person_named
from switchboard.models.rehearsal.results import moment_of
from switchboard.models.rehearsal.talk import RehearsedTalk

_TRANSFER = "transfer_call"
_LONGEST_REASON = 300


class PersonDialogue:
    """Decides how a caller comes to a person."""

    def __init__(self, talk: RehearsedTalk, offered: Collection[str], failed: Callable[[ToolResponse], str]) -> None:
        """Decide for a conversation as it is now; `failed` says that something was not done."""
        self._talk, self._words, self._offered, self._failed = talk, talk.words, offered, failed

    def next(self) -> str | ToolCall:
        """Return a call, or what is said now."""
        talk, say = self._talk, self._words.say
        if _TRANSFER not in self._offered:
            return f"{say('no_person')} {talk.instead()}"
        response = talk.answers.get(_TRANSFER)
        if response is None:
            return self._call(person_named(self._words, talk.scene.business, talk.said))
        there = [mapping(one) for one in response.meta.get("alternatives") or ()]
        if there and response.meta.get("reason") != "closed" and (len(there) == 1 or talk.asked == "ask_person"):
            # Nobody was named who could be told from the others, also when it was asked: then whoever is there.
            return self._call(text(there[0].get("destination")))
        if there:
            return say("ask_person", people=talk.times.listed([text(one.get("label")) for one in there]))
        opens, label = moment_of(response.meta.get("opensAt")), response.meta.get("label", "")
        if opens is None:
            return self._failed(response)
        return f"{say('person_away', label=label, when=talk.times.moments([opens]))} {talk.instead()}"

    def _call(self, destination: str) -> ToolCall:
        chosen: JsonObject = {"destination": destination} if destination else {}
        return ToolCall(_TRANSFER, chosen | {"reason": self._talk.heard[:_LONGEST_REASON]})
