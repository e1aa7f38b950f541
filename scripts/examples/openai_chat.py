"""A business's tools with OpenAI's SDK, or any server that speaks as OpenAI does: openai_chat.py "<question>".

Environment: MODEL, OPENAI_API_KEY, OPENAI_BASE_URL, and what switchboard_client.py needs.
"""

import json
import os
import sys

import openai
from switchboard_client import Switchboard

house, model = Switchboard("openai"), openai.OpenAI(timeout=30)
messages, tools = [{"role": "user", "content": sys.argv[1]}], house.tools()
while True:
    reply = model.chat.completions.create(model=os.environ["MODEL"], messages=messages, tools=tools)
    said = reply.choices[0].message
    messages.append(said.to_dict())
    if not said.tool_calls:
        break
    for call in said.tool_calls:
        _, told = house.execute(call.function.name, call.function.arguments, call.id)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(told)})
print(said.content)
