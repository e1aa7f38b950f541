"""Who provides the voices on the phone, as Twilio's `<Say>` names these: `<provider>.<voice>`, so `Polly.Vicki-Neural`.

A name without a point is one of the relay's usual provider. Which voices a provider has changes from month to month;
who provides them does not.
"""

from collections.abc import Mapping
from typing import Final

VOICE_PROVIDERS: Final[Mapping[str, str]] = {"Polly": "Amazon", "Google": "Google"}
"""By what a voice's name begins with, what the relay calls who provides it."""
