"""What a tape of `hca bench simulation --tapes` tells: what software, host memory and the link did to a device.

A tape has a line `CYCLE PORT VALUE` for each change of a port, the value a hexadecimal number, and `CYCLES end 0` at
its end.
"""

from collections import defaultdict, deque
from dataclasses import dataclass, field

OKAY = 0


class TapeError(Exception):
    """The tape is not one of this device, or holds what no plain memory does."""


@dataclass
class Recording:
    """In the order of time; each with the clock cycle after reset in which it began."""

    # (cycle, address, value to write or None to read)
    registers: list = field(default_factory=list)
    # (cycle, bytes)
    packets_in: list = field(default_factory=list)
    # bytes
    packets_out: list = field(default_factory=list)
    # (cycle, address, bytes): what software wrote into host memory, as far as the device looked at it
    memory: list = field(default_factory=list)
    cycles: int = 0


def read(lines):
    """The recording of a tape."""
    decoder = _Decoder()
    for cycle, ports in _clocks(lines):
        decoder.clock(cycle, ports)
    return decoder.recording()


def _clocks(lines):
    """(cycle, ports) of each clock; the ports are one dictionary that changes."""
    ports, now = defaultdict(int), 0
    for number, line in enumerate(lines, 1):
        try:
            cycle, port, value = line.split()
            cycle, value = int(cycle), int(value, 16)
        except ValueError:
            raise TapeError(f"line {number} is not `CYCLE PORT VALUE`: {line.rstrip()}") from None
        while now < cycle:
            yield now, ports
            now += 1
        ports[port] = value
        if port == "end":
            return
    raise TapeError("the tape has no end")


class _Stream:
    """Packets of an AXI4-Stream."""

    def __init__(self, prefix):
        self._names = [f"{prefix}_{name}" for name in ("tvalid", "tready", "tdata", "tkeep", "tlast")]
        self._bytes, self._begun = bytearray(), None

    def clock(self, cycle, ports):
        """(cycle of its first beat, bytes) of the packet that ends here."""
        valid, ready, data, keep, last = (ports[name] for name in self._names)
        if not valid:
            return None
        if self._begun is None:
            self._begun = cycle
        if not ready:
            return None
        length = keep.bit_length()
        self._bytes += (data & ((1 << (8 * length)) - 1)).to_bytes(length, "little")
        if not last:
            return None
        packet = self._begun, bytes(self._bytes)
        self._bytes, self._begun = bytearray(), None
        return packet


class _HostMemory:
    """Host memory as the device saw it through its AXI4 master; what it did not write itself, software wrote."""

    def __init__(self):
        self._reads = defaultdict(deque)
        self._addresses, self._beats = deque(), deque()
        self._unanswered = defaultdict(deque)
        # Of each byte known so far: value, cycle in which it was seen last.
        self._known = {}
        self.by_software = []

    def clock(self, cycle, ports, last_doorbell):
        lanes = 1 << ports["m_axi_arsize"]
        if ports["m_axi_arvalid"] and ports["m_axi_arready"]:
            first, beats = ports["m_axi_araddr"], ports["m_axi_arlen"] + 1
            self._reads[ports["m_axi_arid"]].extend(first + n * lanes for n in range(beats))
        if ports["m_axi_rvalid"] and ports["m_axi_rready"]:
            _no_error(cycle, "read", ports["m_axi_rresp"])
            address = self._reads[ports["m_axi_rid"]].popleft()
            self._seen(cycle, address, ports["m_axi_rdata"].to_bytes(lanes, "little"), last_doorbell)
        if ports["m_axi_awvalid"] and ports["m_axi_awready"]:
            self._addresses.append((ports["m_axi_awid"], ports["m_axi_awaddr"], ports["m_axi_awlen"] + 1))
        if ports["m_axi_wvalid"] and ports["m_axi_wready"]:
            lanes = 1 << ports["m_axi_awsize"]
            self._beats.append((ports["m_axi_wdata"].to_bytes(lanes, "little"), ports["m_axi_wstrb"]))
        while self._addresses and len(self._beats) >= self._addresses[0][2]:
            identity, address, beats = self._addresses.popleft()
            self._unanswered[identity].append((address, [self._beats.popleft() for _ in range(beats)]))
        if ports["m_axi_bvalid"] and ports["m_axi_bready"]:
            _no_error(cycle, "write", ports["m_axi_bresp"])
            address, burst = self._unanswered[ports["m_axi_bid"]].popleft()
            for data, strobes in burst:
                for lane, value in enumerate(data):
                    if strobes >> lane & 1:
                        self._known[address + lane] = value, cycle
                address += len(data)

    def _seen(self, cycle, address, data, last_doorbell):
        fresh = []
        for at, value in enumerate(data, address):
            before = self._known.get(at)
            if before is None:
                fresh.append((0, at, value))
            elif before[0] != value:
                # Software writes first and rings then; where it has not rung, it wrote in between.
                between = last_doorbell if last_doorbell > before[1] else (before[1] + cycle) // 2
                fresh.append((between, at, value))
            self._known[at] = value, cycle
        self.by_software += _joined(fresh)


def _joined(writes):
    """Bytes in a row of the same cycle as one write."""
    joined = []
    for cycle, address, value in writes:
        if joined and joined[-1][0] == cycle and joined[-1][1] + len(joined[-1][2]) == address:
            joined[-1] = cycle, joined[-1][1], joined[-1][2] + bytes([value])
        else:
            joined.append((cycle, address, bytes([value])))
    return joined


def _no_error(cycle, what, response):
    if response != OKAY:
        raise TapeError(f"cycle {cycle}: host memory answered a {what} with {response}, which a plain memory cannot")


class _Decoder:
    def __init__(self):
        self._recording = Recording()
        self._in, self._out = _Stream("s_axis"), _Stream("m_axis")
        self._memory = _HostMemory()
        self._last_doorbell = 0
        self._write, self._data, self._read = None, None, None

    def clock(self, cycle, ports):
        recording = self._recording
        recording.cycles = cycle + 1
        if packet := self._in.clock(cycle, ports):
            recording.packets_in.append(packet)
        if packet := self._out.clock(cycle, ports):
            recording.packets_out.append(packet[1])
        self._registers(cycle, ports)
        self._memory.clock(cycle, ports, self._last_doorbell)

    def _registers(self, cycle, ports):
        if self._write is None and ports["s_axil_awvalid"]:
            self._write = cycle
        if ports["s_axil_wvalid"] and ports["s_axil_wready"]:
            self._data = ports["s_axil_wdata"]
        if ports["s_axil_awvalid"] and ports["s_axil_awready"]:
            self._address = ports["s_axil_awaddr"]
        if ports["s_axil_bvalid"] and ports["s_axil_bready"]:
            self._recording.registers.append((self._write, self._address, self._data))
            self._last_doorbell = self._write
            self._write = None
        if self._read is None and ports["s_axil_arvalid"]:
            self._read = cycle
        if ports["s_axil_arvalid"] and ports["s_axil_arready"]:
            self._recording.registers.append((self._read, ports["s_axil_araddr"], None))
            self._read = None

    def recording(self):
        self._recording.memory = sorted(self._memory.by_software, key=lambda write: write[0])
        return self._recording
