"""LangChain: `StructuredTool.ainvoke` of a tool call."""

import json

from langchain_core.tools import StructuredTool
from worker import NAME, look_up, run


async def make():
    """Return the call."""
    tool = StructuredTool.from_function(coroutine=look_up, name=NAME)

    async def call(arguments):
        made = {"name": NAME, "args": json.loads(arguments), "id": "call_1", "type": "tool_call"}
        return (await tool.ainvoke(made)).content

    return call


run(make)
