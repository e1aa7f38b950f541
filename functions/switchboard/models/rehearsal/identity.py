"""Finding out who is calling, as thoroughly as the business asks for: by the number, by facts on file, by a code."""

from collections.abc import Callable, Container

from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.models.rehearsal.talk import RehearsedTalk

_PROOFS = ("verify_caller", "send_verification_code", "check_verification_code")


class IdentityDialogue:
    """Asks and checks who is calling in one conversation."""

    def __init__(
        self,
        talk: RehearsedTalk,
        offered: Container[str],
        result_words: Callable[[str, JsonObject], str],
        failed: Callable[[ToolResponse], str],
    ) -> None:
        """Use the tools that are offered; `result_words` words a result, `failed` a failure."""
        self._talk, self._offered, self._told, self._failed = talk, offered, result_words, failed

    def next(self) -> str | ToolCall:
        """Return the next step towards knowing who is calling; once that is known, their appointments are looked up."""
        talk, answers = self._talk, self._talk.answers
        if "verify_caller" not in self._offered:
            return f"{self._talk.words.say('no_more_tries')} {talk.instead()}"
        for tool in _PROOFS:
            if tool in answers and not answers[tool].ok:
                return self._failed(answers[tool])
        if talk.is_verified:
            return ToolCall("lookup_appointment", {})
        outcome = (answers["verify_caller"].data or {}).get("outcome") if "verify_caller" in answers else None
        if outcome in ("out_of_tries", "no_codes", "not_today"):
            return f"{self._talk.words.say('no_more_tries')} {talk.instead()}"
        if outcome == "no_match":
            return self._talk.words.say("no_match")
        return self._code(outcome) if talk.awaits_code else self._facts()

    def _code(self, outcome: object) -> str | ToolCall:
        """Have a code sent and read out."""
        talk, answers = self._talk, self._talk.answers
        checked = answers.get("check_verification_code")
        if checked is not None:
            return f"{self._told('check_verification_code', checked.data or {})} {self._talk.words.say('ask_code')}"
        if talk.details.get("code") and outcome is None:
            return ToolCall("check_verification_code", {"code": talk.details["code"]})
        if outcome == "code_needed" and "send_verification_code" not in answers:
            return ToolCall("send_verification_code", {})
        return self._talk.words.say("ask_code")

    def _facts(self) -> str | ToolCall:
        """Ask for what somebody can be recognised by, and have it looked up."""
        talk = self._talk
        if talk.scene.channel is Channel.PHONE and not talk.has_tried_number:
            return ToolCall("verify_caller", {})
        if not talk.details.get("name"):
            return self._talk.words.say("ask_identity")
        if not talk.has_fact():
            return self._talk.words.say("ask_fact")
        return ToolCall("verify_caller", dict(talk.facts()))
