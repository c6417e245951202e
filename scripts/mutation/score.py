"""The score: a line a module, the mutants that nothing killed, one line for all."""

from results import EQUIVALENT, KILLED, KINDS, PENDING, SURVIVED, UNDECIDED, UNREACHED

ALIVE = (SURVIVED, UNDECIDED, UNREACHED, PENDING)


def of(results):
    """How many of each kind."""
    return {kind: sum(result.kind == kind for result in results) for kind in KINDS}


def share(counts):
    """Killed of those not proved equivalent, in percent; none if there are none."""
    judged = sum(counts.values()) - counts[EQUIVALENT]
    return 100 * counts[KILLED] / judged if judged else None


def by_module(results):
    modules = {}
    for result in results:
        modules.setdefault(result.mutant.module, []).append(result)
    return {name: of(modules[name]) for name in sorted(modules)}


def percent(counts):
    return "-" if share(counts) is None else f"{share(counts):.1f} %"


def table(results):
    """Modules, worst first."""
    modules = by_module(results)
    worst = sorted(modules, key=lambda name: (-sum(modules[name][kind] for kind in ALIVE), name))
    rows = [("module", *KINDS, "score")]
    rows += [(name, *(str(modules[name][kind]) for kind in KINDS), percent(modules[name])) for name in worst]
    total = of(results)
    rows.append(("in all", *(str(total[kind]) for kind in KINDS), percent(total)))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(text.ljust(width) if at == 0 else text.rjust(width) for at, (text, width) in enumerate(zip(row, widths)))
        for row in rows
    )


def kills(results):
    """By what they were killed."""
    found = {}
    for result in results:
        if result.kind == KILLED:
            key = (result.kill["stage"].split()[0], result.kill["by"])
            found[key] = found.get(key, 0) + 1
    return ", ".join(f"{count} by {by} in {stage}" for (stage, by), count in sorted(found.items(), key=lambda e: -e[1]))


def left(results):
    """The mutants that live."""
    return [f"  {r.kind} {r.select}: {r.mutant}" for r in results if r.kind in ALIVE]


def text(results, planned):
    total = of(results)
    lines = [table(results)]
    if total[KILLED]:
        lines.append(f"killed: {kills(results)}")
    lines += left(results)
    modules = len(by_module(results))
    lines.append(
        f"{len(results)} of {planned} mutants in {modules} modules: {total[KILLED]} killed, "
        f"{total[EQUIVALENT]} equivalent, {total[UNDECIDED]} undecided, {total[SURVIVED]} survived, "
        f"{total[UNREACHED]} unreached, {total[PENDING]} pending; "
        f"{percent(total)} of those not proved equivalent killed"
    )
    return "\n".join(lines)


def record(results, planned):
    """The same as data."""
    return {
        "planned": planned,
        "counts": of(results),
        "score": share(of(results)),
        "modules": by_module(results),
        "mutants": [
            {"select": r.select, "kind": r.kind, "mutant": str(r.mutant), **({"kill": r.kill} if r.kill else {})}
            for r in results
        ],
    }
