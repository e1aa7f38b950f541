"""The folders of integrations as the house finds them: each is opened by its name, and nothing else names it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import switchboard.integrations
from switchboard.app.container import build
from switchboard.app.settings import ConfigurationError, read_configuration
from switchboard.catalog.offer.inclusion import is_one_vendor
from switchboard.contract.business.business import read_business
from switchboard.contract.vendors import OUTSIDE_CALENDARS, toolkit_documents
from switchboard.integrations import registry
from switchboard.integrations.registry import Integrations, vendor_folders
from switchboard.integrations.vendor import Deployment, Vendor

FUNCTIONS = Path(switchboard.integrations.__path__[0]).parents[1]
BARE = read_business("salon", {"integrations": {}})
OPEN_ALL = """
import json, sys
sys.path.insert(0, ".")
from switchboard.app.container import build
from switchboard.app.settings import read_configuration

house = build(read_configuration(json.loads(sys.argv[1])))
for folder in house.integrations._folders:
    house.integrations.vendor(folder.name)
print(json.dumps([name for name in json.loads(sys.argv[2]) if name in sys.modules]))
"""
REGISTERED = {
    "SWITCHBOARD_GOOGLE_CLIENT_ID": "id",
    "SWITCHBOARD_GOOGLE_CLIENT_SECRET": "secret",
    "SWITCHBOARD_MICROSOFT_CLIENT_ID": "id",
    "SWITCHBOARD_MICROSOFT_CLIENT_SECRET": "secret",
    "SWITCHBOARD_PIPEDREAM_CLIENT_ID": "id",
    "SWITCHBOARD_PIPEDREAM_CLIENT_SECRET": "secret",
    "SWITCHBOARD_PIPEDREAM_PROJECT_ID": "proj_1",
}


def planted(root: Path, folder: str, **document: Any) -> Path:
    """Write a folder with a `toolkit.json`, and forget which folders were read before."""
    place = root / folder
    place.mkdir(parents=True)
    (place / "toolkit.json").write_text(json.dumps({"name": folder, **document}))
    vendor_folders.cache_clear()
    toolkit_documents.cache_clear()
    return root


@pytest.mark.process
def test_opening_every_vendor_loads_no_sdk():
    """A cold start pays for the vendor that a business uses, and then for its first request."""
    heavy = ["aiohttp", "twilio", "googleapiclient", "aiosmtplib", "icalendar", "babel"]
    line = [sys.executable, "-c", OPEN_ALL, json.dumps(REGISTERED), json.dumps(heavy)]
    done = subprocess.run(line, cwd=FUNCTIONS, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


async def test_every_vendor_gives_what_its_toolkit_says():
    """A business that has connected nothing has no account with any of them."""
    house = build(read_configuration(REGISTERED | {"SWITCHBOARD_PUBLIC_URL": "https://x.example.com"}))
    for folder in vendor_folders():
        vendor = house.integrations.vendor(folder.name)
        assert vendor is house.integrations.vendor(folder.integration) is not None
        assert vendor.port is not None
        if folder.provides != "app_actions":
            assert await house.integrations.account(folder.integration, BARE) is None
    consents = {name: vendor.consent for name, vendor in house.integrations._opened.items() if vendor.consent}
    assert {name: consent.callback_url for name, consent in consents.items()} == {
        "google_calendar": "https://x.example.com/admin/integrations/google/callback",
        "microsoft_calendar": "https://x.example.com/admin/integrations/microsoft/callback",
    }
    await house.integrations.close()
    await house.http.close()


async def test_nobody_is_registered_without_what_the_operator_sets():
    """Then there are no actions of apps, no consents, and no account with a vendor that does not exist."""
    house = build(read_configuration({}))
    assert house.actions is None
    assert house.integrations.choices("app_actions") == {}
    assert house.integrations.vendor("nobody") is None
    assert await house.integrations.account("nobody", BARE) is None
    assert await house.integrations.account("pipedream", BARE) is None


def test_every_calendar_of_the_house_is_a_folder():
    """What a business may choose for its appointments is what the folders provide; Google's counts before others."""
    assert {folder.integration for folder in vendor_folders() if folder.provides == "calendar"} == {*OUTSIDE_CALENDARS}
    assert list(OUTSIDE_CALENDARS) == ["googleCalendar", "microsoftCalendar", "caldavCalendar"]
    connected = {name: {"isConnected": True} for name in reversed(OUTSIDE_CALENDARS)}
    assert read_business("salon", {"timezone": "UTC", "integrations": connected}).calendar == "googleCalendar"


def test_a_vendor_whose_server_the_owner_names_is_another_one_for_each_business():
    """Those whose secrets are bound to an address; that one of them fails says nothing about the others."""
    bound = set()
    for folder in vendor_folders():
        document = json.loads((registry.FOLDER / folder.folder / "toolkit.json").read_text())
        if (document.get("auth") or {}).get("boundTo"):
            bound.add(folder.integration)
    assert bound == {folder.integration for folder in vendor_folders() if not is_one_vendor(folder.integration)}


@pytest.mark.requirement("001-94")
async def test_a_folder_is_an_integration_by_being_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It is opened when it is first asked for, once, with what the operator has set about its vendor."""
    root = planted(tmp_path, "weather", integration="theWeather", operator={"required": ["API_KEY"]})
    made: list[Deployment] = []

    class Entry:
        @staticmethod
        def open_vendor(deployment: Deployment) -> Vendor:
            made.append(deployment)
            return Vendor(port="the port")

    monkeypatch.setattr(registry, "import_module", {"switchboard.integrations.weather.integration": Entry}.__getitem__)
    monkeypatch.setattr(registry, "vendor_folders", lambda: vendor_folders(root))
    integrations = Integrations(lambda folder: folder)  # type: ignore[arg-type, return-value]
    assert made == []
    vendor = integrations.vendor("weather")
    assert vendor is integrations.vendor("theWeather") is not None
    assert (vendor.port, [it.folder for it in made]) == ("the port", ["weather"])  # type: ignore[attr-defined]


def test_what_a_folder_asks_of_the_operator_is_read_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """All of it or nothing; what is chosen has a usual value; and where it is on this machine."""
    operator = {"company": "Weather Ltd", "required": ["API_KEY", "ACCOUNT"], "secret": ["API_KEY"]}
    root = planted(tmp_path, "weather", operator=operator | {"choices": {"UNITS": ["metric", "us"]}})
    (folder,) = vendor_folders(root)
    assert folder.secret_variables == ("SWITCHBOARD_WEATHER_API_KEY",)
    assert folder.open_variables == ("SWITCHBOARD_WEATHER_ACCOUNT", "SWITCHBOARD_WEATHER_UNITS")
    assert folder.registered_by == ("SWITCHBOARD_WEATHER_ACCOUNT",)
    monkeypatch.setattr("switchboard.app.vendor_settings.vendor_folders", lambda: vendor_folders(root))
    assert read_configuration({}).vendor("weather").values == {}
    given = {"SWITCHBOARD_WEATHER_API_KEY": "k", "SWITCHBOARD_WEATHER_ACCOUNT": "a"}
    at = {"SWITCHBOARD_WEATHER_BASE_URL": "http://127.0.0.1:9000/"}
    found = read_configuration(given | at).vendor("weather")
    assert found.values == {"API_KEY": "k", "ACCOUNT": "a", "UNITS": "metric"}
    assert found.base_url == "http://127.0.0.1:9000"
    assert "'k'" not in repr(found)
    with pytest.raises(ConfigurationError, match=r"WEATHER_ACCOUNT is not set; set all of .*as Weather Ltd shows"):
        read_configuration({"SWITCHBOARD_WEATHER_API_KEY": "k"})
    with pytest.raises(ConfigurationError, match="WEATHER_UNITS is 'sv'; write metric or us"):
        read_configuration(given | {"SWITCHBOARD_WEATHER_UNITS": "sv"})
