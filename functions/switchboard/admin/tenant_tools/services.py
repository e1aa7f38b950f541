"""Everything an owner can do about tenant tools, joined: the operations for commands and pages, and the endpoints."""

from collections.abc import Callable, Collection

from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.tenant_tools.advice import Advice, Unreachable
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.collection_tools import CollectionTools
from switchboard.admin.tenant_tools.routes import TenantToolEndpoints
from switchboard.admin.tenant_tools.secrets import ToolSecrets
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.admin.tenant_tools.trial import ToolTrials
from switchboard.admin.toolkits.toolkits import SecretKeeper
from switchboard.admin.vapi.client import VapiMirrors
from switchboard.admin.vapi.reconciler import VapiReconciler
from switchboard.admin.vapi.routes import VapiEndpoints
from switchboard.admin.vapi.sync import VapiSync
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TenantToolServices:
    """The owners' operations on tenant tools."""

    tools: TenantTools
    attachments: Attachments
    collections: CollectionTools
    secrets: ToolSecrets
    reconciler: VapiReconciler
    advice: Advice

    def endpoints(self, trials: ToolTrials, suggested: Callable[[str, str], str | None]) -> tuple[Endpoint, ...]:
        """Return the endpoints of `api`; `suggested` tells what a tool does by its name and description."""
        tools = TenantToolEndpoints(self.tools, self.attachments, self.collections, trials, self.advice, suggested)
        return (
            *tools.endpoints,
            *VapiEndpoints(self.secrets, self.reconciler).endpoints,
        )


def open_tool_room(
    store: ToolStore,
    mirrors: VapiMirrors,
    secrets: SecretKeeper,
    built_in: Callable[[], Collection[str]],
    forget: Callable[[str], None],
    unreachable: Unreachable,
) -> TenantToolServices:
    """Return the operations over a store.

    Args:
        store: Where tools, agents and attachments are.
        mirrors: The businesses' accounts with Vapi.
        secrets: Keeps the secrets of tools.
        built_in: Names the built-in tools.
        forget: Has a business read anew when it is next needed.
        unreachable: Tells why no request of an owner's tool to an address is ever sent.
    """
    mirroring = VapiSync(store, mirrors)
    tools = TenantTools(store, mirroring, built_in, forget)
    attachments = Attachments(store, mirroring, forget)
    reconciler = VapiReconciler(store, mirroring, tools, attachments)
    collections = CollectionTools(store, tools, attachments)
    advice = Advice(store, secrets, unreachable)
    return TenantToolServices(tools, attachments, collections, ToolSecrets(store, secrets), reconciler, advice)
