"""Where each row of the reliability plan (§2, "Threats and faults") is shown: by which drills, and by which tests."""

from __future__ import annotations

from dataclasses import dataclass

_INDENT = " " * 8


@dataclass(frozen=True)
class Row:
    """One fault or attack: what it is, the drills that carry it out, and `file::name` of tests that do.

    Attributes:
        what: The fault, in a few words.
        drills: Names of drills.
        tests: Below tests/; those of a class are `file::Class::name`.
    """

    what: str
    drills: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


ROWS: dict[int, Row] = {
    1: Row("the same webhook, again and again", ("deliveries", "replays", "restarts")),
    2: Row(
        "the same key, other arguments",
        ("replays",),
        ("pipeline/test_once.py::TestRepeatedWish::test_other_arguments_and_other_sessions_are_other_wishes",),
    ),
    3: Row("a model that books again", (), ("pipeline/test_once.py::TestRepeatedWish",)),
    4: Row(
        "a hundred bookings of one slot",
        (),
        (
            "desk/bookings/test_one_slot.py::test_one_of_a_hundred_callers_gets_the_slot_and_99_get_other_times",
            "desk/bookings/test_one_slot.py::test_overlapping_wishes_leave_bookings_that_do_not_overlap",
        ),
    ),
    5: Row("kill -9 at every step", ("kill", "restarts")),
    6: Row("the calendar commits and the connection drops", ("calendar",)),
    7: Row("somebody enters an event in the same minute", (), ("desk/calendars/test_outside_calendar.py",)),
    8: Row("the store hangs, is slow, is gone", ("frozen", "restarts")),
    9: Row(
        "a cold start without the store",
        (),
        (
            "catalog/definitions/test_definitions.py::test_a_cold_start_without_firestore_offers_what_reads_and_needs_no_business",
            "channels/http/test_tools_api.py::test_health_says_what_is_served_and_is_200_even_without_a_store",
        ),
    ),
    10: Row(
        "seeding dies half way; a definition is malformed",
        ("schemas",),
        (
            "scripts/test_seed_command.py::test_killed_with_kill_9_a_run_leaves_a_whole_set_and_the_next_completes",
            "scripts/test_seeding.py::test_killed_at_any_commit_readers_see_whole_sets_and_the_next_run_completes",
        ),
    ),
    11: Row("a permission is revoked in a call", ("calendar", "twilio")),
    12: Row("Twilio says 429", ("twilio", "texts")),
    13: Row("Twilio fails after it has accepted", ("twilio", "texts")),
    14: Row("a tool that is not there, or not here", ("hostile", "injection")),
    15: Row("bad arguments", ("hostile",)),
    16: Row("somebody else's business in the arguments", ("injection", "hostile")),
    17: Row("instructions in texts", ("injection",)),
    18: Row("codes are guessed", ("codes", "injection")),
    19: Row("codes and texts to a number that the caller names", ("injection", "texts")),
    20: Row(
        "a code is used again, elsewhere, or late",
        ("clock",),
        ("desk/callers/test_one_time_codes.py", "desk/callers/test_verification.py"),
    ),
    21: Row("texts by the thousand", ("texts",)),
    22: Row("a caller's number is forged", (), ("desk/callers/test_verification.py",)),
    23: Row("calls are put through to an attacker", ("injection",), ("desk/escalation/test_transfers.py",)),
    24: Row(
        "requests to addresses inside",
        ("schemas", "injection"),
        (
            "integrations/egress/test_addresses.py::test_nothing_connects_to_what_is_not_public",
            "integrations/egress/test_addresses.py::test_a_name_that_changes_its_mind_is_asked_once_and_pinned",
            "integrations/egress/test_addresses.py::test_a_redirect_to_elsewhere_is_an_answer_and_not_followed",
        ),
    ),
    25: Row(
        "answers that are large, slow or bombs",
        (),
        (
            "integrations/egress/test_bounds.py::test_a_bomb_is_not_unfolded",
            "integrations/egress/test_bounds.py::test_an_endless_answer_is_cut_off",
            "integrations/egress/test_bounds.py::test_a_slow_answer_costs_no_more_than_its_time",
        ),
    ),
    26: Row(
        "variables in addresses, headers, JSON and texts",
        ("injection",),
        (
            "catalog/definitions/test_variables.py",
            "desk/tenant_tools/test_api_requests.py::test_values_in_the_owners_text_are_not_expanded_again",
        ),
    ),
    27: Row("secrets in what comes out", ("canaries", "injection")),
    28: Row("schemas and patterns that are bombs", ("schemas",)),
    29: Row(
        "tricks with Unicode and numbers", (), ("desk/contact/test_phone.py", "desk/knowledge/test_keyword_index.py")
    ),
    30: Row("forged and repeated signatures", ("replays",)),
    31: Row("a signature that is not ASCII", ("replays",)),
    32: Row(
        "owners without the right",
        (),
        (
            "admin/access/test_access.py::test_each_endpoint_lets_in_exactly_the_roles_of_the_table",
            "admin/access/test_access.py::test_a_role_in_one_business_is_none_in_another",
        ),
    ),
    33: Row("a browser asks the store itself", (), ("deploy/test_rules.py",)),
    34: Row("what is personal, in the log", (), ("observability/test_cloud_logging.py",)),
    35: Row("the clocks change", (), ("desk/bookings/test_daylight_saving.py",)),
    36: Row("the server's clock is wrong", ("clock",)),
    37: Row("the relay's socket is abused", ("sockets",)),
    38: Row(
        "a yes is forged",
        ("injection",),
        ("pipeline/confirmation/test_approvals.py", "pipeline/checks/test_confirm.py"),
    ),
    39: Row("a model goes round in circles", (), ("pipeline/test_turn.py",)),
    40: Row("work after the answer", ("kill",), ("pipeline/ledger/test_unsettled.py",)),
    41: Row("a noisy neighbour", ("noisy",)),
    42: Row(
        "a vendor that only fails",
        (),
        (
            "pipeline/limits/test_breaker.py::TestOpening::test_five_failures_in_a_row_open_it",
            "pipeline/limits/test_breaker.py::test_an_outage_of_a_minute_at_twenty_calls_a_second_costs_few_calls",
        ),
    ),
    43: Row(
        "what was switched off is still remembered",
        (),
        ("catalog/definitions/test_definitions.py", "contract/test_cache.py"),
    ),
    44: Row("settings change while a booking is made", (), ("desk/calendars/test_outside_calendar.py",)),
    45: Row(
        "results that are large, or look like ours",
        ("injection",),
        ("pipeline/result/test_truncation.py", "desk/test_untrusted_text.py"),
    ),
}


def listing() -> str:
    """Return the table as text."""
    lines = ["Reliability plan, §2: where each row is shown"]
    for number, row in ROWS.items():
        lines.append(f"  {number:>4}  {row.what}")
        if row.drills:
            lines.append(f"{_INDENT}drills: {', '.join(row.drills)}")
        for test in row.tests:
            file, *names = test.split("::")
            lines.append(f"{_INDENT}tests/{file}")
            lines += [f"{_INDENT}  {name}" for name in names]
    return "\n".join(lines)
