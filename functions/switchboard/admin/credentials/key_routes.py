"""The owners' HTTP API for API keys: `/businesses/{id}/keys…`. A key's text is answered once, when it is made.

An account that is let in without a key has none. Beside them stands what each role may change.
"""

from starlette.responses import Response

from switchboard.admin.access.rights_table import rights_table
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.credentials.models import KeyBody, KeyList, KeyMade, KeyRevoked, RightList
from switchboard.admin.credentials.operations import OwnersKeys


class KeyEndpoints(EndpointGroup):
    """Lists keys, makes them and revokes them; and tells what a role may change."""

    _BASE, _SEE, _EDIT = "/businesses/{business_id}/keys", Operation.SEE_KEYS, Operation.EDIT_KEYS

    def __init__(self, keys: OwnersKeys) -> None:
        self._keys = keys

    @endpoint("GET", _BASE, _SEE, KeyList)
    async def _all(self, permit: Caller) -> Response:
        """List the API keys."""
        return json_answer({"keys": await self._keys.all(permit.business_id), "issuer": self._keys.issuer})

    @endpoint("POST", _BASE, _EDIT, KeyMade, 201, once="")
    async def _create(self, permit: Caller, body: KeyBody) -> Response:
        """Make an API key, or enter an account."""
        made, saved = await self._keys.create(permit, body)
        return saved_answer({"id": made.id, "text": made.text or None, "revision": saved.revision}, saved, 201)

    @endpoint("DELETE", f"{_BASE}/{{key_id}}", _EDIT, KeyRevoked, is_revisioned=True, decides_offers=True)
    async def _revoke(self, permit: Caller, key_id: str, based_on: BasedOn) -> Response:
        """Revoke an API key."""
        return saved_answer({"revoked": True}, await self._keys.revoke(permit, key_id, based_on))

    @endpoint("GET", "/businesses/{business_id}/rights", Operation.SEE_BUSINESS, RightList)
    async def _rights(self, permit: Caller) -> Response:
        """Tell which role may change what."""
        return json_answer({"rights": rights_table()})
