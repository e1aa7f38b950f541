"""What a business, and an agent of it, set of the limits of one turn: within the platform's greatest, by channel.

In both documents `limits` is `{channel: {name: number}}`, such as `{"phone": {"lookUpsPerTurn": 5}}`; what an agent
sets comes before what its business does, and what neither sets is as `policy.CHANNEL_POLICY` says. A whole that neither
sets follows its part: whoever sets `lookUpsPerTurn` alone gets so many, and as many other calls beside them as before.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import Any, Final, TypeAlias

from switchboard.contract.channel import Channel
from switchboard.contract.policy import CHANNEL_POLICY, GREATEST, ChannelPolicy

FIELDS: Final[Mapping[str, str]] = {
    "lookUpsPerTurn": "retrieval_calls_per_turn",
    "callsPerTurn": "calls_per_turn",
    "lookUpMs": "retrieval_deadline_ms",
    "lookUpMsPerTurn": "retrieval_ms_per_turn",
    "actionMs": "action_deadline_ms",
}
"""By the name in a document, what it is in the policy."""
_LEAST_MS: Final = 100
_PARTS: Final = (("lookUpsPerTurn", "callsPerTurn"), ("lookUpMs", "lookUpMsPerTurn"))
"""What is a part of what: the whole ends it first, so that more of the part is never had."""

Limits: TypeAlias = frozenset[tuple[Channel, str, int]]
"""Channel, a name of `FIELDS`, and the number; one for each channel and name."""


def bounds(channel: Channel, name: str) -> tuple[int, int]:
    """Return the least and the greatest number that may be set; milliseconds, or how many."""
    return (_LEAST_MS if name.lower().endswith(("ms", "msperturn")) else 1), getattr(GREATEST[channel], FIELDS[name])


def table() -> dict[str, Any]:
    """Return `{channel: {name: {usual, least, greatest}}}`: what holds without any, and within what one is set."""
    by_channel: dict[str, Any] = {}
    for channel in Channel:
        usual = CHANNEL_POLICY[channel]
        by_channel[channel.value] = {}
        for name, field in FIELDS.items():
            least, greatest = bounds(channel, name)
            by_channel[channel.value][name] = {"usual": getattr(usual, field), "least": least, "greatest": greatest}
    return by_channel


def read_limits(value: Any, business: Limits = frozenset()) -> tuple[Limits, list[str]]:
    """Return what a document sets, and a sentence for each part of it that cannot be used; that part is left out.

    Parts that contradict each other, or what the `business` of an agent sets, are told as well, and hold as far as they
    do.
    """
    if value is None:
        return frozenset(), []
    if not isinstance(value, Mapping):
        return frozenset(), ['limits: expected an object such as {"phone": {"lookUpsPerTurn": 5}}']
    limits: set[tuple[Channel, str, int]] = set()
    problems: list[str] = []
    channels = {channel.value: channel for channel in Channel}
    for word, numbers in value.items():
        channel = channels.get(word)
        if channel is None or not isinstance(numbers, Mapping):
            problems.append(f"limits.{word}: expected numbers by name for one of {', '.join(channels)}")
            continue
        for name, number in numbers.items():
            if name not in FIELDS:
                problems.append(f"limits.{word}.{name}: there is no limit of that name; use {', '.join(FIELDS)}")
                continue
            least, most = bounds(channel, name)
            if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
                problems.append(f"limits.{word}.{name}: must be a whole number from {least} to {most}")
                continue
            limits.add((channel, name, number))
        around = {name: number for at, name, number in business if at is channel}
        problems += _contradictions(channel, {name: number for at, name, number in limits if at is channel}, around)
    return frozenset(limits), problems


def _contradictions(channel: Channel, own: Mapping[str, int], business: Mapping[str, int]) -> Iterator[str]:
    for part, whole in _PARTS:
        most = own.get(whole, business.get(whole, inf))
        if own.get(part, 0) > most:
            whose = "" if whole in own else " for the whole business"
            yield (
                f"limits.{channel.value}.{part}: {own[part]} is never had, since {whole} is {most}{whose}; lower it, "
                f"or raise {whole}"
            )


def over(business: Limits, agent: Limits) -> Limits:
    """Return a business's limits with those of an agent in their place."""
    own = {(channel, name) for channel, name, _ in agent}
    return agent | {limit for limit in business if limit[:2] not in own}


def policy_on(channel: Channel, limits: Limits) -> ChannelPolicy:
    """Return what one turn on a channel may cost under these limits."""
    usual = CHANNEL_POLICY[channel]
    if not limits:
        return usual
    own = {name: number for at, name, number in limits if at is channel}
    for part, whole in _PARTS:
        if whole not in own and own.get(part, 0) > getattr(usual, FIELDS[part]):
            # What is beside the part stays: a turn's action after its look-ups, the time of a second one.
            beside = getattr(usual, FIELDS[whole]) - getattr(usual, FIELDS[part])
            own[whole] = min(own[part] + beside, bounds(channel, whole)[1])
    fields: dict[str, Any] = {FIELDS[name]: number for name, number in own.items()}
    return replace(usual, **fields) if fields else usual
