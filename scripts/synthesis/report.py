"""The table that `scripts/synth` prints."""

import re

# How many of the blocks that paths end in are named.
ENDS = 4
MAPPED = re.compile(r"_(?:TRELLIS_FF|LUT[1-4]|PFUMX|L6MUX21|CCU2C|DFF[RSCP]E|ALU|MUX2_LUT[5-8])_|\$")


def clock_mhz(report, domain="clock"):
    """Fmax in MHz of the clock in nextpnr's JSON report; its nets prefix the name of the port."""
    found = [fmax["achieved"] for name, fmax in report["fmax"].items() if domain in name]
    if not found:
        raise ValueError(f"nextpnr reports no clock {domain!r}, but: {', '.join(report['fmax']) or 'none'}")
    return min(found)


def slowest_path(report, top="hca"):
    """Where the longest path from register to register begins and ends, as names of the Verilog."""
    path = max(report["critical_paths"], key=lambda path: delay(path) if path["from"] == path["to"] else 0)
    ends = [source_name(path["path"][0]["from"]["cell"], top), source_name(path["path"][-1]["to"]["cell"], top)]
    return f"{ends[0]} -> {ends[1]}, {delay(path):.1f} ns"


def delay(path):
    return sum(step["delay"] for step in path["path"])


def source_name(cell, top):
    """The name in the Verilog, without what the mapping appended to it."""
    return MAPPED.split(cell, maxsplit=1)[0].removeprefix(f"{top}.")


def table(blocks, glue, ports, total, fmax, device, slowest):
    """One line for each block, the rest, and all together after placement."""
    rows = [("block", "LUT4", "FF", "block RAM", "Fmax MHz", "device")]
    for block in blocks:
        rows.append((row_name(block), *numbers(block.area), "", ""))
    rows.append(("between the blocks", *numbers(glue), "", ""))
    rows.append(("in all, flattened", *numbers(total), f"{fmax:.1f}", device))
    lines = aligned(rows)
    lines.append(f"Slowest path: {slowest}.")
    lines.append(not_counted(ports))
    lines.append("Blocks are mapped each for itself; flattened, logic is shared and optimised across them.")
    return "\n".join(lines)


def estimate(blocks, glue, total, by_block, longest, ports, device):
    """One line for each block, the rest, and all together, unplaced; `by_block`: the longest path that ends in each."""
    rows = [("block", "LUT", "FF", "block RAM", "levels", "device")]
    chain = ()
    for block in blocks:
        chain = (*chain[: block.depth], block.name)
        path = by_block.get(chain)
        rows.append((row_name(block), *numbers(block.area), str(path.levels) if path else "", ""))
    rows.append(("between the blocks", *numbers(glue), "", ""))
    rows.append(("in all", *numbers(total), str(longest.levels), device))
    lines = aligned(rows)
    kinds = ", ".join(f"{count} {kind}" for kind, count in longest.kinds)
    lines.append(f"Longest path: {longest.levels} levels ({kinds}): {longest.start} -> {longest.end}.")
    lines.append("Levels: cells of the longest path from register to register that ends in the block.")
    lines.append(not_counted(ports))
    lines.append("Blocks are mapped each for itself, and nothing is placed. Block RAMs of 36 Kbit.")
    return "\n".join(lines)


def slow_paths(groups, longest, limit, clock):
    """One line for each register that paths longer than `limit` ns begin in; `clock`: what the longest lets expect."""
    rows = [("ns", "paths", "from", "to")]
    for group in groups:
        to = [f"{block} {count}" for block, count in group.ends.most_common(ENDS)]
        rows.append((f"{group.delay:.1f}", str(sum(group.ends.values())), group.start, ", ".join(to)))
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    lines = ["  ".join([row[0].rjust(widths[0]), row[1].rjust(widths[1]), f"{row[2]} -> {row[3]}"]) for row in rows]
    lines.insert(1, "-" * max(map(len, lines)))
    lines.append(f"Above {limit:.1f} ns: {sum(sum(group.ends.values()) for group in groups)} paths.")
    if longest is None:
        lines.append("No path of logic between registers.")
        return "\n".join(lines)
    lines.append(f"Longest path: {longest.start} -> {longest.end}, {longest.delay:.1f} ns, through")
    lines += [f"  {name}" for name in longest.through]
    lines.append(f"Estimated clock: {clock}.")
    return "\n".join(lines)


def placed_mhz(log, domain="clock"):
    """Fmax in MHz that nextpnr's log gives the clock after placement; its nets prefix the name of the port."""
    found = re.findall(rf"Max frequency for clock\s+'[^']*{domain}[^']*': ([\d.]+) MHz", log)
    if not found:
        raise ValueError(f"nextpnr's log gives no frequency for a clock {domain!r}")
    return min(map(float, found))


def placed_wire(log):
    """Tiles that nextpnr's log gives the wires after placement: half the perimeter around each net, all together."""
    found = re.findall(r"wirelen = (\d+)", log)
    if not found:
        raise ValueError("nextpnr's log gives no length of wire")
    return int(found[-1])


def row_name(block):
    return "  " * block.depth + block.name + (f" x{block.count}" if block.count > 1 else "")


def not_counted(ports):
    return f"Not counted: {ports} registers on the ports, put there so that every path is timed."


def aligned(rows):
    """The rows in columns, a rule below the first and above the last."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:5], widths[1:5])]
        lines.append("  ".join([*cells, row[5]]).rstrip())
    rule = "-" * max(map(len, lines))
    lines[1:1] = [rule]
    lines[-1:-1] = [rule]
    return lines


def numbers(area):
    return str(area.lut), str(area.ff), f"{area.ram:g}"
