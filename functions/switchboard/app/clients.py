"""What a deployment reaches: the store, the vendors, and what businesses keep secret; each when first needed."""

import os
import time
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self

from prometheus_client import CollectorRegistry

from switchboard.app.loop_watch import LoopWatch
from switchboard.app.settings import Configuration

if TYPE_CHECKING:
    from collections.abc import Iterable

    from switchboard.admin.costs.paths import CostPaths
    from switchboard.catalog.definitions.registry import BuiltTool
    from switchboard.channels.http.tasks import Schedulers
    from switchboard.contract.definitions.voice_platform import ActionRunner, VoicePlatforms
    from switchboard.contract.ports import ChatModel, Mailers, PhoneAccounts, Store, TaskQueue
    from switchboard.integrations.calendars import CalendarsByVendor, VendorCalendars
    from switchboard.integrations.egress.egress import SafeEgress
    from switchboard.integrations.egress.pages import PageEgress
    from switchboard.integrations.http_session import HttpSession
    from switchboard.integrations.identity.access_tokens import AccessTokens
    from switchboard.integrations.identity.firebase_tokens import AppCheckTokens, FirebaseTokens
    from switchboard.integrations.identity.google_id_tokens import GoogleIdTokens
    from switchboard.integrations.mcp.client import McpClient
    from switchboard.integrations.registry import Integrations, VendorFolder
    from switchboard.integrations.secrets.key_rotation import KeyRotation
    from switchboard.integrations.secrets.kms import KeyKeeper
    from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
    from switchboard.integrations.vendor import Deployment


class SystemClock:
    """The machine's time."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        return time.monotonic()


def open_store(configuration: Configuration) -> "Store":
    """Return the store that the configuration names; nothing is connected before it is used."""
    if configuration.store == "memory":
        from switchboard.state.memory.store import MemoryStore

        return MemoryStore()
    from switchboard.state.firestore.store import FirestoreStore

    return FirestoreStore(configuration.project, configuration.database, configuration.emulator_host)


class Clients:
    """The clients of everything outside, built from one configuration; nothing is connected before it is used."""

    def __init__(self, configuration: Configuration, store: "Store | None" = None) -> None:
        """Build nothing yet; a store that is given is used instead of the configured one."""
        self.configuration = configuration
        self.clock = SystemClock()
        # What this process measures, of its calls and of everything else.
        self.registry = CollectorRegistry()
        self.loop_watch = LoopWatch(self.registry)
        if store is not None:
            self.__dict__["store"] = store

    def watched(self) -> Self:
        """Tell from now on of what holds the running loop up; for processes that serve and do nothing else."""
        self.loop_watch.begin()
        return self

    @cached_property
    def store(self) -> "Store":
        """Where everything is kept."""
        store = open_store(self.configuration)
        if self.configuration.store == "memory":
            return store
        from switchboard.state.measured import MeasuredStore

        return MeasuredStore(store, self.registry)

    def is_store_away(self) -> bool:
        """Tell whether the store does not answer now, as far as this process has seen."""
        from switchboard.state.measured import MeasuredStore

        return isinstance(self.store, MeasuredStore) and self.store.is_away

    @cached_property
    def paths(self) -> "CostPaths":
        """Where everything is found in it."""
        from switchboard.state.paths import FirestorePaths

        return FirestorePaths()

    @cached_property
    def http(self) -> "HttpSession":
        """The one HTTP client."""
        from switchboard.integrations.http_session import HttpSession

        return HttpSession()

    @cached_property
    def secrets(self) -> "SealedSecrets":
        """What businesses keep secret."""
        from switchboard.integrations.secrets.sealed_secrets import SealedSecrets

        return SealedSecrets(self.store, self.paths, self.keeper)

    @cached_property
    def keeper(self) -> "KeyKeeper":
        """Who wraps the keys that secrets are kept with."""
        from switchboard.integrations.secrets.kms import CloudKeyKeeper, LocalKeyKeeper

        own = self.configuration
        if own.kms_key:
            return CloudKeyKeeper(own.kms_key, self.http)
        return LocalKeyKeeper.from_text(own.secrets_key) if own.secrets_key else LocalKeyKeeper(os.urandom(32))

    @cached_property
    def key_rotation(self) -> "KeyRotation":
        """Which key every secret hangs on."""
        from switchboard.integrations.secrets.key_rotation import KeyRotation

        return KeyRotation(self.store, self.paths, self.keeper)

    @cached_property
    def egress(self) -> "SafeEgress":
        """Requests to addresses that owners chose."""
        from switchboard.integrations.egress.egress import SafeEgress

        own = self.configuration
        return SafeEgress(own_urls=[own.public_url] if own.public_url else [], stand_ins=own.egress_stand_ins)

    @cached_property
    def pages(self) -> "PageEgress":
        """Web pages that owners have read in."""
        from switchboard.integrations.egress.pages import PageEgress

        own = self.configuration
        return PageEgress(own_urls=[own.public_url] if own.public_url else [], stand_ins=own.egress_stand_ins)

    @cached_property
    def remote_tools(self) -> "McpClient":
        """Servers of the Model Context Protocol that owners connect."""
        from switchboard.integrations.mcp.client import McpClient
        from switchboard.integrations.mcp.egress import MessageEgress

        own = self.configuration
        urls = [own.public_url] if own.public_url else []
        return McpClient(MessageEgress(own_urls=urls, stand_ins=own.egress_stand_ins))

    @cached_property
    def task_queue(self) -> "TaskQueue | None":
        """What asks for accepted calls, where this deployment has a queue."""
        from switchboard.integrations.cloud_tasks import CloudTasks, TaskCredential

        own = self.configuration
        if own.task_queue is None:
            return None
        shown = TaskCredential(own.task_token, own.task_account)
        return CloudTasks(own.task_queue, own.public_url or "", shown, self.http)

    @cached_property
    def schedulers(self) -> "Schedulers":
        """Who has background work done for all businesses."""
        from switchboard.channels.http.tasks import Schedulers

        own = self.configuration
        return Schedulers(own.task_token, own.task_account, self.id_tokens if own.task_account else None)

    @cached_property
    def integrations(self) -> "Integrations":
        """What stands in the folders of `integrations`, each vendor opened when it is first needed."""
        from switchboard.integrations.registry import Integrations

        return Integrations(self._deployment)

    def _deployment(self, folder: "VendorFolder") -> "Deployment":
        from switchboard.integrations.vendor import Deployment

        own = self.configuration
        return Deployment(
            self.http,
            self.secrets,
            self.clock,
            own.vendor(folder.vendor),
            f"{own.public_url}/admin/integrations/{folder.vendor}/callback",
            (own.public_url,) if own.public_url else (),
            own.egress_stand_ins,
        )

    @cached_property
    def calendars(self) -> "CalendarsByVendor":
        """The businesses' outside calendars."""
        from switchboard.integrations.calendars import CalendarsByVendor

        folders = self.integrations.providing("calendar")
        return CalendarsByVendor(
            {folder.integration: partial(self._calendars_of, folder.name) for folder in folders},
            expected=[it.integration for it in folders if self.configuration.vendor(it.vendor).values],
        )

    def _calendars_of(self, name: str) -> "VendorCalendars":
        vendor = self.integrations.vendor(name)
        assert vendor is not None
        port: VendorCalendars = vendor.port
        return port

    @cached_property
    def sign_ins(self) -> "FirebaseTokens | None":
        """What reads owners' ID tokens, where there is a project that gives them."""
        from switchboard.integrations.identity.firebase_tokens import FirebaseTokens

        own = self.configuration
        if own.is_local and own.auth_emulator_host is None:
            return None
        return FirebaseTokens(own.project, self.http, self.clock, emulator_host=own.auth_emulator_host)

    @cached_property
    def apps(self) -> "AppCheckTokens | None":
        """What reads the tokens of our own apps, where they are asked for."""
        from switchboard.integrations.identity.firebase_tokens import AppCheckTokens

        number = self.configuration.app_check_project
        return AppCheckTokens(number, self.http, self.clock) if number else None

    @cached_property
    def id_tokens(self) -> "GoogleIdTokens | None":
        """What reads service accounts' ID tokens, where there is an address that they can be made for."""
        from switchboard.app.asgi import FUNCTIONS
        from switchboard.integrations.identity.google_id_tokens import CERTIFICATES, GoogleIdTokens

        own = self.configuration
        if own.public_url is None:
            return None
        base = own.vendor("google").base_url
        keys_url = f"{base}/oauth2/v3/certs" if base else CERTIFICATES
        return GoogleIdTokens(own.public_url, FUNCTIONS, self.http, self.clock, keys_url)

    @cached_property
    def access_tokens(self) -> "AccessTokens | None":
        """What reads the access tokens of an authorization server, where one is trusted."""
        from switchboard.integrations.identity.access_tokens import AccessTokens

        own = self.configuration
        if own.mcp_issuer is None:
            return None
        return AccessTokens(own.mcp_issuer, self.http, self.clock, is_local=own.is_local)

    @cached_property
    def phones(self) -> "PhoneAccounts":
        """The businesses' accounts with the phone network."""
        port: PhoneAccounts = self.integrations.port("phone")
        return port

    @cached_property
    def voice_platforms(self) -> "VoicePlatforms":
        """The businesses' accounts with a voice platform."""
        port: VoicePlatforms = self.integrations.port("voice_platform")
        return port

    @cached_property
    def mailers(self) -> "Mailers":
        """The businesses' mail accounts."""
        port: Mailers = self.integrations.port("mail")
        return port

    @cached_property
    def actions(self) -> "ActionRunner | None":
        """What runs actions of connected apps, where this deployment is registered with who runs them."""
        port: ActionRunner | None = self.integrations.port("app_actions")
        return port

    def open_model(self, tools: "Iterable[BuiltTool]") -> "ChatModel":
        """Return what speaks; the rehearsal knows the examples of `tools`."""
        from switchboard.models.rehearsal.model import Rehearsal

        return self.open_vendor_model(self.configuration.model) or Rehearsal(self.clock)

    def open_vendor_model(self, name: str) -> "ChatModel | None":
        """Return a vendor's model, named as in `openai:gpt-5-mini`; None where the name is no vendor's."""
        own = self.configuration
        vendor, _, name = name.partition(":")
        if vendor == "openai":
            from switchboard.models.openai_chat import OpenAIChat

            return OpenAIChat(name, own.openai_url, own.openai_key, self.http.client)
        if vendor == "gemini":
            from switchboard.models.gemini import Gemini

            return Gemini(name, f"{own.gemini_url}/v1beta", own.gemini_key, self.http.client)
        if vendor == "anthropic":
            from switchboard.models.anthropic_messages import AnthropicMessages

            return AnthropicMessages(name, own.anthropic_url, own.anthropic_key, self.http.client)
        return None
