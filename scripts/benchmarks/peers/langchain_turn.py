"""LangChain: `create_agent` with thirteen structured tools, one of them called."""

import json

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from other_tools import ANSWER, INSTRUCTIONS, QUESTION, others
from worker import ARGUMENTS, NAME, look_up, run


class Instant(BaseChatModel):
    """Calls once, then speaks."""

    @property
    def _llm_type(self):
        return "instant"

    def bind_tools(self, tools, **options):
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **options)

    def _generate(self, messages, stop=None, run_manager=None, **options):
        if isinstance(messages[-1], ToolMessage):
            message = AIMessage(content=ANSWER)
        else:
            call = {"name": NAME, "args": json.loads(ARGUMENTS), "id": "call_1", "type": "tool_call"}
            message = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages, stop=None, run_manager=None, **options):
        return self._generate(messages)


async def make():
    """Return the turn."""
    tools = [StructuredTool.from_function(coroutine=tool, name=tool.__name__) for tool in (look_up, *others())]
    agent = create_agent(Instant(), tools=tools, system_prompt=INSTRUCTIONS)

    async def turn(arguments):
        return (await agent.ainvoke({"messages": [{"role": "user", "content": QUESTION}]}))["messages"][-1].content

    return turn


run(make)
