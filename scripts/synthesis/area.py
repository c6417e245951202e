"""What a mapped ECP5 design takes: cells counted per block from the JSON of yosys' `stat`."""

from dataclasses import dataclass

# LUT4 sites a cell takes: a carry cell is two, a 16 x 4 LUT RAM four (and two that drive its write port).
LUTS = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}
FLIP_FLOPS = {"TRELLIS_FF": 1}
BLOCK_RAMS = {"DP16KD": 1, "PDPW16KD": 1}


@dataclass(frozen=True)
class Area:
    lut4: int = 0
    ff: int = 0
    ram: int = 0

    def __add__(self, other):
        return Area(self.lut4 + other.lut4, self.ff + other.ff, self.ram + other.ram)

    def __mul__(self, count):
        return Area(self.lut4 * count, self.ff * count, self.ram * count)


@dataclass(frozen=True)
class Block:
    """A row of the table: `count` instances of a module, with all that is inside them."""

    depth: int
    name: str
    count: int
    area: Area


class Modules:
    """The modules of a design that kept its hierarchy."""

    def __init__(self, stat):
        self._cells = {
            name.removeprefix("\\"): {kind.removeprefix("\\"): n for kind, n in module["num_cells_by_type"].items()}
            for name, module in stat["modules"].items()
        }

    def own(self, name):
        """Cells of the module itself."""
        cells = self._cells[name]

        def count(sites):
            return sum(cells.get(kind, 0) * n for kind, n in sites.items())

        return Area(count(LUTS), count(FLIP_FLOPS), count(BLOCK_RAMS))

    def children(self, name):
        """(module, instances) inside the module."""
        return [(kind, n) for kind, n in self._cells[name].items() if kind in self._cells]

    def whole(self, name):
        """Cells of the module and all that is inside it."""
        return sum((self.whole(child) * n for child, n in self.children(name)), self.own(name))

    def blocks(self, name, levels, depth=0, times=1):
        """The rows below `times` such modules, largest first, down to `levels`; what vanished is left out."""
        rows = []
        if depth < levels:
            for child, n in sorted(self.children(name), key=lambda c: (-(self.whole(c[0]) * c[1]).lut4, c[0])):
                count = times * n
                area = self.whole(child) * count
                if area != Area():
                    rows.append(Block(depth, child, count, area))
                    rows += self.blocks(child, levels, depth + 1, count)
        return rows
