"""The keys with which businesses let browsers dial in over Twilio: `integrations.twilio` and the secret beside it."""

import re
from dataclasses import field

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Secrets
from switchboard.contract.python.dataclass import dataclass

TOOLKIT = "twilio"
API_KEY_SECRET = "apiKeySecret"
_SIDS = {"accountSid": "AC", "apiKeySid": "SK", "voiceAppSid": "AP"}


@dataclass(frozen=True, slots=True)
class TwilioVoiceKey:
    """One business's key: sids of account, API key and TwiML app, and the API key's secret."""

    account_sid: str
    api_key_sid: str
    application_sid: str
    api_key_secret: str = field(repr=False)


class TwilioVoiceKeys:
    """Knows the keys of businesses."""

    def __init__(self, secrets: Secrets) -> None:
        """Ask `secrets` for the secrets of API keys."""
        self._secrets = secrets

    async def of(self, business: Business) -> TwilioVoiceKey | None:
        """Return a business's key, or None where it has set up none.

        Raises:
            ToolError: AUTH, its account must be connected again, or what it has set up is incomplete.
        """
        connection = business.integrations.get(TOOLKIT)
        if connection is None or not connection.is_connected or not connection.settings.get("voiceAppSid"):
            return None
        sids = {name: str(connection.settings.get(name) or "") for name in _SIDS}
        for name, prefix in _SIDS.items():
            if not re.fullmatch(f"{prefix}[0-9a-fA-F]{{32}}", sids[name]):
                raise _unusable(f"integrations.twilio.{name} must be {prefix} and 32 hex digits")
        if connection.needs_reauth:
            raise _unusable("integrations.twilio.needsReauth is set")
        secret = await self._secrets.reveal(business.id, TOOLKIT, API_KEY_SECRET, agent_id=connection.agent_id)
        if not secret:
            raise _unusable(f"integrations.twilio: no secret named {API_KEY_SECRET}")
        return TwilioVoiceKey(sids["accountSid"], sids["apiKeySid"], sids["voiceAppSid"], secret)


def _unusable(detail: str) -> ToolError:
    return ToolError(
        ErrorType.AUTH, "The business's phone account must be set up again before browsers can dial in.", detail=detail
    )
