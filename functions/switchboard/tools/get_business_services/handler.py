"""Tell what the business offers (seed 000, `get_business_services`)."""

import json

from switchboard.contract.business.business import Service
from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.untrusted_text import quoted


async def execute(ctx: CallContext, desk: Desk) -> Result:
    """Return the services of the business's own document, in its order.

    Args:
        ctx: The call; it carries the business as just read.
        desk: Not needed.
    """
    services = ctx.business.services
    return Result({"services": [_service(service) for service in services]}, empty=not services)


def shorten(data: JsonObject, characters: int) -> JsonObject:
    """Return the list without descriptions, and with as many services as fit: names matter more than words on them."""
    brief = [{key: value for key, value in s.items() if key != "description"} for s in data["services"]]
    while len(brief) > 1 and len(json.dumps({"services": brief}, ensure_ascii=False)) > characters:
        brief.pop()
    return {"services": brief}


def _service(service: Service) -> JsonObject:
    data: JsonObject = {"name": quoted(service.name), "durationMinutes": service.duration_minutes}
    if service.price:
        data["price"] = quoted(service.price)
    if service.description:
        data["description"] = quoted(service.description)
    return data
