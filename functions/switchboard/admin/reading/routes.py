"""The owners' HTTP API for reading a file or a page in; what is read is kept as any other document."""

from starlette.responses import Response

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.reading.drafts import ReadingDrafts
from switchboard.admin.reading.models import BODY_BYTES, ReadingAnswer, ReadingBody


class ReadingEndpoints(EndpointGroup):
    """`/businesses/{id}/documents/read`."""

    _BASE = "/businesses/{business_id}/documents/read"

    def __init__(self, drafts: ReadingDrafts) -> None:
        self._drafts = drafts

    @endpoint("POST", _BASE, Operation.EDIT_ENTRIES, ReadingAnswer, further=(422,), most_bytes=BODY_BYTES)
    async def _read(self, permit: Caller, body: ReadingBody) -> Response:
        """Read a file or a page, and say which document would be kept of it."""
        if (body.file is None) == (body.address is None):
            raise NotValid([EntryProblem("file", "file or address is required, and not both.")])
        if body.address is not None:
            return json_answer(await self._drafts.of_page(permit, body.address))
        if body.name is None:
            raise NotValid([EntryProblem("name", "name is required beside file.")])
        return json_answer(await self._drafts.of_file(permit, body.name, body.file or ""))
