"""Classes made by our `dataclass` do what those of the library do, and each is held against its twin there."""

import ast
import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.context import PhoneContext
from switchboard.contract.python.dataclass import dataclass
from tests.architecture.house import FUNCTIONS, ROOT, python_under

Decorator = Callable[..., Any]


def family(dataclass: Decorator) -> SimpleNamespace:
    """Return classes of every kind that is in use, made by this decorator."""

    @dataclass(frozen=True, slots=True)
    class Point:
        """With a docstring."""

        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list)
        secret: str = field(default="", repr=False)
        note: str = field(default="", compare=False)
        kinds: ClassVar[int] = 3

        @property
        def sum(self) -> int:
            return self.x + self.y

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Base:
        a: int
        b: int = 1

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Derived(Base):
        c: tuple[int, ...] = ()
        b: int = 5

    @dataclass(slots=True)
    class Changing:
        x: int
        many: dict[str, int] = field(default_factory=dict)
        own: list[int] = field(init=False, default_factory=list)
        later: int = field(init=False)
        fixed: int = field(init=False, default=4)

        def __post_init__(self) -> None:
            self.later = self.x + 1

    @dataclass(frozen=True, slots=True)
    class Words:
        text: str

        def __repr__(self) -> str:
            return "words"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Words) and self.text.lower() == other.text.lower()

        def __hash__(self) -> int:
            return 7

    @dataclass(frozen=True, slots=True)
    class OwnEquality:
        text: str

        def __eq__(self, other: object) -> bool:
            return True

    @dataclass(frozen=True, slots=True, eq=False)
    class Same:
        x: int

    @dataclass(slots=True, eq=False)
    class SameChanging:
        x: int

    @dataclass(frozen=True, slots=True)
    class Nothing:
        pass

    @dataclass(frozen=True, slots=True)
    class Mixed:
        x: int
        made: list[int] = field(kw_only=True, default_factory=list)
        y: int = 3

    @dataclass(frozen=True)
    class Loose:
        x: int

    @dataclass
    class LooseChanging:
        x: int = 1

    return SimpleNamespace(**{name: made for name, made in locals().items() if isinstance(made, type)})


OURS, THEIRS = family(dataclass), family(dataclasses.dataclass)

MAKINGS: list[tuple[str, Callable[[Any], Any]]] = [
    (name, make)
    for name, makes in {
        "Point": [
            lambda cls: cls(1),
            lambda cls: cls(1, 3, ["a"], "s", "n"),
            lambda cls: cls(x=1, note="other"),
            lambda cls: cls(tags=[], x=1, y=2),
            lambda cls: cls([], 3),
        ],
        "Derived": [lambda cls: cls(a=1), lambda cls: cls(c=(2,), a=1, b=1), lambda cls: cls(a=1, b=5)],
        "Base": [lambda cls: cls(a=1)],
        "Changing": [lambda cls: cls(1), lambda cls: cls(1, {"a": 1}), lambda cls: cls(x=2, many={})],
        "Words": [lambda cls: cls("Hi"), lambda cls: cls("hi")],
        "OwnEquality": [lambda cls: cls("Hi"), lambda cls: cls("ho")],
        "Same": [lambda cls: cls(1)],
        "SameChanging": [lambda cls: cls(1)],
        "Nothing": [lambda cls: cls()],
        "Mixed": [lambda cls: cls(1), lambda cls: cls(1, 2, made=[3]), lambda cls: cls(1, y=2)],
        "Loose": [lambda cls: cls(1)],
        "LooseChanging": [lambda cls: cls()],
    }.items()
    for make in makes
]
BY_IDENTITY = ("Same", "SameChanging")


def outcome(ask: Callable[[], Any]) -> Any:
    """Return what it gives, or what it raises with which words."""
    try:
        return ask()
    except Exception as error:
        return type(error), str(error)


def fields_of(made: Any) -> list[Any]:
    return [getattr(made, one.name) for one in dataclasses.fields(made)]


@pytest.mark.parametrize(("name", "make"), MAKINGS)
def test_an_instance_is_what_the_librarys_is(name, make):
    ours, theirs = (make(getattr(made, name)) for made in (OURS, THEIRS))
    assert fields_of(ours) == fields_of(theirs)
    assert repr(ours) == repr(theirs)
    if name not in BY_IDENTITY:
        assert outcome(lambda: hash(ours)) == outcome(lambda: hash(theirs))
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert type(ours).__match_args__ == type(theirs).__match_args__
    assert hasattr(ours, "__dict__") == hasattr(theirs, "__dict__")


@pytest.mark.parametrize("name", sorted(vars(THEIRS)))
def test_instances_equal_each_other_as_the_librarys_do(name):
    ours, theirs = ([make(getattr(made, name)) for of, make in MAKINGS if of == name] for made in (OURS, THEIRS))
    others = [1, None, OURS.Nothing(), OURS.Base(a=1)]
    again = [make(getattr(OURS, name)) for of, make in MAKINGS if of == name]
    again_theirs = [make(getattr(THEIRS, name)) for of, make in MAKINGS if of == name]
    assert [one == other for one in ours for other in (*ours, *again)] == [
        one == other for one in theirs for other in (*theirs, *again_theirs)
    ]
    if name not in ("OwnEquality", "Nothing", "Base"):
        assert all(one != other for one in ours for other in others)


@pytest.mark.parametrize(("name", "make"), MAKINGS)
def test_a_frozen_field_can_neither_be_set_nor_deleted(name, make):
    """In the library's words; a field of what is not frozen can be both."""

    def tried(made: SimpleNamespace, field: str) -> list[Any]:
        one = make(getattr(made, name))
        return [
            outcome(lambda: setattr(one, field, 9)),
            outcome(lambda: delattr(one, field)),
            outcome(lambda: one == 1),
        ]

    for one in dataclasses.fields(getattr(OURS, name)):
        assert tried(OURS, one.name) == tried(THEIRS, one.name)


def test_nothing_else_can_be_set_on_what_is_frozen_either():
    """The library means to say so as well, but stumbles over the class that it made anew for the slots."""
    for attribute in ("other", "kinds", "sum"):
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{attribute}'"):
            setattr(OURS.Point(1), attribute, 2)
        with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{attribute}'"):
            delattr(OURS.Point(1), attribute)


def test_a_class_derived_without_the_decorator_keeps_its_fields_frozen_only():
    class Below(OURS.Point):  # type: ignore[misc,name-defined]
        pass

    one = Below(1)
    one.other = 5
    assert one.other == 5
    del one.other
    with pytest.raises(FrozenInstanceError):
        one.x = 2
    with pytest.raises(FrozenInstanceError):
        del one.x


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((), {}), ((1, 2, [], "", "", 6), {}), ((1,), {"z": 1}), ((1,), {"x": 1}), ((), {"y": 1}), ((1,), {"kinds": 4})],
)
def test_wrong_arguments_are_refused_in_the_librarys_words(arguments, named):
    refusals = [outcome(lambda made=made: made.Point(*arguments, **named)) for made in (OURS, THEIRS)]
    assert refusals[0] == refusals[1]
    assert refusals[0][0] is TypeError


@pytest.mark.parametrize(("name", "make"), MAKINGS)
def test_copies_and_replacements_equal_the_original(name, make):
    one = make(getattr(OURS, name))
    for copied in (copy.copy(one), copy.deepcopy(one)):
        assert type(copied) is type(one) and fields_of(copied) == fields_of(one)
    if name != "Changing":
        assert fields_of(dataclasses.replace(one)) == fields_of(one)


def test_a_field_is_replaced_and_no_other_is_touched():
    one = OURS.Point(1, 3, ["a"], "s", "n")
    assert fields_of(dataclasses.replace(one, y=9)) == [1, 9, ["a"], "s", "n"]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_what_is_pickled_comes_back_equal(protocol):
    call = ToolCall("look", {"word": "a"}, "c1")
    assert pickle.loads(pickle.dumps(call, protocol)) == call


def test_a_default_that_is_made_is_made_for_each():
    assert OURS.Point(1).tags is not OURS.Point(1).tags
    assert OURS.Changing(1).own is not OURS.Changing(1).own


def test_a_class_that_contains_itself_is_told_once():
    one = OURS.Changing(1)
    one.own.append(one)  # type: ignore[arg-type]
    assert repr(one).endswith("own=[...], later=2, fixed=4)")


def test_classes_of_one_shape_do_not_see_each_others_fields():
    @dataclass(frozen=True, slots=True)
    class A1:
        a1: int
        a0: int = 1

    @dataclass(frozen=True, slots=True)
    class A2:
        other: int
        self_: int = 2

    assert (A1(5), A2(5)) == (A1(5, 1), A2(5, 2))
    assert (A1(5).a1, A1(5).a0, A2(5).other, A2(5).self_) == (5, 1, 5, 2)
    assert repr(A1(5)).endswith("A1(a1=5, a0=1)")
    assert A1(5) != A1(5, 2) and A1(5) != A2(5, 1)


def test_a_list_as_a_default_is_refused_as_by_the_library():
    with pytest.raises(ValueError, match="mutable default"):

        @dataclass(frozen=True, slots=True)
        class Shared:
            x: list[int] = []  # noqa: RUF012


def test_a_real_context_keeps_its_frozen_fields():
    context = PhoneContext(business_id="b", session_id="s")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'turn'"):
        context.turn = 2  # type: ignore[misc]
    assert context == PhoneContext(business_id="b", session_id="s") and hash(context) == hash(
        dataclasses.replace(context)
    )


def test_every_class_of_ours_is_made_by_the_cheaper_decorator():
    """One import of the library's would add its six compilations to a cold start again."""
    own = FUNCTIONS / "switchboard/contract/python/dataclass.py"
    found = [
        path.as_posix()
        for path, text in python_under(ROOT, FUNCTIONS)
        for node in ast.walk(ast.parse(text))
        if path != own and isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        if any(name.name == "dataclass" for name in node.names)
    ]
    assert found == []
