"""CONFIRMATION_REQUIRED: the caller has not agreed to exactly this call, in a turn after it was proposed.

The tool proposes before anybody is asked (`proposing`), so that the question names what would be changed. The refusal
holds that question and nothing that could answer it (seed 003, "Confirmation Flow", hands the model a token with which
it could approve for itself). What the caller says is understood in `consent` and kept in `approvals`.
"""

from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CONFIRMATION_S
from switchboard.pipeline.confirmation.prompt import joint_question, read_back
from switchboard.pipeline.invocation import Invocation


def confirm(case: Invocation) -> None:
    """Refuse a call that needs the caller's yes and does not spend one; one that was carried out before needs none."""
    definition = case.definition
    if definition is None or not definition.confirm or case.wish_granted is not None:
        return
    if case.is_approved or (case.proposal is not None and case.proposal.is_done):
        return
    question = question_about(case)
    again = f"call {case.call.name} again with the same arguments"
    if case.beside:
        question = joint_question([*(call.question for call in case.beside), question], case.business.language)
        names = ", ".join([*(call.tool for call in case.beside), case.call.name])
        again = f"make each of these calls again with the same arguments ({names})"
    raise Refused(
        ErrorType.CONFIRMATION_REQUIRED,
        f"Nothing was done yet: the caller has to agree first. Say exactly this and wait for the answer: {question} "
        f"Once the caller has agreed, {again}, before you say anything else: the yes counts for that turn alone, and a "
        "change is asked anew.",
        say=question,
        meta={"readBack": question, "expiresInS": CONFIRMATION_S, "turn": case.facts.turn},
    )


def question_about(case: Invocation) -> str:
    """Return what the caller is asked about this call alone."""
    assert case.definition is not None and case.arguments is not None
    facts = case.proposal.facts if case.proposal is not None else {}
    return read_back(case.definition, {**case.arguments.values, **facts}, case.business, case.now)
