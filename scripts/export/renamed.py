"""Gives ports and parts of modules new names, in an export: in their modules and wherever those are used.

Each line of the list is `MODULE OLD NEW`; `OLD* NEW*` is for all names that begin with `OLD`. A module in which a new
name is taken already stays as it is.
"""
import re
import sys
from pathlib import Path


class Renames:
    """The new names within one module."""

    def __init__(self, pairs):
        self.pairs = sorted(pairs, key=lambda pair: -len(pair[0]))

    def of(self, word):
        for old, new in self.pairs:
            if word == old:
                return new
            if old.endswith("*") and word.startswith(old[:-1]):
                return new[:-1] + word[len(old) - 1 :]
        return word


def renamed(text, lines):
    """The text of a module with the new names: its own, and those of the ports of the modules inside."""

    def of(module):
        return [(old, new) for name, old, new in lines if re.fullmatch(rf"{name}(_\d+)?", module)]

    pairs = of(re.search(r"^module (\w+)", text, re.M).group(1))

    def instance(match):
        head, module, name, connections = match.groups()
        inner = Renames(of(module))
        net = name.removesuffix("_instance").rstrip("_")
        pairs.extend((f"{net}_{old}", f"{net}_{new}") for old, new in inner.pairs)
        return head + re.sub(r"(?<=    \.)\w+", lambda port: inner.of(port.group()), connections)

    changed = re.sub(r"^(  (\w+) (\w+) \(\n)((?:    \..*\n)+)", instance, text, flags=re.M)
    own = Renames(pairs)
    words = {word: own.of(word) for word in re.findall(r"(?<!\.)\b[A-Za-z_]\w*", text)}
    if len(set(words.values())) < len(words):
        return text
    return re.sub(r"(?<!\.)\b[A-Za-z_]\w*", lambda match: words.get(match.group(), match.group()), changed)


def main(export, out, renames):
    lines = [line.split() for line in Path(renames).read_text().split("\n") if line.strip()]
    for path in Path(export).glob("*/*.v"):
        to = Path(out) / path.relative_to(export)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(renamed(path.read_text(), lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
