"""How long a server asks to be left alone, in whatever form it says so."""

from switchboard.contract.retry_after import retry_after_s
from tests.each import each


@each(
    ("told", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("99999", 60.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 -2300", 60.0),
        ("", None),
        ("soon", None),
        ("-3", None),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
        ("1 Jan 2030 00:00:00 +99999999999999999999", None),
    ],
)
def test_a_wait_is_read_whatever_a_server_writes(told, seconds):
    """What cannot be meant says nothing; it is no failure of ours."""
    assert retry_after_s({"Retry-After": told}, 60.0) == seconds
