"""Maps exported Verilog to an FPGA and prints what it takes; called by scripts/synth."""

import argparse
import sys
from pathlib import Path

import alone
import ecp5
import gowin
import harness
import ultrascale_plus
from tools import load, yosys

TOP = "hca"
LEVELS = 2
FAMILIES = {"ecp5": ecp5, "gowin": gowin, "ultrascale_plus": ultrascale_plus}


class Design:
    """The Verilog in `work`/verilog, and how to read it."""

    top = TOP
    levels = LEVELS

    def __init__(self, work, profile):
        self._work = work
        self.profile = profile
        files = (work / "verilog/files.f").read_text().split()
        self._read = " ".join(["read_verilog", *(f"verilog/{name}" for name in files)])
        yosys(work, "ports", self._read, f"hierarchy -check -top {TOP}", "proc", "write_json ports.json")
        self.modules = load(work / "ports.json")["modules"]
        self.ports = self.modules[TOP]["ports"]

    def harness(self, register):
        """The module around the design, of these registers, and the step that reads both."""
        return self._around(harness.verilog(self.ports, TOP, register))

    def chained(self):
        """The same with a chain of registers and four pins."""
        return self._around(harness.chained(self.ports, TOP))

    def _around(self, verilog):
        (self._work / f"{harness.TOP}.v").write_text(verilog)
        return harness.TOP, f"{self._read} {harness.TOP}.v"

    def constants(self, top, keep=()):
        """Steps before blocks are mapped each for itself; with `keep`, only these modules stay blocks.

        Repeated: a constant found in one block is news for the next.
        """
        flatten = []
        if keep:
            chosen = " ".join(f"={name}" for name in sorted(keep))
            flatten = [f"setattr -mod -set keep_hierarchy 1 {chosen}", "flatten", "opt_clean"]
        return [f"hierarchy -check -top {top}", "proc", *flatten, *["opt -nodffe -nosdff", "opt_hier"] * 4]

    def rows(self):
        """The modules that have a row in the table, and the top."""
        found, level = {self.top}, {self.top}
        for _ in range(self.levels):
            level = {
                cell["type"]
                for name in level
                for cell in self.modules[name]["cells"].values()
                if cell["type"] in self.modules
            }
            found |= level
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--profile", required=True)
    parser.add_argument("--estimate", action="store_true")
    parser.add_argument("--placed", action="store_true")
    parser.add_argument("--floorplan", action="store_true")
    parser.add_argument("--block", action="append", default=[])
    call = parser.parse_args()
    device = load(call.board / "device.json")
    family = FAMILIES.get(device["family"])
    if family is None:
        known = ", ".join(FAMILIES)
        sys.exit(f"synth: {call.board}/device.json: unknown family {device['family']!r}; known: {known}")
    if (call.placed or call.floorplan) and family is not ecp5:
        sys.exit(f"synth: only an ECP5 has --placed and --floorplan, not {device['family']}: call it without them")
    if call.estimate and family is ultrascale_plus:
        sys.exit(f"synth: on {device['family']} the report is an estimate anyway: call it without --estimate")
    if call.block:
        if family is not ecp5:
            sys.exit(f"synth: blocks are mapped by themselves on an ECP5 alone: try --board ecp5-evn")
        if missing := alone.unknown(call.work, call.block):
            name, like = missing
            hint = f"; like it: {', '.join(like)}" if like else ""
            sys.exit(f"synth: profile {call.profile} has no block {name!r}{hint}")
        print(f"profile {call.profile}")
        print(alone.report(call.work, call.block))
        return
    design = Design(call.work, call.profile)
    if call.estimate:
        result = family.estimate(design, device, call.work)
    elif call.placed:
        result = family.place(design, device, call.board, call.work)
    elif call.floorplan:
        result = family.plan(design, device, call.board, call.work)
    else:
        result = family.report(design, device, call.board, call.work)
    print(f"profile {call.profile}")
    print(result)


if __name__ == "__main__":
    main()
