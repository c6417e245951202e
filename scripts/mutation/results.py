"""What became of each mutant: a line of JSON, written as soon as it is known."""

import json
from dataclasses import asdict, dataclass

from mutant import Mutant

FILE = "results.jsonl"
# Unreached: in no run its bit differs from the design's. Pending: it lives so far, and has not seen the costly runs
# yet.
KINDS = ("killed", "equivalent", "undecided", "survived", "unreached", "pending")
KILLED, EQUIVALENT, UNDECIDED, SURVIVED, UNREACHED, PENDING = KINDS


@dataclass(frozen=True)
class Result:
    select: int
    kind: str
    mutant: Mutant
    # Of a kill: stage, check, what differed first, cases until then.
    kill: dict = None
    # Of a pending one: what the proof came to.
    proof: str = None

    def line(self):
        record = {"select": self.select, "kind": self.kind, "mutant": asdict(self.mutant)}
        if self.kill:
            record["kill"] = self.kill
        if self.proof:
            record["proof"] = self.proof
        return json.dumps(record)


def read(folder):
    """The results that a folder holds, by their mutant's number, the last of each; a line cut by the run's end is none."""
    path = folder / FILE
    found = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        mutant = Mutant(**record["mutant"])
        found[record["select"]] = Result(record["select"], record["kind"], mutant, record.get("kill"), record.get("proof"))
    return found


def add(folder, result):
    with open(folder / FILE, "a") as out:
        out.write(result.line() + "\n")


def rewrite(folder, results):
    """Forgets all but these."""
    new = folder / f"{FILE}.new"
    new.write_text("".join(result.line() + "\n" for result in results))
    new.rename(folder / FILE)
