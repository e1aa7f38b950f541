"""What a thousand tool calls, portal turns and phone calls cost in US dollars, beside a minute at voice platforms.

Documents are counted as `costs` counts them. Seconds of a processor and bytes depend on the machine and on what is
said: those stand here as they were measured, and the table in docs/operations.md is of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks import costs
from benchmarks.billed_store import Bill
from benchmarks.figure import Effort, Figure, Line

PRICED_ON = "November 2026"
READS, WRITES, DELETES = (price / 100_000 for price in costs.PRICES["one region (us-central1)"])
"""A document in one region, such as us-central1 (cloud.google.com/firestore/pricing); several regions cost twice."""
CPU_S, MEMORY_GIB_S, REQUEST = 0.000024, 0.0000025, 0.4e-6
"""While requests are answered, tier 1 (cloud.google.com/run/pricing, by which functions are billed too)."""
CPU_ALWAYS_S, MEMORY_ALWAYS_GIB_S = 0.000018, 0.000002
"""Where the processor stays on, as the relay's does; same page."""
GIB_SENT = 0.12
"""To the internet; what goes to Firestore in the same region costs nothing."""
MEMORY_GIB, AT_ONCE, RELAY_MEMORY_GIB, RELAY_AT_ONCE, CALL_S = 0.5, 80, 1.0, 250, 180
"""As deployed (functions/functions.yaml, and the relay's size); three minutes a call."""
BUSY = 0.6
"""Instances are as busy as this: more are started before they are full."""
_THOUSAND, _KIB_OF_GIB = 1_000, 1024 * 1024

MINUTES = (
    ("Vapi, its own fee; models, voices and the line come on top", 0.05, 0.05, "vapi.ai/pricing, as of May 2026"),
    ("Retell, with a model and a voice", 0.07, 0.31, "retellai.com/pricing, as of September 2026"),
)
"""What a minute costs elsewhere: whose, from, to, and where that stands."""


@dataclass(frozen=True)
class Work:
    """What something costs besides documents.

    Attributes:
        bill: Which of the counted bills is its own.
        requests: How many come to us.
        cpu_ms: Milliseconds of a processor, the Firestore client's among them.
        open_s: For how long requests are open: others share the instance meanwhile.
        sent_kib: What is sent to the internet.
    """

    bill: str
    requests: int
    cpu_ms: float
    open_s: float
    sent_kib: float


WORKS = {
    "look-ups (`search_knowledge`)": Work("retrieval: search_knowledge", 1, 14, 0.05, 3),
    "look-ups (`check_availability`)": Work("retrieval: check_availability", 1, 4, 0.05, 3),
    "actions (`take_message`)": Work("action: take_message", 1, 7, 0.1, 2),
    "bookings (`book_appointment`)": Work("action: book_appointment", 1, 12, 0.15, 3),
    "portal turns, with a look-up": Work("portal: another message, with a look-up", 1, 30, 3, 4),
    "phone calls of three turns": Work("phone: the whole call, of three turns", 5, 120, 8, 6),
}
"""Processor times of one core of the machine on which they were measured; a model takes seconds, the rest does not."""


@dataclass(frozen=True)
class Dollars:
    """What a thousand of something cost, by what is billed."""

    firestore: float
    running: float
    network: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.firestore + self.running + self.network


def of_a_thousand(work: Work, bill: Bill) -> Dollars:
    """Return what a thousand of some work cost; documents that expire are deleted later, which is billed too."""
    firestore = bill.reads * READS + bill.writes * WRITES + (bill.deletes + bill.expiring) * DELETES
    instance_s = max(work.cpu_ms / 1_000 / BUSY, work.open_s / AT_ONCE)
    running = instance_s * (CPU_S + MEMORY_GIB * MEMORY_GIB_S) + work.requests * REQUEST
    network = work.sent_kib / _KIB_OF_GIB * GIB_SENT
    return Dollars(*(_THOUSAND * each for each in (firestore, running, network)))


def relay_of_a_thousand() -> float:
    """Return what the sockets of a thousand phone calls cost at the relay, which holds them while they last."""
    a_second = CPU_ALWAYS_S + RELAY_MEMORY_GIB * MEMORY_ALWAYS_GIB_S
    return _THOUSAND * CALL_S / RELAY_AT_ONCE / BUSY * a_second


def table(bills: Mapping[str, Bill]) -> str:
    """Return the table of docs/operations.md."""
    rows = [
        "| A thousand | Reads, writes, deletes of each | Firestore | Functions | Network | Together |",
        "|---|---|---|---|---|---|",
    ]
    for name, work in WORKS.items():
        bill, dollars = bills[work.bill], of_a_thousand(work, bills[work.bill])
        documents = f"{bill.reads}, {bill.writes}, {bill.deletes + bill.expiring}"
        columns = (dollars.firestore, dollars.running, dollars.network, dollars.total)
        rows.append(f"| {name} | {documents} | {' | '.join(f'${each:.4f}' for each in columns)} |")
    rows.append(f"| sockets of three minutes at the relay | | | ${relay_of_a_thousand():.4f} | | |")
    for whose, least, most, where in MINUTES:
        price = f"${least * 3 * _THOUSAND:,.0f}" + (f" to ${most * 3 * _THOUSAND:,.0f}" if most > least else "")
        rows.append(f"| calls of three minutes at {whose} ({where}) | | | | | {price} |")
    return "\n".join(rows)


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    bills, cpu_ms = costs.bills_and_cpu()
    lines = []
    for name, work in WORKS.items():
        dollars, here = of_a_thousand(work, bills[work.bill]), cpu_ms[work.bill]
        parts = f"Firestore ${dollars.firestore:.4f}, functions ${dollars.running:.4f}, network ${dollars.network:.4f}"
        lines.append(Line(f"1,000 {name}", f"${dollars.total:.4f}", parts, f"{here:.1f} ms here"))
    return Figure(
        f"dollars: a thousand of each, by prices of {PRICED_ON}",
        "of which",
        tuple(lines),
        (
            f"Sockets of 1,000 calls of three minutes at the relay: ${relay_of_a_thousand():.4f}.",
            *(f"A minute at {whose}: ${least:g} to ${most:g} ({where})." for whose, least, most, where in MINUTES),
            "Models, voices and the carrier are not in ours either: they are paid where they are.",
            "docs/operations.md has this table:\n\n" + table(bills),
        ),
    )
