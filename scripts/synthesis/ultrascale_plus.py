"""Yosys's estimate for an UltraScale+: area and the longest path of logic. Nothing is placed, so no clock is known."""

import sys

import harness
from area import ULTRASCALE_PLUS, Modules
from path import Netlist, by_block
from report import estimate
from tools import load, yosys

REGISTER = harness.Register("FDRE", ".C({clock}), .CE(1'b1), .R(1'b0), .D({source}), .Q({sink})")


def report(design, device, board, work):
    """The table; leaves what the tools wrote in `work`."""
    top, read = design.harness(REGISTER)
    print("synth: yosys, block by block", file=sys.stderr)
    yosys(
        work,
        "blocks",
        "read_verilog -lib -specify +/xilinx/cells_sim.v",
        "read_verilog -lib +/xilinx/cells_xtra.v",
        read,
        # Below the table's rows flat: as few runs of the mapper, and constants find their way.
        *design.constants(top, design.rows()),
        f"synth_xilinx -family xcup -noiopad -noclkbuf -top {top}",
        "tee -q -o blocks.json stat -json",
        # Only to follow paths from block to block: nothing is optimised any more.
        "setattr -mod -unset keep_hierarchy *",
        "flatten",
        "attrmap -remove src",
        "write_json netlist.json",
    )
    modules = Modules(load(work / "blocks.json"), ULTRASCALE_PLUS)
    print("synth: longest paths", file=sys.stderr)
    paths = Netlist(load(work / "netlist.json")["modules"][top]).longest().values()
    return estimate(
        modules.blocks(design.top, design.levels),
        modules.own(design.top),
        modules.whole(design.top),
        by_block(paths, design.modules, design.top, design.levels),
        max(paths, key=lambda path: path.levels),
        harness.register_bits(design.ports),
        device["device"],
    )
