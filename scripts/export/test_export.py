"""Tests of the comparison of exports on small literal modules."""

import unittest

from merged import merged, trimmed
from renamed import renamed
from reordered import items

MODULE = """`default_nettype none
module pair (
  input  wire clock,
  input  wire in,
  output wire out
);
  wire first_q;
  reg kept = 1'b0;

  stage first (
    .clock(clock),
    .d(in),
    .q(first_q)
  );

  always @(posedge clock) begin
    kept <= first_q;
  end

  assign out = kept ||
    first_q;
endmodule
"""


class Reordered(unittest.TestCase):
    def test_order_of_ports_items_and_connections(self):
        other = MODULE.replace("  input  wire clock,\n  input  wire in,\n", "  input  wire in,\n  input  wire clock,\n")
        other = other.replace("  wire first_q;\n  reg kept = 1'b0;\n", "  reg kept = 1'b0;\n  wire first_q;\n")
        other = other.replace("    .clock(clock),\n    .d(in),\n", "    .d(in),\n    .clock(clock),\n")
        self.assertNotEqual(MODULE, other)
        self.assertEqual(items(MODULE), items(other))

    def test_each_line_counts(self):
        for old, new in (("kept ||", "in ||"), ("    first_q;", "    in;"), (".d(in)", ".d(clock)"), ("kept <=", "in <=")):
            self.assertNotEqual(items(MODULE), items(MODULE.replace(old, new)))


class Renamed(unittest.TestCase):
    def test_ports_of_the_module_and_of_modules_inside(self):
        lines = [("pair", "in", "into"), ("stage", "q", "held")]
        expected = MODULE.replace("wire in,", "wire into,").replace("(in)", "(into)")
        expected = expected.replace(".q(", ".held(").replace("first_q", "first_held")
        self.assertEqual(renamed(MODULE, lines), expected)

    def test_names_that_begin_alike(self):
        self.assertEqual(renamed(MODULE, [("pair", "first_*", "held_*")]), MODULE.replace("first_q", "held_q"))

    def test_no_name_that_is_taken(self):
        self.assertEqual(renamed(MODULE, [("pair", "in", "kept")]), MODULE)


def holder(name, comment):
    return f"`default_nettype none\nmodule {name} (\n  input  wire clock\n);\n  // {comment}\n  reg kept;\nendmodule\n"


class Merged(unittest.TestCase):
    def test_modules_that_differ_in_comments_alone_are_one(self):
        user = MODULE.replace("  stage first (", "  hold_2 first (")
        texts = merged({"hold": holder("hold", "A: a [0]"), "hold_2": holder("hold_2", "B: b [0]"), "pair": user})
        self.assertEqual(sorted(texts), ["hold", "pair"])
        self.assertEqual(texts["pair"], MODULE.replace("  stage first (", "  hold first ("))

    def test_other_logic_stays_another_module(self):
        other = holder("hold_2", "A: a [0]").replace("reg kept", "wire kept")
        self.assertEqual(len(merged({"hold": holder("hold", "A: a [0]"), "hold_2": other})), 2)


class Trimmed(unittest.TestCase):
    def test_an_unused_input_goes_and_what_drives_it_alone(self):
        inner = "module stage (\n  input  wire d,\n  input  wire spare,\n  output wire q\n);\n"
        inner += "  assign q = d;\nendmodule\n"
        user = MODULE.replace("  wire first_q;\n", "  wire first_q;\n  wire first_spare;\n")
        user = user.replace("    .d(in),\n", "    .d(in),\n    .spare(first_spare),\n")
        user = user.replace("  assign out", "  assign first_spare = in;\n  assign out")
        texts = trimmed({"stage": inner, "pair": user})
        self.assertEqual(texts["stage"], inner.replace("  input  wire spare,\n", ""))
        self.assertEqual(texts["pair"], MODULE)

    def test_what_is_read_stays(self):
        self.assertEqual(trimmed({"pair": MODULE}), {"pair": MODULE})


if __name__ == "__main__":
    unittest.main()
