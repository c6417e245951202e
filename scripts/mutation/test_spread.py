"""Tests of what is known of cells' outputs, and of how far a mutant is seen, on literal designs."""

import itertools
import operator
import random
import unittest
from functools import reduce

import ternary
from flat import MEMORY, PASS, UNKNOWN, Cell, Flat
from mutant import Mutant
from spread import Spread


def number(bits):
    return sum(bit << at for at, bit in enumerate(bits))


def bits(value, width):
    return [value >> at & 1 for at in range(width)]


# What each kind of cell does to whole words; `width`: of the output.
MEANING = {
    PASS: lambda a, width: a,
    "$not": lambda a, width: ~a,
    "$and": lambda a, b, width: a & b,
    "$or": lambda a, b, width: a | b,
    "$xor": lambda a, b, width: a ^ b,
    "$add": lambda a, b, width: a + b,
    "$sub": lambda a, b, width: a - b,
    "$eq": lambda a, b, width: a == b,
    "$ne": lambda a, b, width: a != b,
    "$lt": lambda a, b, width: a < b,
    "$logic_not": lambda a, width: not a,
    "$logic_and": lambda a, b, width: bool(a and b),
    "$logic_or": lambda a, b, width: bool(a or b),
    "$reduce_or": lambda a, width: a != 0,
    "$reduce_bool": lambda a, width: a != 0,
    "$reduce_and": lambda a, width: a == 7,
    "$reduce_xor": lambda a, width: reduce(operator.xor, bits(a, 3)),
    "$shl": lambda a, b, width: a << b,
    "$shr": lambda a, b, width: a >> b,
    "$shiftx": lambda a, b, width: a >> b,
}
# Bits of A and B, and of the output.
WIDTHS = {"$shl": (3, 2, 4), "$shr": (3, 2, 3), "$shiftx": (3, 2, 1)}
ONE_BIT = ("$eq", "$ne", "$lt", "$logic_not", "$logic_and", "$logic_or")


def shape(kind):
    a, b, y = WIDTHS.get(kind, (3, 3, 1 if kind in ONE_BIT or kind.startswith("$reduce") else 3))
    return ({"A": a} if "b" not in MEANING[kind].__code__.co_varnames else {"A": a, "B": b}), y


def completions(value):
    """Each word that may be meant."""
    return itertools.product(*([0, 1] if bit == UNKNOWN else [bit] for bit in value))


class Ternary(unittest.TestCase):
    def outputs(self, kind, values, y):
        """Of each word that may be meant, in the order of the ports."""
        for words in itertools.product(*map(completions, values)):
            yield bits(int(MEANING[kind](*map(number, words), width=y)) & (1 << y) - 1, y)

    def test_what_is_known_is_what_all_words_agree_in(self):
        draw = random.Random(1)
        for kind in ternary.KNOWN.keys() - {"$mux", "$pmux"}:
            ports, y = shape(kind)
            cell = Cell(kind, {}, {"Y": list(range(y))})
            for _ in range(300):
                values = {port: draw.choices((0, 1, UNKNOWN), k=width) for port, width in ports.items()}
                got = ternary.outcome(cell, values.__getitem__)["Y"]
                agreed = [seen[0] if len(set(seen)) == 1 else UNKNOWN for seen in zip(*self.outputs(kind, values.values(), y))]
                # Sums and shifts may know less; none may know what is not so.
                self.assertTrue(all(known in (is_so, UNKNOWN) for known, is_so in zip(got, agreed)), (kind, values, got))
                if kind not in ("$add", "$sub", "$lt", "$shl", "$shr", "$shiftx"):
                    self.assertEqual(got, agreed, (kind, values))

    def test_what_does_not_follow_an_input_stays_as_it_is(self):
        draw = random.Random(1)
        for kind in MEANING:
            ports, y = shape(kind)
            cell = Cell(kind, {port: list(range(width)) for port, width in ports.items()}, {"Y": list(range(y))})
            for _ in range(300):
                values = {port: draw.choices((0, 1), k=width) for port, width in ports.items()}
                port = draw.choice(list(ports))
                at = draw.randrange(ports[port])
                turned = {**values, port: [bit ^ (number == at) for number, bit in enumerate(values[port])]}
                before, after = (next(self.outputs(kind, each.values(), y)) for each in (values, turned))
                reached = {to for _, to in ternary.followers(cell, port, at, values.__getitem__)}
                self.assertTrue(all(a == b or to in reached for to, (a, b) in enumerate(zip(before, after))), (kind, values, at))

    def known(self, kind, **values):
        width = len(values["A"])
        return ternary.outcome(Cell(kind, {}, {"Y": list(range(width))}), values.__getitem__)["Y"]

    def test_a_multiplexer_knows_what_its_words_agree_in(self):
        self.assertEqual(self.known("$mux", A=[0, 1, 1], B=[0, 0, 2], S=[UNKNOWN]), [0, 2, 2])
        self.assertEqual(self.known("$mux", A=[0, 1], B=[1, 2], S=[0]), [0, 1])
        self.assertEqual(self.known("$mux", A=[0, 1], B=[1, 2], S=[1]), [1, 2])
        self.assertEqual(self.known("$pmux", A=[0, 1], B=[1, 0, 1, 1], S=[0, 0]), [0, 1])
        self.assertEqual(self.known("$pmux", A=[0, 1], B=[1, 0, 1, 1], S=[1, 0]), [1, 0])
        self.assertEqual(self.known("$pmux", A=[0, 1], B=[1, 1, 1, 1], S=[0, UNKNOWN]), [2, 1])
        self.assertEqual(self.known("$pmux", A=[0, 1], B=[1, 1, 1, 1], S=[UNKNOWN, UNKNOWN]), [2, 2])

    def test_a_memory_holds_zeros_and_what_is_written(self):
        cell = Cell(MEMORY, {}, {"read_data": [1, 2]})
        for enable, value in ((UNKNOWN, [0, UNKNOWN]), (0, [0, 0])):
            values = {"write_enable": [enable], "write_data": [0, 1]}
            self.assertEqual(ternary.outcome(cell, values.__getitem__), {"read_data": value})


def cell(kind, inputs, outputs):
    directions = {**dict.fromkeys(inputs, "input"), **dict.fromkeys(outputs, "output")}
    return {"type": kind, "port_directions": directions, "connections": {**inputs, **outputs}}


def module(inputs, outputs, cells, begins=(), attributes=()):
    """`begins`: bits of registers, from zeros."""
    ports = {name: {"direction": "input", "bits": bits} for name, bits in inputs.items()}
    ports |= {name: {"direction": "output", "bits": bits} for name, bits in outputs.items()}
    nets = {"registers": {"bits": list(begins), "attributes": {"init": "0" * len(begins)}}}
    return {"ports": ports, "cells": cells, "netnames": nets, "attributes": dict(attributes)}


# The memory's, whose module is a black box.
ROWS = module(
    {"read_address": [2, 3], "write_address": [4, 5], "write_enable": [6], "write_data": [7, 8]},
    {"read_data": [9, 10]},
    {},
    attributes={"blackbox": "1"},
)
FLIP = module({"a": [2, 3]}, {"y": [4, 5]}, {"not": cell("$not", {"A": [2, 3]}, {"Y": [4, 5]})})


class Spreads(unittest.TestCase):
    def reaches(self, design, module, name, port, bit, mode="inv", control=None):
        return design.reaches(Mutant(module, mode, name, port, bit, control))

    def through(self, read):
        """Two bits through a block, a register and a memory; the top shows these bits of what is read."""
        top = module(
            {"a": [2, 3], "at": [4, 5], "write": [14]},
            {"z": read},
            {
                "flip": cell("flip", {"a": [2, 3]}, {"y": [6, 7]}),
                "q": cell("$dff", {"CLK": [2], "D": [6, 7]}, {"Q": [8, 9]}),
                "rows": cell(
                    "rows",
                    {"read_address": [4, 5], "write_address": [4, 5], "write_enable": [14], "write_data": [8, 9]},
                    {"read_data": [10, 11]},
                ),
                "sum": cell("$add", {"A": [10, 11], "B": [4, 5]}, {"Y": [12, 13]}),
            },
            begins=[8, 9],
        )
        return Spread(Flat({"top": top, "flip": FLIP, "rows": ROWS}, "top"))

    def test_a_bit_is_followed_through_blocks_registers_and_memories(self):
        design = self.through([11])
        for bit, seen in ((0, False), (1, True)):
            self.assertEqual(self.reaches(design, "flip", "not", "Y", bit), seen)
            self.assertEqual(self.reaches(design, "flip", "not", "A", bit), seen)
            self.assertEqual(self.reaches(design, "top", "flip", "a", bit), seen)
            self.assertEqual(self.reaches(design, "top", "flip", "y", bit), seen)
            self.assertEqual(self.reaches(design, "top", "q", "D", bit), seen)
            self.assertEqual(self.reaches(design, "top", "rows", "write_data", bit), seen)
            self.assertTrue(self.reaches(design, "top", "rows", "read_address", bit))

    def test_a_sum_depends_on_its_lower_bits(self):
        low, high = self.through([12]), self.through([13])
        self.assertFalse(self.reaches(low, "flip", "not", "Y", 1))
        self.assertTrue(self.reaches(high, "flip", "not", "Y", 0))
        self.assertFalse(self.reaches(low, "top", "sum", "A", 1))

    def held(self, enable):
        """A register that keeps its zero unless this bit takes the input to it; what it holds chooses between two inputs."""
        top = module(
            {"a": [2], "b": [3], "enable": [8]},
            {"z": [7], "y": [6]},
            {
                "next": cell("$mux", {"A": [5], "B": [2], "S": enable}, {"Y": [4]}),
                "q": cell("$dff", {"CLK": [2], "D": [4]}, {"Q": [5]}),
                "z": cell("$mux", {"A": [3], "B": [6], "S": [5]}, {"Y": [7]}),
                "both": cell("$and", {"A": [2], "B": [5]}, {"Y": [6]}),
            },
            begins=[5],
        )
        return Spread(Flat({"top": top}, "top"))

    def test_what_a_register_never_takes_is_not_seen(self):
        still, moved = self.held(["0"]), self.held([8])
        self.assertFalse(self.reaches(still, "top", "z", "B", 0))
        self.assertFalse(self.reaches(still, "top", "next", "B", 0))
        self.assertFalse(self.reaches(still, "top", "both", "A", 0))
        self.assertTrue(self.reaches(moved, "top", "z", "B", 0))
        self.assertTrue(self.reaches(moved, "top", "both", "A", 0))
        self.assertTrue(self.reaches(moved, "top", "next", "B", 0))

    def test_a_mutant_that_moves_the_register_is_seen(self):
        still = self.held(["0"])
        self.assertTrue(self.reaches(still, "top", "next", "S", 0))
        self.assertTrue(self.reaches(still, "top", "next", "Y", 0))
        self.assertTrue(self.reaches(still, "top", "q", "Q", 0))
        self.assertTrue(self.reaches(still, "top", "z", "S", 0, "const1"))

    def test_a_mutant_that_leaves_a_bit_what_it_is_changes_nothing(self):
        still = self.held(["0"])
        self.assertFalse(self.reaches(still, "top", "z", "S", 0, "const0"))
        self.assertFalse(self.reaches(still, "top", "q", "Q", 0, "const0"))
        self.assertFalse(self.reaches(still, "top", "q", "Q", 0, "cnot1", 0))
        self.assertTrue(self.reaches(still, "top", "q", "Q", 0, "cnot0", 0))

    def test_every_instance_has_to_hide_it(self):
        """The block stands twice; of one only bit 0 is shown, of the other only bit 1."""
        top = module(
            {"a": [2, 3]},
            {"z": [4, 7]},
            {"one": cell("flip", {"a": [2, 3]}, {"y": [4, 5]}), "two": cell("flip", {"a": [2, 3]}, {"y": [6, 7]})},
        )
        design = Spread(Flat({"top": top, "flip": FLIP}, "top"))
        for bit in range(2):
            self.assertTrue(self.reaches(design, "flip", "not", "Y", bit))
        self.assertTrue(self.reaches(design, "top", "one", "y", 0))
        self.assertFalse(self.reaches(design, "top", "one", "y", 1))
        self.assertFalse(self.reaches(design, "top", "two", "a", 0))
