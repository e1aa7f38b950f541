"""Codes as they are stored: sealed, so that whoever reads the store learns no code, and bound to what they are for."""

import hashlib
import hmac
import json

_LEAST_PEPPER = 16


class CodeHash:
    """Seals codes with a key that is not in the store: of a bare hash, six digits are guessed in a moment."""

    def __init__(self, pepper: bytes) -> None:
        """Use a secret of at least 16 bytes, the same in every instance.

        Raises:
            ValueError: It is shorter.
        """
        if len(pepper) < _LEAST_PEPPER:
            raise ValueError(f"the pepper has {len(pepper)} bytes; use at least {_LEAST_PEPPER}")
        self._pepper = pepper

    def seal(self, code: str, *bound_to: str) -> str:
        """Return the HMAC-SHA256, as hex, of a code for one business, caller, session and occasion."""
        # As JSON: joined plainly, ("a", "bc") and ("ab", "c") would be the same.
        text = json.dumps([*bound_to, code], ensure_ascii=True)
        return hmac.new(self._pepper, text.encode(), hashlib.sha256).hexdigest()

    def opens(self, sealed: str, code: str, *bound_to: str) -> bool:
        """Tell, in constant time, whether this is the code that was sealed for exactly this."""
        return hmac.compare_digest(sealed.encode("utf-8", "replace"), self.seal(code, *bound_to).encode())
