"""Optimization passes over an expression graph, before it becomes a `Function`; no pass adds operations.

factor      x y + x z              ->  x (y + z)            where the products are used once
double      p q + p q, p r + p r   ->  (p + p) q, (p + p) r  where several such sums share p
negate      -(a - b), -(c x)       ->  b - a, (-c) x        where the inner value is used once
turn        -v at an output        ->  v computed with the other sign, where sums around it absorb that
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from torquec.expr.graph import Node
from torquec.expr.ops import Op

_SUMS = (Op.ADD, Op.SUB)
_LONGEST_SUM = 64  # the search for common terms is quadratic in it
_DEEPEST_NEGATION = 8  # nested products and sums; signs from deeper levels are rare
_MOST_TURNED = 8000  # limit of negated outputs times operations for the pass `turn`: each trial rebuilds the graph

Rewriter = Callable[[Node, dict[int, Node], Counter[int]], Node | None]


def optimize(roots: list[Node]) -> list[Node]:
    """The roots after all passes, in order."""
    roots = _rewrite(roots, _factor)
    roots = _rewrite(roots, _doubler(roots))
    roots = _rewrite(roots, _negate)
    return _turn(roots)


def reachable(roots: list[Node]) -> list[Node]:
    """Every node that the roots need, arguments first."""
    needed: dict[int, Node] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.index not in needed:
            needed[node.index] = node
            stack.extend(node.args)
    return [needed[index] for index in sorted(needed)]


def _rewrite(roots: list[Node], rewriter: Rewriter) -> list[Node]:
    """Rebuild bottom-up; `rewriter` gets an old node, all new nodes and the use counts, and may replace the node."""
    order = reachable(roots)
    uses = _uses(order, roots)
    new: dict[int, Node] = {}
    for node in order:
        replacement = rewriter(node, new, uses)
        if replacement is None:
            if not node.args or all(new[arg.index] is arg for arg in node.args):
                replacement = node
            else:
                replacement = _remake(node, *(new[arg.index] for arg in node.args))
        new[node.index] = replacement
    return [new[root.index] for root in roots]


def _uses(order: list[Node], roots: list[Node]) -> Counter[int]:
    """How often each node is used as an argument or as a root."""
    uses: Counter[int] = Counter(arg.index for node in order for arg in node.args)
    uses.update(root.index for root in roots)
    return uses


def _remake(node: Node, *args: Node) -> Node:
    """The node with new arguments. A difference keeps its orientation: reversing it costs a sign."""
    made = node.graph.make(node.op, *args)
    if node.op is Op.SUB and made.op is Op.NEG and made.args[0].op is Op.SUB and made.args[0].args == args[::-1]:
        return node.graph.raw(Op.SUB, *args)
    return made


def _terms(node: Node, uses: Counter[int]) -> list[tuple[int, Node]]:
    """A sum as signed terms, in order, through inner sums that are used once; empty for a sum that is too long."""
    terms: list[tuple[int, Node]] = []
    stack = [(1, node)]
    while stack:
        if len(stack) + len(terms) > _LONGEST_SUM:
            return []
        sign, part = stack.pop()
        if part.op in _SUMS and (part is node or uses[part.index] == 1):
            first, second = part.args
            stack.append((sign if part.op is Op.ADD else -sign, second))
            stack.append((sign, first))
        else:
            terms.append((sign, part))
    return terms


def _factor(node: Node, new: dict[int, Node], uses: Counter[int]) -> Node | None:
    """A sum with products that share a factor, factored; largest group first."""
    if node.op not in _SUMS:
        return None
    terms = _terms(node, uses)
    products = [k for k, (_, term) in enumerate(terms) if term.op is Op.MUL and uses[term.index] == 1]
    shared = Counter(arg.index for k in products for arg in set(terms[k][1].args))
    best = max(shared.values(), default=0)
    if best < 2:
        return None
    pending: list[tuple[int, Node]] = []
    left = dict(enumerate(terms))
    while True:
        shared = Counter(arg.index for k in products if k in left for arg in set(left[k][1].args))
        if not shared or max(shared.values()) < 2:
            break
        best = max(shared.values())
        factor = min(index for index, count in shared.items() if count == best)
        group = [k for k in products if k in left and any(a.index == factor for a in left[k][1].args)]
        inner = []
        for k in group:
            sign, product = left.pop(k)
            first, second = product.args
            inner.append((sign, new[(second if first.index == factor else first).index]))
        outer = next(a for a in terms[group[0]][1].args if a.index == factor)
        pending.append((1, new[outer.index] * _sum(inner)))
    rest = [(sign, new[term.index]) for sign, term in left.values()]
    return _sum(rest + pending)


def _sum(terms: list[tuple[int, Node]]) -> Node:
    """Signed terms added up, a positive one first."""
    ordered = sorted(terms, key=lambda term: -term[0])
    sign, total = ordered[0]
    if sign < 0:
        total = -total
    for sign, term in ordered[1:]:
        total = total + term if sign > 0 else total - term
    return total


def _repeated_product(node: Node, uses: Counter[int]) -> Node | None:
    """The product that occurs twice with the same sign in a sum, and nowhere else."""
    if node.op not in _SUMS or not any(arg.op in _SUMS and uses[arg.index] == 1 for arg in node.args):
        return None
    once: set[tuple[int, int]] = set()
    for sign, term in _terms(node, uses):
        if term.op is Op.MUL and uses[term.index] == 2:
            if (sign, term.index) in once:
                return term
            once.add((sign, term.index))
    return None


def _doubler(roots: list[Node]) -> Rewriter:
    """The rewriter of `double`: doubles the factor that most doubled products share, once for all of them."""
    order = reachable(roots)
    uses = _uses(order, roots)
    found = {node.index: product for node in order if (product := _repeated_product(node, uses)) is not None}
    shared = Counter(arg.index for product in set(found.values()) for arg in product.args if arg.op is not Op.CONST)

    def rewriter(node: Node, new: dict[int, Node], uses: Counter[int]) -> Node | None:
        product = found.get(node.index)
        if product is None:
            return None
        factor = max(product.args, key=lambda arg: (shared[arg.index], -arg.index))
        if shared[factor.index] < 2:
            return None
        other = product.args[1] if product.args[0] is factor else product.args[0]
        double = (new[factor.index] + new[factor.index]) * new[other.index]
        terms = _terms(node, uses)
        sign = next(sign for sign, term in terms if term is product)
        return _sum([(sign, double), *((s, new[term.index]) for s, term in terms if term is not product)])

    return rewriter


def _turn(roots: list[Node]) -> list[Node]:
    """The pass `turn`: a value that roots negate is computed with the other sign where that removes an operation."""
    negated = sum(root.op is Op.NEG for root in roots)
    if not negated:
        return roots
    order = reachable(roots)
    if negated * len(order) > _MOST_TURNED:
        return roots
    uses, identity = _uses(order, roots), {node.index: node for node in order}
    for k in range(len(roots)):
        root = roots[k]
        if root.op is not Op.NEG:
            continue
        opposite = _opposite(root.args[0], identity, uses, _DEEPEST_NEGATION)
        if opposite is None:
            continue
        turned = root.graph.make(Op.NEG, opposite)
        value = root.args[0]
        trial = _rewrite(roots, lambda node, *_, value=value, turned=turned: turned if node is value else None)
        tried = reachable(trial)
        if _operations(tried) < _operations(order):
            roots, order = trial, tried
            uses, identity = _uses(order, roots), {node.index: node for node in order}
    return roots


def _operations(order: list[Node]) -> int:
    return sum(1 for node in order if node.args)


def _negate(node: Node, new: dict[int, Node], uses: Counter[int]) -> Node | None:
    """A negation moved into a value that is used once and absorbs it at no cost."""
    if node.op is not Op.NEG or uses[node.args[0].index] != 1:
        return None
    return _opposite(node.args[0], new, uses, _DEEPEST_NEGATION)


def _opposite(node: Node, new: dict[int, Node], uses: Counter[int], depth: int) -> Node | None:
    """-node without a negation, or None. Bypasses the canonical orientation of `Graph.make` on purpose."""
    graph = node.graph
    if depth == 0:
        return None
    if node.op is Op.CONST:
        return graph.raw(Op.CONST, value=-node.value)
    if node.op is Op.SUB:
        return graph.raw(Op.SUB, new[node.args[1].index], new[node.args[0].index])
    if node.op is Op.MUL:
        for k, arg in enumerate(node.args):
            inner = _opposite(arg, new, uses, depth - 1) if arg.op is Op.CONST or uses[arg.index] == 1 else None
            if inner is not None:
                other = new[node.args[1 - k].index]
                return graph.raw(Op.MUL, inner, other)
    if node.op is Op.ADD:
        for k, arg in enumerate(node.args):
            inner = _opposite(arg, new, uses, depth - 1) if uses[arg.index] == 1 else None
            if inner is not None:
                return graph.raw(Op.SUB, inner, new[node.args[1 - k].index])
    return None
