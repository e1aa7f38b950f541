"""Every module of the scripts can be imported: what only a figure or a drill imports is found before it is run."""

import importlib

from setting_up import ROOT
from tests.each import each

SCRIPTS = ROOT / "scripts"
# Those run in environments of their own, with other people's packages; training needs more than tests install.
ELSEWHERE = {"peers", "load_servers", "examples"}
TRAINING = {"claims.network", "claims.training"}


def modules() -> list[str]:
    paths = (path.relative_to(SCRIPTS) for path in sorted(SCRIPTS.rglob("*.py")))
    names = [".".join(path.with_suffix("").parts) for path in paths if ELSEWHERE.isdisjoint(path.parts)]
    return [name for name in names if not name.endswith("__init__") and name not in TRAINING]


@each("name", modules())
def test_a_module_of_the_scripts_can_be_imported(name: str) -> None:
    assert importlib.import_module(name)
