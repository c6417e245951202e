"""Leaves one of the modules of an export that are equal but for their names and comments, under the shortest name.

A module may say in a comment which record a port holds; with another record it is written a second time.
"""
import re
import sys
from pathlib import Path


def essence(text):
    """The text of a module without its name and its comments."""
    text = re.sub(r"^module \w+", "module", text, count=1, flags=re.M)
    return re.sub(r"^ *//.*\n| //.*$", "", text, flags=re.M)


def merged(texts):
    """The modules of one export, by name, each once."""
    while True:
        first, others = {}, {}
        for name in sorted(texts, key=lambda name: (len(name), name)):
            kept = first.setdefault(essence(texts[name]), name)
            if kept != name:
                others[name] = kept
        if not others:
            return texts
        instance = re.compile(r"^  (\w+)(?= \w+ \($)", re.M)
        renamed = lambda match: "  " + others.get(match.group(1), match.group(1))
        texts = {name: instance.sub(renamed, text) for name, text in texts.items() if name not in others}


def main(export, out):
    for folder in sorted(path for path in Path(export).iterdir() if path.is_dir()):
        texts = {path.stem: path.read_text() for path in folder.glob("*.v")}
        to = Path(out) / folder.name
        to.mkdir(parents=True, exist_ok=True)
        for name, text in merged(texts).items():
            (to / f"{name}.v").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
