"""Requests to plain paths go straight to their endpoints, answered as they would be by looking through all routes."""

import httpx2 as httpx
import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute

from switchboard.app.asgi import serving
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Rejected
from switchboard.channels.http.request_body import Malformed, json_object
from tests.each import each


async def said(request):
    """Answer with the way by which the request was found."""
    return PlainTextResponse(f"{request.method} {request.url.path} {sorted(request.path_params.items())}")


async def other(request):
    return PlainTextResponse("another endpoint")


def waiting(request):
    return PlainTextResponse("from a thread")


async def streamed(request):
    async def parts():
        yield b"one "
        yield b"two"

    return StreamingResponse(parts())


async def read(request):
    return PlainTextResponse(str(await json_object(request)))


def raising(error):
    async def fail(request):
        raise error

    return fail


ROUTES = [
    Route("/plain", said, methods=["GET"]),
    Route("/plain", other, methods=["GET", "PUT"]),
    Route("/{any}/taken", said, methods=["POST"]),
    Route("/first/taken", other, methods=["POST"]),
    Route("/thread", waiting, methods=["GET"]),
    Route("/streamed", streamed, methods=["GET"]),
    Route("/read", read, methods=["POST"]),
    Route("/rejected", raising(Rejected(401, "Send a key.")), methods=["GET"]),
    Route("/malformed", raising(Malformed("turn", "turn is wrong.")), methods=["GET"]),
    Route("/gone", raising(HTTPException(404)), methods=["GET"]),
    Route("/teapot", raising(HTTPException(418, "a teapot")), methods=["GET"]),
    Route("/broken", raising(RuntimeError("nobody foresaw this")), methods=["GET"]),
    WebSocketRoute("/socket", said),
]
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")
PATHS = (
    *("/plain", "/plain/", "/first/taken", "/second/taken", "/thread", "/streamed", "/read", "/rejected"),
    *("/malformed", "/gone", "/teapot", "/broken", "/socket", "/nowhere", "/pl%61in", "//plain"),
)


async def answers(app, method, path, root_path=""):
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False, root_path=root_path)
    async with httpx.AsyncClient(transport=transport, base_url="http://house") as http:
        answer = await http.request(method, path, content=b'{"a": 1}')
    return answer.status_code, dict(answer.headers), answer.content


@each("path", PATHS)
@each("method", METHODS)
async def test_a_request_is_answered_as_the_routes_would(method, path):
    """By the first route that fits, with the same status, headers and body; errors and strange methods included."""
    expected = await answers(Starlette(routes=ROUTES, exception_handlers=HANDLERS), method, path)
    assert await answers(serving(ROUTES), method, path) == expected


@pytest.mark.parametrize("path", ["/base/plain", "/plain", "/base/base"])
async def test_a_root_path_is_no_part_of_a_route(path):
    """Behind a proxy that takes a prefix away."""
    routes = [*ROUTES, Route("/base/base", said, methods=["GET"])]
    expected = await answers(Starlette(routes=routes, exception_handlers=HANDLERS), "GET", path, "/base")
    assert await answers(serving(routes), "GET", path, "/base") == expected


async def test_an_error_that_nobody_foresaw_reaches_the_server_as_well():
    """The caller sees 500; what was raised is the server's to log."""
    transport = httpx.ASGITransport(app=serving(ROUTES))
    async with httpx.AsyncClient(transport=transport, base_url="http://house") as http:
        with pytest.raises(RuntimeError, match="nobody foresaw this"):
            await http.get("/broken")


@pytest.mark.parametrize("root_path", ["", "/behind"])
async def test_whoever_hangs_up_in_the_middle_of_a_body_is_no_error_of_the_servers(root_path):
    """Straight to the endpoint as by the routes: a client that goes must not fill anybody's alarms."""
    sent = []
    waiting = iter([{"type": "http.request", "body": b'{"a":', "more_body": True}, {"type": "http.disconnect"}])
    scope = {"type": "http", "method": "POST", "path": f"{root_path}/read", "root_path": root_path, "headers": []}

    async def receive():
        return next(waiting)

    async def send(message):
        sent.append(message)

    await serving(ROUTES)({**scope, "query_string": b"", "http_version": "1.1"}, receive, send)
    assert sent[0]["status"] == 499 and b"".join(message.get("body", b"") for message in sent) == b""
