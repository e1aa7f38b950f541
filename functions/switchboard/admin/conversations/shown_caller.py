"""What a call showed of its caller, and why that was not enough where the tool asks who is calling."""

from collections.abc import Mapping
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.document import mapping, text
from switchboard.contract.response import ToolResponse

_ASKED_WHO = "session:verified"
_NOBODY = "Nobody counted as verified in this conversation then"


def why_unknown(data: Mapping[str, Any], response: ToolResponse | None, business: Business) -> str:
    """Return why nobody was known to be calling, if a call was refused for that; empty otherwise.

    It names no number. What the business relies on is told as it is set now.

    Args:
        data: The call's document in the ledger.
        response: What was answered.
        business: Whose call it is.
    """
    if response is None or response.ok or response.meta.get("condition") != _ASKED_WHO:
        return ""
    if data.get("channel") != "phone":
        return f"{_NOBODY}, and what this channel shows of a caller does not tell who it is."
    return f"{_NOBODY}, and {_shown(mapping(data.get('facts')), business)}."


def _shown(facts: Mapping[str, Any], business: Business) -> str:
    if not facts.get("callerPhone"):
        return "the call showed a withheld number" if facts.get("isWithheld") else "the call was told with no number"
    verdict = text(facts.get("attestation"))
    if not verdict:
        return "nothing was told of whether the carrier vouches for the number that the call showed"
    if verdict != VOUCHED_FOR:
        return f"the carrier does not vouch in full for the number that the call showed ({verdict[:60]})"
    vouched = "the carrier vouches in full for the number that the call showed, but"
    if not business.trust_caller_id:
        return f"{vouched} the business does not rely on that (ai.trustCallerId)"
    if business.caller_verification == "code":
        return f"{vouched} the business asks for a code as well (ai.callerVerification)"
    return f"{vouched} that alone did not tell whose appointment or record it is"
