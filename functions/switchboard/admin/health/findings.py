"""What can be wrong with a business's service, in an owner's words: what it means, and what to do about it."""

from datetime import datetime
from enum import StrEnum

from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.python.dataclass import dataclass


class HealthSeverity(StrEnum):
    """How bad it is, the worst first: callers are not served, they soon may not be, somebody should know."""

    TROUBLE = "trouble"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class FindingText:
    """What is said of one kind of trouble; `{subject}` and `{count}` are filled in."""

    severity: HealthSeverity
    means: str
    do: str


WORDS: dict[str, FindingText] = {
    "circuit_open": FindingText(
        HealthSeverity.TROUBLE,
        "{subject} kept failing, so it is left alone for some seconds; callers are not offered what needs it.",
        "Nothing, if it passes: it is tried again by itself. If it stays, look at the service's own status page, then "
        "connect it again.",
    ),
    "circuit_recovering": FindingText(
        HealthSeverity.WARNING,
        "{subject} failed a moment ago and has not worked since; the next call tries it.",
        "Nothing yet. If this stays, test the connection under Integrations.",
    ),
    "vendor_open": FindingText(
        HealthSeverity.TROUBLE,
        "{subject} fails for several businesses, so it is left alone for some seconds for all of them; callers are not "
        "offered what needs it.",
        "Nothing here: it is not your connection. Look at the service's own status page; it is tried again by itself.",
    ),
    "vendor_recovering": FindingText(
        HealthSeverity.WARNING,
        "{subject} failed for several businesses a moment ago and has not worked since; the next call tries it.",
        "Nothing yet: it is not your connection.",
    ),
    "needs_reauth": FindingText(
        HealthSeverity.TROUBLE,
        "{subject} refuses our access: it was taken back, or has run out. Callers are not offered what needs it.",
        "Connect {subject} again under Integrations.",
    ),
    "calendar_away": FindingText(
        HealthSeverity.TROUBLE,
        "Appointments are kept in {subject}, which cannot be used now, and no other calendar stands in for it: callers "
        "are offered no appointments, and may leave a message.",
        "Connect {subject} again under Integrations, or choose another calendar under Business, Settings.",
    ),
    "calendar_not_chosen": FindingText(
        HealthSeverity.NOTICE,
        "Two calendars are connected and none is chosen: appointments are kept in {subject}, the other is not used.",
        "Choose one under Business, Settings.",
    ),
    "access_expires": FindingText(
        HealthSeverity.WARNING,
        "The access to {subject} ends soon; from then on callers are not offered what needs it.",
        "Connect {subject} again before that.",
    ),
    "secrets_unopened": FindingText(
        HealthSeverity.TROUBLE,
        "What is kept secret for {subject} does not open any more, so what needs it fails.",
        "Enter it anew where it was entered, or connect it again. If others are concerned too, tell whoever runs this "
        "system: a key is missing there (scripts/secrets check).",
    ),
    "key_expires": FindingText(
        HealthSeverity.WARNING,
        "The API key {subject} stops working soon, and with it whatever uses it.",
        "Make a new key, put it where the old one is used, then revoke the old one.",
    ),
    "key_expired": FindingText(
        HealthSeverity.NOTICE,
        "The API key {subject} does not work any more; whatever still uses it is turned away.",
        "Make a new key if it is still needed, or revoke this one.",
    ),
    "quota_spent": FindingText(
        HealthSeverity.WARNING,
        "{subject} was refused {count} times within a day because a limit was reached.",
        "If that was no misuse, raise the limit under Integrations; the limit resets by itself.",
    ),
    "share_spent": FindingText(
        HealthSeverity.WARNING,
        "{subject} was refused {count} times within a day because one number, one visitor, or all of whom nothing is "
        "known had had as much as they may have.",
        "Open Calls and read whose calls they were; flag the number if it was misuse. No setting raises these limits; "
        "those of whom nothing is known bind nobody who is verified.",
    ),
    "strangers_used_up": FindingText(
        HealthSeverity.WARNING,
        "Visitors and callers who are not verified have had as many of these as all of them together may have: "
        "{subject}. Others of them are turned away, or get little.",
        "If nobody misuses it, it goes on in the next hour or day, and verified callers are not bound by it. Else open "
        "Calls and flag the numbers; the portal is closed to visitors without an invitation under Business, Settings.",
    ),
    "tool_failing": FindingText(
        HealthSeverity.WARNING,
        "{subject} failed {count} times within a day.",
        "Open Calls, choose one of them, and read why it ended as it did.",
    ),
    "outcome_unknown": FindingText(
        HealthSeverity.WARNING,
        "Nobody knows whether {subject} was carried out, {count} times within a day.",
        "Check by hand what became of it: a booking in the calendar, a text on the phone account.",
    ),
    "calls_stuck": FindingText(
        HealthSeverity.WARNING,
        "{count} calls were begun, or accepted, and nobody is working on them.",
        "Nothing, if it passes: they are taken up again every few seconds. If it stays, the background tasks do not "
        "run; tell whoever runs this system.",
    ),
    "call_given_up": FindingText(
        HealthSeverity.TROUBLE,
        "{subject} was interrupted, and nobody could bring it to its end, {count} times within a day: it is not tried "
        "any more.",
        "Open Calls and read what became of it; check by hand whether it was done, and tell the caller. Tell whoever "
        "runs this system.",
    ),
    "bookings_given_up": FindingText(
        HealthSeverity.TROUBLE,
        "{count} bookings are stored in a way that cannot be used, or break what tries to bring them to their end.",
        "Open Appointments, compare them with the calendar, and enter them anew where they are wanted. Tell whoever "
        "runs this system.",
    ),
    "outbox_failed": FindingText(
        HealthSeverity.WARNING,
        "{count} messages of kind {subject} could not be delivered.",
        "Look at the numbers and addresses they were meant for, and reach these people another way.",
    ),
    "outbox_unknown": FindingText(
        HealthSeverity.WARNING,
        "Nobody knows whether {count} messages of kind {subject} were delivered.",
        "Look at the sent messages of the phone or mail account.",
    ),
    "outbox_late": FindingText(
        HealthSeverity.WARNING,
        "{count} messages have been waiting to be sent for more than a quarter of an hour.",
        "Look at the account that they are sent by. If it works, the background tasks do not run; tell whoever runs "
        "this system.",
    ),
    "text_otherwise": FindingText(
        HealthSeverity.WARNING,
        "A text says something else than what is entered, and callers may be told either: {subject}.",
        "Correct the text under Knowledge, or the entry under Business, whichever is out of date.",
    ),
    "zone_unknown": FindingText(
        HealthSeverity.TROUBLE,
        "It is not known where the clock of this business stands, so its calendar is not used: callers are offered no "
        "appointments, and may leave a message ({subject}).",
        "Enter the time zone under Business, Settings; with the next conversation everything is offered again.",
    ),
    "field_mistyped": FindingText(
        HealthSeverity.TROUBLE,
        "Something stands under a name that nothing reads ({subject}), and callers go without it.",
        "Enter it under Business; whoever wrote the document by hand corrects the name there.",
    ),
    "field_unread": FindingText(
        HealthSeverity.NOTICE,
        "Something stands in this business's document under a name that nothing reads ({subject}).",
        "Nothing, if another program needs it. Otherwise whoever wrote it takes it out or corrects it.",
    ),
    "entry_unusable": FindingText(
        HealthSeverity.TROUBLE,
        "Something entered for this business cannot be used, and callers go without it: {subject}.",
        "Correct it under Business.",
    ),
    "business_problem": FindingText(
        HealthSeverity.WARNING,
        "Something entered for this business cannot be used: {subject}.",
        "Correct it under Business.",
    ),
    "resource_unreadable": FindingText(
        HealthSeverity.WARNING,
        "Something entered of people and rooms cannot be used, and counts as not there: {subject}.",
        "Correct it under Business, Team and rooms.",
    ),
    "resource_without_hours": FindingText(
        HealthSeverity.WARNING,
        "{subject} has no hours, and can never be booked.",
        "Enter hours under Business, Team and rooms, or let the opening hours hold.",
    ),
    "service_undone": FindingText(
        HealthSeverity.WARNING,
        "Nobody does {subject}, or something that it needs is not there: callers are told that it cannot be booked.",
        "Under Business, Team and rooms, say who does it; or change what it needs under Services.",
    ),
    "own_calendar_away": FindingText(
        HealthSeverity.TROUBLE,
        "{subject} cannot be read now: nobody is booked with whom it belongs to, until it can be.",
        "Connect it again under Connections, or take the calendar away under Business, Team and rooms.",
    ),
    "calendar_shared": FindingText(
        HealthSeverity.NOTICE,
        "{subject} have the same calendar: whatever stands in it keeps both of them busy.",
        "Nothing, if that is meant so. Otherwise give each a calendar under Business, Team and rooms.",
    ),
    "bookings_astray": FindingText(
        HealthSeverity.WARNING,
        "Appointments that are with somebody who is away, gone or does not do that any more, or with nobody yet: "
        "{count}.",
        "Open Appointments: give them to somebody who is free, or call the customers.",
    ),
    "no_way_to_a_person": FindingText(
        HealthSeverity.WARNING,
        "Who cannot be helped has no way to a person here: no message can be taken, nobody can be put through, and no "
        "number is known that leads to the business itself ({subject}).",
        "Under Business, enter the business's own phone number, or a rule for messages or transfers; and see that the "
        "agent who answers there may use take_message or transfer_call.",
    ),
    "no_assistant": FindingText(
        HealthSeverity.WARNING,
        "Vapi is connected, and no assistant answers {subject} there: a call that Vapi asks about is put through to "
        "whoever is there, or ends.",
        "Under Agents, enter Vapi's assistant of the agent that answers this number (vapiAssistantId), or enter the "
        "usual assistantId where Vapi is connected.",
    ),
    "number_elsewhere": FindingText(
        HealthSeverity.TROUBLE,
        "Another business has {subject} as well, and its calls and texts are answered there: a number belongs to one "
        "business, to the one whose main number it is, or else to the one that entered it first.",
        "Take {subject} out under Integrations, or have whoever runs this system say whose it is.",
    ),
    "number_shared": FindingText(
        HealthSeverity.WARNING,
        "Another business has entered {subject} as well; calls and texts to it are answered by yours.",
        "Nothing, if it is yours. Otherwise take it out under Integrations, or have whoever runs this system say whose "
        "it is.",
    ),
    "agents_share_channel": FindingText(
        HealthSeverity.NOTICE,
        "The default agent does not answer by {subject}, and several others say that they do: the first by id answers.",
        "Take the channel from all but one of them under Agents, or make that one the default agent.",
    ),
    "tool_skipped": FindingText(
        HealthSeverity.WARNING,
        "A tool's definition cannot be used, so callers have its last good version or do without: {subject}.",
        "Open it under Tools and correct what is said there.",
    ),
    "store_away": FindingText(
        HealthSeverity.TROUBLE,
        "Firestore does not answer, so what is shown is what was seen last ({subject}).",
        "Look at GET /ready, which says why, and at the status page of Firestore; everything goes on by itself once it "
        "answers.",
    ),
    "definitions_away": FindingText(
        HealthSeverity.TROUBLE,
        "The published tools cannot be read; {subject} is offered instead.",
        "Look whether Firestore answers; nothing else has to be done.",
    ),
    "month_nearly_used": FindingText(
        HealthSeverity.WARNING,
        "Of what this month may have, much is used: {subject}.",
        "Nothing, if that is as it should be. At the limit it stops until the month is over; whoever runs this system "
        "can raise it under Month, Limits.",
    ),
    "month_used_up": FindingText(
        HealthSeverity.TROUBLE,
        "What this month may have is used up: {subject}.",
        "Ask whoever runs this system to raise the limit (Month, Limits): a minute later everything goes on. Otherwise "
        "it goes on when the month is over.",
    ),
    "tests_red": FindingText(
        HealthSeverity.WARNING,
        "Calls that were made tests do not come to the same any more: {subject} ({count} in all).",
        "Open Calls, Tests made of calls, and read what went wrong. Change what the agent may do or the test; played "
        "again, it is green or this stays.",
    ),
    "questions_open": FindingText(
        HealthSeverity.NOTICE,
        "Questions of callers that found no answer: {count}.",
        "Open Knowledge, write what is missing, and mark the questions as answered.",
    ),
}
"""By what is wrong."""


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """Something that is wrong.

    Attributes:
        what: One of `WORDS`.
        subject: What it is about.
        count: How often or how many, where that says something.
        at: When it was seen last, or when it will happen.
        is_at_least: Whether there may be more than `count`, as not all were looked at.
    """

    what: str
    subject: str = ""
    count: int | None = None
    at: datetime | None = None
    is_at_least: bool = False

    @property
    def severity(self) -> HealthSeverity:
        """How bad it is."""
        return WORDS[self.what].severity

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        words = WORDS[self.what]
        filled = {"subject": self.subject, "count": f"at least {self.count}" if self.is_at_least else self.count}
        means, do = words.means.format(**filled), words.do.format(**filled)
        return as_json(self, without=("is_at_least",), severity=self.severity, means=means, do=do)


def ordered(findings: list[HealthFinding]) -> list[HealthFinding]:
    """Return findings with the worst first."""
    rank = list(HealthSeverity)
    return sorted(findings, key=lambda finding: (rank.index(finding.severity), finding.what, finding.subject))


def worst(findings: list[HealthFinding]) -> str:
    """Return how bad it is altogether; `ok` where nothing is wrong."""
    return ordered(findings)[0].severity.value if findings else "ok"
