"""What each model's dialect and the prompt would show of a definition, in the words of a business."""

from switchboard.admin.definitions.record import Record
from switchboard.catalog.definitions.tool import Tool
from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.offer.inclusion import conditions
from switchboard.catalog.schema.lint.lint import token_cost
from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.formats import FORMATS


def preview(record: Record, definition: Definition, business: Business | None = None) -> JsonObject:
    """Return a sound definition as it is told.

    Args:
        record: The tool's, for its guide.
        definition: What to show.
        business: Fills the variables, and has some parameters or not; without one the former become nothing, and all
            of the latter are shown.
    """
    tool = Tool(definition, record.built)
    tool = tool.at(business) if business is not None else tool
    told, cost = tool.told(business, PhoneNumbers()), token_cost(definition)
    dialects = [
        {
            "dialect": name,
            "tools": list(dialect.declare_all([dialect.declare(told)])),
            "losses": list(dialect.lowerings(told)),
            "tokens": cost.tokens[name],
        }
        for name, dialect in FORMATS.items()
    ]
    return {
        "tool": record.name,
        "description": told.description,
        "channels": [channel.value for channel in definition.channels],
        "conditions": list(conditions(definition)),
        "dialects": dialects,
        # A chat's prompt holds guides where they are short; what is spoken has the declaration alone.
        "prompt": {"written": tool.guide},
    }
