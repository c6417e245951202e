"""Tests of the synthesis report on small literal inputs."""

import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path as File

import alone
import delays
import ecp5
import floorplan
import harness
import ultrascale_plus
from area import GOWIN, ULTRASCALE_PLUS, Area, Block, Modules
from instances import Instance, instances, rows_text
from path import Netlist, Path, by_block
from placed import Placed
from report import clock_mhz, estimate, placed_mhz, placed_wire, slow_paths, slowest_path, source_name, table
from timing import Timing, groups

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
        text = harness.verilog(PORTS, "hca", ecp5.REGISTER)
        self.assertIn("input wire [63:0] s_axis_tdata", text)
        self.assertIn("TRELLIS_FF s_axis_tdata_register [63:0] (.CLK(clock)", text)
        self.assertIn(".DI(s_axis_tdata), .Q(s_axis_tdata_inner)", text)
        self.assertIn(".s_axis_tdata(s_axis_tdata_inner)", text)
        self.assertIn("output wire [0:0] irq", text)
        self.assertIn(".DI(irq_inner), .Q(irq)", text)
        self.assertIn(".clock(clock)", text)
        self.assertNotIn("retire_", text)

    def test_it_takes_the_registers_of_the_family(self):
        text = harness.verilog(PORTS, "hca", ultrascale_plus.REGISTER)
        self.assertIn("FDRE irq_register [0:0] (.C(clock), .CE(1'b1), .R(1'b0), .D(irq_inner), .Q(irq));", text)

    def test_its_registers_are_counted(self):
        self.assertEqual(harness.register_bits(PORTS), 65)

    def test_chained_it_has_four_pins_and_as_many_registers(self):
        text = harness.chained(PORTS, "hca")
        self.assertIn("reg [63:0] driving;", text)
        self.assertIn("reg [0:0] loaded;", text)
        self.assertIn(".s_axis_tdata(driving[63:0])", text)
        self.assertIn(".irq(driven[0:0])", text)
        self.assertEqual(text.count("input wire"), 3)
        self.assertNotIn("retire_", text)


class Alone(unittest.TestCase):
    def test_blocks_have_a_line_each_and_a_sum(self):
        lines = alone.text([("uc_effect", Area(353, 0, 0)), ("handle_rows", Area(70, 117, 2))]).splitlines()
        self.assertEqual(lines[2].split(), ["uc_effect", "353", "0", "0"])
        self.assertEqual(lines[3].split(), ["handle_rows", "70", "117", "2"])
        self.assertEqual(lines[5].split(), ["together", "423", "117", "2"])

    def test_a_block_that_was_not_exported_is_named_with_those_like_it(self):
        with tempfile.TemporaryDirectory() as folder:
            work = File(folder)
            (work / "verilog").mkdir()
            for name in ("uc_effect", "walker", "hca"):
                (work / f"verilog/{name}.v").touch()
            self.assertIsNone(alone.unknown(work, ["uc_effect", "hca"]))
            self.assertEqual(alone.unknown(work, ["hca", "uc_efect"]), ("uc_efect", ["uc_effect"]))


class Delays(unittest.TestCase):
    LIBRARY = """
(* abc9_box *)
module CCU2C(input CIN, output COUT);
  specify
    (CIN => COUT) = 1;
  endspecify
endmodule
(* abc9_box, lib_whitebox *)
module TRELLIS_DPR16X4 (input [3:0] RAD);
endmodule
(* blackbox *)
module DP16KD(input CLKA);
endmodule
module INV(input A);
  always @(*) begin end
endmodule
`ifdef YOSYS
(* abc9_flop=(SRMODE != "ASYNC"), lib_whitebox *)
`endif
module TRELLIS_FF(input CLK, LSR, CE, DI, M, output reg Q);
  specify
`ifdef YOSYS
    if (SRMODE == "ASYNC" && muxlsr) (LSR => Q) = 0;
`endif
  endspecify
endmodule
"""

    def test_a_cell_gets_the_delays_of_the_mapper(self):
        text = delays.verilog(self.LIBRARY)
        self.assertIn("(* abc9_box *)\nmodule CCU2C(", text)
        self.assertIn("(CIN => COUT) = 70;", text)
        self.assertNotIn("= 1;", text)
        self.assertIn("(A0 => S1) = 1200;", text)
        self.assertNotIn("(A1 => S0)", text)
        self.assertIn("(RAD *> DO) = 990;", text)
        self.assertIn("(posedge CLKB => (DOB17 : 1'bx)) = 5600;", text)
        self.assertIn('(* abc9_flop=(SRMODE != "ASYNC"), lib_whitebox *)\n`endif\nmodule TRELLIS_FF(', text)
        self.assertIn("(posedge CLK => (Q : DI)) = 520;", text)
        self.assertNotIn("INV", text)
        self.assertEqual(text.count("endmodule"), 4)

    def test_no_reset_reaches_what_a_register_holds_without_a_clock(self):
        self.assertNotIn("LSR =>", delays.verilog(self.LIBRARY))

    def test_another_library_is_reported(self):
        with self.assertRaisesRegex(SystemExit, "no module CCU2C"):
            delays.verilog("module LUT4(); endmodule")


class Areas(unittest.TestCase):
    def setUp(self):
        self.modules = Modules(STAT)

    def test_own_cells_only(self):
        self.assertEqual(self.modules.own("hca"), Area(lut=7))

    def test_carry_and_lut_ram_take_lut_sites(self):
        self.assertEqual(self.modules.whole("engine"), Area(lut=10 + 4 * 2 + 6, ff=21, ram=2))

    def test_cells_of_ultrascale(self):
        cells = {"LUT6": 3, "RAM64M8": 1, "CARRY8": 9, "FDSE": 2, "RAMB36E2": 1, "RAMB18E2": 3}
        modules = Modules({"modules": {"\\x": {"num_cells_by_type": cells}}}, ULTRASCALE_PLUS)
        self.assertEqual(modules.own("x"), Area(lut=3 + 8, ff=2, ram=2.5))

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


class Instances(unittest.TestCase):
    CELLS = {
        name: {"type": kind}
        for name, kind in [
            ("hca.port", "$scopeinfo"),
            ("hca.port.room", "$scopeinfo"),
            ("hca.port.taken_q_TRELLIS_FF_Q", "TRELLIS_FF"),
            ("hca.port.room.words.cells.0.0", "TRELLIS_DPR16X4"),
            ("hca.port.room.words_DO_LUT4_A", "LUT4"),
            ("hca.queue", "$scopeinfo"),
            ("hca.queue.memory.0.0", "DP16KD"),
            ("hca.valid_LUT4_Z", "LUT4"),
            ("$abc$17", "CCU2C"),
            ("clock_register", "TRELLIS_FF"),
        ]
    }

    def test_a_cell_counts_to_the_innermost_instance_of_its_name(self):
        found = instances(self.CELLS, "hca", 2, 1)
        expected = [
            Instance(0, "hca", Area(10, 2, 1), Area(3, 1)),
            Instance(1, "port", Area(7, 1), Area(0, 1)),
            Instance(2, "room", Area(7), Area(7)),
            Instance(1, "queue", Area(ram=1), Area(ram=1)),
        ]
        self.assertEqual(found, expected)

    def test_small_and_deep_ones_are_left_out(self):
        self.assertEqual([row.name for row in instances(self.CELLS, "hca", 1, 8)], ["hca", "queue"])
        self.assertEqual([row.name for row in instances(self.CELLS, "hca", 1, 1)], ["hca", "port", "queue"])

    def test_cells_of_a_gowin_are_counted_by_the_luts_whose_place_they_take(self):
        cells = {
            name: {"type": kind}
            for name, kind in [("a", "LUT3"), ("b", "ALU"), ("c", "RAM16SDP4"), ("d", "DFFRE"), ("e", "SDPX9B")]
        }
        self.assertEqual(instances(cells, "hca", 0, 1, GOWIN), [Instance(0, "hca", Area(10, 1, 1), Area(10, 1, 1))])

    def test_what_is_inside_is_indented(self):
        lines = rows_text(instances(self.CELLS, "hca", 1, 1)).splitlines()
        self.assertEqual(lines[2].split(), ["port", "7", "0", "1", "1", "0"])
        self.assertTrue(lines[2].startswith("  port "))


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

    def test_what_the_mapping_for_a_gowin_appends_is_left_out(self):
        self.assertEqual(source_name("hca.a.end_q_DFFRE_Q_64", "hca"), "a.end_q")
        self.assertEqual(source_name("hca.a.sum_ALU_COUT", "hca"), "a.sum")

    def test_columns_line_up(self):
        blocks = Modules(STAT).blocks("hca", levels=2)
        lines = table(blocks, Area(7), 65, Area(50, 42, 4), 118.04, "LFE5UM5G-85F speed 8", "a -> b").splitlines()
        self.assertEqual(lines[0], "block               LUT4  FF  block RAM  Fmax MHz  device")
        self.assertEqual(lines[2], "engine x2             48  42          4")
        self.assertEqual(lines[3], "  ram x2              12   2          4")
        self.assertEqual(lines[7], "in all, flattened     50  42          4     118.0  LFE5UM5G-85F speed 8")
        self.assertEqual(lines[8], "Slowest path: a -> b.")
        self.assertIn("65 registers", lines[9])

    def test_an_estimate_names_the_longest_path(self):
        blocks = Modules(STAT).blocks("hca", levels=2)
        longest = Path(3, (("CARRY8", 1), ("LUT6", 2)), "hca.a.q", "hca.b.q")
        chains = {("engine",): longest, ("engine", "ram"): Path(1, (("LUT2", 1),), "x", "y")}
        lines = estimate(blocks, Area(7), Area(50, 42, 4.5), chains, longest, 65, "XCVU9P").splitlines()
        self.assertEqual(lines[0], "block               LUT  FF  block RAM  levels  device")
        self.assertEqual(lines[2], "engine x2            48  42          4       3")
        self.assertEqual(lines[3], "  ram x2             12   2          4       1")
        self.assertEqual(lines[4], "lane                  1   0          0")
        self.assertEqual(lines[7], "in all               50  42        4.5       3  XCVU9P")
        self.assertEqual(lines[8], "Longest path: 3 levels (1 CARRY8, 2 LUT6): hca.a.q -> hca.b.q.")


def cell(kind, inputs, outputs):
    """`inputs`, `outputs`: nets by port."""
    return {
        "type": kind,
        "port_directions": {**dict.fromkeys(inputs, "input"), **dict.fromkeys(outputs, "output")},
        "connections": {**inputs, **outputs},
    }


def register(d, q):
    return cell("FDRE", {"C": [1], "D": [d]}, {"Q": [q]})


def netlist(cells, names):
    return Netlist({"cells": cells, "netnames": {name: {"bits": [bit]} for name, bit in names.items()}})


class Timings(unittest.TestCase):
    """On an ECP5: a flip-flop's output after 0.31 ns, a LUT 0.14, a wire 0.75 and 0.004 for each sink."""

    def paths(self, cells, **names):
        named = {name.replace("__", "."): {"bits": [bit]} for name, bit in names.items()}
        return Timing({"cells": cells, "netnames": named}).paths()

    def flip_flop(self, d, q, **controls):
        return cell("TRELLIS_FF", {"CLK": [1], "DI": [d], **controls}, {"Q": [q]})

    def lut(self, *inputs, to):
        return cell("LUT4", dict(zip("ABCD", ([bit] for bit in inputs))), {"Z": [to]})

    def test_cells_and_wires_add_up(self):
        paths = self.paths(
            {
                "a": self.flip_flop("0", 10),
                "first": self.lut(10, to=11),
                "second": self.lut(11, 10, to=12),
                "b": self.flip_flop(12, 20),
            },
            hca__x__a=10,
            hca__x__sum=11,
            hca__x__b_TRELLIS_FF_Q_DI=12,
            hca__y__b=20,
        )
        self.assertEqual([(path.start, path.end, path.through) for path in paths], [("x.a", "y.b", ("x.sum",))])
        self.assertAlmostEqual(paths[0].delay, 0.31 + (0.75 + 0.008 + 0.14) + (0.75 + 0.004 + 0.14) + 0.75)

    def test_a_carry_is_quick_and_a_low_sum_does_not_wait_for_the_high_inputs(self):
        chain = {"A0": [10], "A1": [12], "CIN": ["0"]}
        cells = {
            "a": self.flip_flop("0", 10),
            "late": self.lut(10, to=12),
            "low": cell("CCU2C", chain, {"S0": [13], "S1": [14], "COUT": [15]}),
            "high": cell("CCU2C", {"A0": ["0"], "CIN": [15]}, {"S0": [16]}),
            "b": self.flip_flop(13, 20),
            "c": self.flip_flop(14, 21),
            "d": self.flip_flop(16, 22),
        }
        ends = {path.end: path.delay for path in self.paths(cells, hca__b=20, hca__c=21, hca__d=22)}
        late = 0.31 + (0.75 + 0.008 + 0.14)
        self.assertAlmostEqual(ends["b"], 0.31 + (0.75 + 0.008 + 0.28) + 0.75)
        self.assertAlmostEqual(ends["c"], late + (0.75 + 0.004 + 0.28) + 0.75)
        self.assertAlmostEqual(ends["d"], late + (0.75 + 0.004 + 0.28) + 0.28 + 0.75)

    def test_a_wide_multiplexer_lies_beside_its_luts(self):
        cells = {
            "a": self.flip_flop("0", 10),
            "lut": self.lut(10, to=11),
            "wide": cell("PFUMX", {"ALUT": [11], "BLUT": ["0"], "C0": ["0"]}, {"Z": [12]}),
            "b": self.flip_flop(12, 20),
        }
        self.assertAlmostEqual(self.paths(cells)[0].delay, 0.31 + (0.75 + 0.004 + 0.14) + 0.15 + 0.75)

    def test_a_lut_ram_is_read_without_a_clock_and_ends_what_is_written(self):
        ram = cell(
            "TRELLIS_DPR16X4", {"RAD": [10], "WAD": [10], "DI": ["0"], "WRE": ["1"], "WCK": [1]}, {"DO": [11]}
        )
        cells = {"a": self.flip_flop("0", 10), "hca.r.cells.0.0": ram, "b": self.flip_flop(11, 20)}
        ends = {path.end: path.delay for path in self.paths(cells, hca__a=10, hca__b=20)}
        self.assertEqual(sorted(ends), ["b", "r"])
        self.assertAlmostEqual(ends["b"], 0.31 + (0.75 + 0.008 + 0.14) + 0.75)
        self.assertAlmostEqual(ends["r"], 0.31 + 0.75)

    def test_block_ram_answers_late_and_controls_come_late(self):
        cells = {
            "ram": cell("DP16KD", {"CLKA": [1], "ADA0": ["0"]}, {"DOA0": [10]}),
            "b": self.flip_flop("0", 20, CE=[10]),
        }
        self.assertAlmostEqual(self.paths(cells)[0].delay, 1.36 + 0.75 + 0.3)

    def test_logic_that_feeds_itself_is_refused(self):
        cells = {"x": self.lut(2, to=3), "y": self.lut(3, to=2), "b": self.flip_flop(2, 20)}
        with self.assertRaisesRegex(ValueError, "feeds itself at [xy]"):
            self.paths(cells)

    def test_paths_are_told_by_the_register_they_begin_in(self):
        cells = {
            "a": self.flip_flop("0", 10),
            "lut": self.lut(10, to=11),
            "b": self.flip_flop(11, 20),
            "c": self.flip_flop(11, 21),
            "d": self.flip_flop(20, 22),
        }
        paths = self.paths(cells, hca__x__a=10, hca__y__b=20, hca__y__c=21, hca__d=22)
        lines = slow_paths(groups(paths, 1.5), paths[0], 1.5, "353.4 MHz on it").splitlines()
        self.assertEqual(lines[0], " ns  paths  from -> to")
        self.assertEqual(lines[2], "2.0      2  x.a -> y 2")
        self.assertEqual(lines[3], "Above 1.5 ns: 2 paths.")
        self.assertEqual(lines[4], "Longest path: x.a -> y.b, 2.0 ns, through")
        self.assertEqual(lines[-1], "Estimated clock: 353.4 MHz on it.")


class PlacedTimings(unittest.TestCase):
    """A wire takes 0.054 ns six times, twice more a tile up to five tiles each way, once more a tile beyond."""

    def paths(self, cells, **names):
        named = {name.replace("__", "."): {"bits": [bit]} for name, bit in names.items()}
        # Of nextpnr's names of a net none is to be relied on.
        aliases = {f"hca.alias_{bit}": {"bits": [bit]} for bit in names.values()}
        mapped = {"cells": cells, "netnames": named}
        return Placed({"cells": cells, "netnames": aliases}, mapped).paths()

    def at(self, place, of, **parameters):
        return {**of, "attributes": {"NEXTPNR_BEL": place}, "parameters": parameters}

    def flip_flop(self, place, d, q, port="DI"):
        return self.at(place, cell("TRELLIS_FF", {"CLK": [1], port: [d]}, {"Q": [q]}))

    def test_a_wire_takes_as_long_as_its_ends_lie_apart(self):
        paths = self.paths(
            {
                "a": self.flip_flop("X10/Y20/SLICEA.FF0", "0", 10),
                "b": self.flip_flop("X13/Y40/SLICEB.FF1", 10, 20, "CE"),
            },
            hca__x__a=10,
            hca__y__b=20,
        )
        self.assertEqual([(path.start, path.end) for path in paths], [("x.a", "y.b")])
        self.assertAlmostEqual(paths[0].delay, 0.31 + 0.054 * (6 + 2 * 3 + 20 + 5))

    def test_a_lut_beside_its_flip_flop_needs_no_wire(self):
        logic = cell("TRELLIS_COMB", {"A": [10]}, {"F": [11]})
        for place, wire in [("X10/Y20/SLICEA.FF0", 0), ("X10/Y20/SLICEB.FF0", 6)]:
            paths = self.paths(
                {
                    "a": self.flip_flop("X10/Y20/SLICED.FF0", "0", 10),
                    "lut": self.at("X10/Y20/SLICEA.COMB0", logic, MODE="LOGIC"),
                    "b": self.flip_flop(place, 11, 20),
                },
                hca__a=10,
                hca__b=20,
            )
            self.assertAlmostEqual(paths[0].delay, 0.31 + 0.054 * 6 + 0.14 + 0.054 * wire)

    def test_carries_pass_from_cell_to_cell(self):
        first = cell("TRELLIS_COMB", {"A": [10], "FCI": []}, {"FCO": [11], "F": [14]})
        half = cell("TRELLIS_COMB", {"A": ["0"], "FCI": [11]}, {"FCO": [12], "F": [15]})
        last = cell("TRELLIS_COMB", {"A": ["0"], "FCI": [12]}, {"FCO": [16], "F": [13]})
        paths = self.paths(
            {
                "a": self.flip_flop("X10/Y20/SLICED.FF0", "0", 10),
                "first": self.at("X10/Y20/SLICEA.COMB0", first, MODE="CCU2"),
                "half": self.at("X10/Y20/SLICEA.COMB1", half, MODE="CCU2"),
                "last": self.at("X10/Y20/SLICEB.COMB0", last, MODE="CCU2"),
                "b": self.flip_flop("X10/Y20/SLICEB.FF0", 13, 20),
            },
            hca__a=10,
            hca__b=20,
        )
        self.assertAlmostEqual(paths[0].delay, 0.31 + 0.054 * 6 + 0.28 + 0.02 + 0.28)

    def test_a_wide_multiplexer_takes_its_tables_from_beside_it(self):
        wide = cell("TRELLIS_COMB", {"A": [10], "F1": [10], "M": [12]}, {"OFX": [11]})
        for source, inside in [(10, 0.29), (12, 0.15)]:
            paths = self.paths(
                {
                    "from": self.flip_flop("X10/Y20/SLICED.FF0", "0", source),
                    "wide": self.at("X10/Y20/SLICEA.COMB0", wide, MODE="LOGIC"),
                    "b": self.flip_flop("X10/Y20/SLICEA.FF0", 11, 20),
                },
                hca__a=source,
                hca__b=20,
            )
            self.assertAlmostEqual(paths[0].delay, 0.31 + 0.054 * 6 + inside)

    def test_the_tables_of_a_wide_multiplexer_have_no_wire_to_it(self):
        table = cell("TRELLIS_COMB", {"A": [10]}, {"F": [11]})
        wide = cell("TRELLIS_COMB", {"F1": [11]}, {"OFX": [12]})
        paths = self.paths(
            {
                "a": self.flip_flop("X10/Y20/SLICED.FF0", "0", 10),
                "table": self.at("X10/Y20/SLICEA.COMB1", table, MODE="LOGIC"),
                "wide": self.at("X10/Y20/SLICEA.COMB0", wide, MODE="LOGIC"),
                "b": self.flip_flop("X10/Y20/SLICEA.FF0", 12, 20),
            },
            hca__a=10,
            hca__b=20,
        )
        self.assertAlmostEqual(paths[0].delay, 0.31 + 0.054 * 6 + 0.14 + 0.15)

    def test_paths_end_at_what_memories_take_but_their_clocks(self):
        memories = {
            "of_blocks": (cell("DP16KD", {"CLKA": [10], "ADA3": [10]}, {"DOA0": [20]}), "X10/Y21/EBR0", ""),
            "of_tables": (cell("TRELLIS_RAMW", {"A0": [10], "CLK": [10]}, {}), "X10/Y21/SLICEC.RAMW", ""),
            "enable": (cell("TRELLIS_COMB", {"WRE": [10], "WCK": [10]}, {}), "X10/Y21/SLICEA.COMB0", "DPRAM"),
        }
        for name, (memory, place, mode) in memories.items():
            paths = self.paths(
                {
                    "a": self.flip_flop("X10/Y20/SLICED.FF0", "0", 10),
                    f"hca.{name}": self.at(place, memory, MODE=mode),
                },
                hca__a=10,
            )
            found = [(path.start, path.end) for path in paths if path.delay > 0]
            self.assertEqual(found, [("a", name)])
            self.assertAlmostEqual(paths[0].delay, 0.31 + 0.054 * (6 + 2))

    def test_constants_begin_no_path_and_clocks_end_none(self):
        cells = {
            "low": self.at("X99/Y99/SLICEA.COMB0", cell("TRELLIS_COMB", {}, {"F": [9]})),
            "a": self.flip_flop("X10/Y20/SLICED.FF0", 9, 10),
        }
        self.assertEqual([path.delay for path in self.paths(cells, hca__a=10)], [float("-inf")])

    def test_what_is_not_placed_is_reported(self):
        with self.assertRaisesRegex(ValueError, "a is not placed"):
            self.paths({"a": self.at("", cell("TRELLIS_FF", {"CLK": [1]}, {"Q": [10]}))})

    def test_nextpnr_tells_the_clock(self):
        log = "Info: Max frequency for clock '$glbnet$clock': 56.03 MHz (FAIL at 125.00 MHz)\n"
        self.assertEqual(placed_mhz(log), 56.03)
        with self.assertRaisesRegex(ValueError, "no frequency"):
            placed_mhz("")

    def test_of_the_lengths_of_wire_that_nextpnr_gives_the_last_one_counts(self):
        log = "Info:   at iteration #1: wirelen = 560868\nInfo:   at iteration #25: temp = 0, wirelen = 529549 \n"
        self.assertEqual(placed_wire(log), 529549)
        with self.assertRaisesRegex(ValueError, "no length of wire"):
            placed_wire("")


class Floorplan(unittest.TestCase):
    DEVICE = {"block_rams": {"rows": [20, 40], "columns": [4, 6, 8, 10, 13]}}

    def placed(self, cells):
        module = {"cells": cells, "netnames": {}}
        return Placed(module, module)

    def at(self, place, of, **parameters):
        return {**of, "attributes": {"NEXTPNR_BEL": place}, "parameters": parameters}

    def ram(self, place, inputs, outputs):
        return self.at(place, cell("DP16KD", {"CLKA": [1], **inputs}, outputs))

    def flip_flop(self, place, d, q):
        return self.at(place, cell("TRELLIS_FF", {"CLK": [1], "DI": [d]}, {"Q": [q]}))

    def test_each_block_ram_of_the_device_is_a_site(self):
        sites = floorplan.sites(self.DEVICE)
        self.assertEqual(len(sites), 10)
        self.assertEqual(sites[3], ("X10/Y20/EBR3", 10, 20))
        # Four columns, and they begin anew.
        self.assertEqual(sites[9], ("X13/Y40/EBR0", 13, 40))

    def test_a_plan_is_kept_by_board_and_profile(self):
        with tempfile.TemporaryDirectory() as folder:
            board = File(folder)
            self.assertEqual(floorplan.read(board, "small"), floorplan.Plan(floorplan.SEEDS[0], {}))
            plan = floorplan.Plan(2, {"b": "X4/Y20/EBR0", "a": "X6/Y20/EBR1"})
            floorplan.write(board, "small", plan)
            self.assertEqual(floorplan.read(board, "small"), plan)
            self.assertEqual(floorplan.read(board, "line").places, {})

    def test_what_is_planned_is_fixed_and_the_rest_counted(self):
        cells = {name: {**cell("DP16KD", {}, {}), "attributes": {}} for name in "abc"}
        cells["d"] = {**cell("TRELLIS_FF", {}, {}), "attributes": {}}
        wanting = floorplan.fix({"cells": cells}, {"a": "X4/Y20/EBR0", "d": "X6/Y20/EBR1", "gone": "X8/Y20/EBR2"})
        self.assertEqual(wanting, 2)
        fixed = {name: each["attributes"] for name, each in cells.items() if each["attributes"]}
        self.assertEqual(fixed, {"a": {"BEL": "X4/Y20/EBR0"}})

    def test_places_are_those_of_block_rams(self):
        cells = {"a": self.ram("X4/Y20/EBR0", {}, {}), "b": self.flip_flop("X5/Y20/SLICEA.FF0", "0", 10)}
        self.assertEqual(floorplan.places({"cells": cells}), {"a": "X4/Y20/EBR0"})

    def test_wires_of_a_cell_but_clocks_and_those_to_itself(self):
        cells = {
            "from": self.flip_flop("X5/Y21/SLICEA.FF0", "0", 10),
            "ram": self.ram("X4/Y20/EBR0", {"ADA0": [10], "DIA0": [11]}, {"DOA0": [11], "DOA1": [12]}),
            "to": self.flip_flop("X9/Y22/SLICEA.FF0", 12, 13),
            "too": self.flip_flop("X9/Y23/SLICEA.FF0", 12, 14),
        }
        cells["ram"]["connections"]["DOA0"] = []
        found = [
            (wire.net, wire.sink, wire.place, wire.sinks, wire.driven) for wire in self.placed(cells).wires("ram")
        ]
        self.assertEqual(
            found,
            [(10, "ram", (5, 21), 1, False), (12, "to", (9, 22), 2, True), (12, "too", (9, 23), 2, True)],
        )

    def test_a_wire_is_as_long_as_the_longest_path_that_takes_it(self):
        logic = cell("TRELLIS_COMB", {"A": [10]}, {"F": [11]})
        cells = {
            "a": self.flip_flop("X10/Y20/SLICED.FF0", "0", 10),
            "lut": self.at("X10/Y20/SLICEA.COMB0", logic, MODE="LOGIC"),
            "near": self.flip_flop("X10/Y20/SLICEB.FF0", 11, 20),
            "far": self.flip_flop("X30/Y20/SLICEA.FF0", 11, 21),
        }
        found = self.placed(cells).longest()
        near = 0.31 + 0.054 * 6 + 0.14 + 0.054 * 6
        far = near + 0.054 * (20 + 5)
        self.assertAlmostEqual(found[11, "near"], near)
        self.assertAlmostEqual(found[11, "far"], far)
        self.assertAlmostEqual(found[10, "lut"], far)

    @unittest.skipUnless(find_spec("scipy"), "scripts/setup synth has not been called")
    def test_each_block_ram_goes_where_its_wires_are_shortest(self):
        cells = {
            # Both would have the place at (13, 40); `b` needs it more.
            "driver_a": self.flip_flop("X13/Y41/SLICEA.FF0", "0", 10),
            "driver_b": self.flip_flop("X14/Y41/SLICEA.FF0", "0", 11),
            "second_b": self.flip_flop("X14/Y42/SLICEA.FF0", "0", 12),
            "a": self.ram("X4/Y20/EBR0", {"ADA0": [10]}, {}),
            "b": self.ram("X6/Y20/EBR1", {"ADA0": [11], "ADA1": [12]}, {}),
        }
        places = floorplan.assign(self.placed(cells), self.DEVICE)
        self.assertEqual(places, {"a": "X10/Y40/EBR3", "b": "X13/Y40/EBR0"})

    @unittest.skipUnless(find_spec("scipy"), "scripts/setup synth has not been called")
    def test_a_long_path_outweighs_many_wires(self):
        cells = {
            f"reader{i}": self.flip_flop(f"X4/Y2{i}/SLICEA.FF0", 20 + i, 30 + i) for i in range(3)
        }
        cells["ram"] = self.ram("X4/Y20/EBR0", {"ADA0": [10]}, {f"DOA{i}": [20 + i] for i in range(3)})
        # 50 tiles below, and behind as many more.
        cells["start"] = self.flip_flop("X13/Y140/SLICEA.FF0", "0", 9)
        table = cell("TRELLIS_COMB", {"A": [9]}, {"F": [10]})
        cells["table"] = self.at("X13/Y90/SLICEA.COMB0", table, MODE="LOGIC")
        self.assertEqual(floorplan.assign(self.placed(cells), self.DEVICE), {"ram": "X13/Y40/EBR0"})
        cells["start"] = self.flip_flop("X13/Y90/SLICED.FF0", "0", 9)
        self.assertEqual(floorplan.assign(self.placed(cells), self.DEVICE), {"ram": "X4/Y20/EBR0"})


class Paths(unittest.TestCase):
    NAMES = {"hca.a.q": 10, "hca.q": 10, "hca.b.q": 20, "hca.b.ram.out": 30}

    def longest(self, cells):
        return netlist(cells, self.NAMES).longest()

    def test_the_longest_of_two_ways_counts(self):
        paths = self.longest(
            {
                "source": register("0", 10),
                "short": cell("LUT2", {"I0": [10], "I1": [12]}, {"O": [13]}),
                "first": cell("LUT6", {"I0": [10]}, {"O": [11]}),
                "second": cell("CARRY8", {"S": [11, "1"], "CI": ["0"]}, {"O": [12, 14], "CO": [15, 16]}),
                "end": register(13, 20),
            }
        )
        self.assertEqual(
            paths, {"hca.b.q": Path(3, (("CARRY8", 1), ("LUT2", 1), ("LUT6", 1)), "hca.a.q", "hca.b.q")}
        )

    def test_a_lut_ram_passes_its_read_address_and_ends_what_is_written(self):
        ram = {"ADDRA": [11], "ADDRB": [40], "DIA": [30]}
        paths = self.longest(
            {
                "source": register("0", 10),
                "address": cell("LUT1", {"I0": [10]}, {"O": [11]}),
                "ram": cell("RAM64M8", ram, {"DOA": [30], "DOB": [41]}),
                "end": register(30, 20),
            }
        )
        self.assertEqual(paths["hca.b.q"].levels, 2)
        self.assertEqual(paths["hca.b.ram.out"].levels, 2, "its own output is written back")

    def test_block_ram_ends_a_path(self):
        cells = {
            "ram": cell("RAMB36E2", {"ADDRARDADDR": [10]}, {"DOUTADOUT": [30]}),
            "logic": cell("LUT1", {"I0": [30]}, {"O": [19]}),
            "end": register(19, 20),
        }
        self.assertEqual(self.longest(cells)["hca.b.q"], Path(1, (("LUT1", 1),), "hca.b.ram.out", "hca.b.q"))

    def test_logic_that_feeds_itself_is_refused(self):
        loop = {"x": cell("LUT1", {"I0": [2]}, {"O": [3]}), "y": cell("LUT1", {"I0": [3]}, {"O": [2]})}
        with self.assertRaisesRegex(ValueError, "feeds itself at [xy]"):
            self.longest(loop)

    def test_paths_by_the_modules_they_end_in(self):
        modules = {
            "hca": {"cells": {"b": {"type": "engine"}, "c": {"type": "engine"}}},
            "engine": {"cells": {"ram": {"type": "block_ram"}}},
            "block_ram": {"cells": {}},
        }
        paths = [Path(2, (), "", "hca.b.q"), Path(5, (), "", "hca.c.ram.out"), Path(9, (), "", "hca.irq")]
        found = {chain: path.levels for chain, path in by_block(paths, modules, "hca", 2).items()}
        self.assertEqual(found, {("engine",): 5, ("engine", "block_ram"): 5})


if __name__ == "__main__":
    unittest.main()
