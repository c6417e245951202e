"""Which mutants change nothing that leaves the design, in no state that comes about.

First the bits that never change are found, whatever the inputs do, from what registers and memories begin with; the mutated
bit itself is taken for unknown. Then how far a difference at it gets: not through a bit that never changes, nor through the
side of a multiplexer that is never chosen.
"""

import json
from collections import deque
from types import MappingProxyType

import ternary
from flat import FREE, ONE, UNKNOWN, ZERO, Flat
from netlist import NETLIST, TOP, script

FILE = "netlist.json"
# Of a bit that no cell has driven so far.
NEVER = 3
# What a mutant makes of its bit, or the value of another bit that turns it.
MADE = {"const0": ZERO, "const1": ONE}
TURNS = {"cnot0": ZERO, "cnot1": ONE}


def read(work):
    """The design of the netlist."""
    script(work, "json", [f"read_rtlil {NETLIST}", f"write_json {FILE}"])
    return Flat(json.loads((work / FILE).read_text())["modules"], TOP)


class Spread:
    def __init__(self, design):
        self.design = design
        self.known = bytearray([NEVER]) * design.bits
        self.known[ZERO], self.known[ONE], self.known[UNKNOWN] = ZERO, ONE, UNKNOWN
        # What no cell drives may be anything, as an input may.
        driven = {bit for cell in design.cells for bits in cell.outs.values() for bit in bits}
        for bit in range(FREE, design.bits):
            if bit not in driven:
                self.known[bit] = UNKNOWN
        for bit, value in design.begins.items():
            self.known[bit] = value
        self._settle(self.known, range(len(design.cells)))
        # Loops of words that are none of their bits.
        late = [bit for bit in range(design.bits) if self.known[bit] == NEVER]
        for bit in late:
            self.known[bit] = UNKNOWN
        self._settle(self.known, self._readers(late))

    def reaches(self, mutant):
        """A difference at the mutant's bit, in every instance of its module, may leave the design."""
        if self._leaves_it(mutant):
            return False
        cells, outputs = self.design.cells, self.design.outputs
        known, bits, begun = bytearray(self.known), [], []
        for place in self.design.places[mutant.module, mutant.cell]:
            if isinstance(place, dict):
                bits.append(place[mutant.port][mutant.bit])
            elif mutant.port in cells[place].outs:
                bits.append(cells[place].outs[mutant.port][mutant.bit])
            else:
                begun.append((place, mutant.port, mutant.bit))
        for bit in bits:
            known[bit] = UNKNOWN
        forced = {(number, port): at for number, port, at in begun}
        self._settle(known, {number for number, _, _ in begun} | self._readers(bits), forced)

        seen, waiting = set(bits), deque(begun)
        for bit in bits:
            waiting.extend(self.design.readers[bit])
        if seen & outputs:
            return True
        while waiting:
            number, port, at = waiting.popleft()
            for out, to in ternary.followers(cells[number], port, at, self._values(known, number, forced)):
                bit = cells[number].outs[out][to]
                if bit in seen or known[bit] != UNKNOWN:
                    continue
                if bit in outputs:
                    return True
                seen.add(bit)
                waiting.extend(self.design.readers[bit])
        return False

    def _leaves_it(self, mutant):
        """The mutant makes of its bit what that always is, or what would turn it never comes."""

        def always(at, value):
            return all(self._of(place, mutant.port, at) == value for place in self.design.places[mutant.module, mutant.cell])

        if mutant.control is None:
            return mutant.mode in MADE and always(mutant.bit, MADE[mutant.mode])
        return always(mutant.control, ONE - TURNS[mutant.mode])

    def _of(self, place, port, at):
        if isinstance(place, dict):
            return self.known[place[port][at]]
        cell = self.design.cells[place]
        return self.known[(cell.ins if port in cell.ins else cell.outs)[port][at]]

    def _readers(self, bits):
        return {number for bit in bits for number, _, _ in self.design.readers[bit]}

    def _values(self, known, number, forced):
        """Gives the bits of an input port of a cell; of the bit `forced`, by cell and port, nothing is known."""
        ins = self.design.cells[number].ins

        def value(port):
            bits = [known[bit] for bit in ins[port]]
            if (number, port) in forced:
                bits[forced[number, port]] = UNKNOWN
            return bits

        return value

    def _settle(self, known, numbers, forced=MappingProxyType({})):
        """Raises bits, from never driven to a constant and from there to unknown, until nothing changes any more."""
        waiting, queued = deque(numbers), set(numbers)
        while waiting:
            number = waiting.popleft()
            queued.discard(number)
            cell = self.design.cells[number]
            for port, bits in self._outcome(cell, self._values(known, number, forced)).items():
                for bit, new in zip(cell.outs[port], bits):
                    old = known[bit]
                    if new == NEVER or old in (new, UNKNOWN):
                        continue
                    known[bit] = new if old == NEVER else UNKNOWN
                    for reader, _, _ in self.design.readers[bit]:
                        if reader not in queued:
                            queued.add(reader)
                            waiting.append(reader)

    @staticmethod
    def _outcome(cell, value):
        """What the cell makes of its inputs; never driven is what follows an input that is not driven so far."""

        def driven(port):
            return [UNKNOWN if bit == NEVER else bit for bit in value(port)]

        outs = {port: list(bits) for port, bits in ternary.outcome(cell, driven).items()}
        for port in cell.ins:
            for at, bit in enumerate(value(port)):
                if bit == NEVER:
                    for out, number in ternary.followers(cell, port, at, value):
                        if outs[out][number] == UNKNOWN:
                            outs[out][number] = NEVER
        return outs
