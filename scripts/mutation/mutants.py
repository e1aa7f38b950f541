"""Which small wrong changes can be made to a file, one at a time.

Words meant for people are left alone (messages, log lines, docstrings): tests hold the code to codes and effects, never
to a sentence. Only bodies of functions are changed, since a module's own statements have run before any test does.
"""

import ast
import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
# Field names, codes and states; whatever has a blank is for people.
_CODE_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong change.

    Attributes:
        line: Where it is made.
        what: What it does, as one line.
        function: The qualified name of the outermost function that it changes.
        tree: The whole changed file.
    """

    line: int
    what: str
    function: str
    tree: ast.Module


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every change, in the order of the file."""
    tree = ast.parse(source)
    for name, function in _functions(tree):
        for place, node in enumerate(_nodes(function)):
            for kind in range(len(_changes(node))):
                changed = copy.deepcopy(tree)
                what = _changes(_nodes(dict(_functions(changed))[name])[place])[kind]()
                ast.fix_missing_locations(changed)
                yield Mutant(what.line, what.text, name, changed)


@dataclass(frozen=True, slots=True)
class _What:
    line: int
    text: str


def _functions(tree: ast.Module) -> Iterator[tuple[str, _Function]]:
    for node in tree.body:
        if isinstance(node, _Function):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{part.name}", part) for part in node.body if isinstance(part, _Function))


def _nodes(function: _Function) -> list[ast.AST]:
    """Return what may be changed, in an order that is the same in a copy; what is only for people is left out."""
    nodes: list[ast.AST] = [function]

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.JoinedStr | ast.Assert) or _is_logging(node):
            return
        nodes.append(node)
        for field, inner in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "args" if isinstance(node, _Function) else ""):
                continue
            for part in inner if isinstance(inner, list) else [inner]:
                if isinstance(part, ast.AST):
                    visit(part)

    for statement in function.body:
        visit(statement)
    return nodes


def _changes(node: ast.AST) -> list[Callable[[], _What]]:
    """Return what can be done to a node, each as a call that does it and tells."""
    rows: list[Callable[[], _What]] = []
    match node:
        case ast.Compare():
            rows = [partial(_set_first, node, "ops", _COMPARED[type(node.ops[0])]())]
        case ast.BoolOp():
            rows = [partial(_set, node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())]
        case ast.BinOp() if type(node.op) in _COMPUTED and not _is_text(node):
            rows = [partial(_set, node, "op", _COMPUTED[type(node.op)]())]
        case ast.UnaryOp(op=ast.Not()):
            rows = [partial(_set, node, "operand", ast.UnaryOp(ast.Not(), node.operand))]
        case ast.If() | ast.IfExp() | ast.While() if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            rows = [partial(_set, node, "test", ast.UnaryOp(ast.Not(), node.test))]
        case ast.Constant():
            other = _other_constant(node)
            rows = [] if other is None else [partial(_set, node, "value", other)]
        case ast.Return(value=value) if value is not None and not _is_none(value):
            rows = [partial(_set, node, "value", ast.Constant(None))]
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        for place, statement in enumerate(statements if isinstance(statements, list) else []):
            if _can_go(statement):
                rows.append(partial(_drop, statements, place))
    return rows


def _set(node: ast.AST, field: str, value: object) -> _What:
    before = ast.unparse(node)
    setattr(node, field, value)
    return _What(getattr(node, "lineno", 0), f"{_short(before)}  =>  {_short(ast.unparse(node))}")


def _set_first(node: ast.AST, field: str, value: object) -> _What:
    return _set(node, field, [value, *getattr(node, field)[1:]])


def _drop(statements: list[ast.stmt], place: int) -> _What:
    gone, statements[place] = statements[place], ast.Pass()
    return _What(gone.lineno, f"{_short(ast.unparse(gone))}  =>  (gone)")


def _can_go(statement: ast.stmt) -> bool:
    """Tell whether a statement has an effect of its own; without an assignment to a name nothing would run at all."""
    match statement:
        case ast.Expr(value=ast.Call() | ast.Await()):
            return not _is_logging(statement)
        case ast.Raise() | ast.AugAssign():
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
            return True
    return False


def _is_logging(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="log")))):
            return True
    return False


def _other_constant(node: ast.Constant) -> object:
    match node.value:
        case bool():
            return not node.value
        case int() | float():
            return node.value + 1
        case str() if _CODE_WORD.fullmatch(node.value):
            return node.value + "_"
    return None


def _is_text(node: ast.BinOp) -> bool:
    parts = (node.left, node.right)
    return any(
        isinstance(p, ast.JoinedStr) or (isinstance(p, ast.Constant) and isinstance(p.value, str)) for p in parts
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else line[:87] + "..."
