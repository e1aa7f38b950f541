"""A peer that records each call, to be loaded and killed: a program of its own in the peer's environment.

recorded.py dbos <log> <url of a PostgreSQL database>   POST /call of {"id", "entry"}; prints its port
recorded.py restate <log> <port>                        the service that a Restate server calls, at that port

The call does what ours does: it adds a line to the log, an effect that anybody can count, and says so.
"""

import asyncio
import json
import logging
import os
import socket
import sys

HOST = "127.0.0.1"
VERSION = "1"


def add(log: str, entry: str) -> dict[str, bool]:
    """Add one line to the log, whole or not at all."""
    place = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(place, f"{entry}\n".encode())
    finally:
        os.close(place)
    return {"noted": True}


def dbos_app(log: str, url: str):
    """Return the ASGI app of a workflow of one step, under the caller's id."""
    from dbos import DBOS, SetWorkflowID

    # One version and one executor: whoever is started again finds what it had begun.
    config = {"name": "notes", "system_database_url": url, "application_version": VERSION, "executor_id": "notes"}
    DBOS(config={**config, "log_level": "CRITICAL", "sys_db_pool_size": 20})

    @DBOS.step()
    async def note(entry: str) -> dict[str, bool]:
        return add(log, entry)

    @DBOS.workflow()
    async def noted(entry: str) -> dict[str, bool]:
        return await note(entry)

    async def app(scope, receive, send):
        assert scope["type"] == "http"
        body, more = b"", True
        while more:
            event = await receive()
            body, more = body + event["body"], event.get("more_body", False)
        call = json.loads(body)
        with SetWorkflowID(call["id"]):
            answer = json.dumps(await noted(call["entry"])).encode()
        length = (b"content-length", str(len(answer)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": answer})

    DBOS.launch()
    return app


def restate_app(log: str):
    """Return the ASGI app of a service with one recorded step."""
    import restate

    service = restate.Service("notes")

    @service.handler()
    async def note(ctx: restate.Context, call: dict) -> dict:
        return await ctx.run_typed("note", add, log=log, entry=call["entry"])

    return restate.app([service])


async def serve_dbos(log: str, url: str) -> None:
    """Serve until the process is ended."""
    import uvicorn

    listener = socket.socket()
    listener.bind((HOST, 0))
    listener.listen(2048)
    config = uvicorn.Config(dbos_app(log, url), http="httptools", lifespan="off", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.02)
    print(listener.getsockname()[1], flush=True)
    await task


async def serve_restate(log: str, port: str) -> None:
    """Serve until the process is ended."""
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind, config.accesslog, config.errorlog = [f"{HOST}:{port}"], None, None
    await serve(restate_app(log), config)


if __name__ == "__main__":
    import uvloop

    logging.disable(logging.CRITICAL)
    uvloop.run({"dbos": serve_dbos, "restate": serve_restate}[sys.argv[1]](*sys.argv[2:]))
