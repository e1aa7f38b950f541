"""LiveKit Agents: `execute_function_call`."""

from livekit.agents import llm
from worker import NAME, look_up, run


async def make():
    """Return the call."""
    tools = llm.ToolContext([llm.function_tool(look_up)])

    async def call(arguments):
        made = llm.FunctionToolCall(name=NAME, arguments=arguments, call_id="call_1")
        return (await llm.execute_function_call(made, tools)).fnc_call_out.output

    return call


run(make)
