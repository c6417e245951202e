"""The cocotb bench: buses of cocotbext-axi around one HCA, which is given what a tape recorded.

Runs inside the simulator. HCA_TAPE names the tape, HCA_RESULT the file for what came of it.
"""

import json
import logging
import os
import time
from collections import Counter
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Timer
from cocotbext.axi import (
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiRam,
    AxiStreamBus,
    AxiStreamSink,
    AxiStreamSource,
)

import recording

PERIOD_NS = 10
RESET_CYCLES = 16
# What a plain memory of this library can have; higher addresses wrap around, and nothing of a tape meets there.
MEMORY = 1 << 62
# Clocks for the last packets to leave after the recorded end: this memory keeps other time.
REST_CYCLES = 2000


class Hca:
    def __init__(self, dut):
        self._dut = dut
        # Each burst and frame is a line otherwise.
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
        ports = dut.clock, dut.reset
        self.link_in = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), *ports)
        self.link_out = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), *ports)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), *ports)
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), *ports, size=MEMORY)

    async def start(self):
        self._dut.reset.value = 1
        cocotb.start_soon(Clock(self._dut.clock, PERIOD_NS, unit="ns").start())
        cocotb.start_soon(self._cable())
        await Timer(RESET_CYCLES * PERIOD_NS, "ns")
        self._dut.reset.value = 0
        self._begun = cocotb.utils.get_sim_time("ns")

    async def _cable(self):
        """The physical link is up where it may be."""
        while True:
            self._dut.link_up.value = int(self._dut.link_enable.value)
            await self._dut.link_enable.value_change

    def cycle(self):
        return int(cocotb.utils.get_sim_time("ns") - self._begun) // PERIOD_NS

    async def until(self, cycle):
        """Waits for a cycle after reset, unless it is over."""
        if (left := cycle - self.cycle()) > 0:
            await Timer(left * PERIOD_NS, "ns")

    async def software(self, tape):
        """Memory is written before the register that tells of it."""
        steps = [(cycle, 0, address, data) for cycle, address, data in tape.memory]
        steps += [(cycle, 1, address, value) for cycle, address, value in tape.registers]
        for cycle, is_register, address, value in sorted(steps, key=lambda step: step[:2]):
            await self.until(cycle)
            if not is_register:
                self.memory.write(address % MEMORY, value)
            elif value is None:
                await self.registers.read(address, 4)
            else:
                await self.registers.write(address, value.to_bytes(4, "little"))

    async def link(self, tape):
        for cycle, packet in tape.packets_in:
            await self.until(cycle)
            await self.link_in.send(packet)

    def packets_out(self):
        packets = []
        while not self.link_out.empty():
            packets.append(bytes(self.link_out.recv_nowait().tdata))
        return packets


@cocotb.test()
async def a_tape_is_played(dut):
    with open(os.environ["HCA_TAPE"]) as lines:
        tape = recording.read(lines)
    begun = time.process_time()
    hca = Hca(dut)
    await hca.start()
    software = cocotb.start_soon(hca.software(tape))
    link = cocotb.start_soon(hca.link(tape))
    await software
    await link
    await hca.until(tape.cycles)
    seconds, cycles = time.process_time() - begun, hca.cycle()
    await Timer(REST_CYCLES * PERIOD_NS, "ns")
    out = hca.packets_out()
    result = {
        "seconds": seconds,
        "cycles": cycles,
        "packets_in": len(tape.packets_in),
        "packets_out": len(out),
        "as_recorded": (Counter(out) & Counter(tape.packets_out)).total(),
        "recorded": len(tape.packets_out),
    }
    Path(os.environ["HCA_RESULT"]).write_text(json.dumps(result))
