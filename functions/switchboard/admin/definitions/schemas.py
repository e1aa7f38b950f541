"""The JSON Schema of what the linter says, where an endpoint is not typed yet."""

from switchboard.admin.api.schemas import TEXT, record

FINDING = record({**dict.fromkeys(("rule", "tool", "place", "text"), TEXT), "severity": TEXT})
