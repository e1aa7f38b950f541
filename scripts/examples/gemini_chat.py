"""A business's tools with Google's SDK: gemini_chat.py "<question>".

Environment: MODEL, GEMINI_API_KEY, GOOGLE_GEMINI_BASE_URL, and what switchboard_client.py needs.
"""

import os
import sys

from google import genai
from google.genai import types
from switchboard_client import Switchboard

house, model = Switchboard("gemini_json"), genai.Client(http_options=types.HttpOptions(timeout=30_000))
by_hand = types.AutomaticFunctionCallingConfig(disable=True)
config = types.GenerateContentConfig(tools=house.tools(), automatic_function_calling=by_hand)
chat = model.chats.create(model=os.environ["MODEL"], config=config)
said = chat.send_message(sys.argv[1])
while said.function_calls:
    answers = []
    for call in said.function_calls:
        ok, told = house.execute(call.name, call.args, call.id)
        answer = types.FunctionResponse(id=call.id, name=call.name, response={"output" if ok else "error": told})
        answers.append(types.Part(function_response=answer))
    said = chat.send_message(answers)
print(said.text)
