"""What the stand-in for Vapi takes from Vapi's own OpenAPI document: names, types, limits and enums, without words."""

from typing import Any

SOURCE = {
    "repository": "github.com/VapiAI/docs",
    "document": "Vapi API 1.0 (OpenAPI)",
    "licence": "MIT",
    "taken": "names, types, limits and enums of what a request may hold and an answer holds; no words, no examples. "
    "A part that may be something else than what is taken here is left open",
}
TOOLS = {"apiRequest": "ApiRequestTool", "function": "FunctionTool", "handoff": "HandoffTool"}
_MODELS = (
    "AnthropicModel AnthropicBedrockModel AnyscaleModel CerebrasModel CustomLLMModel DeepInfraModel DeepSeekModel "
)
_MODELS += "GoogleModel GroqModel InflectionAIModel MinimaxLLMModel OpenAIModel OpenRouterModel PerplexityAIModel "
_MODELS += "TogetherAIModel XaiModel VapiModel"
_TOOLS = "CreateApiRequestToolDTO CreateFunctionToolDTO UpdateApiRequestToolDTO UpdateFunctionToolDTO ApiRequestTool "
_TOOLS += "FunctionTool BackoffPlan JsonSchema OpenAIFunction OpenAIFunctionParameters Server TextContent "
_TOOLS += "ToolMessageComplete ToolMessageDelayed ToolMessageFailed ToolMessageStart ToolParameter Condition "
_TOOLS += "VariableExtractionAlias VariableExtractionPlan ToolRejectionPlan GroupCondition LiquidCondition "
_TOOLS += "RegexCondition MessageTarget"
_HANDOVERS = "CreateHandoffToolDTO UpdateHandoffToolDTO HandoffTool HandoffDestinationAssistant "
_HANDOVERS += "HandoffDestinationDynamic HandoffDestinationSquad ServerMessageResponseHandoffDestinationRequest "
_HANDOVERS += "ContextEngineeringPlanAll ContextEngineeringPlanLastNMessages ContextEngineeringPlanNone "
_HANDOVERS += "ContextEngineeringPlanPreviousAssistantMessages ContextEngineeringPlanUserAndAssistantMessages"
_CALLS = "CreateCallDTO CreateCustomerDTO Call Monitor"
_ASSISTANTS = "CreateAssistantDTO UpdateAssistantDTO Assistant ToolRef"
_MESSAGES = "ToolCall ToolCallFunction ToolCallResult ServerMessageResponseToolCalls"
_CONFLICTS = "VersionPinConflictResponseDTO VersionPinReference ToolDraftConflictResponseDTO"
KEPT = frozenset(" ".join((_MODELS, _TOOLS, _HANDOVERS, _CALLS, _ASSISTANTS, _MESSAGES, _CONFLICTS)).split())
_SAYS_NOTHING = frozenset({"description", "example", "examples", "title", "default", "deprecated", "x-fern-type-name"})


def extract(original: dict[str, Any]) -> dict[str, Any]:
    """Return the extract of the document."""
    schemas = original["components"]["schemas"]
    listed = {p["name"]: p["schema"] for p in original["paths"]["/tool"]["get"]["parameters"]}
    return {"source": SOURCE, "query": listed, "schemas": {name: _plain(schemas[name]) for name in sorted(KEPT)}}


def _plain(rule: Any) -> Any:
    if isinstance(rule, list):
        return [_plain(item) for item in rule]
    if not isinstance(rule, dict):
        return rule
    for keyword in ("oneOf", "anyOf", "allOf"):
        names = [row["$ref"].rpartition("/")[2] for row in rule.get(keyword, []) if "$ref" in row]
        if not KEPT.issuperset(names):
            return {}
    if "$ref" in rule:
        return {"$ref": rule["$ref"]} if rule["$ref"].rpartition("/")[2] in KEPT else {}
    kept = {name: value for name, value in rule.items() if name not in _SAYS_NOTHING}
    # Which models there are changes by the week.
    if len(kept.get("enum", [])) > 30:
        del kept["enum"]
    for name, value in kept.items():
        if name == "properties":
            kept[name] = {key: _plain(inner) for key, inner in value.items()}
        elif name != "enum":
            kept[name] = _plain(value)
    return kept
