//! However much of a design an `eval` runs, every output has the same value at every clock.
use hca_sim::verilated::{Build, Direction, Evaluation, Library, Lints, Model, Source, Tools};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CLOCKS: usize = 20_000;

fn library(text: &str, evaluation: Evaluation) -> Library {
    let build = Build {
        lints: Lints::Lenient,
        trace: false,
        evaluation,
    };
    build
        .library(&Source::from_texts("machine", [("machine.v", text)]))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Runs both with the same random inputs, of which many stay as they are, and compares all outputs at all levels.
fn assert_same(one: &Library, other: &Library, seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut models = [one, other].map(|library| Model::new(library, 1).unwrap());
    let inputs = one.ports().iter().filter(|p| p.direction == Direction::In);
    let inputs: Vec<_> = inputs
        .filter(|p| !["clock", "reset"].contains(&&p.name[..]))
        .collect();
    for clock in 0..CLOCKS {
        let reset = clock < 3 || random.next_u32().is_multiple_of(1000);
        let busy = clock / 64 % 3 != 0;
        let mut bytes = Vec::new();
        for input in &inputs {
            let mut value = vec![0; input.bits.div_ceil(8) as usize];
            random.fill_bytes(&mut value);
            bytes.push((busy || random.next_u32().is_multiple_of(50)).then_some(value));
        }
        for level in [false, true] {
            for (model, library) in models.iter_mut().zip([one, other]) {
                let port = |name: &str| library.port(name).unwrap();
                model.set(port("clock"), level);
                if !level {
                    model.set(port("reset"), reset);
                    for (input, value) in inputs.iter().zip(&bytes) {
                        if let Some(value) = value {
                            model.set_bytes(port(&input.name), value);
                        }
                    }
                }
                model.eval().unwrap();
            }
            for output in one.ports().iter().filter(|p| p.direction == Direction::Out) {
                let [a, b] = [(&models[0], one), (&models[1], other)]
                    .map(|(model, library)| model.bytes(library.port(&output.name).unwrap()));
                assert_eq!(
                    a, b,
                    "{} in clock {clock}, level {level}, seed {seed}",
                    output.name
                );
            }
        }
    }
}

/// Registers, memories with two writers, wide values, logic of inputs alone, of registers alone, and of both.
const MACHINE: &str = "
module stage(input clock, input reset, input enable, input [6:0] step, output [99:0] sum, output [6:0] next);
  reg [99:0] sum_q; reg [6:0] last_q;
  assign sum = sum_q; assign next = enable ? (last_q ^ step) : last_q;
  always @(posedge clock)
    if (reset) begin sum_q <= 100'd0; last_q <= 7'd1; end
    else if (enable) begin sum_q <= (sum_q << 3) + {93'd0, step} + {93'd0, last_q}; last_q <= next; end
endmodule
module machine(input clock, input reset, input write, input [3:0] at, input [69:0] data, input other,
               input [3:0] there, output [69:0] seen, output reg [69:0] kept, output [99:0] sum, output [6:0] next,
               output [99:0] chain, output reg [15:0] count, output any);
  reg [69:0] memory [0:15]; reg [3:0] clear; reg clearing;
  wire [99:0] first; wire [6:0] between;
  stage a(clock, reset, write ^ other, at + {3'd0, there}, first, between);
  stage b(clock, reset, other & !clearing, between, sum, next);
  assign chain = first ^ {sum[49:0], sum[99:50]} ^ {96'd0, at};
  assign seen = memory[at] ^ {66'd0, there};
  assign any = |kept | ^data;
  always @(posedge clock) begin
    if (clearing) begin memory[clear] <= 70'd0; clear <= clear + 4'd1; if (&clear) clearing <= 1'b0; end
    else begin
      if (write) memory[at] <= data;
      if (other) memory[there] <= {data[34:0], data[69:35]} ^ memory[at];
    end
    kept <= memory[there];
    if (write & !other) count <= count + 16'd1;
    else if (other & !write) count[7:0] <= count[15:8];
    if (reset) begin clearing <= 1'b1; clear <= 4'd0; count <= 16'd0; kept <= 70'd0; end
  end
endmodule
";

fn is_current() -> bool {
    // Before that Verilator's C++ is divided, no more.
    let known = library(MACHINE, Evaluation::Gated);
    assert!(known.evaluation() != Evaluation::Whole, "{:?}", known.note());
    let tools = Tools::find().unwrap();
    assert!(
        known.evaluation() == Evaluation::Gated || tools.verilator_version().starts_with("Verilator 5.0"),
        "{:?}",
        known.note()
    );
    known.evaluation() == Evaluation::Gated
}

/// The system's own tools are what remains where no others can be fetched.
#[test]
fn the_tools_of_the_system_divide_a_design() {
    let tools = Tools::system().unwrap();
    let source = Source::from_texts("machine", [("machine.v", MACHINE)]);
    let [whole, parts] = [Evaluation::Whole, Evaluation::Divided].map(|evaluation| {
        let build = Build {
            lints: Lints::Lenient,
            trace: false,
            evaluation,
        };
        build
            .library_by(&tools, &source)
            .unwrap_or_else(|e| panic!("{e}"))
    });
    assert_eq!((parts.evaluation(), parts.note()), (Evaluation::Divided, None));
    assert_same(&whole, &parts, 4);
}

#[test]
fn a_gated_design_gives_what_the_whole_one_does() {
    let whole = library(MACHINE, Evaluation::Whole);
    assert_eq!((whole.evaluation(), whole.note()), (Evaluation::Whole, None));
    for evaluation in [Evaluation::Divided, Evaluation::Gated] {
        let parts = library(MACHINE, evaluation);
        assert_eq!(parts.note().is_none(), parts.evaluation() == evaluation);
        for seed in 1..4 {
            assert_same(&whole, &parts, seed);
        }
    }
}

/// What has no reset must begin as something else in every run: reading it before it is written has to show.
#[test]
fn registers_without_reset_begin_at_random_gated_too() {
    let text =
        "module machine(input clock, input reset, input load, input [31:0] value, output reg [31:0] held);
        always @(posedge clock) if (load & !reset) held <= value; endmodule";
    for evaluation in [Evaluation::Whole, Evaluation::Gated] {
        let library = library(text, evaluation);
        let held = |seed| {
            let mut model = Model::new(&library, seed).unwrap();
            for level in [false, true, false] {
                model.set(library.port("clock").unwrap(), level);
                model.eval().unwrap();
            }
            model.get(library.port("held").unwrap())
        };
        assert_eq!(held(1), held(1));
        assert!(held(1) != held(2) || held(2) != held(3), "{evaluation:?}");
    }
}

#[test]
fn what_cannot_be_read_with_certainty_is_built_plain_and_says_so() {
    let two_clocks =
        "module machine(input clock, input reset, input slow, output reg [3:0] a, output reg [3:0] b);
        always @(posedge clock) if (reset) a <= 4'd0; else a <= a + 4'd1;
        always @(posedge slow) if (reset) b <= 4'd0; else b <= b + 4'd3; endmodule";
    let falling = "module machine(input clock, input reset, output reg [3:0] a);
        always @(negedge clock) if (reset) a <= 4'd0; else a <= a + 4'd1; endmodule";
    let clock_as_data = "module machine(input clock, input reset, output reg [3:0] a, output y);
        assign y = clock; always @(posedge clock) if (reset) a <= 4'd0; else a <= a + 4'd1; endmodule";
    for text in [two_clocks, falling, clock_as_data] {
        let built = library(text, Evaluation::Gated);
        assert_eq!(built.evaluation(), Evaluation::Whole, "{text}");
        assert!(built.note().is_some(), "{text}");
        assert_same(&library(text, Evaluation::Whole), &built, 7);
    }
    let speaks = "module machine(input clock, input reset, input [3:0] x, output reg [3:0] a);
        always @(posedge clock) begin if (reset) a <= 4'd0; else a <= a + x;
        if (a == 4'd15 && x == 4'd15) $display(\"%d\", a); end endmodule";
    let built = library(speaks, Evaluation::Gated);
    assert_ne!(built.evaluation(), Evaluation::Gated);
    assert!(
        built.note().is_some_and(|note| note.starts_with("not ")),
        "{:?}",
        built.note()
    );
    assert_same(&library(speaks, Evaluation::Whole), &built, 8);
    is_current();
}
