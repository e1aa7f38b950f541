"""The faults that are planted in the product, to see whether evaluations and simulator find them.

Each is what somebody could do who changes the product in haste: a check skipped, a settlement lost, a lease ignored.
"""

from __future__ import annotations

from typing import Final

from mutation.planting import Fault

FAULTS: Final[dict[str, Fault]] = {
    # checks that are skipped
    "calls-not-counted": Fault(
        "pipeline/checks/budget",
        "a turn may make as many calls as a model likes",
        "if counts.calls > limits.calls_per_turn:",
        "if counts.calls > 1_000:",
    ),
    "consent-not-asked": Fault(
        "pipeline/checks/confirm",
        "what needs a caller's yes is done without",
        "if invocation.is_approved or (",
        "if True or (",
        ("salon/de-cancel-declined", "abuse/cancels-without-a-yes"),
    ),
    "no-is-yes": Fault(
        "pipeline/confirmation/approvals",
        "who says no is taken to have said yes",
        '    return [Set(path, granted(call, turn, now))] if verdict == "approved" else []',
        '    return [Set(path, granted(call, turn, now))] if verdict in ("approved", "declined") else []',
        ("salon/de-cancel-declined", "abuse/cancels-without-a-yes"),
    ),
    "somebody-elses": Fault(
        "desk/bookings/ownership",
        "whoever knows an appointment's reference may change it",
        "        return self.is_staff or self._is_shown_by(booking)",
        "        return True or self._is_shown_by(booking)",
    ),
    "closed-is-open": Fault(
        "desk/bookings/hours",
        "appointments are made while the business is closed",
        "            merged.append(opening)\n    return merged",
        "            merged.append(opening)\n    return [day_bounds(business.timezone, first, last)]",
    ),
    "transfer-to-nobody": Fault(
        "tools/transfer_call/handler",
        "callers are told that they are put through, and are not",
        "intents=(Intent(IntentType.TRANSFER_CALL, payload),)",
        "intents=()",
        ("salon/en-person", "garage/de-person"),
    ),
    # the ledger
    "settlement-lost": Fault(
        "pipeline/ledger/ledger",
        "what came of a call is not written down",
        "        await self._writer.commit(invocation, session_path, writes, is_settling=True)",
        "        return",
    ),
    "row-lost": Fault(
        "pipeline/ledger/admission",
        "an earlier delivery of a call is not seen",
        "                return CallRow(met.call)",
        "                return None",
    ),
    "wish-not-claimed": Fault(
        "pipeline/ledger/ledger",
        "the same wish under another id is done again",
        "        if invocation.claims_wish:\n            claim,",
        "        if False:\n            claim,",
    ),
    "wish-given-back": Fault(
        "pipeline/ledger/ledger",
        "a wish that was fulfilled may be made again",
        "        if invocation.claims_wish and outcome.state in UNDONE:",
        "        if invocation.claims_wish:",
    ),
    "lease-ignored": Fault(
        "pipeline/ledger/row",
        "a call that somebody works on is taken for abandoned",
        'return self.state == "started" and self.due_at is not None and self.due_at <= now',
        'return self.state == "started"',
    ),
    "lease-over-at-once": Fault(
        "pipeline/ledger/record",
        "a call belongs to its instance for no time at all",
        '        "dueAt": now + timedelta(seconds=policy.CALL_LEASE_S),',
        '        "dueAt": now,',
    ),
    "never-due": Fault(
        "pipeline/ledger/record",
        "nobody looks for a call whose instance has died",
        '        "dueAt": now + timedelta(seconds=policy.CALL_LEASE_S),',
        '        "dueAt": None,',
    ),
    "begun-not-noted": Fault(
        "pipeline/execution/runner",
        "what had begun when its instance died is begun once more",
        "        if invocation.is_marked_begun and invocation.is_recorded:",
        "        if False:",
    ),
    "taken-over-by-two": Fault(
        "pipeline/ledger/ledger",
        "two instances may take over the same call",
        "            own = Update(row.document.path, taken, if_update_time=row.document.update_time)",
        "            own = Update(row.document.path, taken)",
    ),
    "acts-unrecorded": Fault(
        "pipeline/dispatcher",
        "an action that cannot be recorded is carried out all the same",
        "            raise not_started(invocation.call.name, error) from None",
        "            return None",
    ),
    "unknown-is-no": Fault(
        "pipeline/result/outcome",
        "of what may have been done it is said that it was not",
        '    state: State = "unknown" if error.partial_side_effects else "failed"',
        '    state: State = "failed"\n    failure = replace(failure, partial_side_effects=False)',
    ),
    "queued-is-done": Fault(
        "pipeline/ledger/record",
        "what was accepted is never due",
        '    if outcome.state == "queued":\n        return invocation.now',
        '    if outcome.state == "queued":\n        return None',
    ),
    "receipt-lost": Fault(
        "pipeline/ledger/record",
        "what was done leaves no receipt in the conversation",
        "    if receipt is None or invocation.wish_granted is not None:",
        "    if True:",
        ("salon/en-book-at-once", "salon/en-cancel"),
    ),
    "receipt-not-answered": Fault(
        "pipeline/result/outcome",
        "an answer says that something was done, and shows no receipt",
        '        meta["receipt"] = secrets.value(result.receipt)',
        "        pass",
    ),
    # appointments
    "time-not-claimed": Fault(
        "desk/bookings/bookings",
        "an appointment holds no time",
        "    return [booked, *(claiming(paths, booking.id, booking.slots) if booking.is_active else ())]",
        "    return [booked]",
    ),
    "time-not-freed": Fault(
        "desk/bookings/appointments",
        "a cancelled appointment goes on holding its time",
        "        return await self._save(ctx, booking, [*freeing(ctx.paths, booking.held), *texts], **changes)",
        "        return await self._save(ctx, booking, [*texts], **changes)",
    ),
    "old-time-kept": Fault(
        "desk/bookings/appointments",
        "an appointment that was moved goes on holding its old time",
        "[*claims, *freeing(ctx.paths, old), *texts]",
        "[*claims, *texts]",
    ),
    "saga-keeps-time": Fault(
        "desk/bookings/saga",
        "an appointment that was taken back holds its time",
        "        writes, because = freeing(premises.paths, booking.held), booking.cancelled_because or because",
        "        writes, because = freeing(premises.paths, ()), booking.cancelled_because or because",
    ),
    "calendar-not-asked": Fault(
        "desk/bookings/saga",
        "a cancelled appointment stays in the outside calendar",
        "            await calendar.delete(booking.entry_id)\n            return",
        "            return",
    ),
    "pending-forever": Fault(
        "desk/bookings/booking_records",
        "nobody ever works on an appointment that was left half made",
        'return {"lease_until": now + patience,',
        'return {"lease_until": now + timedelta(days=30),',
    ),
    "moved-in-the-calendar-alone": Fault(
        "desk/bookings/saga",
        "an appointment that was moved in the outside calendar is noted at its old time",
        '        changes: dict[str, Any] = {"status": CONFIRMED, "move": None, **changes_to(booking, target)}',
        '        changes: dict[str, Any] = {"status": CONFIRMED, "move": None, **changes_to(booking, booking)}',
    ),
    "moved-nowhere": Fault(
        "desk/bookings/appointments",
        "an appointment is said to be moved, and is where it was",
        "        changes = {**changes_to(booking, target), **asked}",
        "        changes = {**changes_to(booking, booking), **asked}",
        ("salon/en-move",),
    ),
    "wrong-zone": Fault(
        "catalog/arguments/coercion",
        "times that a model names are taken for UTC",
        "    first = naive.replace(tzinfo=zone)",
        "    first = naive.replace(tzinfo=UTC)",
        ("salon/en-book-at-once", "salon/en-ask-then-book"),
    ),
    "entered-twice": Fault(
        "desk/calendars/entries",
        "an entry whose making got no answer is made once more",
        "        return await _after_silence(calendar, booking, error)",
        "        return False",
    ),
    # texts and messages
    "text-sent-again": Fault(
        "desk/messaging/sms",
        "a text of which nobody knows is sent once more",
        '        if record.state in ("sending", "unknown"):',
        "        if False:",
    ),
    "text-always-sent": Fault(
        "desk/messaging/sms",
        "a text that was sent is sent again when it is asked for again",
        '        if record.state == "sent":\n            return SmsReceipt',
        '        if record.state == "never":\n            return SmsReceipt',
    ),
    "text-without-a-claim": Fault(
        "desk/messaging/sms_sending",
        "a text that the network has taken is looked up as if it had not",
        "        if sent is not None:\n            return await self._accepted(document.path, record, sent)\n",
        "",
    ),
    "cancelled-still-confirmed": Fault(
        "desk/bookings/appointments",
        "who cancels is texted that the appointment is booked",
        'text_writes(ctx.business, ctx.paths, told, "cancelled", ctx.now,',
        'text_writes(ctx.business, ctx.paths, told, "booked", ctx.now,',
    ),
    # an owner's service
    "sent-again": Fault(
        "desk/tenant_tools/api_requests",
        "an order that got no answer is sent once more",
        '    return (method == "GET" or bound.is_idempotent) and',
        "    return",
    ),
    "no-key": Fault(
        "desk/tenant_tools/api_requests",
        "a service cannot tell that an order is the same",
        '                added["Idempotency-Key"] = ctx.effect_key',
        '                added["Idempotency-Key"] = str(random.random())',
    ),
    "places-not-counted": Fault(
        "desk/tenant_tools/service_places",
        "each instance sends a service as much as all of them together may",
        '            places = int(min(wanted, most - sum(holder["places"] for holder in others.values())))',
        "            places = int(min(wanted, most))",
    ),
    # what is said
    "claim-passed": Fault(
        "conversation/claims/guard",
        "an agent may say that it did what it did not",
        "        if not unfounded or is_noted or is_quoted(self._statement(plain), self._reader.read, reading):",
        "        if True:",
        ("abuse/boasts-of-a-booking", "abuse/boasts-of-a-cancellation", "abuse/boasts-in-german"),
    ),
    "question-in-english": Fault(
        "pipeline/confirmation/prompt",
        "callers are asked in English, whatever they speak",
        '    own = (language or business.language).casefold().replace("_", "-")',
        '    own = "en"',
        ("salon/de-cancel", "salon/de-move"),
    ),
    "state-left-started": Fault(
        "pipeline/ledger/states",
        "a call that was settled looks as if it were still under way",
        '        fields["state"] = to',
        '        fields["state"] = "started"',
    ),
}
