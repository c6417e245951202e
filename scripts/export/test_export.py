"""Tests of the comparison of exports on small literal modules."""

import unittest

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


if __name__ == "__main__":
    unittest.main()
