"""What may be said of the vendors of models: where they are reached, and which of them browsers may speak with."""

from collections.abc import Iterator, Mapping

from addresses import is_base

OPENAI_URL = "https://api.openai.com/v1"
GEMINI_URL = "https://generativelanguage.googleapis.com"
_USUAL = {"OPENAI_BASE_URL": OPENAI_URL, "GEMINI_BASE_URL": GEMINI_URL}
_VOICES = "SWITCHBOARD_VOICES"


def vendor_problems(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each variable that cannot work, with what would."""
    for name, usual in _USUAL.items():
        value = environ.get(name)
        if value and not is_base(value, ("http", "https")):
            yield f"{name} is {value!r}; write an address such as {usual}."
    vendors: set[str] = set()
    for part in filter(None, (part.strip() for part in (environ.get(_VOICES) or "").split(","))):
        vendor, _, model = part.partition(":")
        if vendor not in ("openai", "gemini") or vendor in vendors or model.split() != [model]:
            yield f"{_VOICES} is {environ[_VOICES]!r}; write openai:<model>, gemini:<model>, or both with a comma."
        elif not environ.get(f"{vendor.upper()}_API_KEY"):
            yield f"{vendor.upper()}_API_KEY is not set; {_VOICES}={part} needs it."
        vendors.add(vendor)
