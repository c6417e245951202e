"""Tests of the synthesis report on small literal inputs."""

import unittest

import harness
from area import Area, Block, Modules
from report import clock_mhz, slowest_path, table

PORTS = {
    "clock": {"direction": "input", "bits": [2]},
    "s_axis_tdata": {"direction": "input", "bits": list(range(3, 67))},
    "irq": {"direction": "output", "bits": [67]},
    "retire_valid": {"direction": "output", "bits": list(range(68, 74))},
}

STAT = {
    "modules": {
        "\\hca_synth": {"num_cells_by_type": {"hca": 1, "TRELLIS_FF": 65}},
        "\\hca": {"num_cells_by_type": {"engine": 2, "\\lane": 1, "empty": 1, "LUT4": 7, "PFUMX": 3}},
        "\\engine": {"num_cells_by_type": {"ram": 1, "LUT4": 10, "CCU2C": 4, "TRELLIS_FF": 20}},
        "\\ram": {"num_cells_by_type": {"DP16KD": 2, "TRELLIS_DPR16X4": 1, "TRELLIS_FF": 1}},
        "\\lane": {"num_cells_by_type": {"LUT4": 1, "L6MUX21": 1}},
        "\\empty": {"num_cells_by_type": {}},
    }
}


class Harness(unittest.TestCase):
    def test_every_port_but_the_retire_ports_is_registered(self):
        text = harness.verilog(PORTS, "hca")
        self.assertIn("input wire [63:0] s_axis_tdata", text)
        self.assertIn("s_axis_tdata_register [63:0] (", text)
        self.assertIn(".DI(s_axis_tdata), .Q(s_axis_tdata_inner)", text)
        self.assertIn(".s_axis_tdata(s_axis_tdata_inner)", text)
        self.assertIn("output wire [0:0] irq", text)
        self.assertIn(".DI(irq_inner), .Q(irq)", text)
        self.assertIn(".clock(clock)", text)
        self.assertNotIn("retire_", text)

    def test_its_registers_are_counted(self):
        self.assertEqual(harness.register_bits(PORTS), 65)


class Areas(unittest.TestCase):
    def setUp(self):
        self.modules = Modules(STAT)

    def test_own_cells_only(self):
        self.assertEqual(self.modules.own("hca"), Area(lut4=7))

    def test_carry_and_lut_ram_take_lut_sites(self):
        self.assertEqual(self.modules.whole("engine"), Area(lut4=10 + 4 * 2 + 6, ff=21, ram=2))

    def test_instances_multiply_and_empty_blocks_are_left_out(self):
        self.assertEqual(
            self.modules.blocks("hca", levels=1),
            [Block(0, "engine", 2, Area(48, 42, 4)), Block(0, "lane", 1, Area(1, 0, 0))],
        )

    def test_blocks_inside_blocks_are_indented(self):
        names = [(block.depth, block.name, block.count) for block in self.modules.blocks("hca", levels=2)]
        self.assertEqual(names, [(0, "engine", 2), (1, "ram", 2), (0, "lane", 1)])

    def test_parts_add_up(self):
        parts = sum((b.area for b in self.modules.blocks("hca", levels=1)), self.modules.own("hca"))
        self.assertEqual(parts, self.modules.whole("hca"))


class Report(unittest.TestCase):
    def test_clock_is_found_under_a_derived_net_name(self):
        self.assertEqual(clock_mhz({"fmax": {"$glbnet$clock": {"achieved": 118.0, "constraint": 125}}}), 118.0)

    def test_a_missing_clock_is_an_error_that_names_what_there_is(self):
        with self.assertRaisesRegex(ValueError, "sysclk"):
            clock_mhz({"fmax": {"sysclk": {"achieved": 1.0}}}, domain="clock_x")

    def test_the_slowest_path_is_between_registers_and_named_as_in_the_verilog(self):
        def path(source, sink, *cells):
            steps = [{"delay": 1.25, "from": {"cell": a}, "to": {"cell": b}} for a, b in zip(cells, cells[1:])]
            return {"from": source, "to": sink, "path": steps}

        edge = "posedge clock"
        report = {
            "critical_paths": [
                path("<async>", edge, "x", "y", "z", "w"),
                path(edge, edge, "hca.a.q_TRELLIS_FF_Q_2", "hca.b_LUT4_Z", "hca.c.full_q_TRELLIS_FF_Q"),
            ]
        }
        self.assertEqual(slowest_path(report), "a.q -> c.full_q, 2.5 ns")

    def test_columns_line_up(self):
        blocks = Modules(STAT).blocks("hca", levels=2)
        lines = table(blocks, Area(7), 65, Area(50, 42, 4), 118.04, "LFE5UM5G-85F speed 8", "a -> b").splitlines()
        self.assertEqual(lines[0], "block               LUT4  FF  block RAM  Fmax MHz  device")
        self.assertEqual(lines[2], "engine x2             48  42          4")
        self.assertEqual(lines[3], "  ram x2              12   2          4")
        self.assertEqual(lines[7], "in all, flattened     50  42          4     118.0  LFE5UM5G-85F speed 8")
        self.assertEqual(lines[8], "Slowest path: a -> b.")
        self.assertIn("65 registers", lines[9])


if __name__ == "__main__":
    unittest.main()
