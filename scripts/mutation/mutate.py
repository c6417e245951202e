"""Scores the tests by mutants of the exported Verilog; called by scripts/mutate."""

import argparse
import hashlib
import json
import sys
from dataclasses import asdict
from pathlib import Path

import equivalence
import netlist
import plan
import results
import score
from results import Result
from trial import Bench

KINDS = {
    equivalence.EQUIVALENT: results.EQUIVALENT,
    equivalence.UNDECIDED: results.UNDECIDED,
    equivalence.DIFFERS: results.SURVIVED,
}


def digest(folder):
    """Of the Verilog in a folder."""
    sha = hashlib.sha256()
    for path in sorted(folder.glob("*.v")):
        sha.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return sha.hexdigest()[:16]


def planned(work, call):
    """The mutants of this run by number, and the folder of the Verilog that holds them."""
    mutants = plan.read(work, call)
    if mutants is None:
        cells = netlist.prepare(work)
        unknown = sorted(set(call.modules) - set(cells))
        if unknown:
            sys.exit(f"mutate: nothing to mutate in a module {unknown[0]!r}; {len(cells)} others: {', '.join(sorted(cells))}")
        sizes = {name: cells[name] for name in call.modules or cells}
        wanted = plan.shares(sizes, call.count)
        chosen = plan.chosen(netlist.candidates(work, wanted, call.seed), wanted, call.seed)
        mutants = plan.numbered(plan.in_turn(chosen, call.seed))
        netlist.mutate(work, mutants)
        # Last: a folder with a plan has its Verilog.
        plan.write(work, call, list(mutants.values()))
    return mutants, work / netlist.MUTATED


def judge(work, bench, mutants, timeout):
    """Runs what has no result yet."""
    done = results.read(work)
    held_by = netlist.parents(work)
    for select, mutant in mutants.items():
        if select in done:
            continue
        scratch = work / "trial"
        kill, found = bench.quick(select, scratch), None
        if not kill:
            found = equivalence.prove(work, mutant, held_by.get(mutant.module, {}), timeout)
            kill = None if found == equivalence.EQUIVALENT else bench.thorough(select, scratch)
        if kill:
            result = Result(select, results.KILLED, mutant, asdict(kill))
            how = f"killed by {kill.by} in {kill.stage}, case {kill.cases}: {kill.what}"
        else:
            result = Result(select, KINDS[found], mutant)
            how = result.kind
        results.add(work, result)
        print(f"{select:5} {mutant}\n      {how}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutate", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--hca", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--module", action="append", default=[], dest="modules")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cases", type=int, required=True)
    parser.add_argument("--timeout", type=int, required=True)
    call = parser.parse_args()

    work = call.work
    wanted = plan.Call(digest(work / "verilog"), call.count, call.seed, tuple(sorted(set(call.modules))))
    mutants, dut = planned(work, wanted)
    bench = Bench(call.hca, dut, call.corpus, call.seed, call.cases)
    if not (work / "held").exists():
        print("the design without a mutant, in the same build and the same runs", flush=True)
        scratch = work / "trial"
        alarm = bench.quick(0, scratch) or bench.thorough(0, scratch)
        if alarm:
            print(f"mutate: false alarm in {alarm.stage}, {alarm.what}: no score can be had of this design")
            return 1
        (work / "held").touch()
    try:
        judge(work, bench, mutants, call.timeout)
    except KeyboardInterrupt:
        print(f"interrupted; the same call with --out {work} goes on")
    found = sorted(results.read(work).values(), key=lambda result: result.select)
    (work / "score.json").write_text(json.dumps(score.record(found, len(mutants)), indent=1) + "\n")
    print(score.text(found, len(mutants)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
