"""Runs the design with one mutant, or with none, until something differs."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass, field

HELD, DIFFERED = 0, 1
PROFILE = "small"
# Scenarios that between them hold every operation, faults of link and memory, credits, and all queue pairs. They take
# the longest, so they come last.
SCENARIOS = (
    *("rc-memory-errors", "credits-figure", "credits-wrap", "o2iblnd"),
    *("credits-starvation", "rc-many", "rc-mixed", "rc-loss-20"),
)
# The part of the cases that is run before a proof.
FIRST = 5
# Seconds of a process that runs cases, by case: one that takes longer never ends.
PER_CASE = 4
AT_LEAST = 600
# The same of test programs by their cases, as if there were some more: the first may build its block.
PER_TEST = 4
FEW = 30


@dataclass(frozen=True)
class Kill:
    """`by`: comparison, referee, liveness, port or crash; `what`: differed first; `cases`: run until then."""

    stage: str
    by: str
    what: str
    cases: int


class Interrupted(Exception):
    """Nothing runs any more."""


class Stopped(Exception):
    """The simulation stopped: a mutant broke what a case statement of the Verilog takes for granted."""


@dataclass(frozen=True)
class Run:
    """A case of `hca fuzz` by its number, a scenario, a file of the corpus, or a case of a test program by its name."""

    kind: str
    name: str

    def __str__(self):
        return f"{self.kind} {self.name}"


FUZZ, SCENARIO, CORPUS = "fuzz", "scenario", "corpus"
CONFORMANCE = "conformance"
# The program of all runs but those of a test program, which is their kind.
HCA = "hca"


@dataclass(frozen=True)
class Bench:
    """The program, the Verilog with all mutants, the budget."""

    hca: str
    dut: str
    # The same for the tests of blocks alone.
    blocks: str
    corpus: str
    # Of the test programs: those of blocks alone, and of the conformance cases.
    programs: str
    # What the modules of `dut` were made of.
    export: str
    seed: int
    cases: int
    # Set: what runs side by side starts no further program.
    interrupted: threading.Event = field(default_factory=threading.Event, compare=False)

    def quick(self):
        """The runs of a mutant that come before a proof."""
        return self._fuzz(range(self._first()))

    def thorough(self):
        """Those behind it and the conformance cases."""
        fuzz = self._fuzz(range(self._first(), self.cases))
        return [*self._corpus(), *fuzz, *(Run(SCENARIO, name) for name in SCENARIOS)]

    def make(self, run, select, scratch):
        """Makes a run: what kills the mutant in it; none if nothing does."""
        try:
            return self._made(run, select, scratch)
        except Stopped as stop:
            stage = run.kind if run.kind == FUZZ else str(run)
            return Kill(stage, "port", str(stop), 1)

    def _made(self, run, select, scratch):
        if run.kind == FUZZ:
            return self._fuzzed(int(run.name), select, scratch)
        if run.kind == SCENARIO:
            return self._played(run.name, select, scratch)
        return self._replayed(run.name, select)

    def test_programs(self):
        """Their names; what takes longest comes last."""
        return sorted((path.name for path in self.programs.iterdir()), key=lambda name: (name == CONFORMANCE, name))

    def test_cases(self):
        """The cases of all test programs."""
        for program in self.test_programs():
            _, out = self._call([self.programs / program, "--list"], (HELD,))
            yield from (Run(program, case) for case in re.findall(r"^(\S+): test$", out, re.M))

    def hold(self, program, select, cases):
        """The cases of these names that hold."""
        folder = self.dut if program == CONFORMANCE else self.blocks
        dut = {"HCA_DUT": str(folder), "HCA_DUT_EXPORT": str(self.export), "HCA_SELECT": str(select)}
        told = {**os.environ, "HCA_PROFILE": PROFILE, **dut}
        # One that dies leaves cases without an end.
        call = [self.programs / program, "--test-threads", 1, "--exact", *cases]
        _, out = self._call(call, None, told, PER_TEST * (len(cases) + FEW))
        return set(re.findall(r"^test (\S+) \.\.\. ok$", out, re.M))

    def _first(self):
        return max(1, self.cases // FIRST)

    @staticmethod
    def _fuzz(numbers):
        return [Run(FUZZ, str(number)) for number in numbers]

    def _corpus(self):
        for case in sorted(self.corpus.glob("*.toml")):
            text = case.read_text()
            if all(re.search(line, text, re.M) for line in (r'^link = "ib"$', rf'^profile = "{PROFILE}"$')):
                yield Run(CORPUS, case.stem)

    def _fuzzed(self, number, select, scratch):
        runs, found = scratch / "runs", scratch / "summary.json"
        shutil.rmtree(runs, ignore_errors=True)
        options = ["--fail-fast", "--cases", self.cases, "--shard", f"{number}/{self.cases}", "--seed", self.seed]
        self._run(select, "fuzz", *options, "--out", runs, "--json", found)
        faults = json.loads(found.read_text())["faults"]
        return Kill("fuzz", by(faults[0]["differed"]), faults[0]["differed"], number + 1) if faults else None

    def _played(self, scenario, select, scratch):
        found = scratch / "results.json"
        status, _ = self._run(select, "cosim", scenario, "--seed", self.seed, "--json", found)
        if status != DIFFERED:
            return None
        field = json.loads(found.read_text())[0]["failure"]["field"]
        return Kill(f"scenario {scenario}", by(field), field, 1)

    def _replayed(self, case, select):
        status, out = self._run(select, "replay", self.corpus / f"{case}.toml")
        if status != DIFFERED:
            return None
        # The last line says what differed.
        what = (out.strip().splitlines() or [""])[-1].removeprefix("as the case tells: ")
        return Kill(f"corpus {case}", by(what), what, 1)

    def _run(self, select, command, *options):
        return self._call([self.hca, command, *options, "--dut", self.dut, "--select", select], (HELD, DIFFERED))

    def _call(self, call, ends, told=None, limit=None):
        limit = limit or max(AT_LEAST, PER_CASE * self.cases)
        if self.interrupted.is_set():
            raise Interrupted
        limited = [str(word) for word in ("prlimit", f"--cpu={limit}", *call)]
        done = subprocess.run(limited, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=told)
        if ends and done.returncode not in ends:
            stop = re.search(r"the simulation stopped: .*", done.stderr)
            if stop:
                raise Stopped(stop[0])
            sys.exit(f"mutate: `{' '.join(map(str, call))}` ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done.returncode, done.stdout


def program(run):
    """The one that makes a run, by the run's text."""
    kind = run.split()[0]
    return HCA if kind in (FUZZ, SCENARIO, CORPUS) else kind


def by(what):
    """Which check it was, by its words."""
    if what.startswith("the simulation died"):
        return "crash"
    if what.startswith("liveness"):
        return "liveness"
    if what.startswith("port rule"):
        return "port"
    return "referee" if re.search(r"\[[^][]+\]$", what) else "comparison"
