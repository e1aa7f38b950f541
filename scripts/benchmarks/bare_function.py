"""The least that a Cloud Function over Firestore can be: the yard-stick of `cold`."""

import google.cloud.firestore


async def hello(request):
    """Answer."""
    return "hello"


async def hello_from_store(request):
    """Answer with a document."""
    client = google.cloud.firestore.AsyncClient()
    document = await client.document("businesses/salon").get()
    return {"hello": document.get("name")}
