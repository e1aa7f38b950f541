"""The same conversation as it is sent to each vendor."""

from collections.abc import Sequence
from typing import Any

from switchboard.contract.model import Message, Prompt
from switchboard.models.anthropic_messages import AnthropicMessages
from switchboard.models.gemini import Gemini
from switchboard.models.openai_chat import OpenAIChat


def _no_session() -> Any:
    raise AssertionError("nothing is sent")


_MODELS = {
    "/v1/chat/completions": OpenAIChat("m", "https://api.openai.com/v1", "k", _no_session),
    "/v1/messages": AnthropicMessages("m", "https://api.anthropic.com", "k", _no_session),
    "/v1beta/models/m:streamGenerateContent": Gemini(
        "m", "https://generativelanguage.googleapis.com/v1beta", "k", _no_session
    ),
}


def bodies(messages: Sequence[Message], system: str = "You are Echo.") -> dict[str, Any]:
    """Return the body of the request by the path that it goes to: OpenAI's, Anthropic's, Google's."""
    return {path: model.request(Prompt(system, messages)) for path, model in _MODELS.items()}
