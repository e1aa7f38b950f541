"""pydantic-ai: `Agent.run` with thirteen tools, one of them called."""

from other_tools import ANSWER, INSTRUCTIONS, QUESTION, others
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from worker import ARGUMENTS, NAME, look_up, run


def instant(messages, info):
    """Call once, then speak."""
    has_called = any(isinstance(part, ToolReturnPart) for message in messages for part in message.parts)
    said = TextPart(ANSWER) if has_called else ToolCallPart(NAME, ARGUMENTS, "call_1")
    return ModelResponse(parts=[said])


async def make():
    """Return the turn."""
    agent = Agent(FunctionModel(instant), system_prompt=INSTRUCTIONS, tools=[look_up, *others()])

    async def turn(arguments):
        return (await agent.run(QUESTION)).output

    return turn


run(make)
