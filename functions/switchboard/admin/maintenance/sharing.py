"""Which customers on file have a number: what is kept of callers goes by it, of whichever of them."""

from switchboard.admin.maintenance.data_inventory import PLACES, documents_of
from switchboard.contract.business.business import read_business
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.callers.callers import Caller, read_caller
from switchboard.desk.contact.phone import region_of

_CALLERS = next(place for place in PLACES if place.name == "callers")


@dataclass(frozen=True, slots=True)
class NumberOnFile:
    """Whose a number is.

    Attributes:
        numbers: The number, and all further ones of whoever has it, E.164.
        customers: Who has one of these, by name or address, and id. A record that tells neither is nobody else's: it
            says what stands against a number.
        shared: Those of the numbers that several have.
    """

    numbers: list[str]
    customers: list[str]
    shared: list[str]


async def on_file_with(store: Store, paths: Paths, business_id: str, number: str) -> NumberOnFile:
    """Return who on file has a number (E.164), in whatever spelling it stands there.

    Raises:
        StoreError: The store refuses or does not answer.
    """
    document = await store.get(paths.within(business_id).business)
    region = region_of(read_business(business_id, document.data if document is not None else {}))
    records = [read_caller(one, region) async for one in documents_of(store, paths, _CALLERS, business_id)]
    numbers = dict.fromkeys([number, *(each for one in records if number in one.numbers for each in one.numbers)])
    having = [one for one in records if not numbers.keys().isdisjoint(one.numbers) and (one.name or one.email)]
    shared = [each for each in numbers if sum(each in one.numbers for one in having) > 1]
    return NumberOnFile(list(numbers), [_named(one) for one in having], shared)


def _named(caller: Caller) -> str:
    return f"{caller.name or caller.email} ({caller.id})"
