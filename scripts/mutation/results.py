"""What became of each mutant: a line of JSON, written as soon as it is known."""

import json
from dataclasses import asdict, dataclass

from mutant import Mutant

FILE = "results.jsonl"
KILLED, EQUIVALENT, UNDECIDED, SURVIVED = KINDS = ("killed", "equivalent", "undecided", "survived")


@dataclass(frozen=True)
class Result:
    select: int
    kind: str
    mutant: Mutant
    # Of a kill: stage, check, what differed first, cases until then.
    kill: dict = None

    def line(self):
        record = {"select": self.select, "kind": self.kind, "mutant": asdict(self.mutant)}
        if self.kill:
            record["kill"] = self.kill
        return json.dumps(record)


def read(folder):
    """The results that a folder holds, by their mutant's number; a line cut by the run's end is none."""
    path = folder / FILE
    found = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        mutant = Mutant(**record["mutant"])
        found[record["select"]] = Result(record["select"], record["kind"], mutant, record.get("kill"))
    return found


def add(folder, result):
    with open(folder / FILE, "a") as out:
        out.write(result.line() + "\n")
