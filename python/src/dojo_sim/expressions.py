"""Costs, rewards and observations as expressions over the quantities of a robot, which the engine differentiates.

>>> import dojo_sim
>>> robot = dojo_sim.Simulation("a1")
>>> q = robot.quantities
>>> cost = (q["trunk.position.z"] - 0.4) ** 2 + 1e-3 * abs(q.input) ** 2

A name is a path, ``"bodies.trunk.position.z"``, or shorter where it can mean but one thing: ``"trunk.z"``, ``"trunk.velocity"`` (a vector).
Arithmetic is recorded and sent to the engine once; nothing is computed here. ``abs`` of a vector is its length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Real
from typing import TYPE_CHECKING, Any, Union

from .errors import InputError

if TYPE_CHECKING:
    from .simulation import Simulation

__all__ = [
    "Comparison",
    "Expression",
    "Quantities",
    "arctan2",
    "clip",
    "cos",
    "cross",
    "dot",
    "exp",
    "log",
    "maximum",
    "minimum",
    "norm",
    "sin",
    "sqrt",
    "tan",
    "tanh",
    "total",
    "vector",
    "where",
]

#: What may stand beside an expression.
Operand = Union["Expression", float]

#: An expression, a number, or a text such as ``"(trunk.z - 0.4)^2"``.
Source = Union["Expression", float, str]


class Expression:
    """A scalar or a vector that depends on the state of a robot. Made by ``robot.quantities`` and by arithmetic."""

    # NumPy's scalars leave arithmetic with expressions to these
    __array_ufunc__ = None
    __slots__ = ("_arguments", "_operation")

    def __init__(self, operation: str, *arguments: Operand | str | int) -> None:
        self._operation = operation
        self._arguments = arguments

    def __repr__(self) -> str:
        if self._operation == "quantity":
            return f"<{self._arguments[0]}>"
        return f"<expression: {self._operation} of {len(self._arguments)}>"

    def __add__(self, other: Operand) -> Expression:
        return _made("add", self, other)

    def __radd__(self, other: Operand) -> Expression:
        return _made("add", other, self)

    def __sub__(self, other: Operand) -> Expression:
        return _made("sub", self, other)

    def __rsub__(self, other: Operand) -> Expression:
        return _made("sub", other, self)

    def __mul__(self, other: Operand) -> Expression:
        return _made("mul", self, other)

    def __rmul__(self, other: Operand) -> Expression:
        return _made("mul", other, self)

    def __truediv__(self, other: Operand) -> Expression:
        return _made("div", self, other)

    def __rtruediv__(self, other: Operand) -> Expression:
        return _made("div", other, self)

    def __neg__(self) -> Expression:
        return _made("neg", self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return _made("norm", self)

    def __pow__(self, exponent: float) -> Expression:
        if isinstance(exponent, bool) or not isinstance(exponent, Real):
            raise InputError(f"exponent: {exponent!r}; give a whole number from -16 to 16, or 0.5")
        return Expression("pow", self, exponent if exponent == 0.5 else _whole_exponent(exponent))

    def __getitem__(self, entry: int | str) -> Expression:
        """An entry of a vector: 0, 1, 2, or "x", "y", "z"."""
        if isinstance(entry, str) and entry in ("x", "y", "z"):
            return Expression("entry", self, entry)
        if isinstance(entry, int) and not isinstance(entry, bool) and entry >= 0:
            return Expression("entry", self, entry)
        raise InputError(f'entry: {entry!r}; give 0, 1, 2, or "x", "y", "z"')

    def __iter__(self) -> Iterator[Expression]:
        raise TypeError("the size of a vector is known to the engine alone; take its entries by number")

    def __bool__(self) -> bool:
        raise TypeError("an expression has no value here; choose between two with dojo_sim.expressions.where")

    def __ge__(self, other: Operand) -> Comparison:
        return Comparison(">=", self - other)

    def __le__(self, other: Operand) -> Comparison:
        return Comparison("<=", self - other)

    def __gt__(self, other: Operand) -> Comparison:
        return Comparison(">=", self - other)

    def __lt__(self, other: Operand) -> Comparison:
        return Comparison("<=", self - other)

    def equals(self, other: Operand) -> Comparison:
        """The equation, for constraints of plans. (``==`` compares objects.)"""
        return Comparison("=", self - other)


class Comparison:
    """An equation or inequality between expressions: a constraint of a plan, a condition of ``where``, what keeps an episode alive."""

    __slots__ = ("difference", "sign")

    def __init__(self, sign: str, difference: Expression) -> None:
        self.sign = sign
        #: Left less right.
        self.difference = difference

    def __bool__(self) -> bool:
        raise TypeError("a comparison of expressions has no truth here; choose with dojo_sim.expressions.where")

    @property
    def margin(self) -> Expression:
        """0 or more where an inequality holds."""
        if self.sign == "=":
            raise InputError("an equation has no margin; give an inequality, <= or >=")
        return self.difference if self.sign == ">=" else -self.difference


def _whole_exponent(exponent: float) -> int:
    if exponent != int(exponent) or abs(exponent) > 16:
        raise InputError(f"exponent: {exponent!r}; give a whole number from -16 to 16, or 0.5")
    return int(exponent)


def _made(operation: str, *operands: Operand) -> Expression:
    return Expression(operation, *map(_operand, operands))


def _operand(value: Any) -> Operand:
    if isinstance(value, Expression):
        return value
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        raise InputError(f"{value!r} is text; a quantity is robot.quantities[{value!r}]")
    if isinstance(value, Iterable):
        return vector(*value)
    raise InputError(f"{value!r} cannot stand in an expression; give a number, a vector of numbers or an expression")


def vector(*entries: Operand) -> Expression:
    """The vector of these."""
    return _made("vector", *entries)


def norm(value: Operand) -> Expression:
    """The length of a vector, the size of a scalar: ``abs(value)``."""
    return _made("norm", value)


def total(value: Operand) -> Expression:
    """The sum of a vector's entries."""
    return _made("sum", value)


def dot(a: Operand, b: Operand) -> Expression:
    """a · b"""
    return _made("dot", a, b)


def cross(a: Operand, b: Operand) -> Expression:
    """a × b"""
    return _made("cross", a, b)


def sqrt(value: Operand) -> Expression:
    """Square root; its derivative at 0 is infinite."""
    return _made("sqrt", value)


def sin(value: Operand) -> Expression:
    """Sine."""
    return _made("sin", value)


def cos(value: Operand) -> Expression:
    """Cosine."""
    return _made("cos", value)


def tan(value: Operand) -> Expression:
    """Tangent."""
    return _made("tan", value)


def arctan2(y: Operand, x: Operand) -> Expression:
    """Angle of the point (x, y)."""
    return _made("atan2", y, x)


def exp(value: Operand) -> Expression:
    """Exponential."""
    return _made("exp", value)


def log(value: Operand) -> Expression:
    """Natural logarithm."""
    return _made("log", value)


def tanh(value: Operand) -> Expression:
    """Hyperbolic tangent."""
    return _made("tanh", value)


def minimum(*values: Operand) -> Expression:
    """The least of two or more."""
    return _made("min", *values)


def maximum(*values: Operand) -> Expression:
    """The largest of two or more."""
    return _made("max", *values)


def clip(value: Operand, low: Operand, high: Operand) -> Expression:
    """The value, but not below ``low`` nor above ``high``."""
    return _made("clip", value, low, high)


def where(condition: Comparison, then: Operand, otherwise: Operand) -> Expression:
    """``then`` where an inequality holds, else ``otherwise``."""
    if not isinstance(condition, Comparison):
        raise InputError(f"condition: {condition!r}; give an inequality, such as q['trunk.z'] < 0.3")
    # then where the margin is not below 0
    return _made("ifLess", condition.margin, 0.0, otherwise, then)


class Quantities:
    """The quantities of a robot by name: ``q["trunk.position.z"]``, ``q["foot.distance"]``. It iterates over the names of all."""

    def __init__(self, simulation: Simulation, prefix: str = "") -> None:
        self._simulation = simulation
        self._prefix = prefix

    def __getitem__(self, name: str) -> Expression:
        if not isinstance(name, str):
            raise InputError(f"{name!r}: a quantity has a name, such as {next(iter(self), 'time')!r}")
        return Expression("quantity", self._prefix + name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation.quantity_names)

    def __len__(self) -> int:
        return len(self._simulation.quantity_names)

    @property
    def input(self) -> Expression:
        """All inputs."""
        return self["input"]

    @property
    def coordinates(self) -> Expression:
        """All joint coordinates."""
        return self["coordinates"]

    @property
    def rates(self) -> Expression:
        """Their rates."""
        return self["rates"]

    @property
    def time(self) -> Expression:
        """Seconds since the start."""
        return self["time"]

    @property
    def action(self) -> Expression:
        """The action of an environment's step, in its reward."""
        return Expression("quantity", "action")

    @property
    def before(self) -> Quantities:
        """Of the state before an environment's step, in its reward."""
        return Quantities(self._simulation, "before.")


def source_of(what: str, value: Any) -> Any:
    """What the engine reads: a number, a text, or the nodes of an expression."""
    if isinstance(value, str):
        return value
    if isinstance(value, Comparison):
        raise InputError(f"{what}: is a comparison; give an expression")
    operand = _operand(value)
    if not isinstance(operand, Expression):
        return operand
    nodes: list[Any] = []
    places: dict[int, int] = {}
    # children before what uses them, without recursion: sums of thousands of terms are deep
    waiting: list[Expression] = [operand]
    while waiting:
        node = waiting[-1]
        if id(node) in places:
            waiting.pop()
            continue
        children = [child for child in node._arguments if isinstance(child, Expression) and id(child) not in places]
        if children:
            waiting.extend(children)
            continue
        waiting.pop()
        arguments: list[Any] = []
        for position, argument in enumerate(node._arguments):
            if isinstance(argument, Expression):
                arguments.append(places[id(argument)])
            elif node._operation == "quantity" or (position == 1 and node._operation in ("pow", "entry")):
                arguments.append(argument)
            else:
                nodes.append(argument)
                arguments.append(len(nodes) - 1)
        nodes.append([node._operation, *arguments])
        places[id(node)] = len(nodes) - 1
    return {"nodes": nodes}


def sources_of(what: str, value: Any) -> list[Any]:
    """A list of what the engine reads, of one or of several."""
    if isinstance(value, (list, tuple)):
        return [source_of(f"{what}[{index}]", entry) for index, entry in enumerate(value)]
    return [source_of(what, value)]
