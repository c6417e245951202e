"""What a mapped design takes: cells counted per block from the JSON of yosys' `stat`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sites:
    """What each cell of a family takes of LUTs, flip-flops and block RAMs; what is not named takes nothing."""

    lut: dict
    ff: dict
    ram: dict


# A carry cell is two LUT4 sites, a 16 x 4 LUT RAM four (and two that drive its write port).
ECP5 = Sites(
    lut={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
    ff={"TRELLIS_FF": 1},
    ram={"DP16KD": 1, "PDPW16KD": 1},
)
# LUT RAMs and shift registers by the LUT6 sites of a SLICEM that they occupy; carry and wide multiplexers lie beside
# the LUTs. Block RAMs of 36 Kbit (the cell's number says so), half ones of 18 (UG573, UG574).
ULTRASCALE_PLUS = Sites(
    lut={
        **{f"LUT{inputs}": 1 for inputs in range(1, 7)},
        **{"INV": 1, "SRL16E": 1, "SRLC32E": 1},
        **{"RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1D": 8, "RAM32M": 4, "RAM64M": 4},
        **{"RAM32M16": 8, "RAM64M8": 8, "RAM64X8SW": 8, "RAM32X16DR8": 8, "RAM32X1S": 1, "RAM64X1S": 1},
        **{"RAM128X1S": 2, "RAM256X1S": 4, "RAM512X1S": 8},
    },
    ff={"FDRE": 1, "FDSE": 1, "FDCE": 1, "FDPE": 1},
    ram={"RAMB36E2": 1, "RAMB18E2": 0.5},
)
# A carry cell takes the place of a LUT4, a 16 x 4 LUT RAM that of eight: nextpnr counts 17,280 of these and 138,240
# LUT4 on a GW5AST-138C. Wide multiplexers lie beside the LUTs.
GOWIN = Sites(
    lut={**{f"LUT{inputs}": 1 for inputs in range(1, 5)}, "ALU": 1, "RAM16SDP4": 8},
    ff={"DFFRE": 1, "DFFSE": 1, "DFFCE": 1, "DFFPE": 1},
    ram={"SDPB": 1, "SDPX9B": 1, "DPB": 1, "DPX9B": 1, "SP": 1, "SPX9": 1},
)


@dataclass(frozen=True)
class Area:
    lut: int = 0
    ff: int = 0
    ram: float = 0

    def __add__(self, other):
        return Area(self.lut + other.lut, self.ff + other.ff, self.ram + other.ram)

    def __mul__(self, count):
        return Area(self.lut * count, self.ff * count, self.ram * count)


@dataclass(frozen=True)
class Block:
    """A row of the table: `count` instances of a module, with all that is inside them."""

    depth: int
    name: str
    count: int
    area: Area


class Modules:
    """The modules of a design that kept its hierarchy."""

    def __init__(self, stat, sites=ECP5):
        self._sites = sites
        self._cells = {
            name.removeprefix("\\"): {kind.removeprefix("\\"): n for kind, n in module["num_cells_by_type"].items()}
            for name, module in stat["modules"].items()
        }

    def own(self, name):
        """Cells of the module itself."""
        cells = self._cells[name]

        def count(sites):
            return sum(cells.get(kind, 0) * n for kind, n in sites.items())

        return Area(count(self._sites.lut), count(self._sites.ff), count(self._sites.ram))

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
            for child, n in sorted(self.children(name), key=lambda c: (-(self.whole(c[0]) * c[1]).lut, c[0])):
                count = times * n
                area = self.whole(child) * count
                if area != Area():
                    rows.append(Block(depth, child, count, area))
                    rows += self.blocks(child, levels, depth + 1, count)
        return rows
