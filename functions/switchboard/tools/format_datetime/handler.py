"""Put a date and time into words (seed 003)."""

import re
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Literal, TypeAlias
from zoneinfo import ZoneInfo

from switchboard.contract.business.zones import with_zone_if_twice
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso

if TYPE_CHECKING:
    from babel import Locale

Style: TypeAlias = Literal["short", "medium", "long", "full"]
"""How much is said of a date: from 3/16/27 to Tuesday, March 16, 2027."""

_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
# The library separates "2:00" and "PM" by a narrow blank, which a voice or a text message may not know.
_BLANKS = str.maketrans("\u202f\u00a0\u2009", "   ")


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    moment: datetime,
    part: Literal["datetime", "date", "time"] = "datetime",
    style: Style = "full",
    language: str | None = None,
    timezone: str | None = None,
) -> Result:
    """Return a date and time in words, the same for the same arguments; a date alone is that date in every zone.

    Args:
        ctx: The call; its business's language and zone hold where none is named.
        desk: Not needed: nothing is looked up.
        moment: The instant, aware.
        part: What to say of it; a time is told in hours and minutes in every style.
        style: How much to say of the date.
        language: A BCP 47 tag.
        timezone: An IANA name.

    Raises:
        ToolError: VALIDATION for a language or zone that does not exist, a time that its calendar cannot hold, or the
            time of a date alone.
    """
    locale = _locale(language) if language else _own_locale(ctx.business.language)
    zone = _zone(timezone) if timezone else ctx.business.timezone
    if "moment" in ctx.days:
        if part == "time":
            example = f"{moment.date()}T14:00"
            raise ToolError(ErrorType.VALIDATION, f"A date has no time: send one as well, such as {example}.")
        # Of that date there, in UTC so that a midnight which is skipped there becomes the day's first moment.
        moment, part = datetime.combine(moment.date(), time.min, zone).astimezone(UTC), "date"
    try:
        local = moment.astimezone(zone)
    except OverflowError:
        raise ToolError(ErrorType.VALIDATION, "That time lies outside the calendar. Use a year such as 2027.") from None
    text = _in_words(local, part, style, locale).translate(_BLANKS)
    if part != "date":
        text = with_zone_if_twice(text, local)
    return Result({"text": text, "iso": iso(local, zone), "language": str(locale), "timezone": zone.key})


def _in_words(local: datetime, part: str, style: Style, locale: "Locale") -> str:
    from babel.dates import format_date, format_time, get_datetime_format

    date = format_date(local.date(), style, locale) if part != "time" else ""
    clock = format_time(local.time(), "short", locale=locale) if part != "date" else ""
    if part != "datetime":
        return date or clock
    pattern = str(get_datetime_format(style, locale=locale)).replace("'", "")
    return pattern.replace("{0}", clock).replace("{1}", date)


def _own_locale(language: str) -> "Locale":
    try:
        return _locale(language)
    except ToolError:
        # What an owner wrote wrongly is not the caller's fault.
        return _locale("en")


def _locale(language: str) -> "Locale":
    # Imported here: 30 ms that a cold start need not pay.
    from babel import Locale, UnknownLocaleError

    try:
        if not _TAG.fullmatch(language):
            raise UnknownLocaleError(language)
        return Locale.parse(language.replace("_", "-"), sep="-")
    except (ValueError, UnknownLocaleError):
        raise ToolError(
            ErrorType.VALIDATION, f"{language!r:.40} is not a language that is known. Use a tag such as de or en-GB."
        ) from None


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ToolError(
            ErrorType.VALIDATION, f"{name!r:.70} is not a time zone. Use an IANA name such as Europe/Berlin."
        ) from None
