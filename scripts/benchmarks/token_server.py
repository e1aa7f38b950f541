"""A local model's server: whatever is asked, it streams the same words; in a process of its own, so that only the
reader's CPU time is measured. Prints its port.

With `/paced/` in the path every event is sent on its own, so that the reader wakes for each; otherwise all at once.
"""

import asyncio
import json
import sys

TOKENS = 400
WORDS = " Our salon opens at nine and a haircut takes thirty minutes; you can park behind the building, which is free."
_PAUSE_S = 0.0005


def events() -> list[bytes]:
    """Return the events of the stream."""
    words = WORDS.split()
    pieces = [f" {words[n % len(words)]}" for n in range(TOKENS)]
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    chosen = [json.dumps({"id": "c", "object": "chat.completion.chunk", "model": "m", **chunk}) for chunk in chunks]
    return [f"data: {text}\n\n".encode() for text in [*chosen, "[DONE]"]]


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer requests until the connection is closed."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
            await reader.readexactly(length)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            framed = [b"%x\r\n%s\r\n" % (len(event), event) for event in events()]
            if b"/paced/" in head.split(b"\r\n")[0]:
                for frame in framed:
                    writer.write(frame)
                    await asyncio.sleep(_PAUSE_S)
            else:
                writer.write(b"".join(framed))
            writer.write(b"0\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    """Serve until the process is ended, or nobody holds its standard input any more."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
