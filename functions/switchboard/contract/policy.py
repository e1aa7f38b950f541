"""Every limit in one table: change a cell here and nowhere else.

Numbers come from the seeds as the comments say; where seeds differ, the design decided. Times are milliseconds
unless the name says otherwise.
"""

from dataclasses import replace
from enum import StrEnum

from switchboard.contract.channel import Channel
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ChannelPolicy:
    """What one turn on one channel may cost."""

    retrieval_calls_per_turn: int  # rounds of look-ups: those of one answer run side by side and count as one
    look_ups_at_once: int
    calls_per_turn: int
    retrieval_soft_ms: int
    retrieval_deadline_ms: int
    retrieval_ms_per_turn: int
    action_deadline_ms: int
    filler_after_ms: int
    filler_apart_ms: int
    result_characters: int
    answer_tokens: int
    answer_characters: int


_SPOKEN = ChannelPolicy(
    retrieval_calls_per_turn=2,  # seed 000 "MVP limits", seed 003 "Voice Agent: Constraints"
    look_ups_at_once=6,  # more than anybody asks in one breath
    calls_per_turn=3,  # seed 003 "Voice Agent: Constraints"
    retrieval_soft_ms=400,  # seed 000 "MVP limits": 200-400 ms per tool
    retrieval_deadline_ms=800,  # seed 003: 800 ms per retrieval tool
    retrieval_ms_per_turn=1_000,  # seed 000: 1 s total cap
    action_deadline_ms=3_000,
    filler_after_ms=800,
    filler_apart_ms=2_000,
    result_characters=1_500,  # seed 003 "Alert Thresholds"
    answer_tokens=1_500,  # two minutes of speech, or the arguments of a long message; what a model thinks counts too
    answer_characters=6_000,
)
_WRITTEN = ChannelPolicy(
    retrieval_calls_per_turn=5,  # seed 003 "Text Agent: Constraints"
    look_ups_at_once=10,
    calls_per_turn=8,
    retrieval_soft_ms=2_000,  # seed 003: 2 s per retrieval tool
    retrieval_deadline_ms=5_000,
    retrieval_ms_per_turn=10_000,
    action_deadline_ms=10_000,
    filler_after_ms=800,
    filler_apart_ms=2_000,
    result_characters=6_000,
    answer_tokens=4_000,  # some pages
    answer_characters=16_000,
)
CHANNEL_POLICY: dict[Channel, ChannelPolicy] = {
    Channel.PHONE: _SPOKEN,
    Channel.BROWSER_VOICE: _SPOKEN,
    Channel.PORTAL: _WRITTEN,
}

# How far a business, an agent or an owner's tool may go (`contract/business/limits.py`). A caller waits for each of
# these: an exchange of two items takes five look-ups, and nobody stays on a silent line for longer than three seconds.
_SPOKEN_GREATEST = replace(
    _SPOKEN,
    retrieval_calls_per_turn=6,
    calls_per_turn=10,
    retrieval_deadline_ms=2_000,
    retrieval_ms_per_turn=3_000,
    action_deadline_ms=8_000,
)
GREATEST: dict[Channel, ChannelPolicy] = {
    Channel.PHONE: _SPOKEN_GREATEST,
    Channel.BROWSER_VOICE: _SPOKEN_GREATEST,
    Channel.PORTAL: replace(
        _WRITTEN,
        retrieval_calls_per_turn=12,
        calls_per_turn=20,
        retrieval_ms_per_turn=20_000,
        action_deadline_ms=20_000,  # as long as an owner's service is waited for at all (`OWNERS_ACTION_S`)
    ),
}

# Loop detection (seed 003 "Detection Rules" and "Cleanup").
SAME_CALL_LIMIT = 3
EMPTY_RESULT_LIMIT = 2
LOOP_HISTORY_TURNS = 5

# The catalog (seed 004 "Cache").
DEFINITION_TTL_S = 60.0
# A business's tools, agents and attachments are read from one compiled document if they were held against it no longer
# ago than this: what somebody changes past Switchboard, by hand, may stay unseen for so long by an instance that has
# not served the business meanwhile.
COMPILED_CHECK_S = 300.0

# What one business may make; beyond it is no receptionist's list of tools, and reading it would hold up every call.
TENANT_TOOLS = 500
AGENTS = 200
ATTACHMENTS = 5_000
STALE_WRITE_TOOLS_S = 300.0
CREDENTIAL_TTL_S = 10.0

# The store: a call that has not answered by then is reported as unavailable and never hangs a turn.
STORE_READ_S = 0.4
STORE_WRITE_S = 0.8
STORE_FIRST_CALL_S = 2.0
# Nobody on the telephone waits for an owner's page, which counts and searches what a call never does.
OWNERS_READ_S = 2.5

# What a model or a stranger may send.
ARGUMENT_BYTES = 32_768
ARGUMENT_DEPTH = 16
ARGUMENT_NODES = 500
BODY_BYTES = 1_048_576
SCHEMA_BYTES = 65_536
SCHEMA_DEPTH = 16
SCHEMA_NODES = 2_000

# How long a retrieval's answer counts as current within its session (seed 000).
REUSE_S = 30.0

# How long a question waits for the caller's answer, and the answer for its call.
CONFIRMATION_S = 120.0

# How long a call of an MCP client of the handshake era is held open while its human is asked: within the 60 s that
# Hosting, and the function, give a request, with the call itself. And how many are held at once in one instance: by one
# credential, so that nobody takes the places of all, and together, of the 80 requests that an instance serves at once.
MCP_ANSWER_S = 45.0
MCP_QUESTIONS_OF_ONE = 8
MCP_QUESTIONS = 32

# How many calls of one lane of a business are under way in one instance, those that wait for their turn included; the
# next is told to come again, a moment later: a no at once would be followed by the same call at once. So many run at
# once in a lane (20 a second while each waits for a store that hangs, reliability row 8), and in all lanes together.
CALLS_AT_ONCE = 200
RUNNING_AT_ONCE = 24
RUNNING_OF_ALL = 96
REFUSED_AFTER_S = 0.2
# How long a call waits for its turn where nobody says how long its caller does, and which part of that where one does.
TURN_WITHIN_S = 5.0
WAITED_PART = 0.25
# Whoever wants a time that a hundred want is told that it is taken, and what is free, instead of being sent away.
WAITED_PART_OF_ACTIONS = 0.5

# How long an owner's service may take over an action, which goes on when nobody waits any more (`action_deadline_ms`
# says how long one does): within the lease below. Reading is cut sooner: it is lost time.
OWNERS_ACTION_S = 20.0
OWNERS_READ_TOTAL_S = 3.0

# How long a started call belongs to the instance that started it, and how long the ledger is kept.
CALL_LEASE_S = 30.0
LEDGER_DAYS = 7

# Tools that a conversation hardly needs, and whose definitions every request would pay for: a model is told of them
# only where the business's `enabledTools` or the agent names them. They can be called, and are listed, all the same.
TOLD_WHERE_NAMED = frozenset(
    {
        *("create_event", "list_events", "format_datetime", "extract_contacts"),
        *("kb_get", "get_latest_booking", "get_booking_by_id"),
    }
)

# The conversation: how long a model is waited for before something is said instead (with fillers meanwhile, so that no
# answer under ten seconds is lost), how long one answer may go on, and how often the model is asked within one turn;
# the last time it may not call anything and has to speak.
FIRST_TOKEN_S = 12.0
LONGEST_ANSWER_S = 60.0
MODEL_ROUNDS = 8

# What one message in a chat holds at most, whoever writes it; and how long a person of the business who has taken one
# over may leave the visitor waiting, until the model goes on.
CHAT_TEXT_CHARACTERS = 4_000
PERSON_ANSWERS_WITHIN_S = 180.0

# How long the record of a call or chat is kept, unless the deployment says otherwise.
INTERACTION_DAYS = 90
# What callers left for the owner, and e-mails: as long as the conversations they belong to.
OUTBOX_DAYS = INTERACTION_DAYS


class Thing(StrEnum):
    """What strangers have only so much of; the words stand in what they are told."""

    VISITS = "visits"
    MESSAGES = "messages"
    MODEL_TURNS = "answers"
    SPOKEN_TURNS = "answers on the phone"
    ACTIONS = "actions"
    OPEN_BOOKINGS = "open bookings"
    BOOKINGS = "bookings"
    EVENTS = "events"
    OWNER_MESSAGES = "messages to the business"
    VOICE_SESSIONS = "voice sessions"


@dataclass(frozen=True, slots=True)
class StrangerShare:
    """How much of one thing strangers get; None where a cell would be of no use.

    Attributes:
        visit: In one conversation.
        address: From one address; of IPv6 one /64 is one.
        number: Under one phone number. A number that the carrier vouches for in full, the same one forged, and one to
            which a portal link was sent are counted apart, so that who forges a number uses nothing of its owner's.
        business: All strangers of a business that come through a browser. A phone call costs its caller and is held
            at the pace of speech, so that its number is its cell. Of bookings it is all strangers, on the phone as
            well; those whose number a carrier vouches for are counted apart.
        window_s: In so many seconds; 0 for what is held until it is over.
        assured: What each address has even when the cell of the business is used up.
        assured_call: What each conversation has even when the cell of its number is used up, or of withheld ones.
        withheld: All phone calls of a business together whose number is withheld: each of them is a newcomer, and
            without a cell of theirs would have as much as a number has.
    """

    visit: int | None
    address: int | None
    number: int | None
    business: int | None
    window_s: int
    assured: int = 1
    assured_call: int = 0
    withheld: int | None = None


# A stranger is whoever has not been verified, and whom no carrier vouches for to a business that trusts it in this. All
# others, and services that vouch for whom they send, are bound by the limits per turn alone.
STRANGERS: dict[Thing, StrangerShare] = {
    Thing.VISITS: StrangerShare(
        visit=None,  # A visit is what is counted.
        address=20,  # A household, an office or a café: a page that is opened anew all day still gets in.
        number=None,  # A link opens once, and is sent within the limits on texts.
        business=500,  # More anonymous conversations in an hour than any small business has in a day.
        window_s=3_600,
    ),
    Thing.MESSAGES: StrangerShare(
        visit=12,  # One in five seconds: nobody writes and reads faster for long.
        address=36,  # Three people who do that at once behind one router.
        number=12,  # As a visit: one person, however many windows are open.
        business=600,  # Ten a second, which one instance still answers.
        window_s=60,
        assured=2,
    ),
    Thing.MODEL_TURNS: StrangerShare(
        visit=60,  # A turn a minute for an hour; at 7,000 tokens each this is what a visit may cost.
        address=150,  # Several visits of one household, not twenty long ones.
        number=60,  # As a visit.
        business=3_000,  # A bill that an owner survives until somebody looks at the alarm.
        window_s=3_600,
        assured=10,
    ),
    Thing.SPOKEN_TURNS: StrangerShare(
        visit=480,  # Eighty minutes without a pause, a turn each ten seconds; keys make turns much faster than speech.
        address=None,  # A phone call comes from none.
        number=960,  # Two such calls in a day, or eighty ordinary ones: a hotel's or a ward's number is many people's.
        business=None,  # A call costs its caller; a cell that all of them share would let a few close the line.
        window_s=86_400,
        assured_call=40,  # An ordinary call is half of that: whoever forges a number takes none from its owner.
    ),
    Thing.ACTIONS: StrangerShare(
        visit=20,  # Booking, moving, cancelling and a message, with every mistake that a caller can make.
        address=40,  # Two such conversations, and whoever comes after them.
        number=20,  # As a visit: calling again gives no more.
        business=400,  # What a front desk with many lines does in an hour, several times over.
        window_s=3_600,
        assured=8,  # Being verified, a booking moved or cancelled, a message: nobody is locked out by others.
        assured_call=8,  # As above: whoever forges a number takes none from its owner.
        withheld=80,  # Four such conversations; an authority or a clinic withholds its numbers, and few others do.
    ),
    Thing.OPEN_BOOKINGS: StrangerShare(
        visit=3,  # A family's haircuts; who needs more is known to the business, or leaves a message.
        address=6,  # Two such families behind one router.
        number=3,  # As a visit: calling again gives no more. The number that a booking names is counted like one shown.
        business=None,  # How many are made in a day is a row of its own.
        window_s=0,
        withheld=12,  # Four families: more than a number's, as they are many, and no day is full of them.
    ),
    Thing.BOOKINGS: StrangerShare(
        visit=None,  # What one holds is bounded above.
        address=None,  # As above.
        number=None,  # As above.
        business=60,  # More newcomers than a small business has in a day, and too few to empty a calendar unseen.
        window_s=86_400,
    ),
    Thing.EVENTS: StrangerShare(
        visit=1,  # A call back or a meeting, as long as the calendar's default.
        address=2,  # As above, for two.
        number=1,  # As a visit.
        business=20,  # For businesses that let strangers have any: what people at the business can look through.
        window_s=86_400,
        withheld=4,  # More than a number's, as above.
    ),
    Thing.OWNER_MESSAGES: StrangerShare(
        visit=3,  # What was forgotten in the first one, twice.
        address=6,  # Two people of a household.
        number=3,  # As a visit.
        business=60,  # One a minute is as many as anybody reads.
        window_s=3_600,
        withheld=12,  # More than a number's, as above.
    ),
    Thing.VOICE_SESSIONS: StrangerShare(
        visit=5,  # A connection that breaks is opened anew; each costs a vendor's session.
        address=20,  # As visits.
        number=5,  # As a visit.
        business=300,  # Vendors bill by the minute, and limit sessions at once.
        window_s=3_600,
    ),
}

# How often one visit may ask what was said and what is new: a page asks once in two seconds at most, and somebody may
# have it open in several tabs.
LOOKS_OF_A_VISIT = 240
LOOKS_WINDOW_S = 60

# The part of a business's texts, and of its e-mails, that strangers may use up; the rest is for callers it knows.
STRANGERS_PART_OF_TEXTS = 0.5
# Codes and confirmations to numbers on file: a budget of their own, which no stranger's text counts in.
TEXTS_ON_FILE_PER_HOUR = 120
TEXTS_ON_FILE_PER_DAY = 800
