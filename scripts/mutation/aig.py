"""And-inverter graphs, as AIGER has them: a literal is twice a node's number, and one more where it is inverted.

Node 0 is constant, so that literal 0 is false and 1 is true. What two ways lead to is one node.
"""

FALSE, TRUE = 0, 1


class Graph:
    """Nodes: an input, a latch, or the conjunction of two literals.

    `under`: a graph whose nodes this one goes on from, and leaves as they are.
    """

    def __init__(self, under=None):
        self._under = under
        self._first = under.size if under else 0
        self._ands = [] if under else [None]
        self._found = {}
        self._below = under._found if under else {}

    @property
    def size(self):
        return self._first + len(self._ands)

    def ands(self, node):
        """The two literals of a conjunction; none of an input or a latch."""
        return self._ands[node - self._first] if node >= self._first else self._under.ands(node)

    def free(self):
        """The literal of a new input or latch."""
        self._ands.append(None)
        return 2 * (self.size - 1)

    def both(self, a, b):
        if a > b:
            a, b = b, a
        if a == FALSE or a == b ^ 1:
            return FALSE
        if a in (TRUE, b):
            return b
        known = self._below.get((a, b))
        if known is None:
            known = self._found.get((a, b))
        if known is None:
            known = self._found[a, b] = 2 * self.size
            self._ands.append((a, b))
        return known

    def either(self, a, b):
        return self.both(a ^ 1, b ^ 1) ^ 1

    def differ(self, a, b):
        return self.either(self.both(a, b ^ 1), self.both(a ^ 1, b))


class Circuit:
    """What a file of ASCII AIGER holds: literals of `inputs`, of `latches` with what comes next, of `outputs`; by
    literal, the two of each conjunction, what it needs before it; names by the file's own (`i3` is an input's)."""

    def __init__(self, lines):
        lines = iter(lines)
        _, inputs, latches, outputs, ands = map(int, next(lines).split()[1:])
        self.inputs = [int(next(lines)) for _ in range(inputs)]
        self.latches = []
        for _ in range(latches):
            literal, after, *begins = map(int, next(lines).split())
            if begins not in ([], [FALSE]):
                raise ValueError(f"latch {literal} begins with {begins[0]}, not with 0")
            self.latches.append((literal, after))
        self.outputs = [int(next(lines)) for _ in range(outputs)]
        self.ands = in_order({literal: (a, b) for literal, a, b in (map(int, next(lines).split()) for _ in range(ands))})
        self.names = {}
        for line in lines:
            if line.startswith("c"):
                break
            place, name = line.split(maxsplit=1)
            self.names[place] = name.strip()


def in_order(ands):
    """The same, each behind what it needs."""
    ordered = {}
    for first in ands:
        waiting = [first]
        while waiting:
            literal = waiting[-1]
            before = [each & ~1 for each in ands[literal] if each & ~1 in ands and each & ~1 not in ordered]
            if literal not in ordered and not before:
                ordered[literal] = ands[literal]
            if before:
                waiting += before
            else:
                waiting.pop()
    return ordered


def binary(graph, after, literal):
    """AIGER's binary form of all that a literal depends on, its one output; `after`: by node, a latch's next literal."""
    needed, waiting = set(), [literal >> 1]
    while waiting:
        node = waiting.pop()
        if node in needed or node == 0:
            continue
        needed.add(node)
        before = (after[node],) if node in after else graph.ands(node) or ()
        waiting += [each >> 1 for each in before]
    latches = sorted(node for node in needed if node in after)
    rest = sorted(node for node in needed if node not in after)
    inputs = [node for node in rest if graph.ands(node) is None]
    ands = [node for node in rest if graph.ands(node) is not None]
    number = {node: at for at, node in enumerate([0, *inputs, *latches, *ands])}

    def renumbered(each):
        return 2 * number[each >> 1] + (each & 1)

    head = f"aig {len(needed)} {len(inputs)} {len(latches)} 1 {len(ands)}\n"
    ends = [renumbered(after[node]) for node in latches] + [renumbered(literal)]
    out = bytearray((head + "".join(f"{each}\n" for each in ends)).encode())
    for node in ands:
        low, high = sorted(map(renumbered, graph.ands(node)))
        for delta in (2 * number[node] - high, high - low):
            while delta >= 0x80:
                out.append(delta & 0x7F | 0x80)
                delta >>= 7
            out.append(delta)
    return bytes(out)
