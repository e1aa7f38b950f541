"""send_portal_link: seed 004 ("Tool System", "Conditional Inclusion")."""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from switchboard.catalog.offer.inclusion import Situation, exclusion
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, Refused, ToolError
from tests.desk.front_desk import call, salon
from tests.desk.phone_network import CALLER, LOST, STOPPED, document
from tests.refused import failure
from tests.tools.folder import guide, run, schema

SALON = salon(portalUrl="https://portal.example", **document())


async def send(phone, ctx=None, arguments=None):
    return await run("send_portal_link", ctx or call(SALON), phone, arguments or {})


@pytest.mark.requirement("004-10")
async def test_the_caller_gets_a_link_that_opens_the_portal_as_that_caller(phone, network):
    """Texted to the number they are calling from; what it lets in is the caller of this phone call."""
    result = await send(phone)
    (text,) = network.sent
    (url,) = re.findall(r"https://\S+", text.body)
    visit = await phone.portal_links.redeem(parse_qs(urlsplit(url).query)["link"][0], SALON.id, call(SALON).paths)
    assert (text.to, visit.caller_phone, visit.session_id) == (CALLER, CALLER, "session-1")
    assert result.data == {
        "sent": True,
        "state": "sent",
        "to": CALLER,
        "expiresAt": "2027-03-10T10:15:00-05:00",
        "repeated": False,
    }
    assert result.receipt["what"] == "portal link"


async def test_the_model_never_sees_the_link(phone, network):
    """It could be talked into reading it to somebody else."""
    result = await send(phone)
    token = network.sent[0].body.partition("link=")[2]
    assert token
    assert token not in str(result)


async def test_asked_twice_there_is_one_text_and_one_link(phone, network):
    """The same wish, under whatever call id."""
    await send(phone)
    assert (await send(phone)).data["repeated"] is True
    assert len(network.sent) == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "Ihr persönlicher Link"), ("es-ES", "su enlace personal"), ("fr", "votre lien personnel")],
)
async def test_the_text_speaks_the_businesss_language_and_fits_a_few_segments(phone, network, language, words):
    """And still holds the whole link."""
    business = salon(portalUrl="https://portal.example", ai={"language": language}, **document())
    await send(phone, call(business))
    assert words in network.sent[0].body
    assert len(network.sent[0].body) < 400


@pytest.mark.requirement("004-1702")
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "your personal link"),
        ("de", "Ihr persönlicher Link"),
        ("es", "su enlace personal"),
        ("fr", "votre lien personnel"),
        ("it", "il suo link personale"),
        ("pt", "o seu link pessoal"),
        ("nl", "uw persoonlijke link"),
    ],
)
@pytest.mark.parametrize("own", ["en", "de"])
async def test_the_text_speaks_as_the_caller_does_whatever_the_business_speaks(phone, network, own, language, words):
    """As their own turns have shown; the same wish in another language is still the same."""
    ctx = call(salon(portalUrl="https://portal.example", ai={"language": own}, **document()))
    await send(phone, replace(ctx, facts=replace(ctx.facts, language=language)))
    (text,) = network.sent
    assert words in text.body
    assert (await send(phone, replace(ctx, facts=replace(ctx.facts, language="pt")))).data["repeated"] is True
    assert len(network.sent) == 1


@pytest.mark.requirement("004-1301")
@pytest.mark.parametrize("attestation", [None, VOUCHED_FOR])
async def test_a_link_that_is_refused_ends_no_visit(phone, network, attestation):
    """Her texts are used up by whoever shows her number; what she has open goes on."""
    url = (await send(phone), network.sent[0].body.split()[-1])[1]
    paths = call(SALON).paths
    visit = await phone.portal_links.redeem(parse_qs(urlsplit(url).query)["link"][0], SALON.id, paths)
    network.fail(STOPPED)
    with pytest.raises(ToolError):
        await send(phone, call(SALON, "newer", session="session-2", attestation=attestation))
    assert await phone.portal_links.is_open(paths, CALLER, visit.link_id)


@pytest.mark.requirement("004-1301")
@pytest.mark.parametrize(
    ("attestation", "goes_on"), [(None, True), ("TN-Validation-Passed-B", True), (VOUCHED_FOR, False)]
)
async def test_a_link_that_is_sent_ends_a_visit_where_the_number_is_vouched_for(phone, network, attestation, goes_on):
    """And only there before it is opened."""
    await send(phone)
    paths, url = call(SALON).paths, network.sent[0].body.split()[-1]
    visit = await phone.portal_links.redeem(parse_qs(urlsplit(url).query)["link"][0], SALON.id, paths)
    await send(phone, call(SALON, "newer", session="session-2", attestation=attestation))
    assert len(network.sent) == 2
    assert await phone.portal_links.is_open(paths, CALLER, visit.link_id) is goes_on


@pytest.mark.parametrize("failure", [LOST, STOPPED])
async def test_a_link_that_could_not_be_sent_is_not_said_to_be(phone, network, failure):
    """As for any text."""
    network.fail(failure)
    with pytest.raises(ToolError) as caught:
        await send(phone)
    assert caught.value.partial_side_effects is failure.partial_side_effects


@pytest.mark.parametrize(
    ("ctx", "type"),
    [
        (call(SALON, phone=None), ErrorType.VALIDATION),
        (call(salon(**document())), ErrorType.PERMANENT),
        (call(salon(portalUrl="https://portal.example")), ErrorType.PERMANENT),
    ],
)
async def test_without_a_number_a_portal_or_an_account_there_is_no_link(phone, network, ctx, type):
    """Each says what to do instead."""
    with pytest.raises(ToolError) as caught:
        await send(phone, ctx)
    assert (caught.value.type, network.posts) == (type, 0)


async def test_nobody_can_say_whom_it_goes_to(phone, network):
    """There is no argument at all."""
    with pytest.raises(Refused):
        await send(phone, arguments={"to": "+15185550199"})
    assert network.posts == 0


@pytest.mark.requirement("004-34")
def test_it_is_offered_on_the_phone_only():
    """Seed 004."""
    definition = read_definition("send_portal_link", schema("send_portal_link"))
    assert exclusion(definition, Situation(SALON, Channel.PHONE)) is None
    refused = salon(**document(needsReauth=True))
    assert exclusion(definition, Situation(refused, Channel.PHONE)).condition == "integration:twilio"
    for channel in (Channel.PORTAL, Channel.BROWSER_VOICE):
        assert exclusion(definition, Situation(SALON, channel)).condition == f"channel:{channel.value}"


@pytest.mark.parametrize("example", guide("send_portal_link").examples, ids=lambda example: str(example.line))
async def test_every_example_of_its_guide_works(phone, example):
    """For a salon with a portal and an account."""
    assert (await run("send_portal_link", call(SALON), phone, example.text)).data["sent"] is True


@pytest.mark.requirement("004-965")
@pytest.mark.parametrize("number", ["+18885550142", "+442079460000", CALLER])
async def test_a_link_that_cannot_be_texted_is_none_that_is_told_instead(phone, number):
    """The model knows none, and would make one up."""
    ctx = call(SALON, phone=number)
    await phone.texts.opt_out(ctx.paths, CALLER, "the caller's STOP")
    error = await failure(send(phone, ctx))
    assert "Say what" not in error.message
    assert "Say that no link could be sent" in error.message, error.message
