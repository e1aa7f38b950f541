"""What may be said of vendors: of models, which there are for what and what they need; of integrations, who we are."""

from collections.abc import Iterator, Mapping

from switchboard.app.addresses import is_base, local_server
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.registry import VendorFolder, vendor_folders
from switchboard.integrations.vendor import VendorSettings

OPENAI_URL = "https://api.openai.com/v1"
GEMINI_URL = "https://generativelanguage.googleapis.com"
ANTHROPIC_URL = "https://api.anthropic.com"
_USUAL = {"OPENAI_BASE_URL": OPENAI_URL, "GEMINI_BASE_URL": GEMINI_URL, "ANTHROPIC_BASE_URL": ANTHROPIC_URL}
_VOICES = "SWITCHBOARD_VOICES"
_AGENT_MODELS = "SWITCHBOARD_AGENT_MODELS"
_MODEL_VENDORS = ("openai", "gemini", "anthropic")


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting that names something of our own, the usual one first, or a vendor's model."""

    own: tuple[str, ...]
    vendors: tuple[str, ...]


_SETTINGS = {
    "SWITCHBOARD_MODEL": _Setting(("rehearsal",), _MODEL_VENDORS),
    "SWITCHBOARD_EMBEDDINGS": _Setting(("offline", "none"), ("openai", "gemini")),
}


def vendor_setting(environ: Mapping[str, str], name: str) -> str:
    """Return what a setting says, or the usual."""
    return environ.get(name) or _SETTINGS[name].own[0]


def agent_models(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the models that agents may choose, in the order in which they are set; none where nothing is."""
    parts = (part.strip() for part in (environ.get(_AGENT_MODELS) or "").split(","))
    return tuple(dict.fromkeys(filter(None, parts)))


def vendor_problems(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each variable that cannot work, with what would."""
    for name, usual in _USUAL.items():
        value = environ.get(name)
        if value and not is_base(value, ("http", "https")):
            yield f"{name} is {value!r}; write an address such as {usual}."
    for name, setting in _SETTINGS.items():
        yield from _setting_problems(environ, name, vendor_setting(environ, name), setting)
    for model in agent_models(environ):
        yield from _setting_problems(environ, _AGENT_MODELS, model, _Setting((), _MODEL_VENDORS))
    vendors: set[str] = set()
    for part in filter(None, (part.strip() for part in (environ.get(_VOICES) or "").split(","))):
        vendor, _, model = part.partition(":")
        if vendor not in ("openai", "gemini") or vendor in vendors or model.split() != [model]:
            yield f"{_VOICES} is {environ[_VOICES]!r}; write openai:<model>, gemini:<model>, or both with a comma."
        elif not environ.get(f"{vendor.upper()}_API_KEY"):
            yield f"{vendor.upper()}_API_KEY is not set; {_VOICES}={part} needs it."
        vendors.add(vendor)


def read_vendors(environ: Mapping[str, str], is_local: bool, wrong: type[Exception]) -> dict[str, VendorSettings]:
    """Return what is set of the integrations' vendors, by the vendor's name.

    Which variables there are is said by the integrations' folders: `SWITCHBOARD_<VENDOR>_BASE_URL` and `_STAND_IN` for
    trying things out, and what the `operator` of a `toolkit.json` lists.

    Raises:
        wrong: One of them cannot work, or only a part of what belongs together is set.
    """
    vendors: dict[str, VendorSettings] = {}
    for folder in vendor_folders():
        earlier = vendors.get(folder.vendor, VendorSettings())
        vendors[folder.vendor] = VendorSettings(
            base_url=_stand_in(environ, folder.variable("BASE_URL"), is_local, wrong),
            stand_in=local_server(environ, folder.variable("STAND_IN"), is_local, wrong),
            values={**earlier.values, **_registered(environ, folder, wrong)},
        )
    return vendors


def _stand_in(environ: Mapping[str, str], name: str, is_local: bool, wrong: type[Exception]) -> str | None:
    value = environ.get(name)
    if not value:
        return None
    if not is_local:
        # Customers' data and credentials would go to whoever listens there.
        raise wrong(f"{name} points at a stand-in, for local running only; unset it.")
    if not is_base(value, ("http", "https")):
        raise wrong(f"{name} is {value!r}; write it as http://127.0.0.1:8090.")
    return value.rstrip("/")


def _registered(environ: Mapping[str, str], folder: VendorFolder, wrong: type[Exception]) -> dict[str, str]:
    """Return what the operator registered with a vendor and chose there; nothing where nothing is registered."""
    values = {name: environ.get(folder.variable(name)) or "" for name in folder.required}
    chosen = {name: environ.get(folder.variable(name)) or choices[0] for name, choices in folder.choices.items()}
    for name, value in chosen.items():
        if value not in folder.choices[name]:
            raise wrong(f"{folder.variable(name)} is {value!r}; write {' or '.join(folder.choices[name])}.")
    if not any(values.values()):
        return {}
    missing = [folder.variable(name) for name, value in values.items() if not value]
    if missing:
        names = ", ".join(folder.variable(name) for name in values)
        raise wrong(f"{missing[0]} is not set; set all of {names}, as {folder.company} shows them.")
    return values | chosen


def _setting_problems(environ: Mapping[str, str], name: str, value: str, setting: _Setting) -> Iterator[str]:
    if value in setting.own:
        return
    vendor, _, model = value.partition(":")
    if vendor not in setting.vendors or model.split() != [model]:
        *more, last = (f"{vendor}:<model>" for vendor in setting.vendors)
        yield f"{name} is {value!r}; write {', '.join((*setting.own, *more))} or {last}."
    # A server of one's own may ask for no key.
    elif not environ.get(f"{vendor.upper()}_API_KEY") and not (vendor == "openai" and environ.get("OPENAI_BASE_URL")):
        yield f"{vendor.upper()}_API_KEY is not set; {name}={value} needs it."
