"""Runs the design with one mutant, or with none, until something differs."""

import json
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass, field

HELD, DIFFERED = 0, 1
# Scenarios that between them hold every operation, faults of link and memory, credits, and all queue pairs; the quick
# ones are run before anybody thinks of a proof.
QUICK = ("rc-mixed", "rc-memory-errors")
THOROUGH = ("credits-figure", "credits-wrap", "rc-many", "o2iblnd", "credits-starvation", "rc-loss-20")
# The part of the cases that is run before a proof.
FIRST = 5
# Seconds of a process that runs cases, by case: one that takes longer never ends.
PER_CASE = 4
AT_LEAST = 600


@dataclass(frozen=True)
class Kill:
    """`by`: comparison, referee, liveness, port or crash; `what`: differed first; `cases`: run until then."""

    stage: str
    by: str
    what: str
    cases: int


class Interrupted(Exception):
    """Nothing runs any more."""


@dataclass(frozen=True)
class Bench:
    """The program, the Verilog with all mutants, the budget."""

    hca: str
    dut: str
    corpus: str
    # Test program of the conformance cases.
    conformance: str
    seed: int
    cases: int
    # Set: what runs side by side starts no further program.
    interrupted: threading.Event = field(default_factory=threading.Event, compare=False)

    def quick(self, select, scratch):
        """What kills this mutant soon; none if nothing does."""
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        return self._fuzz(select, scratch, max(1, self.cases // FIRST)) or self._scenarios(select, scratch, QUICK)

    def thorough(self, select, scratch):
        """The same with all that is left of the budget, after `quick` in the same folder."""
        scratch.mkdir(parents=True, exist_ok=True)
        return (
            self._fuzz(select, scratch, self.cases)
            or self._corpus(select)
            or self._scenarios(select, scratch, THOROUGH)
            or self._conformance(select, scratch)
        )

    def _fuzz(self, select, scratch, cases):
        found = scratch / "summary.json"
        options = ["--fail-fast", "--cases", cases, "--seed", self.seed]
        # A second call goes on where the first ended.
        self._run(select, "fuzz", *options, "--out", scratch / "runs", "--json", found)
        summary = json.loads(found.read_text())
        faults = summary["faults"]
        return Kill("fuzz", by(faults[0]["differed"]), faults[0]["differed"], summary["cases"]) if faults else None

    def _scenarios(self, select, scratch, scenarios):
        for scenario in scenarios:
            found = scratch / "results.json"
            status, _ = self._run(select, "cosim", scenario, "--seed", self.seed, "--json", found)
            if status == DIFFERED:
                field = json.loads(found.read_text())[0]["failure"]["field"]
                return Kill(f"scenario {scenario}", by(field), field, 1)
        return None

    def _corpus(self, select):
        for case in sorted(self.corpus.glob("*.toml")):
            text = case.read_text()
            if not all(re.search(line, text, re.M) for line in (r'^link = "ib"$', r'^profile = "small"$')):
                continue
            status, out = self._run(select, "replay", case)
            if status == DIFFERED:
                # The last line says what differed.
                what = (out.strip().splitlines() or [""])[-1].removeprefix("as the case tells: ")
                return Kill(f"corpus {case.stem}", by(what), what, 1)
        return None

    def _conformance(self, select, scratch):
        found = scratch / "conformance.json"
        self._run(select, "conformance", "--program", self.conformance, "--cases", 0, "--json", found)
        for row in json.loads(found.read_text())["rows"]:
            for case in row["cases"]:
                if not case["held"]:
                    return Kill(f"conformance {row['id']}", "case", case["case"], 1)
        return None

    def _run(self, select, command, *options):
        call = [self.hca, command, *options, "--dut", self.dut, "--select", select]
        limit = max(AT_LEAST, PER_CASE * self.cases)
        if self.interrupted.is_set():
            raise Interrupted
        limited = [str(word) for word in ("prlimit", f"--cpu={limit}", *call)]
        done = subprocess.run(limited, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode < 0 or done.returncode > DIFFERED:
            sys.exit(f"mutate: `{' '.join(map(str, call))}` ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done.returncode, done.stdout


def by(what):
    """Which check it was, by its words."""
    if what.startswith("the simulation died"):
        return "crash"
    if what.startswith("liveness"):
        return "liveness"
    if what.startswith("port rule"):
        return "port"
    return "referee" if re.search(r"\[[^][]+\]$", what) else "comparison"
