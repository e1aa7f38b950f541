"""The standard library's `dataclass`, made so that defining one costs a third: a cold start defines some two hundred.

The library writes six methods for a class with slots and compiles each as source text, which took a third of the time
to a function's first answer. Here the fields are read by the library as ever, so that `fields`, `replace` and `asdict`
work; the methods are made otherwise. Methods of one shape (as many fields, the same ones with defaults) have one code,
compiled once, in which only the names differ; what is not often called loops over the fields instead.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field
from functools import cache
from reprlib import recursive_repr
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    # For who checks types it is the library's own.
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, slots=False, frozen=False, eq=True, kw_only=False):
        """Do what `dataclasses.dataclass` does, with as many of its options as are used here.

        A class without slots is left to the library.
        """

        def made(cls):
            if slots:
                return _with_methods(cls, frozen=frozen, eq=eq, kw_only=kw_only)
            return dataclasses.dataclass(cls, frozen=frozen, eq=eq, kw_only=kw_only)

        return made if cls is None else made(cls)


class _Made:
    """Stands in a signature for a default that is made anew for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE: Final = _Made()


def _with_methods(cls: type[Any], *, frozen: bool, eq: bool, kw_only: bool) -> type[Any]:
    # Without one the library would write a docstring of the signature, which takes longer than all the rest.
    cls.__doc__ = cls.__doc__ or cls.__name__
    hashes = frozen and (("__eq__" in vars(cls) and vars(cls)["__hash__"] is None) or "__hash__" not in vars(cls))
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
    own, fields = vars(cls), dataclasses.fields(cls)
    compared = [field.name for field in fields if field.compare]
    methods: dict[str, Any] = {
        "__init__": _init(cls, fields, frozen),
        "__repr__": _repr([field.name for field in fields if field.repr]),
    }
    if eq:
        methods["__eq__"] = _named(_eq_code(len(compared)), compared, cls)
        methods["__hash__"] = None
    if frozen:
        methods |= {"__getstate__": _state, "__setstate__": _set_state}
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    if frozen:
        cls.__setattr__, cls.__delattr__ = _guards(cls, frozenset(field.name for field in fields))
    if eq and hashes:
        cls.__hash__ = _named(_hash_code(len(compared)), compared, cls)
    return cls


def _named(code: CodeType, fields: Sequence[str], cls: type, space: dict[str, Any] | None = None) -> FunctionType:
    """Return the method of a class that shared code makes when its `a0`, `a1` and so on are these fields."""
    names = {f"a{number}": name for number, name in enumerate(fields)}
    named = code.replace(
        co_names=tuple([names.get(name, name) for name in code.co_names]),
        co_varnames=tuple([names.get(name, name) for name in code.co_varnames]),
        co_qualname=f"{cls.__qualname__}.{code.co_name}",
    )
    return FunctionType(named, {"__name__": cls.__module__} if space is None else space)


def _compiled(head: str, *body: str) -> CodeType:
    space: dict[str, Any] = {}
    exec("\n ".join([f"def {head}:", *body]), space)
    (function,) = (one for one in space.values() if isinstance(one, FunctionType))
    return function.__code__


@cache
def _eq_code(count: int) -> CodeType:
    return _compiled(
        "__eq__(self, other)",
        "if other.__class__ is self.__class__:",
        f" return {_tuple('self', count)} == {_tuple('other', count)}",
        "return NotImplemented",
    )


@cache
def _hash_code(count: int) -> CodeType:
    return _compiled("__hash__(self)", f"return hash({_tuple('self', count)})")


def _tuple(owner: str, count: int) -> str:
    return f"({''.join([f'{owner}.a{number}, ' for number in range(count)])})"


def _init(cls: type, fields: Iterable[Field[Any]], frozen: bool) -> FunctionType:
    fields = sorted(fields, key=lambda field: bool(field.kw_only))
    space: dict[str, Any] = {"__name__": cls.__module__, "_MADE": _MADE}
    defaults: dict[bool, dict[str, Any]] = {False: {}, True: {}}
    for number, field in enumerate(fields):
        makes = field.default_factory is not dataclasses.MISSING
        default = _MADE if makes else field.default
        space[f"_default{number}"] = field.default_factory if makes else field.default
        # The slot's own setter takes two thirds of the time of `object.__setattr__`, which the library uses.
        space[f"_set{number}"] = getattr(cls, field.name).__set__
        if field.init and default is not dataclasses.MISSING:
            defaults[bool(field.kw_only)][field.name] = default
    positional = sum(not field.kw_only for field in fields)
    shape = "".join([_kind(field) for field in fields])
    code = _init_code(shape, positional, frozen, hasattr(cls, "__post_init__"))
    init = _named(code, [field.name for field in fields], cls, space)
    init.__defaults__, init.__kwdefaults__ = tuple(defaults[False].values()) or None, defaults[True] or None
    return init


def _kind(field: Field[Any]) -> str:
    """Return how a field is set: by an argument (made where it is not given), by its default, or not."""
    if field.default_factory is not dataclasses.MISSING:
        return "m" if field.init else "M"
    if field.init:
        return "a"
    return "-" if field.default is dataclasses.MISSING else "d"


_VALUES: Final[Mapping[str, str]] = {
    "a": "a{0}",
    "m": "_default{0}() if a{0} is _MADE else a{0}",
    "M": "_default{0}()",
    "d": "_default{0}",
}


@cache
def _init_code(shape: str, positional: int, frozen: bool, has_post_init: bool) -> CodeType:
    assigned = "_set{0}(self, {1})" if frozen else "self.a{0} = {1}"
    arguments = ["self", *(f"a{n}" for n in range(positional) if shape[n] in "am")]
    if keywords := [f"a{n}" for n in range(positional, len(shape)) if shape[n] in "am"]:
        arguments += ["*", *keywords]
    body = [assigned.format(n, _VALUES[kind].format(n)) for n, kind in enumerate(shape) if kind != "-"]
    body += ["self.__post_init__()"] if has_post_init else []
    return _compiled(f"__init__({', '.join(arguments)})", *(body or ["pass"]))


def _repr(names: Sequence[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        told = [f"{name}={getattr(self, name)!r}" for name in names]
        return f"{self.__class__.__qualname__}({', '.join(told)})"

    return recursive_repr()(__repr__)


def _guards(cls: type[Any], names: frozenset[str]) -> tuple[Callable[..., None], Callable[..., None]]:
    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: Iterable[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
