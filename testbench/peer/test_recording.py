"""Tests of what is read from a tape, on small literal ones."""

import unittest

import recording


def tape(*lines):
    return recording.read([f"{line}\n" for line in lines])


class Packets(unittest.TestCase):
    def test_beats_that_are_taken_are_a_packet(self):
        read = tape(
            "2 s_axis_tdata 0807060504030201",
            "2 s_axis_tkeep ff",
            "2 s_axis_tvalid 01",
            # Waits for two clocks.
            "4 s_axis_tready 01",
            "5 s_axis_tdata 000000000000bbaa",
            "5 s_axis_tkeep 03",
            "5 s_axis_tlast 01",
            "6 s_axis_tvalid 00",
            "9 end 0",
        )
        self.assertEqual(read.packets_in, [(2, bytes([1, 2, 3, 4, 5, 6, 7, 8, 0xAA, 0xBB]))])
        self.assertEqual(read.cycles, 9)

    def test_equal_beats_in_a_row_are_two(self):
        read = tape(
            "0 m_axis_tkeep 01",
            "0 m_axis_tdata 07",
            "0 m_axis_tlast 01",
            "0 m_axis_tvalid 01",
            "0 m_axis_tready 01",
            "2 m_axis_tvalid 00",
            "3 end 0",
        )
        self.assertEqual(read.packets_out, [b"\x07", b"\x07"])


class Registers(unittest.TestCase):
    def test_writes_and_reads_have_the_cycle_in_which_they_begin(self):
        read = tape(
            "1 s_axil_awvalid 01",
            "1 s_axil_awaddr 00040",
            "1 s_axil_wvalid 01",
            "1 s_axil_wdata 0000beef",
            "2 s_axil_awready 01",
            "2 s_axil_wready 01",
            "3 s_axil_awvalid 00",
            "3 s_axil_wvalid 00",
            "4 s_axil_bvalid 01",
            "4 s_axil_bready 01",
            "5 s_axil_bvalid 00",
            "6 s_axil_arvalid 01",
            "6 s_axil_araddr 00008",
            "7 s_axil_arready 01",
            "8 s_axil_arvalid 00",
            "9 end 0",
        )
        self.assertEqual(read.registers, [(1, 0x40, 0xBEEF), (6, 8, None)])


def memory_read(cycle, data):
    """A read of the two bytes at 100h."""
    return [
        f"{cycle} m_axi_araddr 100",
        f"{cycle} m_axi_arvalid 1",
        f"{cycle} m_axi_arready 1",
        f"{cycle + 1} m_axi_arvalid 0",
        f"{cycle + 2} m_axi_rdata {data}",
        f"{cycle + 2} m_axi_rvalid 1",
        f"{cycle + 2} m_axi_rready 1",
        f"{cycle + 3} m_axi_rvalid 0",
    ]


def memory_write(cycle, data, strobes):
    """A write to the two bytes at 100h, answered two clocks later."""
    return [
        f"{cycle} m_axi_awsize 1",
        f"{cycle} m_axi_awaddr 100",
        f"{cycle} m_axi_awvalid 1",
        f"{cycle} m_axi_awready 1",
        f"{cycle} m_axi_wdata {data}",
        f"{cycle} m_axi_wstrb {strobes}",
        f"{cycle} m_axi_wvalid 1",
        f"{cycle} m_axi_wready 1",
        f"{cycle + 1} m_axi_awvalid 0",
        f"{cycle + 1} m_axi_wvalid 0",
        f"{cycle + 2} m_axi_bvalid 1",
        f"{cycle + 2} m_axi_bready 1",
        f"{cycle + 3} m_axi_bvalid 0",
    ]


class Memory(unittest.TestCase):
    def test_what_is_read_first_was_there_from_the_start(self):
        read = tape("0 m_axi_arsize 1", *memory_read(5, "2211"), "20 end 0")
        self.assertEqual(read.memory, [(0, 0x100, b"\x11\x22")])

    def test_what_the_device_wrote_itself_is_not_softwares(self):
        lines = ["0 m_axi_arsize 1", *memory_write(1, "4433", "2"), *memory_read(10, "4411"), "20 end 0"]
        self.assertEqual(tape(*lines).memory, [(0, 0x100, b"\x11")])

    def test_what_changes_was_written_in_between(self):
        lines = ["0 m_axi_arsize 1", *memory_read(0, "2211"), *memory_read(10, "2233"), "20 end 0"]
        self.assertEqual(tape(*lines).memory, [(0, 0x100, b"\x11\x22"), (7, 0x100, b"\x33")])

    def test_an_error_cannot_be_played(self):
        lines = ["0 m_axi_arsize 1", "0 m_axi_rresp 2", *memory_read(5, "2211"), "20 end 0"]
        with self.assertRaisesRegex(recording.TapeError, "cycle 7: host memory answered a read with 2"):
            tape(*lines)


class Broken(unittest.TestCase):
    def test_it_says_which_line(self):
        with self.assertRaisesRegex(recording.TapeError, "line 2 is not `CYCLE PORT VALUE`: 3 irq"):
            tape("0 irq 0", "3 irq")

    def test_the_end_must_be_there(self):
        with self.assertRaisesRegex(recording.TapeError, "no end"):
            tape("0 irq 0")


if __name__ == "__main__":
    unittest.main()
