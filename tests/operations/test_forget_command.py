"""scripts/forget: looks first, deletes only when told so, and says what stays."""

import asyncio
from typing import Any

import pytest

from operations import forgetting
from switchboard.contract.store import Create, Delete, Set
from switchboard.state.memory.store import MemoryStore
from tests.operations.premises import BUSINESS, CANARY, PATHS

WITHIN = PATHS.within(BUSINESS)
CALLER = WITHIN.document("callers", "c1")


@pytest.fixture
def store() -> MemoryStore:
    """A business that knows one caller."""
    found = MemoryStore()
    record = {"name": CANARY.name, "phone": CANARY.number}
    asyncio.run(found.commit([Create(WITHIN.business, {"name": "Salon"}), Create(CALLER, record)]))
    return found


@pytest.fixture
def forget(store: MemoryStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """The command over that store."""
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "demo-forget")
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")

    def run(*arguments: str) -> tuple[int, str]:
        code = forgetting.main(arguments, lambda _: store)
        out, err = capsys.readouterr()
        return code, out + err

    return run


def is_there(store: MemoryStore, path: str) -> bool:
    return asyncio.run(store.get(path)) is not None


def test_a_caller_is_counted_first_and_deleted_when_told_so(forget, store):
    """Any spelling of the number with its country."""
    code, said = forget("caller", BUSINESS, "+1 (518) 555-0196")
    assert (code, "to delete: 1 in callers" in said, is_there(store, CALLER)) == (0, True, True)
    code, said = forget("caller", BUSINESS, CANARY.number, "--yes")
    assert (code, "deleted: 1 in callers" in said, is_there(store, CALLER)) == (0, True, False)
    assert forget("caller", BUSINESS, CANARY.number)[1] == "nothing is kept of this caller\n"


@pytest.mark.parametrize("number", [[], ["5550196"], ["anna"]])
def test_a_number_without_its_country_is_nobodys(forget, store, number):
    """Guessing could delete somebody else."""
    code, said = forget("caller", BUSINESS, *number, "--yes")
    assert (code, "with its country" in said, is_there(store, CALLER)) == (1, True, True)


def test_a_business_that_never_was_is_named_and_one_that_is_gone_can_still_be_cleaned_up(forget, store):
    """A slip in the business's name must not read as if nothing were kept of the caller."""
    code, said = forget("caller", "nobody-there", CANARY.number)
    assert (code, "there is no business 'nobody-there'" in said) == (1, True)
    asyncio.run(store.commit([Delete(WITHIN.business), Create(WITHIN.document("faqs", "f"), {})]))
    code, said = forget("caller", BUSINESS, CANARY.number, "--yes")
    assert (code, "deleted: 1 in callers" in said, is_there(store, CALLER)) == (0, True, False)
    assert forget("caller", BUSINESS, CANARY.number) == (0, "nothing is kept of this caller\n")
    asyncio.run(store.commit([Delete(WITHIN.document("faqs", "f"))]))
    assert forget("caller", BUSINESS, CANARY.number)[0] == 1


@pytest.mark.parametrize("yes", [["--yes"], ["--yes", "demo-plumber"], []])
def test_a_business_is_deleted_only_if_it_is_named_twice(forget, store, yes):
    """A dry run and a slip of the finger delete nothing."""
    code, said = forget("business", BUSINESS, *yes)
    assert (code, f"--yes {BUSINESS}" in said, is_there(store, WITHIN.business)) == (1 if yes else 0, True, True)


@pytest.mark.requirement("004-772")
def test_the_tools_that_callers_would_lose_are_told_before_a_business_is_deleted(forget, store):
    """Each once with the channels where it is offered now, and why."""
    said = forget("business", BUSINESS)[1]
    (lost,) = (line for line in said.splitlines() if "would lose" in line)
    assert lost.startswith(f"{BUSINESS} would lose ") and "there is no such business any more" in lost
    assert "end_call on phone" in lost


def test_a_business_that_is_named_twice_is_gone(forget, store):
    """With everything below it; a second time there is nothing to do."""
    deleted, elsewhere = forget("business", BUSINESS, "--yes", BUSINESS)[1].splitlines()
    assert deleted == "deleted: 1 in businesses, 1 in callers"
    # Who has a role in it would have that in whatever gets the same id later.
    assert "scripts/grant --list" in elsewhere and "consents to calendars" in elsewhere
    assert not is_there(store, WITHIN.business)
    code, said = forget("business", BUSINESS, "--yes", BUSINESS)
    assert (code, "there is nothing" in said) == (1, True)


def test_an_empty_id_of_a_business_is_told_as_that(forget, store, capsys):
    """As a script hands it on whose variable was never set."""
    for arguments in (["business", ""], ["caller", "", CANARY.number]):
        with pytest.raises(SystemExit):
            forget(*arguments)
        assert "its id is empty" in capsys.readouterr().err


def test_the_number_may_stand_behind_the_word_that_deletes(forget, store):
    """`--yes +1...` can mean nothing else."""
    assert forget("caller", BUSINESS, "--yes", CANARY.number)[0] == 0
    assert not is_there(store, CALLER)


def test_a_caller_of_two_businesses_at_once_is_deleted_in_neither(forget, store):
    """Whoever confirms another business than the one that was named has slipped."""
    code, said = forget("caller", BUSINESS, CANARY.number, "--yes", "demo-plumber")
    assert (code, "demo-plumber?" in said, is_there(store, CALLER)) == (1, True, True)
    assert forget("caller", BUSINESS, CANARY.number, "--yes", BUSINESS)[0] == 0
    assert not is_there(store, CALLER)


def enter(store: MemoryStore, id: str, **record: Any) -> None:
    asyncio.run(store.commit([Create(WITHIN.document("callers", id), record)]))


def test_a_customer_is_forgotten_by_all_numbers_on_file(forget, store):
    """Once the record is gone, nothing leads from one number to the other any more."""
    enter(store, "c2", name="Otto Anders", phone="+15185550111", otherPhones=["(518) 555-0112"])
    talk = WITHIN.document("interactions", "CA1")
    asyncio.run(store.commit([Create(talk, {"callerPhone": "+15185550112", "transcript": []})]))
    asyncio.run(store.commit([Set(WITHIN.business, {"name": "Salon", "phone": "+15185550142"})]))
    code, said = forget("caller", BUSINESS, "+15185550111", "--yes")
    assert (code, "all numbers of the customer: +15185550111, +15185550112" in said) == (0, True)
    assert (is_there(store, talk), is_there(store, CALLER)) == (False, True)


def test_a_number_of_several_customers_is_told_before_all_of_them_are_forgotten(forget, store):
    """Families share a telephone; whoever wants to be forgotten does not take the others along by themselves."""
    enter(store, "c2", name="Otto Anders", phone=CANARY.number)
    code, said = forget("caller", BUSINESS, CANARY.number, "--yes")
    assert (code, is_there(store, CALLER)) == (1, True)
    assert f"{CANARY.name} (c1)" in said and "Otto Anders (c2)" in said and "--everybody" in said
    code, said = forget("caller", BUSINESS, CANARY.number, "--yes", "--everybody")
    assert (code, "deleted: 2 in callers" in said, is_there(store, CALLER)) == (0, True, False)


def test_what_stands_against_a_number_is_no_second_customer(forget, store):
    """A record that a flag has made tells nobody."""
    enter(store, "c2", phone=CANARY.number, flagged=True)
    assert forget("caller", BUSINESS, CANARY.number, "--yes")[0] == 0
    assert not is_there(store, CALLER)


def test_rows_of_the_businesss_own_collections_that_name_the_caller_are_counted(forget, store):
    """They are the business's to delete; whoever is asked to forget somebody has to know of them."""
    row = f"{WITHIN.items('waitlist')}/r1"
    asyncio.run(store.commit([Create(row, {"who": "Somebody", "phone": "(518) 555-0196"})]))
    code, said = forget("caller", BUSINESS, CANARY.number, "--yes")
    assert (code, "own collections, where it stays: 1 in waitlist" in said, is_there(store, row)) == (0, True, True)
