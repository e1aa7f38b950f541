"""Serve the stand-in: `python -m stand_ins.pipedream`."""

import argparse

from running.listening import listen
from stand_ins.loopback import serve
from stand_ins.pipedream.app import PipedreamStandIn
from stand_ins.pipedream.project import CLIENT_ID, CLIENT_SECRET, PROJECT_ID

if __name__ == "__main__":
    line = argparse.ArgumentParser("stand_ins.pipedream", description="A stand-in for Pipedream on 127.0.0.1.")
    line.add_argument("--port", type=int, default=9542)
    port = line.parse_args().port
    print(f"http://127.0.0.1:{port} project {PROJECT_ID}, client {CLIENT_ID}, secret {CLIENT_SECRET}", flush=True)
    serve(PipedreamStandIn().app, listen(port, "--port"))
