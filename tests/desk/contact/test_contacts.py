"""Phone numbers and e-mail addresses in free text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.desk.contact.contacts import MOST, FoundNumber, contacts_in
from tests.cpu_time import taking_less_than
from tests.desk.front_desk import salon
from tests.each import each

SALON, PLUMBER = salon(), salon(phone="+493023125410")


@pytest.mark.requirement("003-60")
@each(
    ("text", "phones", "emails"),
    [
        ("Call (518) 555-0177 or 518.555.0161.", ["+15185550177", "+15185550161"], []),
        ("Ring 030 23125501 in Berlin: +49 30 23125502", ["+493023125502"], []),
        ("Write to Anna.Whitfield@Mail.Example, please.", [], ["anna.whitfield@mail.example"]),
        ("<a@b.example>, (c+d@e-f.example); 'g@h.example'.", [], ["a@b.example", "c+d@e-f.example", "g@h.example"]),
        ("mailto:a@b.example", [], ["a@b.example"]),
        ("518 555 0177, again 518-555-0177, and +1 518 555 0177", ["+15185550177"], []),
        ("A@B.example a@b.example", [], ["a@b.example"]),
        ("anna5185550177@mail.example", [], ["anna5185550177@mail.example"]),
        ("\u202a518\u202c 555\u200b 0177", ["+15185550177"], []),
        ("\uff15\uff11\uff18 \uff15\uff15\uff15 \uff10\uff11\uff17\uff17", ["+15185550177"], []),
        ("On 2027-03-16 at 10:00, order 1234567, $48", [], []),
        ("a@b, @b.example, a@.example, a@b..example, a b@", [], []),
        ("", [], []),
    ],
)
def test_what_is_written_is_found_in_one_spelling(text, phones, emails):
    """Each once, in order; numbers as they are dialled where the business is."""
    found = contacts_in(text, SALON)
    assert ([phone.number for phone in found.phones], list(found.emails)) == (phones, emails)
    assert not found.is_cut


def test_a_number_is_read_as_it_is_dialled_where_the_business_is():
    """What was written is kept beside it."""
    found = contacts_in("Ring 030 23125501.", PLUMBER)
    assert found.phones == (FoundNumber("+493023125501", "030 23125501"),)


@pytest.mark.parametrize("count", [MOST, MOST + 5])
def test_a_long_list_is_cut(count):
    """And says so."""
    numbers = [f"+1518555{n:04}" for n in range(100, 100 + count)]
    text = " ".join([*numbers, *(f"a{n}@b.example" for n in range(count))])
    found = contacts_in(text, SALON)
    assert (len(found.phones), len(found.emails), found.is_cut) == (MOST, MOST, count > MOST)


@given(st.text(max_size=200))
def test_any_text_may_be_searched(text):
    """What is found is a number or an address."""
    found = contacts_in(text, SALON)
    assert all(phone.number.startswith("+") for phone in found.phones)
    assert all("@" in email for email in found.emails)


@pytest.mark.parametrize("text", ["1 " * 3_000, "1" * 6_000, "a@" * 3_000, "a." * 3_000, "(((" * 2_000, "a@b." * 1_500])
def test_no_text_takes_long(text):
    """A caller cannot make others wait by what they write; the bound leaves room for a busy machine."""
    contacts_in("warm up: 518 555 0177", SALON)
    with taking_less_than(1):
        contacts_in(text, SALON)
