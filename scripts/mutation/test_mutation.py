"""Tests of the mutation score on small literal inputs."""

import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import equivalence
import lived
import mutate
import plan
import reach
import results
import score
from mutant import Mutant
from results import EQUIVALENT, KILLED, PENDING, SURVIVED, UNDECIDED, UNREACHED, Result
from trial import Bench, Interrupted, Kill, Run, by

LINE = (
    "mutate -ctrl mutant__ 16 1 -mode cnot1 -module turn -cell $eq$verilog/turn.v:9$41 -port A -portbit 3 -ctrlbit 5"
    " -wire psn -wirebit 3 -src verilog/turn.v:2.8-2.11 -src verilog/turn.v:9.10-9.20"
)


def mutant(module="turn", port="A", bit=0):
    return Mutant(module=module, mode="inv", cell="$and$1", port=port, bit=bit)


def result(select, kind, module="turn", kill=None):
    return Result(select, kind, mutant(module, bit=select), kill)


class Lines(unittest.TestCase):
    def test_a_line_is_read_with_its_last_source(self):
        read = Mutant.parse(LINE)
        self.assertEqual(read, Mutant("turn", "cnot1", "$eq$verilog/turn.v:9$41", "A", 3, 5, "turn.v:9.10-9.20"))
        self.assertEqual(str(read), "turn: cnot1 at $eq$verilog/turn.v:9$41.A[3] by bit 5, turn.v:9.10-9.20")

    def test_a_command_makes_it_always_or_when_selected(self):
        read = Mutant.parse(LINE)
        always = "mutate -mode cnot1 -module turn -cell $eq$verilog/turn.v:9$41 -port A -portbit 3 -ctrlbit 5"
        self.assertEqual(read.command(), always)
        self.assertEqual(read.command(select=7), always + " -ctrl mutant__ 16 7")
        self.assertNotIn("-ctrlbit", mutant().command())

    def test_another_line_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no line of `mutate -list`: 'opt_clean'"):
            Mutant.parse("opt_clean\n")


class Plans(unittest.TestCase):
    def test_every_module_has_one_before_any_has_two(self):
        sizes = {"large": 10_000, "middle": 100, "small": 1}
        self.assertEqual(plan.shares(sizes, 3), {"large": 1, "middle": 1, "small": 1})
        self.assertEqual(plan.shares(sizes, 2), {"large": 1, "middle": 1})
        shares = plan.shares(sizes, 25)
        self.assertEqual(sum(shares.values()), 25)
        self.assertGreater(shares["large"], shares["middle"])

    def test_no_clock_is_taken_and_others_make_up_for_it(self):
        candidates = {
            "a": [mutant("a", "CLK"), mutant("a", "clock"), mutant("a", bit=1)],
            "b": [mutant("b", bit=bit) for bit in range(5)],
        }
        taken = plan.chosen(candidates, {"a": 3, "b": 1}, 1)
        self.assertEqual(len(taken), 4)
        self.assertFalse([m for m in taken if m.clocks])
        self.assertEqual(taken, plan.chosen(candidates, {"a": 3, "b": 1}, 1))

    def test_modules_take_turns(self):
        mutants = [mutant("a", bit=bit) for bit in range(3)] + [mutant("b")]
        turns = plan.in_turn(mutants, 1)
        self.assertEqual({m.module for m in turns[:2]}, {"a", "b"})
        self.assertEqual(sorted(map(str, turns)), sorted(map(str, mutants)))

    def test_a_folder_of_another_run_is_refused(self):
        call = plan.Call("digest", 2, 1, 60, ())
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.assertIsNone(plan.read(folder, call))
            plan.write(folder, call, [mutant(), mutant(bit=1)])
            self.assertEqual(plan.read(folder, call), {1: mutant(), 2: mutant(bit=1)})
            with self.assertRaisesRegex(SystemExit, "seed differs"):
                plan.read(folder, plan.Call("digest", 2, 9, 60, ()))


class Trials(unittest.TestCase):
    def test_which_check_it_was(self):
        self.assertEqual(by("PSN at AckEmitted"), "comparison")
        self.assertEqual(by("QP state: expected n, the device n [qp_cq.md section 1]"), "referee")
        self.assertEqual(by("liveness: data of PSN n"), "liveness")
        self.assertEqual(by("port rule: m_axi withdrew"), "port")
        self.assertEqual(by("the simulation died: signal 11"), "crash")

    def bench(self, folder, status, summary):
        """A bench whose `hca` writes this summary and ends so."""
        program = folder / "hca"
        program.write_text(f'#!/bin/sh\nwhile [ "$1" != --json ]; do shift; done\necho \'{summary}\' > "$2"\nexit {status}\n')
        program.chmod(0o755)
        return Bench(program, folder, folder, folder, folder, folder, 1, 1)

    def test_what_fuzzing_finds_kills(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            bench = self.bench(folder, 1, '{"cases": 3, "faults": [{"differed": "PSN", "cases": [2]}]}')
            self.assertEqual(bench.make(Run("fuzz", "2"), 1, folder), Kill("fuzz", "comparison", "PSN", 3))

    def test_a_simulation_that_stops_kills(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            bench = self.bench(folder, 2, "{}")
            stop = "the simulation stopped: hca.v:9: $stop"
            bench.hca.write_text(f"#!/bin/sh\necho 'error: {stop}' >&2\nexit 2\n")
            self.assertEqual(bench.make(Run("fuzz", "2"), 1, folder), Kill("fuzz", "port", stop, 1))
            self.assertEqual(bench.make(Run("corpus", "x"), 1, folder), Kill("corpus x", "port", stop, 1))

    def test_a_run_in_which_it_lived_is_made_once(self):
        made = []

        def make(run, select, scratch):
            made.append(str(run))
            return Kill("fuzz", "comparison", "PSN", 2) if run.name == "1" else None

        runs = [Run("fuzz", "0"), Run("fuzz", "1"), Run("fuzz", "2")]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for _ in range(2):
                alive = lived.Lived(folder)
                self.assertEqual(mutate.first_kill(SimpleNamespace(make=make), alive, 1, runs, folder).cases, 2)
            self.assertEqual(made, ["fuzz 0", "fuzz 1", "fuzz 1"])
            self.assertEqual(alive.left(1, runs), runs[1:])
            self.assertEqual(alive.left(2, runs), runs)

    def test_a_case_that_fails_or_does_not_end_kills(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            programs = folder / "programs"
            programs.mkdir()
            told = 'echo "$HCA_PROFILE $HCA_DUT $HCA_DUT_EXPORT $HCA_SELECT $*" >> told'
            ends = "echo 'test a::x ... ok'\necho 'test a::y ... FAILED'\nkill -9 $$"
            for each, does in (("conformance", f"{told}\n{ends}"), ("walker", f"{told}\necho 'test b::z ... ok'")):
                program = programs / each
                listed = '[ "$1" = --list ] && echo "a::x: test" && exit'
                program.write_text(f"#!/bin/sh\ncd {folder}\n{listed}\n{does}\n")
                program.chmod(0o755)
            bench = Bench("hca", "dut", "blocks", folder, programs, "export", 1, 1)
            self.assertEqual(list(bench.test_cases()), [Run("walker", "a::x"), Run("conformance", "a::x")])
            self.assertEqual(bench.hold("conformance", 7, ["a::x", "a::y", "a::z"]), {"a::x"})
            bench.hold("walker", 7, ["b::z"])
            options = "export 7 --test-threads 1 --exact"
            calls = [f"small dut {options} a::x a::y a::z", f"small blocks {options} b::z"]
            self.assertEqual((folder / "told").read_text().splitlines(), calls)

            def tested(*runs):
                runs = ["conformance a::x", "walker b::z", "fuzz 1", *runs]
                return mutate.tested(bench, alive, 7, ["walker", "conformance"], runs)

            alive = lived.Lived(folder)
            self.assertIsNone(tested())
            self.assertEqual(tested("conformance a::z"), Kill("test conformance", "case", "a::z", 1))
            self.assertEqual(tested("walker a::z"), Kill("test walker", "case", "a::z", 1))
            # What held is not run again.
            calls = [f"small dut {options} a::z", f"small blocks {options} a::z"]
            self.assertEqual((folder / "told").read_text().splitlines()[-2:], calls)

    def test_the_cases_behind_a_call_with_one_that_fails_are_not_made(self):
        with tempfile.TemporaryDirectory() as name:
            runs, calls = [f"walker case_{number}" for number in range(3 * mutate.CALL)], []

            def hold(program, select, cases):
                calls.append(cases)
                return set(cases) - {f"case_{mutate.CALL + 1}"}

            kill = mutate.tested(SimpleNamespace(hold=hold), lived.Lived(Path(name)), 7, ["walker"], runs)
            self.assertEqual(kill.what, f"case_{mutate.CALL + 1}")
            self.assertEqual([cases[0] for cases in calls], ["case_0", f"case_{mutate.CALL}"])

    def test_the_quick_runs_are_the_first_cases(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "ours.toml").write_text('link = "ib"\nprofile = "small"\n')
            (folder / "theirs.toml").write_text('link = "roce"\nprofile = "small"\n')
            bench = Bench("hca", "dut", "blocks", folder, "programs", "export", 1, 10)
            self.assertEqual([str(run) for run in bench.quick()], ["fuzz 0", "fuzz 1"])
            thorough = [str(run) for run in bench.thorough()]
            self.assertEqual(thorough[:3], ["corpus ours", "fuzz 2", "fuzz 3"])
            self.assertEqual(thorough[9], "scenario rc-memory-errors")

    def test_after_an_interrupt_nothing_starts(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            bench = self.bench(folder, 0, "{}")
            bench.interrupted.set()
            with self.assertRaises(Interrupted):
                bench.make(Run("fuzz", "0"), 1, folder)

    def test_a_call_that_is_wrong_kills_nothing(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            bench = self.bench(folder, 2, "{}")
            with self.assertRaisesRegex(SystemExit, "ended with 2"):
                bench.make(Run("fuzz", "0"), 1, folder)


class Judging(unittest.TestCase):
    def judged(self, quick, found, thorough, reaches=True, runs=("fuzz 0", "fuzz 1"), test=None):
        """The result of one mutant that these runs reach, and how many costly runs were made; `test`: fails."""
        made = []

        def make(run, *_):
            made.append(str(run))
            return {"fuzz 0": quick, "fuzz 1": thorough}[str(run)]

        def hold(program, select, cases):
            made.append(program)
            return set() if program == test else set(cases)

        bench = SimpleNamespace(
            quick=lambda: [Run("fuzz", "0")],
            thorough=lambda: [Run("fuzz", "1")],
            test_programs=lambda: ["walker", "conformance"],
            make=make,
            hold=hold,
        )
        reached = SimpleNamespace(by=lambda select: set(runs))
        seen = SimpleNamespace(reaches=lambda mutant: reaches)
        proofs = SimpleNamespace(prove=lambda *_: found)
        with (
            tempfile.TemporaryDirectory() as name,
            mock.patch.object(mutate.spread, "read"),
            mock.patch.object(mutate.spread, "Spread", return_value=seen),
            mock.patch("builtins.print"),
        ):
            alive = lived.Lived(Path(name))
            for _ in range(2):
                mutate.judge(Path(name), bench, alive, {1: mutant()}, reached, proofs, 1, 1)
            return results.read(Path(name))[1].kind, made.count("fuzz 1") + made.count("conformance")

    def test_proofs_come_between_the_quick_runs_and_the_thorough_ones(self):
        kill = Kill("fuzz", "comparison", "PSN", 3)
        self.assertEqual(self.judged(kill, None, None), (KILLED, 0))
        self.assertEqual(self.judged(None, equivalence.EQUIVALENT, kill), (EQUIVALENT, 0))
        self.assertEqual(self.judged(None, equivalence.DIFFERS, kill), (KILLED, 1))
        self.assertEqual(self.judged(None, equivalence.UNDECIDED, None), (UNDECIDED, 1))
        self.assertEqual(self.judged(None, equivalence.DIFFERS, None), (SURVIVED, 1))
        self.assertEqual(self.judged(kill, None, None, reaches=False), (EQUIVALENT, 0))

    def test_tests_of_blocks_come_before_proofs_and_conformance_behind_them(self):
        runs = ("fuzz 0", "fuzz 1", "walker a::x", "conformance a::y")
        self.assertEqual(self.judged(None, equivalence.EQUIVALENT, None, runs=runs, test="walker"), (KILLED, 0))
        self.assertEqual(self.judged(None, equivalence.EQUIVALENT, None, runs=runs, test="conformance"), (EQUIVALENT, 0))
        self.assertEqual(self.judged(None, equivalence.DIFFERS, None, runs=runs, test="conformance"), (KILLED, 1))
        self.assertEqual(self.judged(None, equivalence.DIFFERS, None, runs=runs), (SURVIVED, 2))

    def test_only_runs_that_reach_it_are_made(self):
        kill = Kill("fuzz", "comparison", "PSN", 3)
        self.assertEqual(self.judged(kill, equivalence.DIFFERS, kill, runs=["fuzz 1"]), (KILLED, 1))
        self.assertEqual(self.judged(kill, equivalence.DIFFERS, kill, runs=["corpus x"]), (SURVIVED, 0))
        self.assertEqual(self.judged(kill, equivalence.DIFFERS, kill, runs=[]), (UNREACHED, 0))
        self.assertEqual(self.judged(kill, equivalence.EQUIVALENT, kill, runs=[]), (EQUIVALENT, 0))

    def test_each_is_run_once_side_by_side(self):
        ran = []
        found = mutate.side_by_side(3, lambda select: ran.append(select) or -select, range(1, 9))
        self.assertEqual(sorted(found), [-select for select in range(8, 0, -1)])
        self.assertEqual(sorted(ran), list(range(1, 9)))

    def test_behind_one_that_ends_the_run_none_begins(self):
        ran = []

        def run(select):
            ran.append(select)
            # Time for the other thread to hear of the first.
            time.sleep(0.002)
            sys.exit("wrong call")

        with self.assertRaisesRegex(SystemExit, "wrong call"):
            list(mutate.side_by_side(1, run, range(1000)))
        self.assertLess(len(ran), 1000)

    def test_of_what_lived_the_runs_of_another_build_are_made_again(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            programs = [folder / "hca", folder / "walker"]
            for program in programs:
                program.write_bytes(b"old")
            mutate.renew(folder, programs)
            for select, kind in enumerate(results.KINDS, 1):
                results.add(folder, result(select, kind))
            runs = ["fuzz 1", "scenario o2iblnd", "corpus x", "walker a::x"]
            lived.Lived(folder).add(4, runs)
            for run in runs:
                reach.Reach(folder).add(run, {4})
            before = [(folder / each).read_bytes() for each in (results.FILE, lived.FILE, reach.FILE)]
            mutate.renew(folder, programs)
            self.assertEqual([(folder / each).read_bytes() for each in (results.FILE, lived.FILE, reach.FILE)], before)

            programs[1].write_bytes(b"new")
            mutate.renew(folder, programs)
            found = results.read(folder)
            kinds = {select: (each.kind, each.proof) for select, each in found.items()}
            undecided, differs = (PENDING, equivalence.UNDECIDED), (PENDING, equivalence.DIFFERS)
            self.assertEqual(kinds, {1: (KILLED, None), 2: (EQUIVALENT, None), 3: undecided, 4: differs, 6: (PENDING, None)})
            self.assertEqual(lived.Lived(folder).left(4, runs), ["walker a::x"])
            self.assertEqual(set(reach.Reach(folder).by(4)), set(runs[:3]))
            programs[0].write_bytes(b"new")
            mutate.renew(folder, programs)
            self.assertEqual(reach.Reach(folder).by(4), [])


class Scores(unittest.TestCase):
    def setUp(self):
        kill = {"stage": "corpus hostile-92", "by": "referee", "what": "x", "cases": 1}
        self.results = [
            result(1, KILLED, kill=kill),
            result(2, KILLED, kill=kill),
            result(3, EQUIVALENT),
            result(4, SURVIVED, "ring"),
            result(5, UNDECIDED, "ring"),
        ]

    def test_equivalent_ones_do_not_count(self):
        self.assertEqual(score.share(score.of(self.results)), 50)
        self.assertIsNone(score.share(score.of([result(1, EQUIVALENT)])))

    def test_the_worst_module_stands_first(self):
        lines = score.table(self.results).splitlines()
        self.assertEqual(lines[1].split(), ["ring", "0", "0", "1", "1", "0", "0", "0.0", "%"])
        self.assertEqual(lines[2].split(), ["turn", "2", "1", "0", "0", "0", "0", "100.0", "%"])

    def test_what_is_pending_is_not_killed(self):
        self.assertEqual(score.share(score.of([*self.results, result(6, PENDING)])), 40)

    def test_the_last_line_says_all(self):
        lines = score.text(self.results, 9).splitlines()
        self.assertIn("killed: 2 by referee in corpus", lines)
        self.assertIn("  survived 4: ring: inv at $and$1.A[4]", lines)
        self.assertEqual(
            lines[-1],
            "5 of 9 mutants in 2 modules: 2 killed, 1 equivalent, 1 undecided, 1 survived, 0 unreached, 0 pending; "
            "50.0 % of those not proved equivalent killed",
        )

    def test_a_line_cut_by_the_end_is_none(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for each in self.results[:2]:
                results.add(folder, each)
            with open(folder / results.FILE, "a") as out:
                out.write('{"select": 3, "ki')
            self.assertEqual(sorted(results.read(folder)), [1, 2])
            self.assertEqual(results.read(folder)[1], self.results[0])


if __name__ == "__main__":
    unittest.main()
