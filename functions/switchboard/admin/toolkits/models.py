"""What is sent and answered about toolkits, and about what can stand in their settings."""

import re
from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.api.models import AnswerBody, Count, Moment, NextCursor, OneLine, Paging, Revisioned, Wording
from switchboard.admin.toolkits.state import ToolkitChange
from switchboard.catalog.tenant_tools.toolkit import AuthType
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject

_APP = re.compile("([a-z0-9_-]{1,100})?")
_LONGEST_CURSOR = 2_000


class ToolkitPatch(Revisioned):
    """What is set anew for a toolkit; a part that is left out, or null, stays as it is."""

    config: JsonObject | None = Field(
        default=None, description="All settings, as the toolkit's configSchema describes them."
    )
    sensitive_config: dict[str, str | None] | None = Field(
        default=None, description="Secrets, as sensitiveSchema describes them; null takes one away, others stay."
    )

    def change(self) -> ToolkitChange:
        """Return what is wanted of the toolkit.

        Raises:
            NotValid: The body says nothing.
        """
        if not self.sent():
            known = [field.alias or name for name, field in type(self).model_fields.items() if name != "revision"]
            raise NotValid([EntryProblem("", f"The body is empty; give {' or '.join(known)}.")])
        return ToolkitChange(self.config, self.sensitive_config)


class ToolkitAuth(AnswerBody):
    """How a toolkit is let in: what the vendor is asked for, and where."""

    type: AuthType
    provider: str | SkipJsonSchema[None] = None
    authorization_url: str | SkipJsonSchema[None] = None
    token_url: str | SkipJsonSchema[None] = None
    revocation_url: str | SkipJsonSchema[None] = None
    scopes: list[str] | SkipJsonSchema[None] = None
    bound_to: list[str] | SkipJsonSchema[None] = Field(
        default=None, description="The settings that say whom secrets are shown to; for others they are given anew."
    )


class SecretState(AnswerBody):
    """Whether a secret is kept, and since when: all that is ever told of one."""

    is_set: bool
    since: Moment | None


class ToolkitTool(AnswerBody):
    """A tool that a toolkit has."""

    name: str
    description: str
    parameters: JsonObject = Field(description="The JSON Schema of its arguments.")


class ToolkitShown(AnswerBody):
    """A toolkit, and how the business has set it up."""

    name: str
    display_name: str
    description: str
    integration: str
    auth: ToolkitAuth
    config_schema: JsonObject = Field(description="The JSON Schema of its settings.")
    sensitive_schema: JsonObject = Field(description="The JSON Schema of the secrets that are typed in.")
    actions: list[str]
    provides: str = Field(description="What it is one of several ways to have, such as calendar; empty for none.")
    config: JsonObject = Field(description="Its settings, as they are stored.")
    sensitive_config: dict[str, SecretState]
    is_connected: bool
    needs_reauth: bool
    missing: list[str]
    revision: str
    tools: list[ToolkitTool]


class ToolkitList(AnswerBody):
    """All toolkits, by name."""

    toolkits: list[ToolkitShown]


class ToolkitRemoved(AnswerBody):
    """What was set is there no more."""

    removed: Literal[True]


class ToolkitTried(AnswerBody):
    """How trying an account went."""

    ok: bool
    type: ErrorType | SkipJsonSchema[None] = None
    message: str


class PhoneNumberShown(AnswerBody):
    """A number that texts can come from, by the id that tools say for it."""

    id: str
    number: str
    is_main: bool


class PhoneNumberList(AnswerBody):
    """The business's numbers, the main one first."""

    phone_numbers: list[PhoneNumberShown]


class AppAccountQuery(Paging):
    """Which accounts of apps are listed."""

    app: (
        Annotated[str, OneLine(100, form=_APP), Wording("must be an app's slug at Pipedream, such as google_sheets.")]
        | None
    ) = Field(default=None, description="Only of the app of this slug, such as google_sheets.")
    cursor: (
        Annotated[
            str,
            Field(max_length=_LONGEST_CURSOR),
            Wording("must be the next cursor that an earlier page of this list told."),
        ]
        | None
    ) = Field(default=None, description="Where to go on: `nextCursor` of the page before, which is Pipedream's own.")


class AppAccountShown(AnswerBody):
    """An account of an app that was connected; one that is not usable must be connected again."""

    id: str
    name: str
    app: str
    app_name: str
    is_usable: bool
    connected_at: str | None


class AppAccountList(AnswerBody):
    """A page of accounts."""

    accounts: list[AppAccountShown]
    next_cursor: NextCursor


class CollectionShown(AnswerBody):
    """A collection of the business's own."""

    name: str
    items: Annotated[Count, Field(description="How many; a thousand stands for more, too.")]


class CollectionList(AnswerBody):
    """A page of collections, by name."""

    collections: list[CollectionShown]
    next_cursor: NextCursor


class CalendarOption(AnswerBody):
    """A calendar of the account that is set up."""

    id: str
    name: str
    is_read_only: bool


class CalendarOptions(AnswerBody):
    """The calendars that can keep the appointments."""

    calendars: list[CalendarOption]
