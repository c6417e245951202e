"""Where the block RAMs of an ECP5 design lie.

nextpnr spreads them over the whole device, and what reads and writes them follows: wires of 5 ns. With their places
given it places the rest with less wire. The places come in rounds: nextpnr places the logic around the block RAMs, then
each block RAM goes where its own wires are shortest, all at once and each to a place of its own; before the first round
nextpnr places them, too.
"""

import json
from dataclasses import dataclass, field

BLOCK_RAM = "DP16KD"
# A path of this many ns has no slack at 80 MHz.
LIMIT = 12.5
# How much more than a wire to one sink the wire of such a path weighs, and how fast that falls with the path's length.
CRITICAL = 20
STEEPNESS = 6


# Rounds, and the seeds of each; the best seed leads on.
ROUNDS = 4
SEEDS = [1, 2]


@dataclass(frozen=True)
class Plan:
    """`places`: of each block RAM, by name; `seed`: with which the logic around them was placed best."""

    seed: int = SEEDS[0]
    places: dict = field(default_factory=dict)


def path(board, profile):
    return board / f"{profile}.floorplan.json"


def read(board, profile):
    """Without a file the plan of no places."""
    file = path(board, profile)
    return Plan(**json.loads(file.read_text())) if file.exists() else Plan()


def write(board, profile, plan):
    record = {"seed": plan.seed, "places": dict(sorted(plan.places.items()))}
    path(board, profile).write_text(json.dumps(record, indent=1) + "\n")


def block_rams(cells):
    return sorted(name for name, cell in cells.items() if cell["type"] == BLOCK_RAM)


def places(placed):
    """Of the module that nextpnr writes after placement."""
    cells = placed["cells"]
    return {name: cells[name]["attributes"]["NEXTPNR_BEL"] for name in block_rams(cells)}


def fix(module, places):
    """Gives the block RAMs their places; says how many have none."""
    wanting = 0
    for name in block_rams(module["cells"]):
        if name in places:
            module["cells"][name]["attributes"]["BEL"] = places[name]
        else:
            wanting += 1
    return wanting


def sites(device):
    """(place, column, row) of each block RAM of the device."""
    columns, rows = device["block_rams"]["columns"], device["block_rams"]["rows"]
    return [(f"X{x}/Y{y}/EBR{i % 4}", x, y) for y in rows for i, x in enumerate(columns)]


def assign(timing, device):
    """A place for each block RAM, by where nextpnr has placed what it is wired to; `timing`: placed.Placed."""
    # Here alone: large, and a report needs neither.
    import numpy
    from scipy.optimize import linear_sum_assignment

    free = sites(device)
    columns = numpy.array([x for _, x, _ in free])
    rows = numpy.array([y for _, _, y in free])
    names = block_rams(timing.cells)
    longest = timing.longest()
    cost = numpy.zeros((len(names), len(free)))
    for i, name in enumerate(names):
        for wire in timing.wires(name):
            x, y = wire.place
            critical = CRITICAL * (longest.get((wire.net, wire.sink), 0) / LIMIT) ** STEEPNESS
            # Of what it drives, all sinks together count as much as one driver.
            weight = (1 + critical) / wire.sinks if wire.driven else 1 / wire.sinks + critical
            cost[i] += weight * (abs(columns - x) + abs(rows - y))
    chosen = linear_sum_assignment(cost)[1]
    return {name: free[site][0] for name, site in zip(names, chosen)}
