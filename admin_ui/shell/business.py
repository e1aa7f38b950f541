"""The business that is looked at, and what the one who looks is to it."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from admin_ui.shell import roles


@dataclass(frozen=True)
class Business:
    """A business as the list of them has it."""

    id: str
    name: str
    timezone: str
    role: str

    def may(self, operation: str) -> bool:
        """Tell whether the role allows an operation of `roles.MAY`."""
        return self.role in roles.MAY[operation]

    @property
    def zone(self) -> ZoneInfo:
        """Its time zone, in which the pages tell times; UTC where it names none that exists."""
        try:
            return ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")
