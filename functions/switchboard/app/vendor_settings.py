"""What may be said of vendors: of models, which there are for what, and what they need; of calendars, who we are."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from switchboard.app.addresses import is_base

OPENAI_URL = "https://api.openai.com/v1"
GEMINI_URL = "https://generativelanguage.googleapis.com"
ANTHROPIC_URL = "https://api.anthropic.com"
_USUAL = {"OPENAI_BASE_URL": OPENAI_URL, "GEMINI_BASE_URL": GEMINI_URL, "ANTHROPIC_BASE_URL": ANTHROPIC_URL}
_VOICES = "SWITCHBOARD_VOICES"


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting that names something of our own, the usual one first, or a vendor's model."""

    own: tuple[str, ...]
    vendors: tuple[str, ...]


_SETTINGS = {
    "SWITCHBOARD_MODEL": _Setting(("rehearsal",), ("openai", "gemini", "anthropic")),
    "SWITCHBOARD_EMBEDDINGS": _Setting(("offline", "none"), ("openai", "gemini")),
}


def vendor_setting(environ: Mapping[str, str], name: str) -> str:
    """Return what a setting says, or the usual."""
    return environ.get(name) or _SETTINGS[name].own[0]


def vendor_problems(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each variable that cannot work, with what would."""
    for name, usual in _USUAL.items():
        value = environ.get(name)
        if value and not is_base(value, ("http", "https")):
            yield f"{name} is {value!r}; write an address such as {usual}."
    for name, setting in _SETTINGS.items():
        yield from _setting_problems(environ, name, setting)
    vendors: set[str] = set()
    for part in filter(None, (part.strip() for part in (environ.get(_VOICES) or "").split(","))):
        vendor, _, model = part.partition(":")
        if vendor not in ("openai", "gemini") or vendor in vendors or model.split() != [model]:
            yield f"{_VOICES} is {environ[_VOICES]!r}; write openai:<model>, gemini:<model>, or both with a comma."
        elif not environ.get(f"{vendor.upper()}_API_KEY"):
            yield f"{vendor.upper()}_API_KEY is not set; {_VOICES}={part} needs it."
        vendors.add(vendor)


def oauth_client(
    environ: Mapping[str, str], company: str, problem: Callable[[str], Exception]
) -> tuple[str, str] | None:
    """Return id and secret of the OAuth client that is registered with a company; None where none is.

    Raises:
        problem: One of the two is missing.
    """
    names = [f"SWITCHBOARD_{company.upper()}_CLIENT_{part}" for part in ("ID", "SECRET")]
    id, secret = (environ.get(name) or "" for name in names)
    if not id and not secret:
        return None
    if not id or not secret:
        missing = names[bool(id)]
        raise problem(f"{missing} is not set; set both it and {names[not id]}, as {company} shows them.")
    return id, secret


def _setting_problems(environ: Mapping[str, str], name: str, setting: _Setting) -> Iterator[str]:
    value = vendor_setting(environ, name)
    if value in setting.own:
        return
    vendor, _, model = value.partition(":")
    if vendor not in setting.vendors or model.split() != [model]:
        *more, last = (f"{vendor}:<model>" for vendor in setting.vendors)
        yield f"{name} is {value!r}; write {', '.join((*setting.own, *more))} or {last}."
    # A server of one's own may ask for no key.
    elif not environ.get(f"{vendor.upper()}_API_KEY") and not (vendor == "openai" and environ.get("OPENAI_BASE_URL")):
        yield f"{vendor.upper()}_API_KEY is not set; {name}={value} needs it."
