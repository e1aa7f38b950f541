"""Ids that follow from what is wanted, so that the same thing wanted again is the same document."""

import base64
import hashlib


def derived_id(prefix: str, text: str) -> str:
    """Return an id of small letters and digits behind a prefix; the same for the same text."""
    return prefix + base64.b32hexencode(hashlib.sha256(text.encode()).digest()).decode()[:20].lower()
