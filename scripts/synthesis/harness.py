"""The module that synthesis takes as its top: the HCA with a register on each port bit.

So every path inside counts from register to register. The registers are cells of the device, which yosys neither merges
nor removes, so that their number is known; where the device has fewer pins than the HCA has port bits, and nextpnr
places nothing out of context, they are a chain of ordinary ones. The retire ports are for simulation only: left open
here, their logic vanishes.
"""

from dataclasses import dataclass

TOP = "hca_synth"
SIMULATION_ONLY = "retire_"
CLOCK = "clock"


@dataclass(frozen=True)
class Register:
    """A flip-flop of the device: its cell, and its connections with {clock}, {source} and {sink} to fill in."""

    cell: str
    connections: str


def used_ports(ports):
    """(name, direction, width) of each port of yosys' JSON that synthesis keeps."""
    return [
        (name, port["direction"], len(port["bits"]))
        for name, port in ports.items()
        if not name.startswith(SIMULATION_ONLY)
    ]


def register_bits(ports):
    """How many registers the harness adds."""
    return sum(width for name, _, width in used_ports(ports) if name != CLOCK)


def verilog(ports, top, register):
    """The harness around module `top` with these ports, of these registers."""
    header, body, connections = [], [], []
    for name, direction, width in used_ports(ports):
        bits = f"[{width - 1}:0]"
        header.append(f"{direction} wire {bits} {name}")
        if name == CLOCK:
            connections.append(f".{name}({name})")
            continue
        inner = f"{name}_inner"
        source, sink = (name, inner) if direction == "input" else (inner, name)
        body.append(f"  wire {bits} {inner};")
        cell = register.connections.format(clock=CLOCK, source=source, sink=sink)
        body.append(f"  (* keep *) {register.cell} {name}_register {bits} ({cell});")
        connections.append(f".{name}({inner})")
    return "\n".join(
        [f"module {TOP} (", "  " + ",\n  ".join(header), ");", *body]
        + [f"  {top} {top} (", "    " + ",\n    ".join(connections), "  );", "endmodule", ""]
    )


def chained(ports, top):
    """The harness around module `top` with these ports, of four pins: the inputs come from a shift register that `data`
    enters, and `load` takes the outputs into another, which ends in `result`."""
    inputs, outputs, connections = 0, 0, [f".{CLOCK}({CLOCK})"]
    for name, direction, width in used_ports(ports):
        if name == CLOCK:
            continue
        if direction == "input":
            bits, inputs = f"driving[{inputs + width - 1}:{inputs}]", inputs + width
        else:
            bits, outputs = f"driven[{outputs + width - 1}:{outputs}]", outputs + width
        connections.append(f".{name}({bits})")
    return f"""module {TOP} (
  input wire {CLOCK},
  input wire data,
  input wire load,
  output wire result
);
  reg [{inputs - 1}:0] driving;
  wire [{outputs - 1}:0] driven;
  reg [{outputs - 1}:0] loaded;
  assign result = loaded[{outputs - 1}];
  always @(posedge {CLOCK}) begin
    driving <= {{driving, data}};
    loaded <= load ? driven : {{loaded, 1'b0}};
  end
  {top} {top} (
    {f",{chr(10)}    ".join(connections)}
  );
endmodule
"""
