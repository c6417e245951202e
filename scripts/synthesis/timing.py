"""The longest paths of logic between registers of an unplaced ECP5 netlist, in ns, from yosys' `write_json`.

Delays of cells are nextpnr's for speed grade 8; a wire has no length yet and gets a middling one. It takes seconds
where placement takes many minutes, and says which paths to shorten first.
"""

from collections import Counter
from dataclasses import dataclass, field

from report import source_name

# nextpnr's figures for speed grade 8 of a 5G device, in ns: what its report of a routed design says of each cell.
CLOCK_TO_OUTPUT = {"TRELLIS_FF": 0.31, "DP16KD": 1.36}
LUT = 0.14
WIDE_MULTIPLEXER = 0.15
CARRY_IN_TO_OUT = 0.04
CARRY = 0.28
# What a placed wire to its first sinks takes in the middle; each further sink pulls them apart.
WIRE = 0.75
WIRE_PER_SINK = 0.004
SINKS_AT_MOST = 100
# Clock enable and set/reset come to a slice, not to a flip-flop, and are routed further.
CONTROL = 0.3
# The clock period after placement by the longest path found here: on a well filled device wires are longer. Where this
# finds 8.6 ns, and four of five logic cells are taken, nextpnr came to 13.0, and to 14.0 with other places of block
# RAMs.
PLACED = 1.5

MULTIPLEXERS = {"PFUMX": "C0", "L6MUX21": "SD"}
# Inputs of what holds state that no path of logic ends in: clocks, and what a LUT RAM reads by passes through.
NO_END = {"CLK", "CLKA", "CLKB", "WCK", "RAD"}
LUT_RAM = "TRELLIS_DPR16X4"
CONTROLS = {"CE", "LSR"}


@dataclass(frozen=True)
class Path:
    """Names as in the Verilog; `through`: of what the path passes that has a name of its own."""

    delay: float
    start: str
    end: str
    through: tuple = ()


@dataclass
class Group:
    """Paths that begin in one register; `ends`: how many end in each block."""

    start: str
    delay: float = 0.0
    ends: Counter = field(default_factory=Counter)


def nets(cell, ports):
    """Nets at the ports, without constants."""
    return [bit for port in ports for bit in cell["connections"].get(port, []) if isinstance(bit, int)]


def feeding(cell, output):
    """The input ports that reach an output without a clock; None if the output begins a path."""
    kind = cell["type"]
    if kind in CLOCK_TO_OUTPUT:
        return None
    if kind == LUT_RAM:
        return ["RAD"]
    if kind == "CCU2C" and output == "S0":
        return ["A0", "B0", "C0", "D0", "CIN"]
    return [port for port, direction in cell["port_directions"].items() if direction == "input"]


def block(name):
    return name.rpartition(".")[0] or name


class Timing:
    """Of one flattened module `top` whose logic lies in its instance `instance`."""

    # When a cell without inputs gives its output.
    CONSTANT = 0.0

    def __init__(self, module, instance="hca"):
        self._cells = {name: cell for name, cell in module["cells"].items() if cell["type"] != "$scopeinfo"}
        self._instance = instance
        self._drivers = {}  # net: (cell, output port)
        self._sinks = Counter()
        for name, cell in self._cells.items():
            for port, direction in cell["port_directions"].items():
                for bit in nets(cell, [port]):
                    if direction == "output":
                        self._drivers[bit] = (name, port)
                    else:
                        self._sinks[bit] += 1
        self._names = {}
        for name, net in module["netnames"].items():
            for bit in net["bits"]:
                best = self._names.get(bit)
                if best is None or self._rank(name) < self._rank(best):
                    self._names[bit] = name
        self._arrivals = {}  # net: (ns after the clock, the net before it on the longest path)

    def paths(self):
        """The longest path to each input of a register or memory, longest first."""
        found = []
        for name, cell in self._cells.items():
            for port, direction in cell["port_directions"].items():
                if direction != "input" or not self._ends(cell, port):
                    continue
                for bit in nets(cell, [port]):
                    found.append((self._arrival(bit) + self._last(name, port, bit), bit, name))
        found.sort(key=lambda end: (-end[0], end[2], end[1]))
        return [self._path(*end) for end in found]

    def driven(self, cell, output):
        """The name of the net that the output drives; None if there is none."""
        driven = nets(self._cells[cell], [output]) if cell in self._cells else []
        return self._names.get(driven[0]) if driven else None

    def _ends(self, cell, port):
        """Whether paths end at this input."""
        return (cell["type"] in CLOCK_TO_OUTPUT or cell["type"] == LUT_RAM) and port not in NO_END

    def _last(self, name, port, source):
        """From the driver of `source` to an input where paths end."""
        return WIRE + (CONTROL if port in CONTROLS else 0)

    def _feeding(self, cell, output):
        return feeding(cell, output)

    def _arrival(self, net):
        """When the net is stable, in ns after the clock; of all that it depends on, too."""
        waiting, opened = [net], set()
        while waiting:
            bit = waiting[-1]
            if bit in self._arrivals:
                waiting.pop()
                continue
            name, port = self._drivers.get(bit, (None, None))
            cell = self._cells.get(name)
            inputs = self._feeding(cell, port) if cell else None
            if inputs is None:
                self._arrivals[bit] = (CLOCK_TO_OUTPUT[cell["type"]] if cell else 0.0, None)
                continue
            missing = [source for source in nets(cell, inputs) if source not in self._arrivals]
            if missing:
                if bit in opened:
                    raise ValueError(f"logic feeds itself at {name}")
                opened.add(bit)
                waiting += missing
                continue
            ways = [
                (self._arrivals[source][0] + self._step(name, port, to, source), source)
                for to in inputs
                for source in nets(cell, [to])
            ]
            self._arrivals[bit] = max(ways, default=(self.CONSTANT, None))
        return self._arrivals[net][0]

    def _step(self, name, output, port, source):
        """From the driver of `source` through the cell."""
        cell = self._cells[name]
        wire = WIRE + WIRE_PER_SINK * min(self._sinks[source], SINKS_AT_MOST)
        kind = cell["type"]
        if kind == "CCU2C":
            # Carries go from cell to cell on wires of their own.
            return (0 if port == "CIN" else wire) + (CARRY_IN_TO_OUT if port == "CIN" and output == "COUT" else CARRY)
        if kind in MULTIPLEXERS:
            # Its data come from LUTs beside it.
            return (wire if port == MULTIPLEXERS[kind] else 0) + WIDE_MULTIPLEXER
        return wire + LUT

    def _path(self, delay, net, cell):
        chain = [net]
        while (before := self._arrivals[chain[-1]][1]) is not None:
            chain.append(before)
        chain.reverse()
        through = dict.fromkeys(self._name(bit) for bit in chain[1:] if self._mapped(bit) is False)
        shape = self._cells[cell]
        held = nets(shape, ["Q"])
        end = self._name(held[0]) if held else self._short(cell)
        return Path(delay, self._name(chain[0]), end, tuple(through))

    def _rank(self, name):
        """A register's own name first, ending in _q; of others the deepest: the rest are ports that it passes."""
        return name != source_name(name, ""), not name.endswith("_q"), -name.count("."), len(name), name

    def _mapped(self, bit):
        """Whether the name of the net is the mapping's own; None if it has none."""
        name = self._names.get(bit)
        return None if name is None else name != source_name(name, "")

    def _name(self, bit):
        return self._short(self._names.get(bit, f"net {bit}"))

    def _short(self, name):
        """Without what the mapping appended, down to the memory where it is one."""
        return source_name(name, self._instance).partition(".cells.")[0]


def groups(paths, above):
    """The paths longer than `above` ns by the register they begin in, the longest first."""
    found = {}
    for path in paths:
        if path.delay > above:
            group = found.setdefault(path.start, Group(path.start))
            group.delay = max(group.delay, path.delay)
            group.ends[block(path.end)] += 1
    return sorted(found.values(), key=lambda group: (-group.delay, group.start))
