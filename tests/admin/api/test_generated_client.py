"""A client that somebody generates from the document is one that works."""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType

from tests.admin.owners_office import OWN, Premises

NAME = "generated_client"
POLICY = {"topic": "cancellation", "content": "Free until the day before."}


@pytest.fixture
def client(local: Premises, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What `openapi-python-client` makes of the operations that are typed, before the served app."""
    typed = {
        path: operations
        for path, operations in local.document["paths"].items()
        if path.startswith("/tts_admin") or path in ("/admin/businesses", "/admin/businesses/{business_id}")
    }
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(local.document | {"paths": typed}))
    config = Config.from_sources(
        *(ConfigFile(post_hooks=[]), MetaType.NONE, document, "utf-8", False), output_path=tmp_path / NAME
    )
    assert generate(config=config) == []
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module(f"{NAME}.client").AuthenticatedClient(
        base_url="http://test",
        token="owner.claims.signed",
        httpx_args={"transport": httpx.ASGITransport(app=local.browser._transport.app)},  # type: ignore[attr-defined]
    )
    for module in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[module]


def of(operation: str, group: str = "tts_admin") -> ModuleType:
    return importlib.import_module(f"{NAME}.api.{group}.{operation}")


@pytest.mark.requirement("004-615")
async def test_a_client_made_from_the_document_creates_reads_and_changes(local: Premises, client: Any):
    """By its own types, in both directions; a revision that is out of date comes back with both versions."""
    models = importlib.import_module(f"{NAME}.models")
    made = await of("post_tts_admin_policies_business_id").asyncio_detailed(
        OWN, client=client, body=models.PolicyBody(**POLICY)
    )
    assert isinstance(made.parsed, models.PolicyAnswer) and made.parsed.policy.topic == "cancellation"
    id, revision = made.parsed.policy.id, made.headers["etag"].strip('"')
    read = await of("get_tts_admin_policies_business_id_id").asyncio(OWN, id, client=client)
    assert read == made.parsed
    changed = models.PolicyChange(topic="cancellation", content="Half the price.", revision=revision)
    replace = of("put_tts_admin_policies_business_id_id").asyncio_detailed
    replaced = await replace(OWN, id, client=client, body=changed)
    assert replaced.parsed.policy.content == "Half the price." and replaced.headers["audit-entry"]
    late = await replace(OWN, id, client=client, body=changed, if_match=f'"{revision}"')
    assert (late.status_code, type(late.parsed)) == (412, models.No)
    assert late.parsed.error.conflict.current["content"] == "Half the price."
    listed = await of("get_tts_admin_policies_business_id").asyncio(OWN, client=client, limit=5)
    assert [policy.id for policy in listed.policies] == [id]


@pytest.mark.requirement("004-615")
async def test_a_client_made_from_the_document_edits_a_business_and_reads_refusals(local: Premises, client: Any):
    """A merge patch sends what is said and nothing else; what is wrong comes back by its fields."""
    models = importlib.import_module(f"{NAME}.models")
    read, edit = of("get_admin_businesses_business_id", "admin"), of("patch_admin_businesses_business_id", "admin")
    shown = await read.asyncio(OWN, client=client)
    patch = models.BusinessPatch(ai=models.VoiceBody(tone="warm"), industry=None)
    edited = await edit.asyncio(OWN, client=client, body=patch, if_match=f'"{shown.revision}"')
    assert isinstance(edited, models.BusinessShown)
    assert edited.business.ai.tone == "warm" and not edited.business.industry
    wrong = models.BusinessPatch(email="nowhere", revision=edited.revision)
    refused = await edit.asyncio_detailed(OWN, client=client, body=wrong)
    assert (refused.status_code, type(refused.parsed)) == (400, models.No)
    assert [(one.field, "hello@example.com" in one.message) for one in refused.parsed.error.problems] == [
        ("email", True)
    ]
