"""What a cell's outputs are, of inputs that are 0, 1 or not known; and which of them follow an input."""

from itertools import repeat

from flat import MEMORY, ONE, PASS, UNKNOWN, ZERO

CLOCKS = ("CLK", "clock")


def both(a, b):
    """Either of two values: what they agree in."""
    return a if a == b else UNKNOWN


def invert(a):
    return UNKNOWN if a == UNKNOWN else ONE - a


def conjunction(bits):
    if ZERO in bits:
        return ZERO
    return UNKNOWN if UNKNOWN in bits else ONE


def disjunction(bits):
    if ONE in bits:
        return ONE
    return UNKNOWN if UNKNOWN in bits else ZERO


def parity(bits):
    return UNKNOWN if UNKNOWN in bits else sum(bits) & 1


def equal(a, b):
    """Of words, the shorter with zeros above it."""
    width = max(len(a), len(b))
    pairs = list(zip(wide(a, width), wide(b, width)))
    if any(x != y and UNKNOWN not in (x, y) for x, y in pairs):
        return ZERO
    return UNKNOWN if any(UNKNOWN in pair for pair in pairs) else ONE


def wide(bits, width):
    return (bits + [ZERO] * width)[:width]


def add(a, b, carry):
    total = []
    for x, y in zip(a, b):
        total.append(parity([x, y, carry]))
        carry = disjunction([conjunction([x, y]), conjunction([x, carry]), conjunction([y, carry])])
    return total, carry


def mux(a, b, select):
    if select == UNKNOWN:
        return [both(x, y) for x, y in zip(a, b)]
    return b if select == ONE else a


def pmux(a, b, selects):
    """No select, the word of the one, or, of more than one, nothing that is known."""
    width = len(a)
    if selects.count(ONE) > 1:
        return [UNKNOWN] * width
    words = [b[at * width : (at + 1) * width] for at, select in enumerate(selects) if select != ZERO]
    if ONE not in selects:
        words.append(a)
    if selects.count(UNKNOWN) > 1 or (UNKNOWN in selects and ONE in selects):
        return [UNKNOWN] * width
    return [word[0] if len(set(word)) == 1 else UNKNOWN for word in zip(*words)]


def shift(a, b, width, step):
    """Bits of zeros beyond the word."""
    if UNKNOWN in b:
        return [ZERO if set(a) == {ZERO} else UNKNOWN] * width
    by = step * sum(bit << at for at, bit in enumerate(b))
    return [a[at + by] if 0 <= at + by < len(a) else ZERO for at in range(width)]


def outcome(cell, value):
    """By port, the bits of a cell's outputs; `value` gives the bits of an input port."""
    kind = cell.kind
    if kind == MEMORY:
        # It begins with zeros.
        enabled = value("write_enable") != [ZERO]
        word = [both(ZERO, bit) if enabled else ZERO for bit in value("write_data")]
        return {port: word for port in cell.outs}
    if kind == "$dff":
        return {"Q": value("D")}
    if kind not in KNOWN:
        return {port: [UNKNOWN] * len(bits) for port, bits in cell.outs.items()}
    width = len(cell.outs["Y"])
    return {"Y": wide(KNOWN[kind](value, width), width)}


def words(value, width):
    return wide(value("A"), width), wide(value("B"), width)


def each(gate):
    return lambda value, width: [gate([x, y]) for x, y in zip(*words(value, width))]


KNOWN = {
    PASS: lambda value, width: value("A"),
    "$not": lambda value, width: [invert(bit) for bit in wide(value("A"), width)],
    "$and": each(conjunction),
    "$or": each(disjunction),
    "$xor": each(parity),
    "$mux": lambda value, width: mux(value("A"), value("B"), value("S")[0]),
    "$pmux": lambda value, width: pmux(value("A"), value("B"), value("S")),
    "$eq": lambda value, width: [equal(value("A"), value("B"))],
    "$ne": lambda value, width: [invert(equal(value("A"), value("B")))],
    "$lt": lambda value, width: [less(value("A"), value("B"))],
    "$logic_not": lambda value, width: [invert(disjunction(value("A")))],
    "$logic_and": lambda value, width: [conjunction([disjunction(value("A")), disjunction(value("B"))])],
    "$logic_or": lambda value, width: [disjunction(value("A") + value("B"))],
    "$reduce_or": lambda value, width: [disjunction(value("A"))],
    "$reduce_bool": lambda value, width: [disjunction(value("A"))],
    "$reduce_and": lambda value, width: [conjunction(value("A"))],
    "$reduce_xor": lambda value, width: [parity(value("A"))],
    "$add": lambda value, width: add(*words(value, width), ZERO)[0],
    "$sub": lambda value, width: subtract(*words(value, width))[0],
    "$shl": lambda value, width: shift(wide(value("A"), width), value("B"), width, -1),
    "$shr": lambda value, width: shift(value("A"), value("B"), width, 1),
    "$shiftx": lambda value, width: shift(value("A"), value("B"), width, 1),
}


def subtract(a, b):
    return add(a, [invert(bit) for bit in b], ONE)


def less(a, b):
    """A carry out of a - b says that it is not."""
    width = max(len(a), len(b))
    return invert(subtract(wide(a, width), wide(b, width))[1])


def followers(cell, port, at, value):
    """Port and bit of each output that may follow this bit of an input; `value` gives the bits of the others."""
    kind = cell.kind
    if port in CLOCKS:
        return
    if kind == MEMORY:
        for out, bits in cell.outs.items():
            if port == "write_data":
                if value("write_enable") != [ZERO]:
                    yield out, at
            elif not port.startswith("read_address") or out == port.replace("address", "data"):
                yield from zip(repeat(out), range(len(bits)))
        return
    if kind == "$dff":
        yield "Q", at
        return
    for out, bits in cell.outs.items():
        if kind in ("$and", "$or", "$xor", "$not", PASS):
            reached = [at]
        elif kind in ("$add", "$sub", "$shl") and (kind != "$shl" or port == "A"):
            reached = range(at, len(bits))
        elif kind == "$shr" and port == "A":
            reached = range(min(at + 1, len(bits)))
        elif kind == "$mux" and port in "AB":
            reached = [at] if value("S") != [ONE if port == "A" else ZERO] else []
        elif kind == "$pmux" and port == "A":
            reached = [at] if ONE not in value("S") else []
        elif kind == "$pmux" and port == "B":
            reached = [at % len(bits)] if value("S")[at // len(bits)] != ZERO else []
        else:
            reached = range(len(bits))
        yield from ((out, number) for number in reached if number < len(bits))
