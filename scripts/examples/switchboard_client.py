"""The tools of one business in one conversation, in the dialect of one model; the standard library is enough.

Environment: SWITCHBOARD_URL and SWITCHBOARD_KEY (scripts/run prints both), BUSINESS (demo-salon without it).
"""

import json
import os
import uuid
from urllib.parse import urlencode
from urllib.request import Request, urlopen


class Switchboard:
    def __init__(self, format, channel="portal"):
        self.about = {"businessId": os.environ.get("BUSINESS", "demo-salon"), "format": format}
        self.context = {"channel": channel, "sessionId": uuid.uuid4().hex, "turn": 1}

    def tools(self):
        """Return what goes under `tools` in a request to the model."""
        return self._ask("/tools/definitions?" + urlencode({**self.about, "channel": self.context["channel"]}))["tools"]

    def execute(self, name, args, call_id=None):
        """Return whether a call did what was asked, and what the model is told; the same id does nothing twice."""
        context = {**self.context, "callId": call_id or uuid.uuid4().hex}
        answer = self._ask("/tools/execute", {**self.about, "name": name, "args": args, "context": context})
        return answer["ok"], answer["data"] if answer["ok"] else answer["error"]

    def _ask(self, path, body=None):
        headers = {"Authorization": f"Bearer {os.environ['SWITCHBOARD_KEY']}", "Content-Type": "application/json"}
        request = Request(os.environ["SWITCHBOARD_URL"] + path, json.dumps(body).encode() if body else None, headers)
        with urlopen(request, timeout=30) as answer:
            return json.load(answer)
