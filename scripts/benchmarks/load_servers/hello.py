"""The least that a Cloud Function can be: what the framework itself takes of every request."""

import functions_framework.aio


@functions_framework.aio.http
async def hello(request):
    """Answer."""
    return {"ok": True}
