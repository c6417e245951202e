"""The table that `scripts/synth` prints."""

import re

MAPPED = re.compile(r"_(?:TRELLIS_FF|LUT4|PFUMX|L6MUX21|CCU2C)_|\$")


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
        name = "  " * block.depth + block.name + (f" x{block.count}" if block.count > 1 else "")
        rows.append((name, *numbers(block.area), "", ""))
    rows.append(("between the blocks", *numbers(glue), "", ""))
    rows.append(("in all, flattened", *numbers(total), f"{fmax:.1f}", device))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:5], widths[1:5])]
        lines.append("  ".join([*cells, row[5]]).rstrip())
    rule = "-" * max(map(len, lines))
    lines[1:1] = [rule]
    lines[-1:-1] = [rule]
    lines.append(f"Slowest path: {slowest}.")
    lines.append(f"Not counted: {ports} registers on the ports, put there so that every path is timed.")
    lines.append("Blocks are mapped each for itself; flattened, logic is shared and optimised across them.")
    return "\n".join(lines)


def numbers(area):
    return str(area.lut4), str(area.ff), str(area.ram)
