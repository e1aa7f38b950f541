"""A tool for verified callers is refused to others with what would work, where anything would."""

from types import SimpleNamespace

import pytest

from switchboard.contract.error import ErrorType, Refused
from switchboard.pipeline.checks.admit import admit


def refused(*, can_verify: bool, verification: str = "phone", opened_by: str | None = None) -> Refused:
    """Return what is said to somebody who is not verified."""
    offer = SimpleNamespace(
        why_not=lambda name: None,
        business=object(),
        named=lambda name: object() if can_verify and name == "verify_caller" else None,
    )
    definition = SimpleNamespace(name="lookup_notes", verified=True, callers_own=False, opened_by=opened_by)
    business = SimpleNamespace(caller_verification=verification, features=(), name="The salon")
    with pytest.raises(Refused) as caught:
        admit(
            SimpleNamespace(  # type: ignore[arg-type]
                call=SimpleNamespace(name="lookup_notes"),
                offer=offer,
                definition=definition,
                business=business,
                tool=None,
                facts=SimpleNamespace(caller_verified=False),
            )
        )
    return caught.value


@pytest.mark.requirement("000-374")
def test_who_is_not_verified_is_told_how_that_is_done_or_that_it_cannot_be():
    """The model asks nobody who they are where that helps nothing."""
    said = refused(can_verify=True)
    assert (said.type, said.meta) == (ErrorType.MODE_RESTRICTED, {"condition": "session:verified"})
    assert "verify them first, then call it again" in said.message
    said = refused(can_verify=False)
    assert said.meta == {"condition": "session:verified"}
    assert "Nobody can be verified here" in said.message


@pytest.mark.requirement("000-374")
def test_where_nobody_is_verified_the_owner_is_told_what_opens_it():
    said = refused(can_verify=False, verification="none", opened_by="open_notes")
    assert (said.type, said.meta) == (ErrorType.MODE_RESTRICTED, {"condition": "session:verified"})
    assert "ai.callerVerification" in said.message and "open_notes" in said.message
