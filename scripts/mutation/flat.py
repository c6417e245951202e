"""The design as one graph of cells and bits: each instance of a block with cells and bits of its own."""

from collections import defaultdict
from dataclasses import dataclass

# Bits that are constants, and at once their values; the design's own come behind them.
ZERO, ONE, UNKNOWN, FREE = range(4)
CONSTANTS = {"0": ZERO, "1": ONE}
# A port of a block between what is outside and what is inside, so that a mutant of one is none of the other.
PASS = "pass"
# A block whose inside is not looked into.
MEMORY = "memory"


@dataclass(frozen=True)
class Cell:
    """`ins`, `outs`: by port, its bits from the lowest."""

    kind: str
    ins: dict
    outs: dict


class Flat:
    """`modules`: as yosys writes them in JSON, memories as black boxes. A bit is a number, and so is a cell."""

    def __init__(self, modules, top):
        self.modules = modules
        self.cells = []
        # By module and name of a cell: each of it, an instance's ports by name.
        self.places = defaultdict(list)
        # Bits that registers begin with.
        self.begins = {}
        self.bits = FREE
        ports = self._block(top)
        self.outputs = {bit for name, bits in ports.items() if is_output(modules[top], name) for bit in bits}
        self.readers = defaultdict(list)
        for number, cell in enumerate(self.cells):
            for port, bits in cell.ins.items():
                for at, bit in enumerate(bits):
                    self.readers[bit].append((number, port, at))

    def _block(self, name):
        """Adds what a module holds; gives the bits of its ports."""
        module = self.modules[name]
        mine = {}

        def bits(names):
            return [CONSTANTS.get(each, UNKNOWN) if isinstance(each, str) else self._bit(mine, each) for each in names]

        for net in module["netnames"].values():
            values = reversed(net["attributes"].get("init", ""))
            begins = {bit: CONSTANTS.get(value, UNKNOWN) for bit, value in zip(bits(net["bits"]), values)}
            self.begins.update({bit: value for bit, value in begins.items() if bit >= FREE})
        for cell_name, cell in module["cells"].items():
            ends = {port: bits(names) for port, names in cell["connections"].items()}
            self.places[name, cell_name].append(self._cell(cell, ends))
        return {port: bits(at_port["bits"]) for port, at_port in module["ports"].items()}

    def _bit(self, mine, name):
        if name not in mine:
            mine[name] = self.bits
            self.bits += 1
        return mine[name]

    def _cell(self, cell, ends):
        """The number of the cell, or the bits of an instance's ports that a mutant of them changes."""
        kind = cell["type"]
        if kind not in self.modules or "blackbox" in self.modules[kind]["attributes"]:
            directions = cell["port_directions"]
            ins = {port: bits for port, bits in ends.items() if directions[port] != "output"}
            outs = {port: bits for port, bits in ends.items() if directions[port] == "output"}
            self.cells.append(Cell(kind if kind.startswith("$") else MEMORY, ins, outs))
            return len(self.cells) - 1
        changed = {}
        for port, inside in self._block(kind).items():
            outside = ends.get(port)
            if outside is None:
                continue
            source, sink = (inside, outside) if is_output(self.modules[kind], port) else (outside, inside)
            self.cells.append(Cell(PASS, {"A": source}, {"Y": sink}))
            changed[port] = sink
        return changed


def is_output(module, port):
    return module["ports"][port]["direction"] == "output"
