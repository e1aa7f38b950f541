"""What the linter says about a definition: a rule, how bad it is, where, and what to do."""

from dataclasses import dataclass
from enum import StrEnum

from switchboard.contract.json import JsonObject


class LintSeverity(StrEnum):
    """How bad a finding is, the worst first: it must not be published, it will go wrong, it could be better."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One finding.

    Attributes:
        rule: Its id, such as `trusted-argument`; stays the same when words change.
        severity: How bad it is.
        tool: The name of the definition.
        place: The field, or the JSON pointer into `parameters`.
        text: What is wrong and what to do, in one sentence.
    """

    rule: str
    severity: LintSeverity
    tool: str
    place: str
    text: str

    def to_json(self) -> JsonObject:
        """Return it as `scripts/lint_tools --json` and the admin pages show it."""
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "tool": self.tool,
            "place": self.place,
            "text": self.text,
        }
