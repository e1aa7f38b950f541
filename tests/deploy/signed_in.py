"""People in front of the Firestore emulator's REST interface, which holds what they do against the rules."""

import base64
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

OPERATIONS = ("get", "list", "create", "update", "delete")
_DOCUMENT = {"fields": {"name": {"stringValue": "something"}}}
_ALLOWED, _FORBIDDEN, _BUSY = 200, 403, 409
_TRIES = 5


def id_token(project: str, claims: Mapping[str, Any]) -> str:
    """Return an unsigned ID token, as the Auth emulator makes them; only an emulator believes one."""
    now = int(time.time())
    payload = {
        "iss": f"https://securetoken.google.com/{project}",
        "aud": project,
        "sub": "somebody",
        "user_id": "somebody",
        "iat": now,
        "auth_time": now,
        "exp": now + 3600,
        **claims,
    }
    return f"{_encoded({'alg': 'none', 'typ': 'JWT'})}.{_encoded(payload)}."


def _encoded(part: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


@dataclass
class Database:
    """A project on the emulator under given rules."""

    http: aiohttp.ClientSession
    host: str
    project: str

    async def protect(self, rules: str) -> None:
        """Put rules into force."""
        files = {"rules": {"files": [{"name": "firestore.rules", "content": rules}]}}
        url = f"http://{self.host}/emulator/v1/projects/{self.project}:securityRules"
        async with self.http.put(url, json=files) as answer:
            assert answer.status == _ALLOWED, await answer.text()

    async def keep(self, path: str) -> None:
        """Write a document as our functions do, which the rules do not bind."""
        async with self.http.patch(self._url(path), json=_DOCUMENT, headers=_bearer("owner")) as answer:
            assert answer.status == _ALLOWED, await answer.text()

    async def allows(self, person: Mapping[str, Any] | None, operation: str, path: str, limit: int | None = 10) -> bool:
        """Tell whether somebody with these claims, or without a sign-in (None), may do it to a document."""
        headers = {} if person is None else _bearer(id_token(self.project, person))
        for _ in range(_TRIES):
            async with self.http.request(**self._request(operation, path, limit), headers=headers) as answer:
                text = await answer.text()
            # A busy emulator gives up waiting for itself, which says nothing of the rules.
            if answer.status != _BUSY:
                break
        assert answer.status in (_ALLOWED, _FORBIDDEN), f"{operation} {path}: {answer.status} {text}"
        return answer.status == _ALLOWED

    async def finds_anywhere(self, person: Mapping[str, Any], collection: str) -> bool:
        """Tell whether somebody may search every collection of a name, whatever it lies in."""
        query = {"structuredQuery": {"from": [{"collectionId": collection, "allDescendants": True}], "limit": 1}}
        headers = _bearer(id_token(self.project, person))
        async with self.http.post(f"{self._root}:runQuery", json=query, headers=headers) as answer:
            assert answer.status in (_ALLOWED, _FORBIDDEN), await answer.text()
            return answer.status == _ALLOWED

    def _request(self, operation: str, path: str, limit: int | None) -> dict[str, Any]:
        collection, _, id = path.rpartition("/")
        parent, _, name = collection.rpartition("/")
        query = {"from": [{"collectionId": name}]} | ({} if limit is None else {"limit": limit})
        return {
            "get": {"method": "GET", "url": self._url(path)},
            "list": {"method": "POST", "url": f"{self._url(parent)}:runQuery", "json": {"structuredQuery": query}},
            "create": {"method": "POST", "url": self._url(collection), "params": {"documentId": f"new-{id}"}},
            "update": {"method": "PATCH", "url": self._url(path)},
            "delete": {"method": "DELETE", "url": self._url(path)},
        }[operation] | ({"json": _DOCUMENT} if operation in ("create", "update") else {})

    def _url(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root

    @property
    def _root(self) -> str:
        return f"http://{self.host}/v1/projects/{self.project}/databases/(default)/documents"


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
