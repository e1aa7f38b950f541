"""A business's tools in a LiveKit agent, in written words here instead of spoken ones: livekit_agent.py "<question>".

Environment: MODEL, LIVEKIT_INFERENCE_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET, and what switchboard_client.py needs.
"""

import asyncio
import json
import os
import sys

from livekit.agents import Agent, AgentSession, RunContext, function_tool, inference
from switchboard_client import Switchboard

house = Switchboard("livekit", "browser_voice")


def function(schema):
    async def execute(raw_arguments: dict[str, object], call: RunContext):
        named = (schema["name"], raw_arguments, call.function_call.call_id)
        return json.dumps((await asyncio.to_thread(house.execute, *named))[1])

    return function_tool(execute, raw_schema=schema)


async def main():
    async with AgentSession(llm=inference.LLM(os.environ["MODEL"])) as session:
        await session.start(Agent(instructions="You answer for a business.", tools=[*map(function, house.tools())]))
        await session.run(user_input=sys.argv[1])
        print(session.history.items[-1].text_content)


asyncio.run(main())
