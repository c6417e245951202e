"""Which mutants a run has; kept in its folder, so that a second call goes on where the first ended."""

import itertools
import json
import math
import random
import sys
from dataclasses import asdict, dataclass

from mutant import WIDTH, Mutant

FILE = "plan.json"


@dataclass(frozen=True)
class Call:
    """What decides the plan and the results."""

    # Digest of the design.
    verilog: str
    count: int
    seed: int
    cases: int
    modules: tuple

    def record(self):
        return {**asdict(self), "modules": list(self.modules)}


def shares(sizes, count):
    """How many of `count` each module gets: one each while they last, the rest by the roots of their cells."""
    names = sorted(sizes, key=lambda name: (-sizes[name], name))
    got = {name: 1 for name in names[:count]}
    rest = count - len(got)
    weight = sum(math.sqrt(sizes[name]) for name in names) or 1
    for name in names:
        if rest <= 0:
            break
        more = min(math.ceil((count - len(names)) * math.sqrt(sizes[name]) / weight), rest)
        got[name] += more
        rest -= more
    return got


def chosen(candidates, wanted, seed):
    """Of each module's candidates as many as wanted; what one module lacks, others make up for."""
    left, taken = {}, []
    for name in sorted(candidates):
        pool = [mutant for mutant in candidates[name] if not mutant.clocks]
        random.Random(f"{seed} {name}").shuffle(pool)
        taken += pool[: wanted.get(name, 0)]
        left[name] = pool[wanted.get(name, 0) :]
    missing = sum(wanted.values()) - len(taken)
    while missing > 0 and any(left.values()):
        for name in sorted(left):
            if missing > 0 and left[name]:
                taken.append(left[name].pop(0))
                missing -= 1
    return taken


def in_turn(mutants, seed):
    """Modules in turn: whoever stops early has seen something of all."""
    mutants = sorted(mutants, key=str)
    random.Random(seed).shuffle(mutants)
    pools = {}
    for mutant in mutants:
        pools.setdefault(mutant.module, []).append(mutant)
    return [mutant for turn in itertools.zip_longest(*pools.values()) for mutant in turn if mutant]


def write(folder, call, mutants):
    text = json.dumps({"call": call.record(), "mutants": [asdict(mutant) for mutant in mutants]}, indent=1)
    new = folder / f"{FILE}.new"
    new.write_text(text + "\n")
    new.rename(folder / FILE)


def read(folder, call):
    """The mutants of the folder by their number, the input's value; none if it is new."""
    path = folder / FILE
    if not path.exists():
        return None
    found = json.loads(path.read_text())
    if found["call"] != call.record():
        differs = [name for name, value in call.record().items() if found["call"].get(name) != value]
        sys.exit(f"mutate: {folder} is of another run ({', '.join(differs)} differs): name another folder with --out")
    return numbered([Mutant(**record) for record in found["mutants"]])


def numbered(mutants):
    """From 1 on: 0 is the design itself."""
    if len(mutants) >= 1 << WIDTH:
        sys.exit(f"mutate: {len(mutants)} mutants are too many for one design: --count at most {(1 << WIDTH) - 1}")
    return dict(enumerate(mutants, 1))
