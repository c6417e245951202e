"""Whether a mutant can be told from the design at all: a miter of both that yosys's `sat` decides.

Registers and the ports of blocks and memories are cut: a proof holds for every state, and what it finds in a state that never
comes about is no bug. So `equivalent` is certain; `survived` is not, and asks for a person or for a better test.
"""

import subprocess

from netlist import NETLIST, script

EQUIVALENT = "equivalent"
UNDECIDED = "undecided"
DIFFERS = "differs"
# What `sat` prints at the end.
PROVED = "SAT proof finished - no model found: SUCCESS!"
REFUTED = "SAT proof finished - model found: FAIL!"


def steps(mutant, parent=None):
    """The miter of a module and its mutant, or of a module that holds it and of the same with the mutant in it."""
    module = mutant.module
    build = [
        f"read_rtlil {NETLIST}",
        f"copy {module} mutant",
        mutant.command(module="mutant"),
    ]
    if parent is None:
        build += [f"copy {module} gold", "copy mutant gate"]
    else:
        inside = f"{module} mutant gold gate"
        build += [
            f"copy {parent} gold",
            f"copy {parent} gate",
            f"chtype -set mutant gate/t:{module}",
            "setattr -mod -set keep_hierarchy 1 *",
            f"setattr -mod -unset keep_hierarchy {inside}",
            "flatten gold gate",
        ]
    return [
        *build,
        # Cells alone are named: a wire that is named becomes an output.
        "expose -evert gold/t:* gate/t:*",
        "select gold gate",
        "dffunmap",
        "opt_clean",
        "expose -evert-dff -shared gold/t:* gate/t:*",
        "select -clear",
        "miter -equiv -flatten gold gate miter",
        # A register whose output is mutated is cut on both sides apart: nothing may depend on it.
        "delete miter/t:$dff",
        "opt miter",
        "sat -prove trigger 0 miter",
    ]


def prove(work, name, mutant, parents, timeout):
    """Tries the module alone, then inside of each that holds it; `name`: of its files; `timeout`: seconds for each."""
    alone = decide(work, name, steps(mutant), timeout)
    if alone == EQUIVALENT or not parents:
        return alone
    within = [decide(work, name, steps(mutant, parent), timeout) for parent in sorted(parents)]
    if all(found == EQUIVALENT for found in within):
        return EQUIVALENT
    return DIFFERS if DIFFERS in within else UNDECIDED


def decide(work, name, miter, timeout):
    log = work / f"{name}.log"
    try:
        script(work, name, miter, timeout)
        return verdict(log.read_text())
    except subprocess.TimeoutExpired:
        return UNDECIDED
    finally:
        for file in (log, work / f"{name}.ys"):
            file.unlink(missing_ok=True)


def verdict(log):
    """What `sat` came to."""
    if PROVED in log:
        return EQUIVALENT
    if REFUTED in log:
        return DIFFERS
    return UNDECIDED
