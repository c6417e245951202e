//! What kernels are made of beyond expressions: children, interfaces, loops, enums, structs.
use crate::compare::{Bench, Twin};
use crate::stimulus::Stimulus;
use hca_hdl::primitive::{Register, Rom};
use hca_hdl::{comment, dff_setup};
use hca_sim::verilated::Lints;
use rust_hdl_core::prelude::*;

#[derive(LogicInterface, Default, Clone, Debug)]
#[join = "StreamOut"]
struct StreamIn<const W: usize> {
    data: Signal<In, Bits<W>>,
    valid: Signal<In, Bit>,
    ready: Signal<Out, Bit>,
}

#[derive(LogicInterface, Default, Clone, Debug)]
#[join = "StreamIn"]
struct StreamOut<const W: usize> {
    data: Signal<Out, Bits<W>>,
    valid: Signal<Out, Bit>,
    ready: Signal<In, Bit>,
}

/// One stage that holds a word.
#[derive(LogicBlock, Default)]
struct Stage<const W: usize> {
    clock: Signal<In, Clock>,
    from: StreamIn<W>,
    to: StreamOut<W>,
    word: Register<Bits<W>>,
    full: Register<Bit>,
}

impl<const W: usize> Logic for Stage<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module stage");
        dff_setup!(self, clock, word, full);
        self.to.data.next = self.word.q.val();
        self.to.valid.next = self.full.q.val();
        self.from.ready.next = !self.full.q.val() || self.to.ready.val();
        if !self.full.q.val() || self.to.ready.val() {
            self.word.d.next = self.from.data.val();
            self.full.d.next = self.from.valid.val();
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Kind {
    Idle,
    Start,
    Middle,
    End,
    Error,
}

#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
struct Header {
    length: Bits<11>,
    kind: Kind,
    offset: Bits<9>,
    last: Bit,
}

#[derive(LogicBlock)]
struct Structure {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    // Reserved words and interfaces among the ports.
    end: Signal<In, Bits<8>>,
    case: Signal<Out, Bits<8>>,
    from: StreamIn<24>,
    to: StreamOut<24>,
    narrow_from: StreamIn<7>,
    narrow_to: StreamOut<7>,
    header: Signal<In, Header>,
    changed: Signal<Out, Header>,
    before: Signal<Out, Bit>,
    small: Signal<In, Signed<6>>,
    extended: Signal<Out, Signed<20>>,
    cut: Signal<Out, Signed<4>>,
    less: Signal<Out, Bit>,
    lanes: Signal<In, Bits<64>>,
    sum: Signal<Out, Bits<8>>,
    picked: Signal<Out, Bits<8>>,
    state_out: Signal<Out, Kind>,
    steps: Signal<Out, Bits<8>>,
    first: Stage<24>,
    second: Stage<24>,
    third: Stage<7>,
    state: Register<Kind>,
    lane: [Register<Bits<8>>; 8],
    lane_sum: [Signal<Local, Bits<8>>; 9],
    accumulator: Signal<Local, Bits<8>>,
    table: [Rom<8, 3>; 2],
    minus_three: Constant<Signed<6>>,
    limit: Constant<Bits<11>>,
    position: Constant<Bits<6>>,
}

impl Default for Structure {
    fn default() -> Self {
        let table = |n: u64| Rom::new((0..8u64).map(|word| (word * 29 + n).into()));
        Self {
            clock: Default::default(),
            reset: Default::default(),
            end: Default::default(),
            case: Default::default(),
            from: Default::default(),
            to: Default::default(),
            narrow_from: Default::default(),
            narrow_to: Default::default(),
            header: Default::default(),
            changed: Default::default(),
            before: Default::default(),
            small: Default::default(),
            extended: Default::default(),
            cut: Default::default(),
            less: Default::default(),
            lanes: Default::default(),
            sum: Default::default(),
            picked: Default::default(),
            state_out: Default::default(),
            steps: Default::default(),
            first: Default::default(),
            second: Default::default(),
            third: Default::default(),
            state: Default::default(),
            lane: array_init::array_init(|_| Default::default()),
            lane_sum: array_init::array_init(|_| Default::default()),
            accumulator: Default::default(),
            table: [table(1), table(5)],
            minus_three: Constant::new((-3).into()),
            limit: Constant::new(1000.into()),
            position: Constant::new(40.into()),
        }
    }
}

impl Logic for Structure {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        clock!(self, clock, first, second, third);
        StreamIn::<24>::link(&mut self.from, &mut self.first.from);
        StreamOut::<24>::join(&mut self.first.to, &mut self.second.from);
        StreamOut::<24>::link(&mut self.to, &mut self.second.to);
        StreamIn::<7>::link(&mut self.narrow_from, &mut self.third.from);
        StreamOut::<7>::link(&mut self.narrow_to, &mut self.third.to);

        comment!("Reserved words are renamed.");
        self.case.next = !self.end.val();

        self.changed.next = self.header.val();
        self.changed.next.length = self.header.val().length + 1;
        self.changed.next.last = self.header.val().length > self.limit.val();
        self.changed.next.offset = unsigned_cast(-signed_cast(self.header.val().offset));
        if self.header.val().last {
            self.changed.next.kind = Kind::Error;
        }
        self.before.next = signed_cast(self.header.val().offset) < signed_bit_cast::<9, 6>(self.small.val());

        self.extended.next = signed_bit_cast::<20, 6>(self.small.val());
        self.cut.next = signed_bit_cast::<4, 6>(self.small.val());
        self.less.next = self.small.val() < self.minus_three.val();

        self.lane_sum[0].next = 0.into();
        for i in 0..8 {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].d.next = self.lane[i].q.val();
            if self.end.val().get_bits::<3>(0) == i.to_bits() {
                self.lane[i].d.next = self.lanes.val().get_bits::<8>(i * 8);
            }
            if i == 7 {
                self.lane[i].d.next = self.lanes.val().get_bits::<8>(56);
            }
            self.lane_sum[i + 1].next = self.lane_sum[i].val() + self.lane[i].q.val();
        }
        self.sum.next = self.lane_sum[8].val();
        for i in 0..2 {
            self.table[i].address.next = self.lanes.val().get_bits::<3>(i * 3 + 1);
        }
        self.picked.next = self.table[0].data.val()
            ^ self.table[1].data.val()
            ^ self.lanes.val().get_bits::<8>(self.position.val().index());

        self.accumulator.next = self.end.val();
        self.steps.next = self.accumulator.val();
        if self.reset.val() {
            self.accumulator.next = self.accumulator.val() + 1;
            if self.from.valid.val() {
                self.accumulator.next = self.accumulator.val() ^ 0x55;
            }
            self.steps.next = self.accumulator.val() - self.end.val();
        } else if self.end.val() > 100 {
            self.steps.next = 7.into();
        } else {
            self.accumulator.next = 0.into();
        }

        self.state_out.next = self.state.q.val();
        match self.state.q.val() {
            Kind::Idle => {
                if self.from.valid.val() {
                    self.state.d.next = Kind::Start;
                }
            }
            Kind::Start => {
                self.state.d.next = self.header.val().kind;
            }
            Kind::Middle => {
                if self.state.q.val() == self.header.val().kind {
                    self.state.d.next = Kind::End;
                }
            }
            _ => {
                self.state.d.next = Kind::Idle;
            }
        }
        if self.reset.val() {
            self.state.d.next = Kind::Idle;
        }
    }
}

#[test]
fn structures_agree() {
    const KINDS: [Kind; 5] = [Kind::Idle, Kind::Start, Kind::Middle, Kind::End, Kind::Error];
    let library = Bench::new("structure_bench")
        .add(Structure::default(), "structure")
        .build(Lints::Strict);
    let mut twin = Twin::new(Structure::default(), &library, "structure");
    let mut random = Stimulus::new(9);
    for cycle in 0..2000 {
        let block = &mut twin.block;
        block.reset.next = random.chance(20);
        block.end.next = random.bits();
        block.from.data.next = random.bits();
        block.from.valid.next = random.bit();
        block.to.ready.next = random.bit();
        block.narrow_from.data.next = random.bits();
        block.narrow_from.valid.next = random.bit();
        block.narrow_to.ready.next = random.bit();
        block.header.next = Header {
            length: random.bits(),
            kind: KINDS[random.below(5) as usize],
            offset: random.bits(),
            last: random.bit(),
        };
        // rust-hdl cannot negate the least value, which a sign extension in a kernel does.
        block.small.next = (random.below(63) as i64 - 31).into();
        block.lanes.next = random.bits();
        twin.settle(&|| format!("cycle {cycle}"));
        twin.block.clock.next = true.into();
        twin.settle(&|| format!("cycle {cycle} after its edge"));
        twin.block.clock.next = false.into();
        twin.settle(&|| format!("end of cycle {cycle}"));
    }
}

/// Writes a nibble into one place of a word: kernels have no such statement, primitives may.
#[derive(LogicBlock, Default)]
struct Scatter {
    word: Signal<In, Bits<64>>,
    nibble: Signal<In, Bits<4>>,
    at: Signal<In, Bits<4>>,
    o: Signal<Out, Bits<64>>,
}

impl Logic for Scatter {
    fn update(&mut self) {
        let mut word = self.word.val();
        word.set_bits(4 * self.at.val().index(), self.nibble.val());
        self.o.next = word;
    }

    fn connect(&mut self) {
        self.o.connect();
    }

    fn hdl(&self) -> Verilog {
        use ast::{VerilogExpression as E, VerilogOp, VerilogStatement};
        let signal = |name: &str| E::Signal(name.into());
        let offset = E::Binary(
            Box::new(E::Literal(4u32.into())),
            VerilogOp::Mul,
            Box::new(signal("at")),
        );
        Verilog::Combinatorial(vec![
            VerilogStatement::Assignment(signal("o"), signal("word")),
            VerilogStatement::SliceAssignment {
                base: signal("o"),
                width: 4,
                offset,
                replacement: signal("nibble"),
            },
        ])
    }
}

#[test]
fn a_slice_assigned_at_a_variable_place_agrees() {
    let library = Bench::new("scatter_bench")
        .add(Scatter::default(), "scatter")
        .build(Lints::Strict);
    let mut twin = Twin::new(Scatter::default(), &library, "scatter");
    let mut random = Stimulus::new(10);
    for round in 0..1000 {
        twin.block.word.next = random.bits();
        twin.block.nibble.next = random.bits();
        twin.block.at.next = random.bits();
        twin.settle(&|| format!("round {round}"));
    }
}
