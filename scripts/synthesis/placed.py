"""The longest paths of an ECP5 design that nextpnr has placed, in ns, before it routes.

Wires take what nextpnr expects of their length, cells what they take before placement (timing.py). So it is known in
a quarter of an hour which paths are long for their logic, and which because their ends lie far apart.
"""

import re

from timing import CARRY, CARRY_IN_TO_OUT, CLOCK_TO_OUTPUT, LUT, WIDE_MULTIPLEXER, Timing

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
            return CARRY_IN_TO_OUT if output == "FCO" else CARRY
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
