"""The design in yosys: as netlists that `mutate` takes, and as Verilog with all mutants in it."""

import json
import re
import shutil

from mutant import SIGNAL, Mutant
from tools import yosys

TOP = "hca"
NETLIST = "netlist.il"
MUTATED = "mutated"
# Constants and unused bits found in one block are news for the next; what has no effect makes no mutant.
ROUNDS = 4
# What holds a memory stays as it is exported: yosys would write it bit by bit, which simulates at a quarter of the speed.
# What leads to its ports is mutated.
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
            *["opt -nodffe -nosdff", "opt_hier"] * ROUNDS,
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


def selected(mutants):
    """The steps to the design in which the top's input `select` makes one mutant of all, or none."""
    return [
        f"read_rtlil {NETLIST}",
        *(mutant.command(select=number) for number, mutant in mutants.items()),
        "opt_clean",
        f"cd {TOP}",
        f"rename {SIGNAL} select",
        "cd ..",
    ]


def mutate(work, mutants):
    """Writes the Verilog of it; gives its folder."""
    folder = work / MUTATED
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    script(work, "mutate", [*selected(mutants), f"write_verilog -noattr {MUTATED}/{TOP}.v"])
    for name in sources(work)[1]:
        shutil.copy(work / "verilog" / name, folder)
    return folder


def script(work, name, steps, timeout=None):
    """Runs steps too many for a command line; `timeout`: seconds."""
    (work / f"{name}.ys").write_text("\n".join(steps) + "\n")
    yosys(work, name, f"script {name}.ys", timeout=timeout)
