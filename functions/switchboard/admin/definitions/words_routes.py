"""The owners' HTTP API for asking recorded conversations again with a draft's words."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.definitions.models import WordsAskBody, WordsPlanQuery
from switchboard.admin.definitions.record import DefinitionRecords, Record
from switchboard.admin.definitions.words_answers import WordsAsked, WordsPlanned
from switchboard.admin.definitions.words_trial import USUAL_CONVERSATIONS, WordsTrial
from switchboard.contract.ports import Paths, Store


class WordsEndpoints(EndpointGroup):
    """The endpoints at `/admin/businesses/{business_id}/definitions/{name}/words`."""

    _PATH, _EDIT = "/businesses/{business_id}/definitions/{name}/words", Operation.PUBLISH_DEFINITIONS

    def __init__(self, records: DefinitionRecords, words: WordsTrial, store: Store, paths: Paths) -> None:
        self._records, self._words, self._store, self._paths = records, words, store, paths

    @endpoint("GET", _PATH, _EDIT, WordsPlanned)
    async def _plan(self, permit: Caller, name: str, query: Annotated[WordsPlanQuery, Query()]) -> Response:
        """Tell what asking recorded conversations again would cost."""
        record = await self._record(permit.business_id, name)
        count = query.conversations or USUAL_CONVERSATIONS
        return json_answer((await self._words.plan(record, permit.business_id, count)).to_json())

    @endpoint("POST", _PATH, _EDIT, WordsAsked)
    async def _ask(self, permit: Caller, name: str, body: WordsAskBody) -> Response:
        """Ask recorded conversations again with a draft's words."""
        record = await self._record(permit.business_id, name)
        asked = await self._words.ask(record, permit.business_id, body.conversations, body.requests)
        return json_answer({"asked": [one.to_json() for one in asked]})

    async def _record(self, business_id: str, name: str) -> Record:
        await known_business(self._store, self._paths.within(business_id))
        return await self._records.read(name)
