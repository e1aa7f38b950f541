"""Whom of a business's people a caller means, by title and name."""

import pytest

from switchboard.contract.business.people_names import those_called
from switchboard.contract.business.resources import Resource
from tests.each import each

pytestmark = pytest.mark.requirement("004-2002")

ANNA = Resource("anna", "Dr. Anna Reid")
BEN = Resource("ben", "Dr. Ben Okafor")
BEN_LAKESIDE = Resource("ben-lakeside", "Dr. Ben Okafor (Lakeside)")
KIM = Resource("kim", "Kim Lee")
DON = Resource("don", "Don Miller")
PFLEGER = Resource("eva", "Eva Pfleger")
PEOPLE = (ANNA, BEN, KIM, DON, PFLEGER)


@each(
    ("said", "meant"),
    [
        ("Dr. Reid", ANNA),
        ("Doctor Reid", ANNA),
        ("Anna Reid", ANNA),
        ("Reid, Anna", ANNA),
        ("Dr. Anna", ANNA),
        ("Dr.Reid", ANNA),
        ("anna", ANNA),
        ("Frau Dr. Reid", ANNA),
        ("die Frau Doktor Reid", ANNA),
        ("la doctora Reid", ANNA),
        ("la Dra. Reid", ANNA),
        ("docteure Reid", ANNA),
        ("Mme Reid", ANNA),
        ("la dottoressa Reid", ANNA),
        ("dott.ssa Reid", ANNA),
        ("a doutora Reid", ANNA),
        ("mevrouw Reid", ANNA),
        ("Professor Okafor", BEN),
        ("Herrn Okafor", BEN),
        ("nurse Kim", KIM),
        ("Schwester Kim", KIM),
        ("Miss Lee", KIM),
        ("don Miller", DON),
        ("Don", DON),
        ("Don Miller", DON),
        ("Frau Pfleger", PFLEGER),
        ("Dr. Anna Kim", None),
        ("Anna Pfleger", None),
        ("Dr. Smith", None),
        ("Dr.", None),
        ("Don Reid", None),
        ("", None),
    ],
)
def test_a_title_counts_for_nothing_and_a_part_of_the_name_suffices(said: str, meant: Resource | None) -> None:
    """However the business wrote the name."""
    found = those_called(PEOPLE, said)
    assert found == [meant] if meant is not None else len(found) != 1


def test_of_several_whom_a_name_fits_those_count_who_do_what_is_asked_for() -> None:
    """Whoever works in two places, entered twice, is found where the service is done, also by the whole name."""
    people = (*PEOPLE, BEN_LAKESIDE)
    for said in ("Dr. Ben Okafor", "Dr. Okafor", "Ben"):
        assert those_called(people, said, [BEN_LAKESIDE, ANNA]) == [BEN_LAKESIDE]
        assert those_called(people, said, [BEN, ANNA]) == [BEN]
    assert those_called(people, "Dr. Okafor", [BEN, BEN_LAKESIDE]) == [BEN, BEN_LAKESIDE]
    assert those_called(people, "Dr. Okafor", [ANNA]) == [BEN, BEN_LAKESIDE]
    assert those_called(people, "Dr. Ben Okafor") == [BEN]


def test_a_whole_name_or_an_id_means_nobody_with_a_longer_name() -> None:
    """Whatever they do: who asks for Anna is not booked with Anna Meier without a word."""
    anna, meier = Resource("anna", "Anna"), Resource("anna-meier", "Anna Meier")
    reid, julia = Resource("r", "Dr. Reid"), Resource("reid-j", "Julia Reid")
    people = (anna, meier, reid, julia)
    for said, meant in (
        ("anna", anna),
        ("Anna", anna),
        ("Frau Anna", anna),
        ("Dr. Reid", reid),
        ("Reid", reid),
        ("r", reid),
    ):
        assert those_called(people, said, [meier, julia]) == [meant]
        assert those_called(people, said) == [meant]
    assert those_called(people, "Meier", [meier, julia]) == [meier]
    # Of where somebody works the whole name is told by whoever names the place.
    assert those_called((BEN, BEN_LAKESIDE), "Dr. Ben Okafor (Lakeside)", [BEN]) == [BEN_LAKESIDE]
    assert those_called((BEN, BEN_LAKESIDE), "Ben Okafor", [BEN_LAKESIDE]) == [BEN_LAKESIDE]
