"""What a person reads once everything runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Banner:
    """The facts of a running Switchboard.

    Attributes:
        url: Where it serves.
        admin_url: Where its admin pages are; None without them.
        public_url: What vendors call instead of `url`; None where nobody said.
        store: Which store, and why.
        key: The key for demo-salon; None where there is none.
        owner_token: The token of demo-salon's owner; None where there is none.
        platform_key: A key for what is of all businesses, such as drafts of definitions; None where there is none.
        twilio_token: The auth token of the demo businesses' Twilio account; None where there is none.
        stand_ins_url: The page with what stands in for the vendors was given; None where nothing does.
        first_call: A shell command that executes a tool.
        took_s: How long it took to be ready.
    """

    url: str
    admin_url: str | None
    public_url: str | None
    store: str
    key: str | None
    owner_token: str | None
    first_call: str | None
    took_s: float
    twilio_token: str | None = None
    stand_ins_url: str | None = None
    platform_key: str | None = None

    def __str__(self) -> str:
        rows = {
            "portal": f"{self.url}/portal/?business=demo-salon",
            "browser voice": f"{self.url}/browser_voice/?business=demo-salon",
            "admin pages": self.admin_url and f"{self.admin_url}  (there in a few seconds)",
            "tools": f"{self.url}/tools/definitions, {self.url}/tools/execute",
            "health": f"{self.url}/healthz",
            "texts, calls": self.stand_ins_url
            and f"{self.stand_ins_url}  (e-mails, calendar entries too; nothing leaves here)",
            "public URL": self.public_url,
            "store": self.store,
            "API key": f"{self.key}  (for demo-salon)" if self.key else "none: make one with scripts/api_key",
            "owner token": self.owner_token and f"{self.owner_token}  (for demo-salon: {self.url}/admin/explain)",
            "platform key": self.platform_key and f"{self.platform_key}  (for all: {self.url}/admin/definitions)",
            "Twilio token": self.twilio_token and f"{self.twilio_token}  (of the demo businesses' account)",
        }
        shown = {name: value for name, value in rows.items() if value}
        width = max(map(len, shown))
        lines = [f"Switchboard is ready after {self.took_s:.1f} s.", ""]
        lines += [f"  {name:<{width}}  {value}" for name, value in shown.items()]
        if self.first_call:
            lines += ["", "Execute a tool:", "", self.first_call]
        return "\n".join([*lines, "", "Ctrl-C stops everything."])
