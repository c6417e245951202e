"""Which runs of the design reach a mutant: its bit, as the mutant would have it, differs from the design's at some time.

Until then a run of the mutant is the run of the design; so a run that does not reach it cannot kill it.
"""

import json
import re
import shutil

from lived import lines
from mutant import SIGNAL
from netlist import TOP

# Folder of what the runs leave; ends the name of a design with watchers.
WATCHED = "watched"
FILE = "reached.jsonl"
# The bits that were seen: lines of numbers. A file, because standard output is the runs' own.
TOLD = "told"
# Whatever its clock, a bit is seen in each evaluation, and reported once by each adapter.
MODULE = """
module watch__ #(parameter NUMBER = 0) (input differs);
  reg seen = 0;
  integer file;
  always @* if (differs && !seen) begin
    seen = 1;
    file = $fopen("{path}", "a");
    $fdisplay(file, "%0d", NUMBER);
    $fclose(file);
  end
endmodule
"""
# The top calls it `select`.
SELECTED = re.compile(rf"^  assign (\S+) = (?:{SIGNAL}|select) == 16'h([0-9a-f]+);$")


def watch(verilog):
    """The same Verilog with a watcher at each mutant; what leads nowhere yosys has taken out, with the mutants in it."""
    out, selected = [], {}
    for line in verilog.splitlines():
        if found := SELECTED.match(line):
            selected[found[1]] = int(found[2], 16)
        elif line.startswith("endmodule"):
            out += watchers(selected, out)
            selected = {}
        out.append(line)
    return "\n".join(out) + "\n"


def watchers(selected, lines):
    """Of the mutants of the module that ends these lines."""
    found = {}
    for line in reversed(lines):
        if line.startswith("module "):
            break
        choice = re.match(r"^  assign (.+) = (\S+) \? (.+) : (.+);$", line)
        if choice and choice[2] in selected:
            number = selected[choice[2]]
            found[number] = f"  watch__ #(.NUMBER({number})) watch__{number} (.differs(|(({choice[3]}) ^ ({choice[4]}))));"
    missing = sorted(set(selected.values()) - set(found))
    if missing:
        raise ValueError(f"mutants that choose nothing: {missing}")
    return list(found.values())


def build(work, design):
    """Writes a design, of this folder, with watchers; gives its folder."""
    folder = work / f"{design.name}-{WATCHED}"
    if folder.exists():
        return folder
    new = work / f"{folder.name}.new"
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(design, new)
    (new / f"{TOP}.v").write_text(watch((new / f"{TOP}.v").read_text()) + MODULE.format(path=work / TOLD))
    return new.rename(folder)


def told(work, run):
    """What the run gives, and the mutants that it reached."""
    path = work / TOLD
    path.write_text("")
    given = run()
    return given, {int(number) for number in path.read_text().split()}


class Reach:
    """By run, what it reaches; kept, so that each run is made once."""

    def __init__(self, work):
        self._path = work / FILE
        self._runs = {}
        for run, selects in lines(self._path):
            self._runs[run] = set(selects)

    def __contains__(self, run):
        return run in self._runs

    def add(self, run, selects):
        self._runs[run] = set(selects)
        with open(self._path, "a") as out:
            out.write(json.dumps([run, sorted(selects)]) + "\n")

    def reaching(self):
        """The runs that reach any, in order of their names."""
        return sorted(run for run, selects in self._runs.items() if selects)

    def by(self, select):
        """The runs that reach it; first those that reach few others, which look at its block the closest."""
        reaching = [run for run, selects in self._runs.items() if select in selects]
        return sorted(reaching, key=lambda run: (len(self._runs[run]), run))


def forget(work, gone):
    """Forgets the runs of which `gone` is true."""
    kept = [line for line in lines(work / FILE) if not gone(line[0])]
    (work / FILE).write_text("".join(json.dumps(line) + "\n" for line in kept))
