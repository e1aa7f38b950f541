"""What keeps failing is left alone for a while."""

import asyncio

import pytest

from switchboard.catalog.offer.inclusion import ALL_CLOSED, Circuits
from switchboard.contract.error import ErrorType, NothingNew, Refused, ToolError
from switchboard.contract.store import Unavailable
from switchboard.pipeline.limits import breaker
from switchboard.pipeline.limits.breaker import Breakers
from tests.desk.front_desk import StoppedClock

SALON, GOOGLE = "salon", "googleCalendar"
OPEN, RECOVERING = Circuits(open=frozenset({GOOGLE})), Circuits(recovering=frozenset({GOOGLE}))
MAIL = Circuits(open=frozenset({"email"}))
FAILURES = (ErrorType.TRANSIENT, ErrorType.RATE_LIMIT, ErrorType.AUTH, ErrorType.INTERNAL)
OUTAGE = ToolError(ErrorType.TRANSIENT, "down")


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def breakers(clock):
    return Breakers(clock)


def call(breakers, error=None, business=SALON, integration=GOOGLE):
    """Make a call that succeeds, or fails with an error; tell whether it came through."""
    try:
        with breakers.attempt(business, integration):
            if error is not None:
                raise error
    except Refused as refusal:
        return refusal is error
    except BaseException as raised:
        assert raised is error
    return True


def fail(breakers, times=5, **whose):
    return [call(breakers, OUTAGE, **whose) for _ in range(times)]


class TestOpening:
    """5 failures in a row, or half of at least 10 calls within 30 s."""

    def test_five_failures_in_a_row_open_it(self, breakers):
        """The fifth does; from then on nobody is let through."""
        assert fail(breakers, 4) == [True] * 4
        assert breakers.circuits_of(SALON) == ALL_CLOSED
        assert fail(breakers, 3) == [True, False, False]
        assert breakers.circuits_of(SALON) == OPEN

    def test_what_somebodys_own_calendar_failed_with_says_nothing_about_that_of_the_house(self, breakers):
        """However often, and in whatever words it is told; its own failures still count."""
        elsewhere, told = ToolError(ErrorType.TRANSIENT, "down"), ToolError(ErrorType.TRANSIENT, "not known")
        elsewhere.integration, told.__cause__ = "caldavCalendar", elsewhere
        for number in range(20):
            assert call(breakers, told, business=f"salon {number % 4}")
        assert breakers.circuits_of("salon 1") == ALL_CLOSED
        own = ToolError(ErrorType.TRANSIENT, "down")
        own.integration = GOOGLE
        assert [call(breakers, own) for _ in range(6)][-1] is False
        assert breakers.circuits_of(SALON) == OPEN

    def test_a_success_ends_the_row(self, breakers):
        """Four failures, a success, four failures: closed."""
        fail(breakers, 4)
        call(breakers)
        assert fail(breakers, 4) == [True] * 4
        assert call(breakers)

    def test_half_of_ten_calls_open_it_though_none_fail_in_a_row(self, breakers):
        """Nine calls are too few to tell."""
        for _ in range(4):
            call(breakers, OUTAGE)
            call(breakers)
        call(breakers)
        assert breakers.circuits_of(SALON) == ALL_CLOSED
        call(breakers, OUTAGE)
        assert breakers.circuits_of(SALON) == OPEN

    def test_what_is_older_than_thirty_seconds_does_not_count_in_the_half(self, breakers, clock):
        """Nine alternating calls, half a minute, another nine: closed."""
        for _ in range(2):
            for number in range(9):
                call(breakers, OUTAGE if number % 2 else None)
            clock.wait(30)
        assert breakers.circuits_of(SALON) == ALL_CLOSED

    def test_many_successes_outweigh_few_failures(self, breakers, clock):
        """What worked before the trouble began counts as well."""
        for _ in range(20):
            call(breakers)
            clock.wait(1)
        for _ in range(6):
            call(breakers, OUTAGE)
            call(breakers)
        assert breakers.circuits_of(SALON) == ALL_CLOSED

    @pytest.mark.parametrize("type", list(ErrorType))
    def test_only_what_the_integration_is_to_blame_for_counts(self, breakers, type):
        """A taken time or a wrong argument is an answer; an outage, a limit, a lost authorisation is none."""
        for _ in range(5):
            call(breakers, ToolError(type, "no"))
        assert breakers.circuits_of(SALON) == (OPEN if type in FAILURES else ALL_CLOSED)

    def test_what_nobody_foresaw_counts(self, breakers):
        """It becomes INTERNAL at the boundary."""
        for _ in range(5):
            call(breakers, KeyError())
        assert breakers.circuits_of(SALON) == OPEN

    def test_neither_a_cancellation_nor_a_refusal_counts(self, breakers):
        """A caller who hangs up says nothing about the calendar."""
        for _ in range(20):
            call(breakers, asyncio.CancelledError())
            call(breakers, Refused(ErrorType.RATE_LIMIT, "no"))
        assert breakers.circuits_of(SALON) == ALL_CLOSED

    def test_what_somebody_else_has_under_way_says_nothing_of_the_integration(self, breakers):
        """A booking that a dead process holds is waited for; the calendar itself has answered."""
        for _ in range(20):
            call(breakers, NothingNew(ErrorType.TRANSIENT, "is being confirmed", partial_side_effects=True))
        assert breakers.circuits_of(SALON) == ALL_CLOSED

    def test_an_outage_of_our_own_store_is_not_blamed_on_the_integration(self, breakers):
        """Neither raw nor as the desk words it."""
        worded = ToolError(ErrorType.TRANSIENT, "no")
        worded.__cause__ = Unavailable("hangs")
        for _ in range(20):
            call(breakers, worded)
            call(breakers, Unavailable("hangs"))
        assert breakers.circuits_of(SALON) == ALL_CLOSED

    def test_each_business_and_each_integration_has_its_own(self, breakers):
        """One tenant's broken calendar is nobody else's."""
        fail(breakers)
        assert breakers.circuits_of("plumber") == ALL_CLOSED
        assert call(breakers, business="plumber")
        assert call(breakers, integration="twilio")
        assert breakers.circuits_of(SALON) == OPEN

    def test_a_tool_without_an_integration_has_no_circuit(self, breakers):
        """It may fail as often as it likes."""
        assert fail(breakers, 20, integration=None) == [True] * 20
        assert breakers.circuits_of(SALON) == ALL_CLOSED

    def test_who_is_refused_learns_the_condition(self, breakers):
        """MODE_RESTRICTED with `circuit:<integration>`, like the offer's own no; nothing was done."""
        fail(breakers)
        with pytest.raises(Refused) as caught, breakers.attempt(SALON, GOOGLE):
            pass
        assert (caught.value.type, caught.value.meta) == (
            ErrorType.MODE_RESTRICTED,
            {"condition": "circuit:googleCalendar"},
        )
        assert caught.value.partial_side_effects is False


class TestClosing:
    """Open for 15 s, then one probe at a time; a success closes it."""

    @pytest.fixture(autouse=True)
    def opened(self, breakers):
        fail(breakers)

    def test_after_fifteen_seconds_it_may_be_tried_and_a_success_closes_it(self, breakers, clock):
        """Until then nobody is let through; afterwards it starts anew, with no failures."""
        clock.wait(14.9)
        assert not call(breakers)
        clock.wait(0.1)
        assert breakers.circuits_of(SALON) == RECOVERING
        assert call(breakers)
        assert breakers.circuits_of(SALON) == ALL_CLOSED
        assert fail(breakers, 4) == [True] * 4
        assert breakers.circuits_of(SALON) == ALL_CLOSED

    def test_a_probe_that_fails_opens_it_for_another_fifteen_seconds(self, breakers, clock):
        """One call, not five."""
        clock.wait(15)
        assert fail(breakers, 2) == [True, False]
        clock.wait(14.9)
        assert breakers.circuits_of(SALON) == OPEN

    def test_only_one_call_tries_at_a_time(self, breakers, clock):
        """For all others it is open meanwhile, also in what is offered."""
        clock.wait(15)
        with breakers.attempt(SALON, GOOGLE):
            assert not call(breakers)
            assert breakers.circuits_of(SALON) == OPEN
        assert call(breakers)

    @pytest.mark.parametrize("error", [asyncio.CancelledError(), ToolError(ErrorType.VALIDATION, "no")])
    def test_a_probe_that_tells_nothing_leaves_the_next_call_to_try(self, breakers, clock, error):
        """At once: nothing has been learnt."""
        clock.wait(15)
        call(breakers, error)
        assert breakers.circuits_of(SALON) == RECOVERING
        assert call(breakers)
        assert breakers.circuits_of(SALON) == ALL_CLOSED

    def test_a_probe_that_never_comes_back_makes_room_for_another(self, breakers, clock):
        """And has no say any more when it comes back after all."""
        clock.wait(15)
        lost = breakers.attempt(SALON, GOOGLE)
        lost.__enter__()
        clock.wait(29.9)
        assert not call(breakers)
        clock.wait(0.1)
        assert fail(breakers, 1) == [True]
        lost.__exit__(None, None, None)
        assert breakers.circuits_of(SALON) == OPEN

    def test_calls_that_began_before_it_opened_decide_nothing(self, breakers, clock):
        """Neither their late success while it is open nor their late failures after it has closed."""
        fresh = Breakers(clock)
        late = [fresh.attempt(SALON, GOOGLE) for _ in range(20)]
        for attempt in late:
            attempt.__enter__()
        fail(fresh)
        late[0].__exit__(None, None, None)
        assert fresh.circuits_of(SALON) == OPEN
        clock.wait(15)
        call(fresh)
        for attempt in late[1:]:
            attempt.__exit__(ToolError, OUTAGE, None)
        assert fresh.circuits_of(SALON) == ALL_CLOSED

    def test_one_of_two_integrations_may_recover(self, breakers, clock):
        """The other stays as it is."""
        clock.wait(14)
        fail(breakers, integration="twilio")
        clock.wait(1)
        assert breakers.circuits_of(SALON) == Circuits(frozenset({"twilio"}), frozenset({GOOGLE}))
        call(breakers)
        assert breakers.circuits_of(SALON) == Circuits(open=frozenset({"twilio"}))


def test_an_outage_of_a_minute_at_twenty_calls_a_second_costs_few_calls(breakers, clock):
    """Reference reliability, last table: at most 60 upstream; here it is 5, and one in every 15 s."""
    came_through = 0
    for _ in range(60 * 20):
        came_through += call(breakers, OUTAGE)
        clock.wait(0.05)
    assert came_through <= 5 + 4


def test_only_so_many_circuits_are_kept(breakers, monkeypatch):
    """The oldest open one is forgotten, which means closed, when too many businesses are in trouble at once."""
    monkeypatch.setattr(breaker, "CIRCUITS_KEPT", 3)
    for number in range(4):
        fail(breakers, business=f"b{number}", integration="email")
    assert [breakers.circuits_of(f"b{number}") for number in range(4)] == [ALL_CLOSED, MAIL, MAIL, MAIL]
    assert call(breakers, business="b0")
    assert len(breakers._open) == 3


def test_an_open_circuit_is_remembered_however_many_others_are_used(clock, monkeypatch):
    """And a success closes it all the same."""
    monkeypatch.setattr(breaker, "CIRCUITS_KEPT", 2)
    breakers = Breakers(clock)
    fail(breakers)
    assert all(call(breakers, business=f"b{number}") for number in range(5))
    assert not call(breakers)
    clock.wait(15)
    assert call(breakers)
    assert breakers.circuits_of(SALON) == ALL_CLOSED


def test_a_business_without_trouble_takes_no_place_among_the_open(breakers, clock):
    """So that asking for it costs one look."""
    call(breakers)
    fail(breakers, business="plumber")
    clock.wait(15)
    call(breakers, business="plumber")
    assert breakers._open == {}


def test_a_call_that_its_turn_cut_off_says_nothing_of_its_service(breakers):
    """It was given what was left, which may have been nothing."""
    cut = ToolError(ErrorType.TRANSIENT, "slow", meta={"timedOut": True, "turnUsedUp": True})
    for _ in range(20):
        call(breakers, cut)
    assert breakers.circuits_of(SALON) is ALL_CLOSED


class TestVendors:
    """A circuit of the vendor's own, beside those of businesses."""

    @pytest.mark.requirement("001-87")
    def test_five_quiet_businesses_find_out_together_that_a_vendor_is_away(self, breakers):
        """Each makes one call: the sixth business is not made to wait as well."""
        assert [fail(breakers, 1, business=f"b{n}") for n in range(5)] == [[True]] * 5
        assert fail(breakers, 1, business="b5") == [False]
        assert breakers.circuits_of("b6") == Circuits(open=frozenset({GOOGLE}), shared=frozenset({GOOGLE}))

    @pytest.mark.parametrize("businesses", [1, 2])
    def test_one_or_two_businesses_take_a_vendor_from_nobody_else(self, breakers, businesses):
        for n in range(40):
            fail(breakers, 1, business=f"b{n % businesses}")
        assert breakers.circuits_of("other") is ALL_CLOSED

    def test_it_comes_back_for_all_with_the_first_call_that_works(self, breakers, clock):
        for n in range(5):
            fail(breakers, 1, business=f"b{n}")
        clock.wait(15)
        assert breakers.circuits_of("b9").recovering == {GOOGLE}
        assert call(breakers, business="b9")
        assert breakers.circuits_of("b0") is ALL_CLOSED

    def test_while_one_business_tries_all_others_are_kept_out(self, breakers, clock):
        for n in range(5):
            fail(breakers, 1, business=f"b{n}")
        clock.wait(15)
        with breakers.attempt("b0", GOOGLE):
            assert not call(breakers, business="b1")
        assert call(breakers, business="b1")

    @pytest.mark.parametrize("type", [ErrorType.AUTH, ErrorType.RATE_LIMIT, ErrorType.INTERNAL])
    def test_an_account_that_is_refused_says_nothing_of_the_vendor(self, breakers, type):
        for n in range(20):
            call(breakers, ToolError(type, "no"), business=f"b{n}")
        assert breakers.circuits_of("other") is ALL_CLOSED

    def test_half_of_the_calls_of_several_businesses_are_enough_too(self, breakers):
        for n in range(10):
            call(breakers, OUTAGE if n % 2 else None, business=f"b{n}")
        assert breakers.circuits_of("other").shared == {GOOGLE}

    @pytest.mark.parametrize("integration", ["email", "caldavCalendar"])
    def test_servers_that_each_business_chooses_are_not_one_vendor(self, breakers, integration):
        for n in range(20):
            fail(breakers, 1, business=f"b{n}", integration=integration)
        assert breakers.circuits_of("other") is ALL_CLOSED

    @pytest.mark.requirement("001-87")
    @pytest.mark.parametrize("host", ["hooks.zapier.com", "script.google.com:8443", "localhost:9000"])
    def test_what_owners_have_at_a_host_that_many_share_takes_it_from_nobody_else(self, breakers, host):
        """A path that is broken, or given too little time, is one owner's; the circuit of that business opens."""
        for n in range(20):
            fail(breakers, 1, business=f"b{n % 4}", integration=host)
        assert breakers.circuits_of("other") is ALL_CLOSED
        assert breakers.circuits_of("b0") == Circuits(open=frozenset({host}))

    def test_one_state_is_one_object(self, breakers):
        """So that an offer that was made in it is kept while a vendor is away."""
        for n in range(5):
            fail(breakers, 1, business=f"b{n}")
        assert breakers.circuits_of("x") is breakers.circuits_of("y")
