"""The runs in which a mutant lived, or the design as number 0: none of them is made twice."""

import json

FILE = "lived.jsonl"


class Lived:
    def __init__(self, work):
        self._path = work / FILE
        self._runs = {}
        for select, runs in lines(self._path):
            self._runs.setdefault(select, set()).update(runs)

    def left(self, select, runs):
        """Those of the runs that it was not in so far, in their order."""
        known = self._runs.get(select, ())
        return [run for run in runs if str(run) not in known]

    def add(self, select, runs):
        runs = sorted(map(str, runs))
        self._runs.setdefault(select, set()).update(runs)
        with open(self._path, "a") as out:
            out.write(json.dumps([select, runs]) + "\n")


def lines(path):
    """Pairs of a file, a line of JSON each; a line cut by the run's end is none."""
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            yield json.loads(line)
        except ValueError:
            continue


def forget(work, gone):
    """Forgets the runs of which `gone` is true."""
    kept = [[select, [run for run in runs if not gone(run)]] for select, runs in lines(work / FILE)]
    (work / FILE).write_text("".join(json.dumps(line) + "\n" for line in kept))
