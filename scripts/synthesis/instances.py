"""Area of a flat netlist by instance of the design. A cell counts to the instance that its name comes from: logic between
two instances bears the name of the one whose output it begins at."""

from collections import defaultdict
from dataclasses import dataclass

from area import ECP5, Area

# Cells by which yosys keeps the names of the instances that it has flattened.
SCOPE = "$scopeinfo"


@dataclass(frozen=True)
class Instance:
    """A row: an instance, with all that is inside it, and its own cells."""

    depth: int
    name: str
    whole: Area
    own: Area


def instances(cells, top, levels, least, sites=ECP5):
    """The rows of `top` and what is inside it, largest first, down to `levels`, of `least` LUTs or with a block RAM."""
    scopes = {name for name, cell in cells.items() if cell["type"] == SCOPE} | {top}
    own = defaultdict(Area)
    for name, cell in cells.items():
        kind = cell["type"]
        area = Area(sites.lut.get(kind, 0), sites.ff.get(kind, 0), sites.ram.get(kind, 0))
        if area != Area():
            own[scope_of(name, scopes, top)] += area
    whole = defaultdict(Area)
    for scope, area in own.items():
        while scope:
            whole[scope] += area
            scope = scope.rpartition(".")[0]
    inside = defaultdict(list)
    for scope in whole:
        inside[scope.rpartition(".")[0]].append(scope)

    def rows(scope, depth):
        area = whole[scope]
        if depth > levels or (area.lut < least and not area.ram):
            return []
        found = [Instance(depth, scope.rpartition(".")[2], area, own[scope])]
        for child in sorted(inside[scope], key=lambda child: (-whole[child].lut, child)):
            found += rows(child, depth + 1)
        return found

    return rows(top, 0)


def scope_of(name, scopes, top):
    """The innermost instance whose name a cell's name begins with; `top` if there is none."""
    while name and name not in scopes:
        name = name.rpartition(".")[0]
    return name or top


def rows_text(found):
    """One line for each row: the cells of the instance with all that is inside it, and of it alone."""
    lines = [f"{'instance':<44} {'LUT4':>7} {'own':>7} {'FF':>7} {'own':>7} {'block RAM':>10}"]
    for row in found:
        name = "  " * row.depth + row.name
        lines.append(
            f"{name:<44} {row.whole.lut:>7} {row.own.lut:>7} {row.whole.ff:>7} {row.own.ff:>7} {row.whole.ram:>10g}"
        )
    return "\n".join(lines)
