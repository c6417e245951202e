"""The design in yosys: as netlists that `mutate` takes, and as Verilog with all mutants in it."""

import json
import re
import shutil

from mutant import SIGNAL, Mutant
from tools import yosys

TOP = "hca"
NETLIST = "netlist.il"
MUTATED = "mutated"
# The same for tests of blocks alone: what the adapter does not use of a block, or never changes, is in it still.
BLOCKS_NETLIST = "blocks.il"
BLOCKS = "blocks"
# Constants and unused bits found in one block are news for the next; what has no effect makes no mutant.
ROUNDS = 4
OPT = "opt -nodffe -nosdff"
# What holds a memory stays as it is exported: yosys would write it bit by bit, which simulates at a quarter of the
# speed. What leads to its ports is mutated.
MEMORY = re.compile(r"^\s*reg\b[^;=]*\w+\s*\[\d+:\d+\]\s*;", re.MULTILINE)
# Tables of constants, which yosys takes for memories: their address and what comes out are mutated, where they lead on.
TABLES = "t:$mem*"
# `mutate -list` draws this many for each one wanted: clocks fall out.
SPARE = 2


def sources(work):
    """The files of the design, and those of them that hold memories, each a module of its name."""
    names = (work / "verilog/files.f").read_text().split()
    return names, [name for name in names if MEMORY.search((work / "verilog" / name).read_text())]


def prepare(work):
    """Writes the netlist; gives the cells of each module that can be mutated."""
    names, memories = sources(work)
    script(
        work,
        "prepare",
        [
            *(f"read_verilog verilog/{name}" for name in names),
            f"hierarchy -check -top {TOP}",
            *(f"blackbox {name.removesuffix('.v')}" for name in memories),
            "proc",
            OPT,
            "opt_clean -purge",
            f"write_rtlil {BLOCKS_NETLIST}",
            "opt_hier",
            *[OPT, "opt_hier"] * (ROUNDS - 1),
            "opt_clean -purge",
            f"write_rtlil {NETLIST}",
            "tee -q -o cells.json stat -json",
        ],
    )
    text = (work / "cells.json").read_text()
    modules = json.loads(text[text.index("{") :])["modules"]
    return {name.lstrip("\\"): module["num_cells"] for name, module in modules.items() if module["num_cells"]}


def candidates(work, wanted, seed):
    """What `mutate -list` draws for each module: pairs of module and mutants."""
    lists = work / "lists"
    lists.mkdir(exist_ok=True)
    steps = [f"read_rtlil {NETLIST}"]
    for at, (name, count) in enumerate(sorted(wanted.items())):
        drawn = SPARE * count + SPARE
        # Distinct numbers for distinct seeds, of any number of modules.
        number = (seed * 100_003 + at) % (1 << 31)
        steps.append(f"mutate -list {drawn} -seed {number} -o lists/{name} {name}/* {name}/{TABLES} %d")
    script(work, "list", steps)
    return {name: [Mutant.parse(line) for line in (lists / name).read_text().splitlines()] for name in wanted}


def selected(mutants, netlist=NETLIST):
    """The steps to the design in which the top's input `select` makes one mutant of all, or none."""
    return [
        f"read_rtlil {netlist}",
        *(mutant.command(select=number) for number, mutant in mutants.items()),
        "opt_clean",
        f"cd {TOP}",
        f"rename {SIGNAL} select",
        "cd ..",
    ]


def mutate(work, mutants):
    """Writes the Verilog of it; gives its folder."""
    return write(work, MUTATED, selected(mutants))


def blocks(work, mutants):
    """The same of the design for tests of blocks, with the mutants whose cells it has just so; gives its folder."""
    if (work / BLOCKS).exists():
        return work / BLOCKS
    ours, theirs = cells(work, NETLIST), cells(work, BLOCKS_NETLIST)

    def stands(mutant):
        name = mutant.module, mutant.cell
        return name in theirs and theirs[name] == ours[name]

    same = {number: mutant for number, mutant in mutants.items() if stands(mutant)}
    return write(work, BLOCKS, selected(same, BLOCKS_NETLIST))


def cells(work, name):
    """By module and name, what each cell of a netlist is."""
    script(work, "json", [f"read_rtlil {name}", f"write_json {name}.json"])
    modules = json.loads((work / f"{name}.json").read_text())["modules"]
    found = {}
    for module, inside in modules.items():
        for name, cell in inside["cells"].items():
            found[module, name] = (cell["type"], cell.get("parameters"))
    return found


def write(work, name, steps):
    """Writes the Verilog of a design; gives its folder."""
    new = work / f"{name}.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    # What several cells drive in part, and other parts follow, Debian's Verilator simulates wrong.
    script(work, name, [*steps, "splitnets -driver", f"write_verilog -noattr {new.name}/{TOP}.v"])
    for each in sources(work)[1]:
        shutil.copy(work / "verilog" / each, new)
    shutil.rmtree(work / name, ignore_errors=True)
    return new.rename(work / name)


def script(work, name, steps, timeout=None):
    """Runs steps too many for a command line; `timeout`: seconds."""
    (work / f"{name}.ys").write_text("\n".join(steps) + "\n")
    yosys(work, name, f"script {name}.ys", timeout=timeout)
