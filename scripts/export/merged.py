"""Takes from the modules of an export what makes no hardware.

An input that a module does not use is left out, and a wire that nothing reads. So is a module that is equal to another
but for its name and its comments, such as the one that says which record a port holds; the shortest name stays.
"""
import re
import sys
from collections import Counter
from pathlib import Path

HEADER = re.compile(r"^module \w+ \(\n(.*?)\n\);\n", re.M | re.S)
INSTANCE = re.compile(r"^  (\w+)( \w+ \(\n)((?:    \..*\n)+)", re.M)


def without_comments(text):
    return re.sub(r"^ *//.*\n| //.*$", "", text, flags=re.M)


def unused(text):
    """The inputs that the module does not use."""
    header = HEADER.search(text)
    names = re.findall(r"^  input  ?wire (?:\[\d+:0\] )?(\w+),?$", header.group(1), re.M)
    used = set(re.findall(r"(?<!\.)\b\w+", without_comments(text[header.end() :])))
    return {name for name in names if name not in used}


def listed(lines):
    """The ports or connections as a list: all but the last have a comma."""
    return ",\n".join(line.rstrip(",") for line in lines)


def without_dead_wires(text):
    """The module without the wires that are assigned once, on one line, and read nowhere."""
    words = Counter(re.findall(r"(?<!\.)\b\w+", without_comments(text)))
    assigned = re.findall(r"^  assign (\w+) = .*;$", text, re.M)
    for name in (name for name in assigned if words[name] == 2):
        text, wires = re.subn(rf"^  wire (\[\d+:0\] )?{name};\n", "", text, flags=re.M)
        if wires:
            text = re.sub(rf"^  assign {name} = .*;\n", "", text, flags=re.M)
    return text


def trimmed(texts):
    """The modules without the inputs and the wires that they do not use."""
    while True:
        texts = {name: without_dead_wires(text) for name, text in texts.items()}
        gone = {name: unused(text) for name, text in texts.items()}
        if not any(gone.values()):
            return texts

        def instance(match):
            left_out = gone.get(match[1], ())
            kept = [line for line in match[3].splitlines() if line.split("(")[0].strip(" .") not in left_out]
            return f"  {match[1]}{match[2]}{listed(kept)}\n"

        for name, text in texts.items():
            header = HEADER.search(text)
            kept = [line for line in header[1].splitlines() if line.rstrip(",").split()[-1] not in gone[name]]
            text = text[: header.start(1)] + listed(kept) + text[header.end(1) :]
            texts[name] = INSTANCE.sub(instance, text)


def essence(text):
    """The text of a module without its name and its comments."""
    return without_comments(re.sub(r"^module \w+", "module", text, count=1, flags=re.M))


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

        def instance(match):
            return "  " + others.get(match[1], match[1]) + match[2] + match[3]

        texts = {name: INSTANCE.sub(instance, text) for name, text in texts.items() if name not in others}


def main(export, out):
    for folder in sorted(path for path in Path(export).iterdir() if path.is_dir()):
        texts = {path.stem: path.read_text() for path in folder.glob("*.v")}
        to = Path(out) / folder.name
        to.mkdir(parents=True, exist_ok=True)
        for name, text in merged(trimmed(texts)).items():
            (to / f"{name}.v").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
