"""From the `ToolConfig` that an owner enters to the tenant tool that is stored (seed 002, "Tool Creation Flow")."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotValid, problem
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.documents.difference import same
from switchboard.admin.tenant_tools.config_models import ToolParts
from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.schema.lint.lint import lint
from switchboard.catalog.schema.lint.rules import LintFinding, LintSeverity
from switchboard.catalog.tenant_tools.config import DefinitionErrors, ToolConfig, build, free_name, read_config
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.definitions.tenant_tool import TenantTool
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject

# What is said while such a tool runs comes from its template, so its owner has nothing to write there.
_NOT_THEIRS = frozenset({"missing-filler"})
OUTSIDE = ("enabled",)
"""What may stand in a request beside the `ToolConfig` itself."""
_PARTS = frozenset(field.alias or name for name, field in ToolParts.model_fields.items())


def read_form(document: JsonObject, before: Mapping[str, Any] | None = None) -> ToolConfig:
    """Return an owner's configuration as it is understood.

    Args:
        document: What the owner entered.
        before: What was stored before, if anything. What stays as it was is not held against what the document says
            of it, and names that nothing reads any more stay allowed.

    Raises:
        NotValid: Everything that is wrong with it, by its field.
    """
    problems, before = [], before or {}
    try:
        config = read_config({name: value for name, value in document.items() if name not in OUTSIDE})
    except DefinitionErrors as errors:
        problems = [problem(error) for error in errors.errors]
    written = {
        name: value
        for name, value in document.items()
        if name not in before or (name in _PARTS and not same(before[name], value))
    }
    # Whatever is said of a part already, its form would say again.
    parts_told = {_part(problem.field) for problem in problems}
    problems += [problem for problem in wrong_with(ToolParts, written) if _part(problem.field) not in parts_told]
    if document.get("enabled", True) is None:
        problems.append(EntryProblem("enabled", "enabled must be true or false."))
    if problems:
        raise NotValid(problems)
    return config


def _part(field: str) -> str:
    return field.partition(".")[0].partition("[")[0]


def chosen_name(document: Mapping[str, Any], config: ToolConfig, taken: Collection[str]) -> str:
    """Return the name of a new tool: the one that its owner chose, or a free one made from its label.

    Raises:
        ToolError: CONFLICT; the name that was chosen is taken.
    """
    free = free_name(config.name, taken)
    if document.get("name") and free != config.name:
        raise ToolError(
            ErrorType.CONFLICT, f"There is a tool called {config.name} already; choose another name, such as {free}."
        )
    return free


def tool_of(
    id: str, document: JsonObject, config: ToolConfig, name: str, before: TenantTool | None = None
) -> TenantTool:
    """Return the tool that a configuration makes.

    Args:
        id: The tool's.
        document: What the owner entered, kept as it is for editing.
        config: The same as it is understood.
        name: What the model will call it.
        before: What it was; None for a new one.

    Raises:
        NotValid: It could be stored and never called, or the linter finds an error in what the model would be shown.
    """
    schema, static = build(replace(config, name=name))
    enabled = document.get("enabled")
    tool = TenantTool(
        id=id,
        name=name,
        label=config.label,
        description=config.description,
        template=config.template,
        function_schema=schema,
        static_config=static,
        config_metadata={key: value for key, value in document.items() if key not in OUTSIDE},
        is_async=config.is_async,
        execute_on_call_start=config.execute_on_call_start,
        attach_to_agent=config.attach_to_agent,
        external_tool_id=before.external_tool_id if before else None,
        data=before.data if before else {},
        is_enabled=enabled if isinstance(enabled, bool) else before is None or before.is_enabled,
        created_at=before.created_at if before else None,
        revision=before.revision + 1 if before else 1,
    )
    try:
        lint_findings = findings(tool)
    except DefinitionErrors as errors:
        raise NotValid([problem(error) for error in errors.errors]) from None
    except DefinitionError as error:
        raise NotValid([problem(error)]) from None
    wrong = [_refused(each) for each in lint_findings if each.severity is LintSeverity.ERROR]
    if wrong:
        raise NotValid(wrong)
    return tool


def findings(tool: TenantTool) -> tuple[LintFinding, ...]:
    """Return what the linter says of a tool as the model is shown it and its owner can mend, the worst first.

    Raises:
        DefinitionError, DefinitionErrors: It cannot be called.
    """
    lint_findings = lint([OwnTool(tool).told(None, PhoneNumbers())]).findings
    return tuple(each for each in lint_findings if each.rule not in _NOT_THEIRS and not _is_nothing_to_do(each))


def _is_nothing_to_do(finding: LintFinding) -> bool:
    # What a vendor does not check is held to by the dispatcher; only a warning of a dialect is the owner's to mend.
    return finding.rule == "dialect" and finding.severity is LintSeverity.HINT


def _refused(finding: LintFinding) -> EntryProblem:
    """Return an error of the linter in the words of a `ToolConfig`, which has ways out that a definition has not."""
    if finding.rule != "trusted-argument":
        return EntryProblem(finding.place, f"{finding.place}: {finding.text}.")
    place = f"params.{finding.place.rpartition('/')[2]}"
    sentence = "is a fact of the call or a secret, which no model gives; choose another name, or fix its value."
    return EntryProblem(place, f"{place} {sentence}")
