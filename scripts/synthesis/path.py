"""The longest path of logic between registers, in cells, of a flattened netlist from yosys' `write_json`.

A level is a LUT, the read of a LUT RAM, a wide multiplexer or a carry cell, whatever it takes: the wires between them,
which take most of the time, are not known before placement.
"""

import re
from collections import Counter, deque
from dataclasses import dataclass

LOGIC = re.compile(r"LUT\d|INV|MUXF[789]|CARRY[48]")
# (input ports, output port) of what a memory in LUTs does without a clock.
READS = [
    (re.compile(r"RAM(32|64)M(8|16)?"), [(rf"ADDR{lane}", rf"DO{lane}") for lane in "ABCDEFGH"]),
    (re.compile(r"RAM\d+X1D"), [(r"DPRA\d*", "DPO"), (r"A\d*", "SPO")]),
    (re.compile(r"RAM\d+X1S|RAM64X8SW"), [(r"A\d*", "O")]),
    (re.compile(r"SRL16E|SRLC32E"), [(r"A\d*", "Q")]),
]


@dataclass(frozen=True)
class Path:
    """`kinds`: how many cells of each; `start` and `end`: what the registers or memories hold, as the Verilog names it."""

    levels: int
    kinds: tuple
    start: str
    end: str


def arcs(kind):
    """[(input ports, output port)] of a cell: what reaches an output without a clock. Patterns of port names."""
    if LOGIC.fullmatch(kind):
        return [(r".*", r".*")]
    for pattern, ports in READS:
        if pattern.fullmatch(kind):
            return ports
    return []


class Netlist:
    def __init__(self, module):
        self._cells = module["cells"]
        self._names = {}
        for name, net in module["netnames"].items():
            if net.get("hide_name"):
                continue
            for bit in net["bits"]:
                best = self._names.get(bit)
                # The deepest name is the register's own, the others are ports that it passes.
                if best is None or (-name.count("."), len(name), name) < (-best.count("."), len(best), best):
                    self._names[bit] = name
        self._nodes = []  # (cell, kind, inputs, outputs)
        self._ends = []  # (cell, inputs)
        for name, cell in self._cells.items():
            self._split(name, cell)

    def _split(self, name, cell):
        kind, directions, nets = cell["type"], cell["port_directions"], cell["connections"]
        used = set()
        for sources, sink in arcs(kind):
            inputs = [p for p, d in directions.items() if d == "input" and re.fullmatch(sources, p)]
            outputs = [p for p, d in directions.items() if d == "output" and re.fullmatch(sink, p)]
            if inputs and outputs:
                used.update(inputs)
                self._nodes.append((name, kind, bits(nets, inputs), bits(nets, outputs)))
        if not LOGIC.fullmatch(kind):
            rest = [p for p, d in directions.items() if d == "input"]
            self._ends.append((name, bits(nets, rest)))

    def longest(self):
        """The longest path that ends in each cell that is no logic, by the cell's name in the Verilog."""
        driver = {bit: node for node, (_, _, _, outputs) in enumerate(self._nodes) for bit in outputs}
        waits = [0] * len(self._nodes)
        feeds = [[] for _ in self._nodes]
        for node, (_, _, inputs, _) in enumerate(self._nodes):
            for source in {driver[bit] for bit in inputs if bit in driver}:
                feeds[source].append(node)
                waits[node] += 1
        level, before = [1] * len(self._nodes), [None] * len(self._nodes)
        ready = deque(node for node, count in enumerate(waits) if count == 0)
        done = 0
        while ready:
            node = ready.popleft()
            done += 1
            for sink in feeds[node]:
                if level[node] + 1 > level[sink]:
                    level[sink], before[sink] = level[node] + 1, node
                waits[sink] -= 1
                if waits[sink] == 0:
                    ready.append(sink)
        if done < len(self._nodes):
            stuck = next(node for node, count in enumerate(waits) if count > 0)
            raise ValueError(f"logic feeds itself at {self._nodes[stuck][0]}")
        found = {}
        for cell, inputs in self._ends:
            last = max((driver[bit] for bit in inputs if bit in driver), key=lambda node: level[node], default=None)
            if last is not None:
                name = self._name(cell)
                if name not in found or level[last] > found[name].levels:
                    found[name] = self._path(last, level, before, name)
        return found

    def _path(self, last, level, before, end):
        kinds, node = Counter(), last
        while node is not None:
            kinds[self._nodes[node][1]] += 1
            first, node = node, before[node]
        start = next((self._names[bit] for bit in self._nodes[first][2] if bit in self._names), self._nodes[first][0])
        return Path(level[last], tuple(sorted(kinds.items())), start, end)

    def _name(self, cell):
        """Of what it holds: its output's."""
        shape = self._cells[cell]
        outputs = [p for p, d in shape["port_directions"].items() if d == "output"]
        names = [self._names[bit] for bit in bits(shape["connections"], outputs) if bit in self._names]
        return max(names, key=lambda name: (name.count("."), name), default=cell)


def bits(nets, ports):
    """Nets of the ports, without constants."""
    return [bit for port in ports for bit in nets.get(port, []) if isinstance(bit, int)]


def by_block(paths, modules, top, levels):
    """The longest path that ends in each block, by the names of the modules down to it.

    `modules`: yosys' JSON of the design with its hierarchy; names of `paths` begin with the instance of `top`.
    """
    longest = {}
    for path in paths:
        module, chain = top, ()
        for instance in path.end.split(".")[1 : 1 + levels]:
            cell = modules.get(module, {}).get("cells", {}).get(instance)
            if cell is None or cell["type"] not in modules:
                break
            module = cell["type"]
            chain += (module,)
            best = longest.get(chain)
            if best is None or path.levels > best.levels:
                longest[chain] = path
    return longest
