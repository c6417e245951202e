"""Tests of what reaches a mutant, on small literal inputs."""

import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import mutate
import reach
from trial import Run

VERILOG = """module child(a, y, mutant__);
  input a;
  output y;
  assign _1_ = mutant__ == 16'h0011;
  assign _2_ = ~ a;
  assign y = _1_ ? _2_ : a;
endmodule

module hca(select, x, y);
  assign _4_ = select == 16'h0002;
  assign _5_ = x[1] ? z : 16'h0002;
  assign y[3] = _4_ ? 1'h0 : x[1];
endmodule
"""


class Watchers(unittest.TestCase):
    def test_each_mutant_has_one_in_its_module(self):
        child, top = reach.watch(VERILOG).split("endmodule")[:2]
        self.assertTrue(child.endswith("  watch__ #(.NUMBER(17)) watch__17 (.differs(|((_2_) ^ (a))));\n"))
        self.assertTrue(top.endswith("  watch__ #(.NUMBER(2)) watch__2 (.differs(|((1'h0) ^ (x[1]))));\n"))

    def test_one_that_chooses_nothing_is_no_news_to_be_passed_over(self):
        with self.assertRaisesRegex(ValueError, r"choose nothing: \[17\]"):
            reach.watch(VERILOG.replace("_1_ ?", "_9_ ?"))


class Told(unittest.TestCase):
    def test_what_one_run_tells_is_not_the_next_one_s(self):
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            path = work / reach.TOLD
            self.assertEqual(reach.told(work, lambda: path.write_text("3\n1\n3\n")), (6, {1, 3}))
            self.assertEqual(reach.told(work, lambda: None), (None, set()))

    def test_it_is_kept_but_for_a_line_that_was_cut(self):
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            found = reach.Reach(work)
            found.add("fuzz 0", {2, 1})
            found.add("fuzz 1", set())
            with open(work / reach.FILE, "a") as out:
                out.write('["fuzz 2", [')
            again = reach.Reach(work)
            self.assertEqual((again.by(2), again.by(3), again.reaching()), (["fuzz 0"], [], ["fuzz 0"]))
            self.assertTrue("fuzz 1" in again and "fuzz 2" not in again)

    def test_each_run_of_the_design_is_made_once(self):
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            made = []

            def make(run, select, scratch):
                made.append((str(run), select))
                (work / reach.TOLD).write_text("5\n")

            def hold(program, select, cases):
                made.append((*cases, select))
                (work / reach.TOLD).write_text("5 6\n")
                return {"ours"} & set(cases)

            bench = SimpleNamespace(
                quick=lambda: [Run("fuzz", "0")],
                thorough=lambda: [Run("corpus", "x")],
                make=make,
                test_cases=lambda: [Run("conformance", "ours"), Run("walker", "theirs")],
                hold=hold,
            )
            for _ in range(2):
                found = mutate.reached(work, bench)
            self.assertEqual(made, [("fuzz 0", 0), ("corpus x", 0), ("ours", 0), ("theirs", 0)])
            self.assertEqual(found.by(5), ["corpus x", "fuzz 0", "conformance ours"])
            self.assertEqual(found.by(6), ["conformance ours"])


if __name__ == "__main__":
    unittest.main()
