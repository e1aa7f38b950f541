"""OpenAI Agents SDK: a function tool invoked with its time-out."""

import json

from agents import function_tool
from agents.tool import invoke_function_tool
from agents.tool_context import ToolContext
from agents.usage import Usage
from worker import NAME, look_up, run


async def make():
    """Return the call."""
    tool = function_tool(look_up, timeout=5.0)

    async def call(arguments):
        context = ToolContext(
            context=None, usage=Usage(), tool_name=NAME, tool_call_id="call_1", tool_arguments=arguments
        )
        return json.dumps(await invoke_function_tool(function_tool=tool, context=context, arguments=arguments))

    return call


run(make)
