"""Text the caller a link that opens the business's portal as that caller (seed 004, "Conditional Inclusion")."""

from switchboard.contract.business.languages import language_of
from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso

_WORDS = {
    "en": "{name}: your personal link, good for 15 minutes and for one visit: {url}",
    "de": "{name}: Ihr persönlicher Link, 15 Minuten und für einen Besuch gültig: {url}",
    "es": "{name}: su enlace personal, válido 15 minutos y para una visita: {url}",
    "fr": "{name} : votre lien personnel, valable 15 minutes et pour une visite : {url}",
    "it": "{name}: il suo link personale, valido 15 minuti e per una visita: {url}",
    "pt": "{name}: o seu link pessoal, válido 15 minutos e para uma visita: {url}",
    "nl": "{name}: uw persoonlijke link, 15 minuten geldig en voor één bezoek: {url}",
}


async def execute(ctx: CallContext, desk: Desk) -> Result:
    """Return that the link was sent or waits to be; the link itself is for the caller only.

    Args:
        ctx: The phone call; the link goes to its trusted number, and nowhere else.
        desk: Does the work.

    Raises:
        ToolError: See `PortalLinks.issue` and `Texts.send`.
    """
    link = await desk.portal_links.issue(ctx)
    words = _WORDS.get(language_of(ctx.language), _WORDS["en"])
    body = words.format(name=ctx.business.name, url=link.url)
    to = ctx.facts.caller_phone or ""
    sent = await desk.texts.send(ctx, to, body, effect_key=ctx.effect_key, purpose="portal_link")
    if sent.state == "sent":
        # Only now: what goes on by an older link is not ended by one that nobody gets.
        await desk.portal_links.sent(ctx, link)
    data: JsonObject = {
        "sent": sent.state == "sent",
        "state": sent.state,
        "to": sent.to,
        "expiresAt": iso(link.expires_at, ctx.business.timezone),
        "repeated": sent.repeated,
    }
    receipt: JsonObject = {
        "what": "portal link",
        "for": sent.to,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [sent.id],
    }
    return Result(data, receipt=receipt)
