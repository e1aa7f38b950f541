"""`/browser_voice/…`: speech through the browser's microphone, and the page for it."""

from collections.abc import Mapping
from pathlib import Path

from starlette.routing import Route

from switchboard.channels.browser_voice.execute import cancel_endpoint, execute_endpoint
from switchboard.channels.browser_voice.sessions import history_endpoint, session_endpoint, token_endpoint
from switchboard.channels.browser_voice.turn import interrupt_endpoint, turn_endpoint
from switchboard.channels.browser_voice.vendor_sessions import LiveSessions, VendorSessions
from switchboard.channels.browser_voice.vendors import VoiceKeys, VoiceVendor
from switchboard.channels.http.answer import explained
from switchboard.channels.http.page import SAME_SERVER, Streams, WebPage
from switchboard.channels.portal.auth import PortalAuth
from switchboard.channels.portal.replies import LONGEST_TEXT, TurnedAway
from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.error import ErrorType
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.held_conversations import Conversations

_UNREADABLE = "The conversation cannot be reached right now; try again in a moment."
# Every error is told in its own words: what a vendor or a key lacks is not mended by trying again.
_STATUSES = dict.fromkeys(ErrorType, 503) | {ErrorType.NOT_FOUND: 404, ErrorType.RATE_LIMIT: 429}


@dataclass(frozen=True, slots=True)
class BrowserVoiceParts:
    """What browser voice works with.

    Attributes:
        door: Lets requests in; the portal's.
        parts: The services of a conversation.
        conversations: The conversations of this process.
        vendors: The live speech models that browsers may talk to, by provider.
        voice_keys: What lets browsers dial in.
        turned_away: Tells whether somebody gets no conversation, as the portal asks it; never raises.
        clock: Tells when secrets expire.
        shares: What strangers get.
        live: Which conversations a vendor's model holds.
        store: Holds the records of conversations.
        paths: Where they are in it.
        streams: Where the page has its vendor_sessions.
    """

    door: PortalAuth
    parts: Dependencies
    conversations: Conversations
    vendors: Mapping[str, VoiceVendor]
    voice_keys: VoiceKeys
    turned_away: TurnedAway
    clock: Clock
    shares: StrangerShares
    live: LiveSessions
    store: Store
    paths: Paths
    streams: Streams = SAME_SERVER


def routes(given: BrowserVoiceParts) -> list[Route]:
    """Return the routes of the `browser_voice` function, without its path prefix."""
    door, parts, conversations, clock = given.door, given.parts, given.conversations, given.clock
    vendor_sessions = VendorSessions(parts, conversations)
    page = WebPage(
        Path(__file__).with_name("page"),
        given.streams,
        origins=[origin for vendor in given.vendors.values() for origin in vendor.origins],
        values={"providers": " ".join(["browser", *given.vendors]), "longestText": str(LONGEST_TEXT)},
        uses_microphone=True,
    )
    session = session_endpoint(
        door, parts, conversations, vendor_sessions, given.vendors, given.turned_away, clock, given.shares, given.live
    )
    token = token_endpoint(door, given.voice_keys, conversations, given.turned_away, clock, given.shares)
    history = history_endpoint(door, given.store, given.paths, clock)
    posts = {
        "/session": session,
        "/turn": turn_endpoint(door, conversations, given.shares, given.turned_away),
        "/interrupt": interrupt_endpoint(door, conversations),
        "/execute": execute_endpoint(door, parts, vendor_sessions, given.shares, given.live, given.turned_away),
        "/cancel": cancel_endpoint(door, vendor_sessions, given.live),
    }
    return [
        *page.routes(),
        Route("/token", explained(token, _UNREADABLE, _STATUSES), methods=["GET"]),
        Route("/history", explained(history, _UNREADABLE, _STATUSES), methods=["GET"]),
        *(
            Route(path, explained(endpoint, _UNREADABLE, _STATUSES), methods=["POST"])
            for path, endpoint in posts.items()
        ),
    ]
