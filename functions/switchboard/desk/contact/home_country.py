"""In which country a business is: what it has said without saying it, by its numbers, its address or its time zone.

A number that is written without its country is read as it is dialled there. What could be two countries is none: the
number could then be somebody else's.
"""

from functools import cache, lru_cache
from importlib import resources

# libphonenumber's name for what belongs to no country: satellites (+870, +881), networks (+882, +883), and worse.
NOWHERE = "001"
# As an address ends in their own languages, beside the names that the zones' database has.
_NAMES = {
    **dict.fromkeys(("usa", "u.s.a.", "us", "united states of america"), "US"),
    **dict.fromkeys(("uk", "united kingdom", "great britain", "england", "scotland", "wales"), "GB"),
    **dict.fromkeys(("deutschland", "alemania", "allemagne", "duitsland"), "DE"),
    **dict.fromkeys(("österreich", "oesterreich"), "AT"),
    **dict.fromkeys(("schweiz", "suisse", "svizzera"), "CH"),
    **dict.fromkeys(("españa", "espana"), "ES"),
    **dict.fromkeys(("italia",), "IT"),
    **dict.fromkeys(("nederland", "the netherlands"), "NL"),
    **dict.fromkeys(("belgië", "belgique", "belgien"), "BE"),
    **dict.fromkeys(("méxico",), "MX"),
    **dict.fromkeys(("brasil",), "BR"),
    **dict.fromkeys(("česko", "czech republic"), "CZ"),
    **dict.fromkeys(("polska",), "PL"),
    **dict.fromkeys(("danmark",), "DK"),
    **dict.fromkeys(("sverige",), "SE"),
    **dict.fromkeys(("norge",), "NO"),
}
# A state of the United States is called as the country is.
_TWO_PLACES = frozenset({"georgia"})
# Zones that go by the name of their country, and are listed under a town.
_OF_COUNTRY = {"US": "US", "Canada": "CA"}


@lru_cache(maxsize=1_024)
def home_country(numbers: tuple[str, ...], address: str = "", zone: str = "") -> str | None:
    """Return the ISO code of the country that a business is in; None where nothing tells, or several countries may be.

    Args:
        numbers: Its own, the one that tells it best first.
        address: As it is written, perhaps with the country at its end.
        zone: The name of its time zone.
    """
    if own := _of_numbers(numbers):
        return own
    told, listed = _of_address(address), _of_zone(zone)
    # Towns of the United States are called Lebanon, Mexico and Peru, too.
    return None if listed == "US" and told not in (None, "US") else told or listed


def _of_numbers(numbers: tuple[str, ...]) -> str | None:
    # Imported here: 50 ms that a cold start need not pay.
    import phonenumbers

    for own in numbers:
        try:
            region = phonenumbers.region_code_for_number(phonenumbers.parse(own))
        except phonenumbers.NumberParseException:
            continue
        if region and region != NOWHERE:
            return str(region)
    return None


def _of_address(address: str) -> str | None:
    """Return the country with whose name an address ends: behind a comma, or on a line of its own."""
    last = address.replace("\n", ",").rstrip(" ,.").rpartition(",")[2]
    name = " ".join(last.casefold().split())
    return None if not name or name in _TWO_PLACES else (_NAMES.get(name) or _countries().get(name))


def _of_zone(zone: str) -> str | None:
    """Return the country under which a zone is listed: each has its own, and those of several are in no such list."""
    family, _, town = zone.partition("/")
    return _zones().get(zone) or (_OF_COUNTRY.get(family) if town else None)


@cache
def _countries() -> dict[str, str]:
    rows = (line.split("\t") for line in _table("iso3166.tab"))
    return {name.casefold(): code for code, name, *_ in rows}


@cache
def _zones() -> dict[str, str]:
    rows = (line.split("\t") for line in _table("zone.tab"))
    return {zone: code for code, _, zone, *_ in rows}


def _table(name: str) -> list[str]:
    text = resources.files("tzdata").joinpath("zoneinfo", name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
