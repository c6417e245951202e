"""Scores the tests by mutants of the exported Verilog; called by scripts/mutate."""

import argparse
import hashlib
import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, replace
from pathlib import Path

import equivalence
import lived
import netlist
import plan
import reach
import results
import score
import spread
import trial
from results import Result
from trial import Bench, Kill

# Folder of what the runs leave: a later call of `hca fuzz` goes on where an earlier one ended.
TRIALS = "trials"
# Digests of the programs that all this is of, by name.
PROGRAMS = "programs.json"
# Of what no run kills, by its proof.
ALIVE = {equivalence.UNDECIDED: results.UNDECIDED, equivalence.DIFFERS: results.SURVIVED}
PROOFS = {kind: proof for proof, kind in ALIVE.items()}
# Cases of a test program that a mutant sees in one call: those behind a call in which one fails are not made.
CALL = 24


def digest(folder):
    """Of the Verilog in a folder."""
    sha = hashlib.sha256()
    for path in sorted(folder.glob("*.v")):
        sha.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return sha.hexdigest()[:16]


def planned(work, call):
    """The mutants of this run by number, and the folders of the Verilog with them: of the adapter and for its blocks."""
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
    return mutants, work / netlist.MUTATED, netlist.blocks(work, mutants)


def renew(work, programs):
    """With another build of a program, which may see more, its runs of all that lived are made again, and of the design."""
    known, path = {}, work / PROGRAMS
    if path.exists():
        known = json.loads(path.read_text())
    digests = {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in programs}
    if digests == known:
        return

    def gone(run):
        name = trial.program(run)
        return name not in known or known[name] != digests.get(name)

    reach.forget(work, gone)
    lived.forget(work, gone)
    results.rewrite(work, [again(each) for each in results.read(work).values() if each.kind != results.UNREACHED])
    path.write_text(json.dumps(digests, indent=1) + "\n")


def again(result):
    """The same, pending if it lives."""
    if result.kind not in PROOFS:
        return result
    return replace(result, kind=results.PENDING, proof=PROOFS[result.kind])


def reached(work, bench):
    """What each run of the design reaches; `bench`: of the design with watchers."""
    found, scratch = reach.Reach(work), work / TRIALS / reach.WATCHED
    scratch.mkdir(parents=True, exist_ok=True)
    for run in [*bench.quick(), *bench.thorough()]:
        if str(run) not in found:
            kill, selects = reach.told(work, lambda: bench.make(run, 0, scratch))
            if kill:
                sys.exit(f"mutate: false alarm in {run}, {kill.what}: no score can be had of this design")
            found.add(str(run), selects)
    for run in bench.test_cases():
        if str(run) not in found:
            held, selects = reach.told(work, lambda: bench.hold(run.kind, 0, [run.name]))
            # Others are of another link, not for this profile, or of what this design has not.
            found.add(str(run), selects if held else ())
    return found


def first_kill(bench, alive, select, runs, scratch):
    """What kills this mutant in these runs; none if nothing does. `alive`: the runs in which it lived."""
    for run in alive.left(select, runs):
        kill = bench.make(run, select, scratch)
        if kill:
            return kill
        alive.add(select, [run])
    return None


def tested(bench, alive, select, programs, runs):
    """The kill by a case of these test programs, of those among the runs that reach the mutant, in their order."""
    for program in programs:
        wanted = alive.left(select, [run for run in runs if trial.program(run) == program])
        for some in batched(wanted, CALL):
            cases = [run.removeprefix(f"{program} ") for run in some]
            held = bench.hold(program, select, cases)
            failed = [case for case in cases if case not in held]
            alive.add(select, (f"{program} {case}" for case in held))
            if failed:
                return Kill(f"test {program}", "case", failed[0], 1)
    return None


def batched(items, size):
    """The items in lists of this size, the last one perhaps shorter."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def judge(work, bench, alive, mutants, found, proofs, timeout, jobs):
    """Runs what has no result yet: the quick runs, the tests of blocks and the proofs of all, then the costly runs of those
    that live.

    `found`: which runs reach which, the only ones that are made.
    """
    done = results.read(work)
    seen = spread.Spread(spread.read(work))
    programs = bench.test_programs()

    def scratch(select):
        folder = work / TRIALS / str(select)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def killed(select, runs, programs):
        reaching = found.by(select)
        runs = [run for run in runs if str(run) in reaching]
        kill = first_kill(bench, alive, select, runs, scratch(select)) or tested(bench, alive, select, programs, reaching)
        return Result(select, results.KILLED, mutants[select], asdict(kill)) if kill else None

    def cheap(select):
        return killed(select, bench.quick(), [each for each in programs if each != trial.CONFORMANCE])

    def soon(select):
        mutant = mutants[select]
        if not seen.reaches(mutant):
            return Result(select, results.EQUIVALENT, mutant)
        kill = cheap(select)
        if kill:
            return kill
        proof = proofs.prove(work, f"proof-{select}", select, timeout)
        if proof == equivalence.EQUIVALENT:
            return Result(select, results.EQUIVALENT, mutant)
        if not found.by(select):
            return Result(select, results.UNREACHED, mutant)
        return Result(select, results.PENDING, mutant, proof=proof)

    def at_last(select):
        kill = killed(select, [], [trial.CONFORMANCE]) or killed(select, bench.thorough(), [])
        return kill or Result(select, ALIVE[done[select].proof], mutants[select])

    def pending():
        return [select for select, result in done.items() if result.kind == results.PENDING]

    def make(run, selects):
        for result in side_by_side(jobs, run, selects):
            if result != done.get(result.select):
                tell(work, result)
                done[result.select] = result

    make(soon, [select for select in mutants if select not in done])
    # A former call's, if programs are new; all cheap runs before any costly one.
    make(lambda select: cheap(select) or done[select], pending())
    make(at_last, pending())


def side_by_side(jobs, run, selects):
    """What `run` finds of each, as it ends; none begins behind one that raises."""
    with ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(run, select) for select in selects]
        try:
            for ended in as_completed(runs):
                yield ended.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def tell(work, result):
    """Keeps a result, and says it."""
    results.add(work, result)
    how = result.kind
    if result.kill:
        how += " by {by} in {stage}, case {cases}: {what}".format(**result.kill)
    print(f"{result.select:5} {result.mutant}\n      {how}", flush=True)
    if result.kind != results.PENDING:
        shutil.rmtree(work / TRIALS / str(result.select), ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutate", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--hca", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--abc", required=True)
    parser.add_argument("--module", action="append", default=[], dest="modules")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cases", type=int, required=True)
    parser.add_argument("--timeout", type=int, required=True)
    parser.add_argument("--jobs", type=int, required=True)
    call = parser.parse_args()

    work = call.work
    wanted = plan.Call(digest(work / "verilog"), call.count, call.seed, call.cases, tuple(sorted(set(call.modules))))
    mutants, dut, blocks = planned(work, wanted)
    renew(work, [call.hca, *sorted(call.programs.iterdir())])
    bench = Bench(call.hca, dut, blocks, call.corpus, call.programs, work / "verilog", call.seed, call.cases)
    try:
        print("what each run of the design reaches", flush=True)
        found = reached(work, replace(bench, dut=reach.build(work, dut), blocks=reach.build(work, blocks)))
        print("the design without a mutant, in the same build and the same runs", flush=True)
        alive, scratch = lived.Lived(work), work / TRIALS / "0"
        scratch.mkdir(parents=True, exist_ok=True)
        alarm = tested(bench, alive, 0, bench.test_programs(), found.reaching())
        alarm = alarm or first_kill(bench, alive, 0, [*bench.quick(), *bench.thorough()], scratch)
        if alarm:
            print(f"mutate: false alarm in {alarm.stage}, {alarm.what}: no score can be had of this design")
            return 1
        proofs = equivalence.Proofs(equivalence.graph(work, mutants), call.abc)
        judge(work, bench, alive, mutants, found, proofs, call.timeout, call.jobs)
    except KeyboardInterrupt:
        bench.interrupted.set()
        print(f"interrupted; the same call with --out {work} goes on")
    found = sorted(results.read(work).values(), key=lambda result: result.select)
    (work / "score.json").write_text(json.dumps(score.record(found, len(mutants)), indent=1) + "\n")
    print(score.text(found, len(mutants)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
