"""close_portal_page: a word on the phone ends what a portal link has opened."""

import pytest

from switchboard.contract.error import ErrorType, ToolError
from tests.desk.front_desk import call, salon
from tests.desk.phone_network import CALLER, document
from tests.each import each
from tests.tools.folder import guide, run

SALON = salon(portalUrl="https://portal.example", **document())


async def opened(phone, ctx):
    """Open a link of a call, and return its id."""
    link = await phone.portal_links.issue(ctx)
    await phone.portal_links.sent(ctx, link)
    visit = await phone.portal_links.redeem(link.url.partition("?link=")[2], SALON.id, ctx.paths)
    assert await phone.portal_links.is_open(ctx.paths, CALLER, visit.link_id)
    return visit.link_id


@pytest.mark.requirement("004-112")
async def test_the_page_is_closed_at_once_and_once(phone):
    """A second word finds nothing open."""
    ctx = call(SALON)
    id = await opened(phone, ctx)
    result = await run("close_portal_page", ctx, phone, {})
    assert (result.data, result.receipt["what"]) == ({"closed": True}, "portal page closed")
    assert not await phone.portal_links.is_open(ctx.paths, CALLER, id)
    again = await run("close_portal_page", ctx, phone, {})
    assert (again.data, again.receipt) == ({"closed": False}, None)


@pytest.mark.requirement("004-112")
@each(
    ("session", "attestation", "closed"),
    [
        ("session-1", None, True),
        ("session-2", "TN-Validation-Passed-A", True),
        ("session-2", "TN-Validation-Passed-B", False),
        ("session-2", None, False),
    ],
)
async def test_a_later_call_closes_it_only_where_the_number_is_vouched_for(phone, session, attestation, closed):
    """Anybody can have any number shown; the call that brought the link closes it in any case."""
    first = call(SALON, f"{session} {attestation}")
    id = await opened(phone, first)
    later = call(SALON, session=session, attestation=attestation)
    assert (await run("close_portal_page", later, phone, {})).data == {"closed": closed}
    assert await phone.portal_links.is_open(first.paths, CALLER, id) is not closed


@pytest.mark.requirement("004-112")
async def test_a_link_that_was_not_opened_yet_is_closed_too(phone):
    """Whoever finds the text later is not let in; a new link is good again."""
    ctx = call(SALON)
    link = await phone.portal_links.issue(ctx)
    await phone.portal_links.sent(ctx, link)
    assert (await run("close_portal_page", ctx, phone, {})).data == {"closed": True}
    with pytest.raises(ToolError) as refused:
        await phone.portal_links.redeem(link.url.partition("?link=")[2], SALON.id, ctx.paths)
    assert refused.value.type is ErrorType.AUTH
    assert await opened(phone, call(SALON, "another wish"))


async def test_a_call_without_a_number_has_no_page(phone):
    """And it is said as that."""
    assert (await run("close_portal_page", call(SALON, phone=None), phone, {})).data == {"closed": False}


@pytest.mark.parametrize("example", guide("close_portal_page").examples, ids=lambda example: str(example.line))
async def test_the_guides_examples_run(phone, example):
    """As they stand there."""
    assert (await run("close_portal_page", call(SALON), phone, example.text)).data == {"closed": False}
