"""A business's tools with Anthropic's SDK: anthropic_chat.py "<question>".

Environment: MODEL, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, and what switchboard_client.py needs.
"""

import json
import os
import sys

import anthropic
from switchboard_client import Switchboard

house, model = Switchboard("anthropic"), anthropic.Anthropic(timeout=30)
messages, tools = [{"role": "user", "content": sys.argv[1]}], house.tools()
while True:
    said = model.messages.create(model=os.environ["MODEL"], max_tokens=1024, messages=messages, tools=tools)
    results = []
    for call in [block for block in said.content if block.type == "tool_use"]:
        ok, told = house.execute(call.name, call.input, call.id)
        results.append({"type": "tool_result", "tool_use_id": call.id, "content": json.dumps(told), "is_error": not ok})
    if not results:
        break
    messages += [{"role": "assistant", "content": said.content}, {"role": "user", "content": results}]
print("".join(block.text for block in said.content if block.type == "text"))
