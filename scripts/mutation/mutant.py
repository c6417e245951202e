"""One mutant: a line of what yosys's `mutate -list` writes."""

from dataclasses import dataclass

# Inside the modules; at the top it is the design's input `select`.
SIGNAL = "mutant__"
WIDTH = 16
# A clock that depends on data is no bug that anyone makes, and no simulation that Verilator can order.
CLOCKS = ("CLK", "clock")


@dataclass(frozen=True)
class Mutant:
    """`mode` at one bit of a cell's port: inv, const0, const1, or by another bit of the port, cnot0, cnot1."""

    module: str
    mode: str
    cell: str
    port: str
    bit: int
    control: int = None
    # Where the Verilog has it, such as turn.v:155.14-155.34.
    source: str = ""

    @staticmethod
    def parse(line):
        """The mutant of a line `mutate -option value...`."""
        words = line.split()
        if words[:1] != ["mutate"]:
            raise ValueError(f"no line of `mutate -list`: {line.strip()!r}")
        given, sources, at = {}, [], 1
        while at < len(words):
            option = words[at].removeprefix("-")
            length = 3 if option == "ctrl" else 1
            if option == "src":
                sources.append(words[at + 1])
            else:
                given[option] = words[at + 1]
            at += 1 + length
        return Mutant(
            module=given["module"],
            mode=given["mode"],
            cell=given["cell"],
            port=given["port"],
            bit=int(given["portbit"]),
            control=int(given["ctrlbit"]) if "ctrlbit" in given else None,
            source=sources[-1].rsplit("/", 1)[-1] if sources else "",
        )

    @property
    def clocks(self):
        """True of a clock."""
        return self.port in CLOCKS

    def command(self, select=None):
        """The command of yosys that makes it, always or under that value of the input."""
        words = ["mutate", "-mode", self.mode, "-module", self.module, "-cell", self.cell]
        words += ["-port", self.port, "-portbit", str(self.bit)]
        if self.control is not None:
            words += ["-ctrlbit", str(self.control)]
        if select is not None:
            words += ["-ctrl", SIGNAL, str(WIDTH), str(select)]
        return " ".join(words)

    def __str__(self):
        by = "" if self.control is None else f" by bit {self.control}"
        where = f", {self.source}" if self.source else ""
        return f"{self.module}: {self.mode} at {self.cell}.{self.port}[{self.bit}]{by}{where}"
