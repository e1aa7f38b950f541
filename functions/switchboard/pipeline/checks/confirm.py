"""CONFIRMATION_REQUIRED: the caller has not agreed to exactly this call, in a turn after it was proposed.

The tool proposes before anybody is asked (`proposing`), so that the question names what would be changed. The refusal
holds that question and nothing that could answer it (seed 003, "Confirmation Flow", hands the model a token with which
it could approve for itself). What the caller says is understood in `consent` and kept in `approvals`.
"""

from collections.abc import Mapping
from typing import Any

from switchboard.contract.business.languages import HOUSE_LANGUAGES, language_of
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CONFIRMATION_S
from switchboard.pipeline.confirmation.prompt import joint_question, read_back
from switchboard.pipeline.invocation import Invocation

_UNLIKE_TOLD = ("new_price", "new_minutes")


def confirm(invocation: Invocation) -> None:
    """Refuse a call that needs the caller's yes and does not spend one; one that was carried out before needs none."""
    definition = invocation.definition
    if definition is None or not definition.confirm or invocation.wish_granted is not None:
        return
    if invocation.facts.staff is not None:
        # Whoever does it themselves has said so by doing it.
        return
    if invocation.is_approved or (invocation.proposal is not None and invocation.proposal.is_done):
        return
    invocation.asked = asked_by_language(invocation)
    question = invocation.asked[language_of(invocation.language)]
    again = f"call {invocation.call.name} again with the same arguments"
    if invocation.beside:
        names = ", ".join([*(call.tool for call in invocation.beside), invocation.call.name])
        again = f"make each of these calls again with the same arguments ({names})"
    raise Refused(
        ErrorType.CONFIRMATION_REQUIRED,
        f"Nothing was done yet: the caller has to agree first. Say exactly this and wait for the answer: {question} "
        f"Once the caller has agreed, {again}, before you say anything else: the yes counts for that turn alone, and a "
        "change is asked anew.",
        say=question,
        meta={"readBack": question, "expiresInS": CONFIRMATION_S, "turn": invocation.facts.turn},
    )


def asked_about(invocation: Invocation, language: str) -> str:
    """Return what the caller is asked in a language, about this call and those that are asked about with it."""
    question = question_about(invocation, language)
    beside = [call.question_in(language) for call in invocation.beside]
    return joint_question([*beside, question], language) if beside else question


def asked_by_language(invocation: Invocation, *, is_alone: bool = False) -> Mapping[str, str]:
    """Return the question in each of the house's languages, and in the one in which it is asked, by language.

    A caller who has not understood it is asked in their own.
    """
    asked = question_about if is_alone else asked_about
    tags = {language: language for language in HOUSE_LANGUAGES} | {
        language_of(invocation.language): invocation.language
    }
    return {language: asked(invocation, tag) for language, tag in tags.items()}


def question_about(invocation: Invocation, language: str) -> str:
    """Return what the caller is asked about this call alone, in a language."""
    assert invocation.definition is not None and invocation.arguments is not None
    facts = invocation.proposal.facts if invocation.proposal is not None else {}
    secrets = invocation.tool.tool.secret_arguments if invocation.tool is not None else frozenset()
    # What is asked is kept, and heard by whoever is in the room.
    values = {name: value for name, value in invocation.arguments.told.items() if name not in secrets}
    worded = _worded(invocation, invocation.definition, facts)
    return read_back(worded, {**values, **facts}, invocation.business, invocation.now, language)


def _worded(invocation: Invocation, definition: Definition, facts: Mapping[str, Any]) -> Definition:
    """Return whose question is put: the house's where the owner's would not say what is not as it was told."""
    unlike = [name for name in _UNLIKE_TOLD if facts.get(name) is not None]
    built = invocation.tool.tool.built if invocation.tool is not None and unlike else None
    is_said = all(f"{{{{{name}}}}}" in str(text) for name in unlike for text in definition.read_back.values())
    return definition if is_said or built is None else built.definition
