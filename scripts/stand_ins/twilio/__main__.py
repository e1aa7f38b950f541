"""Serve the stand-in: `python -m stand_ins.twilio`."""

import argparse

from running.listening import listen
from stand_ins.loopback import serve
from stand_ins.twilio.account import SID, TOKEN
from stand_ins.twilio.app import TwilioStandIn

if __name__ == "__main__":
    line = argparse.ArgumentParser("stand_ins.twilio", description="A stand-in for Twilio on 127.0.0.1.")
    line.add_argument("--port", type=int, default=9541)
    port = line.parse_args().port
    print(f"http://127.0.0.1:{port} account {SID}, token {TOKEN}", flush=True)
    serve(TwilioStandIn().app, listen(port, "--port"))
