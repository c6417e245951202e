"""Bits that nothing which leaves the design depends on, whatever the state: a mutant of one changes nothing that anyone sees.

The netlist is taken apart into instances, each memory's bits kept apart; a bit is used if a path of logic, of registers and
of memories leads from it to an output of the top.
"""

import json

from netlist import NETLIST, TOP, script

FILE = "netlist.json"
# Output bit i depends on bit i of these inputs, and on all of the others.
BITWISE = {
    "$and": "AB",
    "$or": "AB",
    "$xor": "AB",
    "$not": "A",
    "$mux": "AB",
    "$dff": "D",
}
# On the bits up to its own.
UPWARDS = {"$add", "$sub"}
# Of a memory, whose module is a black box: what a bit is written by.
WRITTEN = "write_data"
CLOCKS = ("CLK", "clock")


def read(work):
    """The modules of the netlist."""
    script(work, "json", [f"read_rtlil {NETLIST}", f"write_json {FILE}"])
    return json.loads((work / FILE).read_text())["modules"]


def is_output(module, port):
    return module["ports"][port]["direction"] == "output"


def sources(cell, output, at):
    """Port and bit of each input that this bit of an output depends on; `cell`: of no module that has cells."""
    kind = cell["type"]
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] == "output" or port in CLOCKS:
            continue
        if port in BITWISE.get(kind, "") or (port.startswith(WRITTEN) and not kind.startswith("$")):
            # What is narrower goes on with its last.
            wanted = [min(at, len(bits) - 1)]
        elif kind in UPWARDS:
            wanted = range(min(at + 1, len(bits)))
        elif kind == "$pmux" and port in "AB":
            width = len(cell["connections"][output])
            wanted = range(at, len(bits), width)
        else:
            wanted = range(len(bits))
        yield from ((port, bit) for bit in wanted)


class Uses:
    """What is used of a design. A place is (instance, cell, port, bit); an instance is a path of names of cells."""

    def __init__(self, modules, top=TOP):
        self.modules = modules
        self.instances = {}
        # By module and bit: the places that drive it, as cell, port and bit.
        self.drivers = {name: self._drivers(module) for name, module in modules.items()}
        self._find((), top)
        self.used = set()
        self._spread(top)

    def unused(self, name, cell, port, bit):
        """Nothing depends on the bit, in any instance of the module."""
        return all((path, cell, port, bit) not in self.used for path in self.instances.get(name, []))

    def _drivers(self, module):
        driven = {}
        for name, cell in module["cells"].items():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "output":
                    driven.update({bit: (name, port, at) for at, bit in enumerate(bits)})
        # An input of the module is driven by the cell that the module is.
        for port, at_port in module["ports"].items():
            if at_port["direction"] == "input":
                driven.update({bit: (None, port, at) for at, bit in enumerate(at_port["bits"])})
        return driven

    def _find(self, path, name):
        self.instances.setdefault(name, []).append(path)
        for cell, found in self.modules[name]["cells"].items():
            if self._is_held(found):
                self._find((*path, cell), found["type"])

    def _is_held(self, cell):
        """An instance of a module that is looked into."""
        return cell["type"] in self.modules and bool(self.modules[cell["type"]]["cells"])

    def _spread(self, top):
        """From the outputs of the top back to everything that they depend on."""
        names = {path: name for name, paths in self.instances.items() for path in paths}
        # Bits of the nets of an instance.
        waiting = [((), bit) for port in self.modules[top]["ports"].values() if port["direction"] == "output" for bit in port["bits"]]
        seen = set(waiting)

        def net(path, bit):
            if (path, bit) not in seen:
                seen.add((path, bit))
                waiting.append((path, bit))

        while waiting:
            path, bit = waiting.pop()
            module = self.modules[names[path]]
            # A constant has none.
            driver = self.drivers[names[path]].get(bit)
            if driver is None:
                continue
            name, port, at = driver
            if name is None:
                if path:
                    outside, cell = path[:-1], path[-1]
                    self.used.add((outside, cell, port, at))
                    holder = self.modules[names[outside]]["cells"][cell]["connections"]
                    if at < len(holder.get(port, ())):
                        net(outside, holder[port][at])
                continue
            cell = module["cells"][name]
            self.used.add((path, name, port, at))
            if self._is_held(cell):
                net((*path, name), self.modules[cell["type"]]["ports"][port]["bits"][at])
                continue
            for source, number in sources(cell, port, at):
                self.used.add((path, name, source, number))
                net(path, cell["connections"][source][number])
