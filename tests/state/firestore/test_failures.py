"""The table that turns Google's failures into ours."""

import inspect

import google.api_core.exceptions
import google.auth.exceptions

from switchboard.contract.store import AlreadyExists, Invalid, Missing, Stale, StoreError, Unavailable
from switchboard.state.firestore.failures import FAILURES, translated
from tests.each import each

RAISED = [
    kind
    for _, kind in inspect.getmembers(google.api_core.exceptions, inspect.isclass)
    if issubclass(kind, Exception) and kind.__module__ == google.api_core.exceptions.__name__
]

NAME = "projects/p/databases/(default)/documents/database/x"


def test_every_failure_of_the_library_has_a_row() -> None:
    """A class that a new version of the library brings must be decided about, by name."""
    assert len(RAISED) > 30
    assert [kind.__name__ for kind in RAISED if kind.__name__ not in FAILURES] == []


def test_no_row_is_for_nothing() -> None:
    """Every row names a class that exists."""
    known = {kind.__name__ for kind in RAISED} | {"GoogleAuthError", "RpcError", "TimeoutError"}
    assert set(FAILURES) == known


@each(
    ("error", "committing", "expected"),
    [
        (google.api_core.exceptions.AlreadyExists("x"), True, AlreadyExists),
        (google.api_core.exceptions.NotFound("no entity to update"), True, Missing),
        (google.api_core.exceptions.NotFound(f"No document to update: {NAME}"), True, Missing),
        (google.api_core.exceptions.FailedPrecondition("the stored version does not match"), True, Stale),
        (google.api_core.exceptions.InvalidArgument("x"), True, Invalid),
        (google.api_core.exceptions.DeadlineExceeded("x"), True, Unavailable),
        (google.api_core.exceptions.ServiceUnavailable("x"), True, Unavailable),
        (google.api_core.exceptions.Aborted("contention"), True, Unavailable),
        (google.api_core.exceptions.PermissionDenied("x"), False, Unavailable),
        (google.api_core.exceptions.NotFound("The database (default) does not exist"), True, Unavailable),
        (google.api_core.exceptions.NotFound("The database (default) does not exist"), False, Unavailable),
        (google.api_core.exceptions.NotFound("The project p does not contain a Firestore database"), True, Unavailable),
        (google.auth.exceptions.RefreshError("x"), False, Unavailable),
        (google.auth.exceptions.DefaultCredentialsError("x"), False, Unavailable),
        (TimeoutError(), True, Unavailable),
    ],
)
def test_each_failure_is_told_by_its_class(error: Exception, committing: bool, expected: type[StoreError]) -> None:
    """Subclasses count as what they are, not as their parents; what no row names is an outage."""
    assert type(translated(error, committing=committing)) is expected


def test_a_missing_index_is_the_querys_fault_and_names_the_remedy() -> None:
    """Firestore reports it as a precondition; the message keeps the link that creates the index."""
    link = "https://console.firebase.google.com/v1/r/project/p/firestore/indexes?create_composite=x"
    error = google.api_core.exceptions.FailedPrecondition(
        f"The query requires an index. You can create it here: {link}"
    )
    for committing in (False, True):
        failure = translated(error, committing=committing)
        assert type(failure) is Invalid
        assert link in str(failure)
