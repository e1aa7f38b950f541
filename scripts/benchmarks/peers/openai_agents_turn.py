"""OpenAI Agents SDK: `Runner.run` of an agent with thirteen function tools, one of them called."""

import os

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool
from agents.models.chatcmpl_converter import Converter
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from other_tools import ANSWER, INSTRUCTIONS, QUESTION, others
from worker import ARGUMENTS, NAME, look_up, run


class Instant(Model):
    """Calls once, then speaks."""

    async def get_response(self, system_instructions, input, model_settings, tools, *args, **options):
        # What a model class of the SDK does with them.
        [Converter.tool_to_openai(tool) for tool in tools]
        has_called = not isinstance(input, str) and any(
            isinstance(item, dict) and item.get("type") == "function_call_output" for item in input
        )
        if has_called:
            text = ResponseOutputText(type="output_text", text=ANSWER, annotations=[])
            output = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        else:
            output = ResponseFunctionToolCall(
                type="function_call", call_id="call_1", name=NAME, arguments=ARGUMENTS, id="fc_1"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args, **options):
        raise NotImplementedError


async def make():
    """Return the turn."""
    tools = [function_tool(look_up, timeout=5.0), *(function_tool(tool) for tool in others())]
    agent = Agent(name="a", instructions=INSTRUCTIONS, model=Instant(), tools=tools)

    async def turn(arguments):
        return (await Runner.run(agent, QUESTION)).final_output

    return turn


run(make)
