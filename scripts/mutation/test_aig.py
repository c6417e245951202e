"""Tests of and-inverter graphs on small literal inputs."""

import unittest

from aig import FALSE, TRUE, Circuit, Graph, binary

# A latch that holds `both`, the conjunction of both inputs; it stands behind the one that needs it.
FILE = """aag 5 2 1 1 2
2
4
6 10
8
8 10 3
10 4 2
i0 one
i1 other
o0 out
c
"""


class Graphs(unittest.TestCase):
    def test_what_is_the_same_is_one_node(self):
        graph = Graph()
        a, b = graph.free(), graph.free()
        self.assertEqual(graph.both(a, b), graph.both(b, a))
        self.assertEqual(graph.both(a, a), a)
        self.assertEqual(graph.both(a, a ^ 1), FALSE)
        self.assertEqual(graph.both(a, TRUE), a)
        self.assertEqual(graph.both(FALSE, b), FALSE)
        self.assertEqual(graph.either(a, a ^ 1), TRUE)
        self.assertEqual(graph.differ(b, b), FALSE)
        self.assertEqual(graph.differ(b, b ^ 1), TRUE)

    def test_one_upon_another_leaves_it_alone(self):
        under = Graph()
        a, b = under.free(), under.free()
        both, size = under.both(a, b), under.size
        graph = Graph(under)
        self.assertEqual(graph.both(a, b), both)
        further = graph.both(both, graph.free())
        self.assertEqual(under.size, size)
        self.assertEqual(graph.ands(further >> 1), (both, 2 * size))
        self.assertEqual(graph.ands(both >> 1), (a, b))


class Files(unittest.TestCase):
    def test_each_conjunction_stands_behind_what_it_needs(self):
        circuit = Circuit(FILE.splitlines(keepends=True))
        self.assertEqual(circuit.inputs, [2, 4])
        self.assertEqual(circuit.latches, [(6, 10)])
        self.assertEqual(circuit.outputs, [8])
        self.assertEqual(list(circuit.ands.items()), [(10, (4, 2)), (8, (10, 3))])
        self.assertEqual(circuit.names, {"i0": "one", "i1": "other", "o0": "out"})

    def test_a_latch_that_begins_with_one_is_refused(self):
        with self.assertRaisesRegex(ValueError, "latch 2 begins with 1"):
            Circuit(["aag 1 0 1 0 0\n", "2 2 1\n"])

    def test_the_binary_form_holds_what_is_needed_alone(self):
        graph = Graph()
        a, b, latch, unused = (graph.free() for _ in range(4))
        graph.both(a, unused)
        after = graph.both(a, b)
        told = binary(graph, {latch >> 1: after}, latch ^ 1)
        # Inputs 2 and 4, latch 6, conjunction 8 of 4 and 2: 8 - 4, 4 - 2.
        self.assertEqual(told, b"aig 4 2 1 1 1\n8\n7\n\x04\x02")

    def test_a_distance_of_more_than_seven_bits(self):
        graph = Graph()
        inputs = [graph.free() for _ in range(200)]
        anything = inputs[0]
        for each in inputs[1:]:
            anything = graph.either(anything, each)
        # The first conjunction is of inputs 1 and 2, inverted: 402 - 5 and 5 - 3.
        self.assertTrue(binary(graph, {}, anything).startswith(b"aig 399 200 0 1 199\n799\n\x8d\x03\x02"))


if __name__ == "__main__":
    unittest.main()
