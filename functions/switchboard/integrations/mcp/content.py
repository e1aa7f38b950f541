"""What a result says: its structured content where it has some, else its parts as text, pictures and files by name."""

from collections.abc import Mapping
from typing import Any

_MOST_PARTS = 100


def content_of(result: Mapping[str, Any]) -> Any:
    """Return a result as a JSON value, or as text; None where it says nothing."""
    structured = result.get("structuredContent")
    return structured if structured is not None else words_of(result) or None


def words_of(result: Mapping[str, Any]) -> str:
    """Return the parts of a result as one text."""
    content = result.get("content")
    parts = content[:_MOST_PARTS] if isinstance(content, list) else []
    return "\n".join(text for part in parts if isinstance(part, dict) and (text := _words(part)))


def _words(part: Mapping[str, Any]) -> str:
    match part:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "resource", "resource": {"text": str(text)}}:
            return text
        case {"type": "resource_link", "uri": str(uri)}:
            return f"(a link: {part.get('name') or ''} {uri})"
        case {"type": ("image" | "audio") as kind}:
            return f"(an {kind})"
        case {"type": "resource"}:
            return "(a file)"
    return ""
