"""The longest paths of an ECP5 design that nextpnr has placed, in ns, before it routes.

Wires take what nextpnr expects of their length, cells what they take before placement (timing.py). So it is known in
a quarter of an hour which paths are long for their logic, and which because their ends lie far apart.
"""

import re
from dataclasses import dataclass

from timing import CARRY, CARRY_IN_TO_OUT, CLOCK_TO_OUTPUT, LUT, WIDE_MULTIPLEXER, Timing, nets

# nextpnr's guess at a wire on speed grade 8: so many units, of so many ns, whatever its length; the first tiles each
# way two units each, the others one.
UNIT = 0.054
UNITS = 6
NEAR = 5

BEL = re.compile(r"X(\d+)/Y(\d+)/(?:SLICE(\w)\.)?")
LOGIC = "TRELLIS_COMB"
INPUTS = ["A", "B", "C", "D"]
ENDS = {
    "TRELLIS_FF": {"DI", "M", "CE", "LSR"},
    # Of a LUT RAM: what is written, and where.
    "TRELLIS_RAMW": {f"{letter}{half}" for letter in "ABCD" for half in "01"},
}
# What yosys calls them.
OUTPUTS = {"F": "Z"}
# Wires inside a slice, or from one carry cell to the next.
INSIDE = {"FXA", "FXB", "F1"}


@dataclass(frozen=True)
class Wire:
    """From or to one cell; `place` is that of the other end, `driven` tells that the cell drives it."""

    net: int
    sink: str
    place: tuple  # (column, row)
    sinks: int
    driven: bool


def mode(cell):
    return cell["parameters"].get("MODE", "LOGIC").strip()


class Placed(Timing):
    """Of the module that nextpnr writes after placement."""

    # The drivers of constants are cells here; no path begins in them.
    CONSTANT = float("-inf")

    def __init__(self, module, mapped, instance="hca"):
        """`mapped`: the module that nextpnr was given."""
        super().__init__(module, instance)
        # Of the names of a net nextpnr keeps one, any; cells keep theirs.
        before = Timing(mapped, instance)
        for bit, (cell, port) in self._drivers.items():
            name = before.driven(cell, OUTPUTS.get(port, port))
            if name is not None:
                self._names[bit] = name
        self._places = {name: self._place(name, cell) for name, cell in self._cells.items()}
        self._readers = {}  # net: the cells that read it
        for name, cell in self._cells.items():
            for port, direction in cell["port_directions"].items():
                if direction == "input":
                    for bit in nets(cell, [port]):
                        self._readers.setdefault(bit, []).append(name)

    @property
    def cells(self):
        return self._cells

    def wires(self, name):
        """To and from the cell, without clocks and without wires to itself."""
        cell = self._cells[name]
        for port, direction in cell["port_directions"].items():
            for bit in [] if port.startswith("CLK") else nets(cell, [port]):
                readers = self._readers.get(bit, [])
                if direction == "output":
                    for sink in readers:
                        yield Wire(bit, sink, self._places[sink][:2], len(readers), True)
                else:
                    driver, _ = self._drivers.get(bit, (None, None))
                    if driver not in (None, name):
                        yield Wire(bit, name, self._places[driver][:2], len(readers), False)

    def longest(self):
        """(net, sink): ns of the longest path that takes this wire, of paths that are the longest to their end."""
        found = {}
        for name, cell in self._cells.items():
            for port, direction in cell["port_directions"].items():
                if direction != "input" or not self._ends(cell, port):
                    continue
                for bit in nets(cell, [port]):
                    delay = self._arrival(bit) + self._last(name, port, bit)
                    sink, net = name, bit
                    while net is not None:
                        found[net, sink] = max(found.get((net, sink), 0), delay)
                        sink = self._drivers.get(net, (None, None))[0]
                        net = self._arrivals[net][1]
        return found

    @staticmethod
    def _place(name, cell):
        """(column, row, slice)."""
        found = BEL.match(cell["attributes"].get("NEXTPNR_BEL", ""))
        if found is None:
            raise ValueError(f"{name} is not placed")
        return int(found[1]), int(found[2]), found[3]

    def _ends(self, cell, port):
        if cell["type"] == "DP16KD":
            return not port.startswith("CLK")
        if cell["type"] == LOGIC:
            return mode(cell) == "DPRAM" and port == "WRE"
        return port in ENDS.get(cell["type"], ())

    def _feeding(self, cell, output):
        if cell["type"] != LOGIC:
            # What is written to a LUT RAM ends there.
            return None if cell["type"] in CLOCK_TO_OUTPUT else []
        if output == "FCO" or (output == "F" and mode(cell) == "CCU2"):
            return [*INPUTS, "FCI"]
        return INPUTS if output == "F" else [*INPUTS, "M", *sorted(INSIDE)]

    def _last(self, name, port, source):
        return self._wire(name, port, source)

    def _step(self, name, output, port, source):
        cell = self._cells[name]
        if port == "FCI":
            # A cell here is half of one before placement.
            return CARRY_IN_TO_OUT / 2 if output == "FCO" else CARRY
        wire = self._wire(name, port, source)
        if mode(cell) == "CCU2":
            return wire + CARRY
        if output == "OFX":
            return wire + WIDE_MULTIPLEXER + (LUT if port in INPUTS else 0)
        return wire + LUT

    def _wire(self, name, port, source):
        driver, output = self._drivers.get(source, (None, None))
        if driver is None or port in INSIDE:
            return 0.0
        (x, y, slice_), (to_x, to_y, to_slice) = self._places[driver], self._places[name]
        if (x, y, slice_) == (to_x, to_y, to_slice) and (output, port) in {("F", "DI"), ("OFX", "DI"), ("OFX", "M")}:
            return 0.0
        ways = [abs(x - to_x), abs(y - to_y)]
        return UNIT * (UNITS + sum(way + min(way, NEAR) for way in ways))
