"""What single blocks take on an ECP5, each mapped by itself."""

import sys
from difflib import get_close_matches

from area import ECP5, Area, Block, Modules
from report import aligned, numbers, row_name
from tools import load, yosys


def unknown(work, names):
    """The first of these modules that was not exported, with those of like names; None if all were."""
    known = sorted(path.stem for path in (work / "verilog").glob("*.v"))
    for name in names:
        if name not in known:
            return name, get_close_matches(name, known)
    return None


def report(work, names):
    """One line for each block, and their sum."""
    areas = []
    for name in names:
        print(f"synth: yosys, {name}", file=sys.stderr)
        yosys(
            work,
            name,
            f"read_verilog verilog/{name}.v",
            f"hierarchy -check -top {name} -libdir verilog",
            f"synth_ecp5 -top {name} -abc9",
            f"tee -q -o {name}.json stat -json",
        )
        areas.append((name, Modules(load(work / f"{name}.json"), ECP5).own(name)))
    return text(areas)


def text(areas):
    rows = [("block", "LUT4", "FF", "block RAM", "", "")]
    rows += [(row_name(Block(0, name, 1, area)), *numbers(area), "", "") for name, area in areas]
    rows.append(("together", *numbers(sum((area for _, area in areas), Area())), "", ""))
    return "\n".join([*aligned(rows), "Each block is mapped by itself, with all that is inside it."])
