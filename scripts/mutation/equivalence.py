"""Whether a mutant can be told from the design at all, in any state that comes about.

The whole design, with all mutants in it, becomes one and-inverter graph, of which a mutant is a second reading. Of both
the registers are the same, but for those that the mutant changes at once, and those that these change: they stand
twice, with what the design and what the mutant makes of them. That any other register, a memory's port or an output
ever differs is what abc's `pdr` has to reach, or prove unreachable. What memories hold is left open: a proof holds for
whatever is read, and what is reached is no bug where no memory ever holds it. So `equivalent` is certain; `survived` is
not, and asks for a person or for a better test.
"""

import re
import subprocess

from aig import FALSE, Circuit, Graph, binary
from mutant import WIDTH
from netlist import script, selected, sources

EQUIVALENT = "equivalent"
UNDECIDED = "undecided"
DIFFERS = "differs"
GRAPH = "mutated.aag"
# What `pdr` prints at the end.
PROVED = re.compile(r"^Property proved\.", re.M)
REACHED = re.compile(r"^Output 0 of miter .* was asserted in frame", re.M)
# Rounds in which what a mutant changes may go on to further registers before it counts as seen.
ROUNDS = 2


def graph(work, mutants):
    """The circuit of the design with all mutants."""
    if not (work / GRAPH).exists():
        script(
            work,
            "graph",
            [
                *selected(mutants),
                "flatten",
                "opt_clean",
                # Tables become logic. Ports of the memories themselves become ports of the top.
                "memory -nomap",
                "memory_map",
                "opt_clean",
                "expose -evert " + " ".join(f"t:{name.removesuffix('.v')}" for name in sources(work)[1]),
                "dffunmap",
                "opt_clean",
                "techmap",
                "opt_clean",
                # An unknown bit may be either, at any time.
                "setundef -anyseq",
                "aigmap",
                "opt_clean",
                f"write_aiger -ascii -zinit -symbols {GRAPH}.new",
            ],
        )
        (work / f"{GRAPH}.new").rename(work / GRAPH)
    with open(work / GRAPH) as lines:
        return Circuit(lines)


class Proofs:
    def __init__(self, circuit, abc):
        self._circuit = circuit
        self._abc = abc
        named = {name: circuit.inputs[int(place[1:])] for place, name in circuit.names.items() if place[0] == "i"}
        # Of one bit of `select` its place.
        self._select = {named[f"select[{at}]"]: at for at in range(WIDTH) if f"select[{at}]" in named}
        if not self._select:
            raise ValueError("no input `select` in the graph")
        self._graph = Graph()
        self._design = {FALSE: FALSE, **dict.fromkeys(self._select, FALSE)}
        for literal in [*circuit.inputs, *(literal for literal, _ in circuit.latches)]:
            if literal not in self._design:
                self._design[literal] = self._graph.free()
        self._read(self._graph, self._design, circuit.ands)
        self._after = {self._design[literal] >> 1: of(self._design, after) for literal, after in circuit.latches}

    @staticmethod
    def _read(graph, values, ands):
        """Adds what conjunctions are worth, by literal."""
        both = graph.both
        for literal, (a, b) in ands.items():
            values[literal] = both(values[a & ~1] ^ (a & 1), values[b & ~1] ^ (b & 1))

    def _behind(self, literals):
        """The conjunctions that depend on any of these."""
        reached, found = set(literals), {}
        for literal, (a, b) in self._circuit.ands.items():
            if a & ~1 in reached or b & ~1 in reached:
                reached.add(literal)
                found[literal] = (a, b)
        return found

    def differs(self, select, rounds):
        """What is to be reached, in a graph of its own, with what comes next of each latch."""
        graph, after, twice = Graph(self._graph), dict(self._after), {}
        for turn in range(rounds + 1):
            chosen = {literal: select >> at & 1 for literal, at in self._select.items()}
            changed = {**chosen, **twice}
            values = {**self._design, **changed}
            self._read(graph, values, self._behind(changed))
            told = [
                literal
                for literal, next_one in self._circuit.latches
                if literal not in twice and of(values, next_one) != of(self._design, next_one)
            ]
            if turn == rounds or not told:
                break
            twice.update({literal: graph.free() for literal in told})
        nexts = dict(self._circuit.latches)
        for literal, copy in twice.items():
            after[copy >> 1] = of(values, nexts[literal])
        seen = FALSE
        for literal in [*(nexts[literal] for literal in told), *self._circuit.outputs]:
            seen = graph.either(seen, graph.differ(of(values, literal), of(self._design, literal)))
        return graph, after, seen

    def prove(self, work, name, select, timeout):
        """`name`: of a file; `timeout`: seconds."""
        found = UNDECIDED
        for rounds in range(ROUNDS + 1):
            graph, after, seen = self.differs(select, rounds)
            if seen == FALSE:
                return EQUIVALENT
            found = self._decide(work / f"{name}.aig", binary(graph, after, seen), timeout)
            if found != DIFFERS:
                return found
        return found

    def _decide(self, path, aiger, timeout):
        path.write_bytes(aiger)
        try:
            call = [self._abc, "-c", f"read {path}; pdr -T {timeout}"]
            # Its limit is no limit of what comes before and behind.
            done = subprocess.run(call, capture_output=True, text=True, timeout=2 * timeout + 60)
        except subprocess.TimeoutExpired:
            return UNDECIDED
        finally:
            path.unlink(missing_ok=True)
        return verdict(done.stdout)


def of(values, literal):
    return values[literal & ~1] ^ (literal & 1)


def verdict(said):
    """What abc came to."""
    if PROVED.search(said):
        return EQUIVALENT
    if REACHED.search(said):
        return DIFFERS
    return UNDECIDED
