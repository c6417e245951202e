"""Which modules of two exports are equal but for the order of their items.

The order in which the items of a module stand means nothing in Verilog, nor does that of its ports, since an export
connects ports by name. Prints the modules that differ in their text and are equal in this sense.
"""
import re
import sys
from pathlib import Path


def items(text):
    """Ports and items of the only module of `text`, each list sorted; comments between items are left out."""
    ports, body = re.search(r"^module \w+ \(\n(.*?)\n\);\n(.*)^endmodule", text, re.S | re.M).groups()
    found, item, end = [], [], None
    for line in filter(str.strip, body.split("\n")):
        if not item and line.startswith("  //"):
            continue
        item.append(line)
        if len(item) == 1:
            if re.match(r"  (always|initial)\b.*begin$", line):
                end = "  end"
            elif re.match(r"  \w+ \w+ \($", line):
                end = "  );"
            else:
                end = None
        if line == end or (end is None and re.search(r";( //.*)?$", line)):
            found.append(canonical(item))
            item = []
    if item:
        raise ValueError(f"an item without an end: {item[0]}")
    return sorted(line.strip(" ,") for line in ports.split("\n")), sorted(found)


def canonical(item):
    """The text of an item on one line; connections of an instance, and assignments that only load registers, are sorted."""
    first, inner, last = item[0], item[1:-1], item[-1]
    instance = first.endswith("(") and all(re.match(r"    \.\w+\(.*\),?$", line) for line in inner)
    registers = first.startswith("  always @(posedge") and all(re.match(r"    \w+ <= .*;$", line) for line in inner)
    if instance or registers:
        return "\n".join([first, *sorted(line.strip(" ,") for line in inner), last])
    return " ".join(" ".join(item).split())


def main(before, now):
    for old in sorted(Path(before).glob("*.v")):
        new = Path(now) / old.name
        if not new.exists() or old.read_text() == new.read_text():
            continue
        if items(old.read_text()) == items(new.read_text()):
            print(old.stem)


if __name__ == "__main__":
    main(*sys.argv[1:])
