"""What the vendors' folders say of themselves that every room goes by. Nothing else lists vendors.

Each folder says it in its `toolkit.json`: what owners call it inside a sentence (`called`), which calendar counts
where several are connected (`precedence`, the lowest first), and whether businesses name its server (`auth.boundTo`).
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from switchboard.contract.json import JsonObject

FOLDER = Path(__file__).parents[1] / "integrations"
_LAST = 1_000


@cache
def toolkit_documents(root: Path = FOLDER) -> Mapping[str, JsonObject]:
    """Return what each vendor's folder says, by the name of the folder."""
    files = sorted(root.glob("*/toolkit.json"))
    return {file.parent.name: json.loads(file.read_text(encoding="utf-8")) for file in files}


_BY_INTEGRATION = {one.get("integration") or one["name"]: one for one in toolkit_documents().values()}
CALLED: Final[Mapping[str, str]] = {
    name: document.get("called") or document.get("displayName") or name for name, document in _BY_INTEGRATION.items()
}
"""What owners call a vendor inside a sentence, by its name in `businesses/{id}.integrations`."""
OUTSIDE_CALENDARS: Final[Mapping[str, str]] = {
    name: CALLED[name]
    for name, document in sorted(_BY_INTEGRATION.items(), key=lambda row: row[1].get("precedence", _LAST))
    if document.get("provides") == "calendar"
}
"""Those of them that keep a business's appointments outside, the first that counts first."""
EACH_ITS_OWN: Final = frozenset(
    name for name, document in _BY_INTEGRATION.items() if (document.get("auth") or {}).get("boundTo")
)
"""Those under whose name each business reaches another server."""
