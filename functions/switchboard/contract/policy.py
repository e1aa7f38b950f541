"""Every limit in one table: change a cell here and nowhere else.

Numbers come from the seeds as the comments say; where seeds differ, the design decided. Times are milliseconds
unless the name says otherwise.
"""

from dataclasses import dataclass

from switchboard.contract.channel import Channel


@dataclass(frozen=True, slots=True)
class ChannelPolicy:
    """What one turn on one channel may cost."""

    retrieval_calls_per_turn: int
    calls_per_turn: int
    retrieval_soft_ms: int
    retrieval_deadline_ms: int
    retrieval_ms_per_turn: int
    action_deadline_ms: int
    filler_after_ms: int
    result_characters: int
    answer_tokens: int
    answer_characters: int


_SPOKEN = ChannelPolicy(
    retrieval_calls_per_turn=2,  # seed 000 "MVP limits", seed 003 "Voice Agent: Constraints"
    calls_per_turn=3,  # seed 003 "Voice Agent: Constraints"
    retrieval_soft_ms=400,  # seed 000 "MVP limits": 200-400 ms per tool
    retrieval_deadline_ms=800,  # seed 003: 800 ms per retrieval tool
    retrieval_ms_per_turn=1_000,  # seed 000: 1 s total cap
    action_deadline_ms=3_000,
    filler_after_ms=700,
    result_characters=1_500,  # seed 003 "Alert Thresholds"
    answer_tokens=1_500,  # two minutes of speech, or the arguments of a long message; what a model thinks counts too
    answer_characters=6_000,
)
_WRITTEN = ChannelPolicy(
    retrieval_calls_per_turn=5,  # seed 003 "Text Agent: Constraints"
    calls_per_turn=8,
    retrieval_soft_ms=2_000,  # seed 003: 2 s per retrieval tool
    retrieval_deadline_ms=5_000,
    retrieval_ms_per_turn=10_000,
    action_deadline_ms=10_000,
    filler_after_ms=700,
    result_characters=6_000,
    answer_tokens=4_000,  # some pages
    answer_characters=16_000,
)
CHANNEL_POLICY: dict[Channel, ChannelPolicy] = {
    Channel.PHONE: _SPOKEN,
    Channel.BROWSER_VOICE: _SPOKEN,
    Channel.PORTAL: _WRITTEN,
}

# Loop detection (seed 003 "Detection Rules" and "Cleanup").
SAME_CALL_LIMIT = 3
EMPTY_RESULT_LIMIT = 2
LOOP_HISTORY_TURNS = 5

# The catalog (seed 004 "Cache").
DEFINITION_TTL_S = 60.0

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

# How long a retrieval's answer counts as current within its session (seed 000, "Post-response").
REUSE_S = 30.0

# How long a question waits for the caller's answer, and the answer for its call (reliability, "Authority").
CONFIRMATION_S = 120.0

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

# How long a started call belongs to the instance that started it, and how long the ledger is kept.
CALL_LEASE_S = 30.0
LEDGER_DAYS = 7

# The conversation: how long a caller hears nothing before something is said instead, how long one answer may go on,
# and how often the model is asked within one turn; the last time it may not call anything and has to speak.
FIRST_TOKEN_S = 4.0
LONGEST_ANSWER_S = 60.0
MODEL_ROUNDS = 8

# How long the record of a call or chat is kept, unless the deployment says otherwise.
INTERACTION_DAYS = 90
