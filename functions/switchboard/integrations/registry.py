"""The integrations that there are: the folders here that hold a `toolkit.json`. Nothing names them one by one."""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.vendors import FOLDER, toolkit_documents
from switchboard.integrations.vendor import Deployment, Probe, Vendor

ENTRY = "integration"
"""The module of a folder that gives what it provides, by its function `open_vendor`."""


@dataclass(frozen=True, slots=True)
class VendorFolder:
    """What a folder's `toolkit.json` says of how it is wired.

    Attributes:
        folder: Its name.
        name: The toolkit's.
        integration: Its name in `businesses/{id}.integrations`.
        vendor: Whose it is: the part of the operator's variables and of our callback addresses that is its own.
        company: What owners call the vendor.
        provides: What it is one of several ways to have, such as `calendar`.
        required: What the operator registers with the vendor, such as `CLIENT_ID`: all of it, or nothing.
        secret: Those of it that nobody may see.
        choices: What the operator may choose among besides, the usual one first.
        asks_owners: Whether owners are sent to the vendor for their consent, and back to this deployment.
    """

    folder: str
    name: str
    integration: str
    vendor: str
    company: str
    provides: str
    required: tuple[str, ...]
    secret: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]]
    asks_owners: bool

    def variable(self, name: str) -> str:
        """Return the variable of the environment in which something of the operator's stands."""
        return f"SWITCHBOARD_{self.vendor.upper()}_{name}"

    @property
    def secret_variables(self) -> tuple[str, ...]:
        """The variables that a deployment takes from secrets."""
        return tuple(self.variable(name) for name in self.secret)

    @property
    def open_variables(self) -> tuple[str, ...]:
        """The variables that anybody may see."""
        names = (*(name for name in self.required if name not in self.secret), *self.choices)
        return tuple(self.variable(name) for name in names)

    @property
    def registered_by(self) -> tuple[str, ...]:
        """The variables any of which says that the operator is registered: open ones, where there are."""
        names = [name for name in self.required if name not in self.secret] or self.required
        return tuple(self.variable(name) for name in names)


@cache
def vendor_folders(root: Path = FOLDER) -> tuple[VendorFolder, ...]:
    """Return the folders that are integrations, in the order of their names. `scripts/build_tools` checks them."""
    return tuple(_read(folder, document) for folder, document in toolkit_documents(root).items())


def _read(folder: str, document: JsonObject) -> VendorFolder:
    name, operator = document["name"], document.get("operator") or {}
    auth = document.get("auth") or {}
    return VendorFolder(
        folder=folder,
        name=name,
        integration=document.get("integration") or name,
        vendor=auth.get("provider") or folder,
        company=operator.get("company") or document.get("displayName") or name,
        provides=document.get("provides") or "",
        required=tuple(operator.get("required") or ()),
        secret=tuple(operator.get("secret") or ()),
        choices={key: tuple(values) for key, values in (operator.get("choices") or {}).items()},
        asks_owners=auth.get("type") == "oauth2",
    )


class Integrations:
    """Opens each vendor when it is first needed, once."""

    def __init__(self, deployment: Callable[[VendorFolder], Deployment]) -> None:
        """Open nothing yet; `deployment` returns what the vendor of a folder is made of."""
        self._deployment = deployment
        self._folders = vendor_folders()
        self._by_name = {f.integration: f for f in self._folders} | {f.name: f for f in self._folders}
        self._opened: dict[str, Vendor] = {}

    @property
    def names(self) -> Collection[str]:
        """By which a vendor is found."""
        return self._by_name.keys()

    def vendor(self, name: str) -> Vendor | None:
        """Return a vendor by its toolkit's name or its integration's; None where there is no such integration."""
        folder = self._by_name.get(name)
        if folder is None:
            return None
        if folder.folder not in self._opened:
            module = import_module(f"{__package__}.{folder.folder}.{ENTRY}")
            self._opened[folder.folder] = module.open_vendor(self._deployment(folder))
        return self._opened[folder.folder]

    def providing(self, role: str) -> list[VendorFolder]:
        """Return the folders that provide something, such as `calendar`."""
        return [folder for folder in self._folders if folder.provides == role]

    def port(self, role: str) -> Any:
        """Return the port of the vendor that provides something of which a deployment has one; None without any."""
        folder = next(iter(self.providing(role)), None)
        vendor = self.vendor(folder.name) if folder is not None else None
        return vendor.port if vendor is not None else None

    async def account(self, name: str, business: Business) -> Any:
        """Return the client of a business's account; None where it has connected none, or nobody can.

        Raises:
            ToolError: As `VendorAccounts.of`.
        """
        vendor = self.vendor(name)
        return None if vendor is None or vendor.port is None else await vendor.port.of(business)

    def probes(self) -> dict[str, Probe]:
        """Return what tries an account, by the toolkit's name."""
        vendors = {folder.name: self.vendor(folder.name) for folder in self._folders}
        return {name: vendor.probe for name, vendor in vendors.items() if vendor is not None and vendor.probe}

    def choices(self, role: str) -> dict[str, Any]:
        """Return what lists what owners choose from, by the toolkit's name, of those that provide something."""
        vendors = {folder.name: self.vendor(folder.name) for folder in self.providing(role)}
        return {name: v.choices for name, v in vendors.items() if v is not None and v.choices is not None}

    async def warm(self, role: str) -> None:
        """Load what the vendors that provide something need; asks nobody."""
        for folder in self.providing(role):
            vendor = self.vendor(folder.name)
            if vendor is not None:
                await vendor.warm()

    async def close(self) -> None:
        """Let go of the connections of those that were opened."""
        for vendor in self._opened.values():
            await vendor.close()
        self._opened.clear()
