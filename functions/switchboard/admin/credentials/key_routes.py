"""The owners' HTTP API for API keys: `/businesses/{id}/keys…`. A key's text is answered once, when it is made.

An account that is let in without a key has none.
"""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.request_body import known_body, revisioned_body
from switchboard.admin.api.schemas import FLAG, MAYBE_TEXT, MAYBE_TIME, TEXT, TEXTS, listed, record
from switchboard.admin.credentials.operations import FIELDS, OwnersKeys

_TIMES = dict.fromkeys(("createdAt", "expiresAt", "revokedAt"), MAYBE_TIME)
_WHO = dict.fromkeys(("serviceAccount", "subject", "issuer"), TEXT)
_KEY = record({"id": TEXT, "name": TEXT, "scopes": TEXTS, **_TIMES, "works": FLAG, "revision": TEXT, **_WHO}, (*_WHO,))


class KeyEndpoints:
    """Lists keys, makes them and revokes them."""

    def __init__(self, keys: OwnersKeys) -> None:
        """Answer with what `keys` do."""
        self._keys = keys

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/businesses/{business_id}/keys", Operation.SEE_KEYS, Operation.EDIT_KEYS
        further = {"expiresAt": MAYBE_TIME, "serviceAccount": MAYBE_TEXT, "subject": MAYBE_TEXT}
        new = record({"name": TEXT, "scopes": TEXTS, **further}, (*further,))
        listing = record({"keys": listed(_KEY), "issuer": MAYBE_TEXT})
        made, revoked = record({"id": TEXT, "text": MAYBE_TEXT, "revision": TEXT}), record({"revoked": FLAG})
        return (
            Endpoint("GET", base, see, "List the API keys", self._all, listing),
            Endpoint("POST", base, edit, "Make an API key, or enter an account", self._create, made, 201, body=new),
            Endpoint(
                *("DELETE", f"{base}/{{key_id}}", edit, "Revoke an API key", self._revoke, revoked),
                is_revisioned=True,
            ),
        )

    async def _all(self, request: Request, permit: Permit) -> Response:
        return json_answer({"keys": await self._keys.all(permit.business_id), "issuer": self._keys.issuer})

    async def _create(self, request: Request, permit: Permit) -> Response:
        made, saved = await self._keys.create(permit, await known_body(request, *FIELDS))
        return saved_answer({"id": made.id, "text": made.text or None, "revision": saved.revision}, saved, 201)

    async def _revoke(self, request: Request, permit: Permit) -> Response:
        _, based_on = await revisioned_body(request)
        saved = await self._keys.revoke(permit, request.path_params["key_id"], based_on)
        return saved_answer({"revoked": True}, saved)
