//! The clocked primitives against their Verilog, cycle by cycle.
use crate::compare::{Bench, Twin};
use crate::stimulus::Stimulus;
use crate::wiring::{rom_a, rom_b};
use hca_hdl::primitive::*;
use hca_hdl::{comment, dff_setup};
use hca_sim::verilated::{Library, Lints};
use rust_hdl_core::prelude::*;
use std::sync::OnceLock;

pub const CYCLES: usize = 3000;

/// All of them in one model.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        Bench::new("primitives")
            .add(BlockRam::<Bits<8>, 3>::default(), "block_ram_a")
            .add(BlockRam::<Bits<194>, 4>::default(), "block_ram_b")
            .add(BlockRam::<Bits<1>, 1>::default(), "block_ram_c")
            .add(ByteRam::<64, 8, 3>::default(), "byte_ram_a")
            .add(ByteRam::<36, 4, 5>::default(), "byte_ram_b")
            .add(ByteRam::<16, 1, 2>::default(), "byte_ram_c")
            .add(LutRam::<Bits<8>, 3>::default(), "lut_ram_a")
            .add(LutRam::<Bits<147>, 4>::default(), "lut_ram_b")
            .add(LutRam::<Bits<1>, 1>::default(), "lut_ram_c")
            .add(Concat::<8, 4, 32>::default(), "concat_a")
            .add(Concat::<64, 5, 288>::default(), "concat_b")
            .add(Concat::<7, 3, 9>::default(), "concat_c")
            .add(Concat::<5, 4, 5>::default(), "concat_d")
            .add(Fifo::<Bits<8>, 2>::default(), "fifo_a")
            .add(Fifo::<Bits<147>, 1>::default(), "fifo_b")
            .add(Fifo::<Bits<33>, 4>::default(), "fifo_c")
            .add(BlockFifo::<Bits<8>, 2>::default(), "block_fifo_a")
            .add(BlockFifo::<Bits<64>, 1>::default(), "block_fifo_b")
            .add(BlockFifo::<Bits<33>, 4>::default(), "block_fifo_c")
            .add(ByteReverse::<8>::default(), "byte_reverse_8_top")
            .add(ByteReverse::<64>::default(), "byte_reverse_64_top")
            .add(ByteReverse::<512>::default(), "byte_reverse_512_top")
            .add(CrcStep::<16, 16>::new(0xd008), "crc_step_16_16")
            .add(CrcStep::<64, 16>::new(0xd008), "crc_step_64_16")
            .add(CrcStep::<64, 32>::new(0xedb8_8320), "crc_step_64_32")
            .add(CrcStep::<512, 32>::new(0xedb8_8320), "crc_step_512_32")
            .add(CrcAdvance::<32>::new(0xedb8_8320, 8), "crc_advance_a")
            .add(CrcAdvance::<32>::new(0xedb8_8320, -3), "crc_advance_b")
            .add(CrcAdvance::<16>::new(0xd008, 64), "crc_advance_c")
            .add(BlockRam::<Bits<9>, 3>::without_collisions(), "block_ram_d")
            .add(rom_a(), "rom_a")
            .add(rom_b(), "rom_b")
            .add(Registers::default(), "registers_top")
            .build(Lints::Strict)
    })
}

/// Runs a clocked block: `drive` sets the inputs of each cycle, both sides are compared before and
/// after each edge.
macro_rules! clocked {
    ($block:ty, $name:expr, $seed:expr, |$ports:ident, $stimulus:ident| $drive:block) => {{
        let mut twin = Twin::new(<$block>::default(), library(), $name);
        let mut random = Stimulus::new($seed);
        twin.settle(&|| "at power up".into());
        for cycle in 0..CYCLES {
            {
                let ($ports, $stimulus) = (&mut twin.block, &mut random);
                $drive
            }
            twin.settle(&|| format!("cycle {cycle}"));
            twin.block.clock.next = true.into();
            twin.settle(&|| format!("cycle {cycle} after its edge"));
            twin.block.clock.next = false.into();
            twin.settle(&|| format!("end of cycle {cycle}"));
        }
    }};
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Phase {
    First,
    Second,
    Third,
}

#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
struct Pair {
    low: Bits<5>,
    flag: Bit,
    high: Bits<40>,
}

/// Registers of every kind of value, with and without an initial one.
#[derive(LogicBlock)]
struct Registers {
    clock: Signal<In, Clock>,
    enable: Signal<In, Bit>,
    next_pair: Signal<In, Pair>,
    step: Signal<In, Bits<77>>,
    signed_step: Signal<In, Signed<9>>,
    pair_out: Signal<Out, Pair>,
    total_out: Signal<Out, Bits<77>>,
    signed_out: Signal<Out, Signed<9>>,
    phase_out: Signal<Out, Phase>,
    second: Signal<Out, Bit>,
    pair: Register<Pair>,
    total: Register<Bits<77>>,
    signed: Register<Signed<9>>,
    phase: Register<Phase>,
}

impl Default for Registers {
    fn default() -> Self {
        let initial = Pair {
            low: 9.into(),
            flag: true,
            high: 0x12_3456_789a_u64.into(),
        };
        Self {
            clock: Default::default(),
            enable: Default::default(),
            next_pair: Default::default(),
            step: Default::default(),
            signed_step: Default::default(),
            pair_out: Default::default(),
            total_out: Default::default(),
            signed_out: Default::default(),
            phase_out: Default::default(),
            second: Default::default(),
            pair: Register::new(initial),
            total: Register::new(bits::<77>(u64::MAX)),
            signed: Register::new((-3).into()),
            phase: Register::new(Phase::Third),
        }
    }
}

impl Logic for Registers {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module registers");
        dff_setup!(self, clock, pair, total, signed, phase);
        self.second.next = self.phase.q.val() == Phase::Second;
        self.pair_out.next = self.pair.q.val();
        self.total_out.next = self.total.q.val();
        self.signed_out.next = self.signed.q.val();
        self.phase_out.next = self.phase.q.val();
        if self.enable.val() {
            self.pair.d.next = self.next_pair.val();
            self.total.d.next = self.total.q.val() + self.step.val();
            self.signed.d.next = self.signed.q.val() - self.signed_step.val();
            match self.phase.q.val() {
                Phase::First => {
                    self.phase.d.next = Phase::Second;
                }
                Phase::Second => {
                    self.phase.d.next = Phase::Third;
                }
                Phase::Third => {
                    self.phase.d.next = Phase::First;
                }
            }
        }
    }
}

#[test]
fn registers_agree() {
    clocked!(Registers, "registers_top", 1, |ports, random| {
        ports.enable.next = random.chance(70);
        ports.next_pair.next = Pair {
            low: random.bits(),
            flag: random.bit(),
            high: random.bits(),
        };
        ports.step.next = random.bits();
        ports.signed_step.next = signed_cast(random.bits());
    });
}

macro_rules! ram {
    ($block:ty, $name:expr) => {
        clocked!($block, $name, 2, |ports, random| {
            ports.read_address.next = random.bits();
            ports.write_address.next = if random.chance(30) {
                ports.read_address.next
            } else {
                random.bits()
            };
            ports.write_enable.next = random_enable(random);
            ports.write_data.next = random.bits();
        })
    };
}

trait Enable {
    fn random(random: &mut Stimulus) -> Self;
}

impl Enable for bool {
    fn random(random: &mut Stimulus) -> Self {
        random.bit()
    }
}

impl<const B: usize> Enable for Bits<B> {
    fn random(random: &mut Stimulus) -> Self {
        random.bits()
    }
}

fn random_enable<E: Enable>(random: &mut Stimulus) -> E {
    E::random(random)
}

#[test]
fn block_ram_agrees() {
    ram!(BlockRam<Bits<8>, 3>, "block_ram_a");
    ram!(BlockRam<Bits<194>, 4>, "block_ram_b");
    ram!(BlockRam<Bits<1>, 1>, "block_ram_c");
}

#[test]
fn byte_ram_agrees() {
    ram!(ByteRam<64, 8, 3>, "byte_ram_a");
    ram!(ByteRam<36, 4, 5>, "byte_ram_b");
    ram!(ByteRam<16, 1, 2>, "byte_ram_c");
}

#[test]
fn lut_ram_agrees() {
    macro_rules! lut_ram {
        ($block:ty, $name:expr) => {
            clocked!($block, $name, 3, |ports, random| {
                ports.read_address_a.next = random.bits();
                ports.read_address_b.next = random.bits();
                ports.write_address.next = if random.chance(30) {
                    ports.read_address_a.next
                } else {
                    random.bits()
                };
                ports.write_enable.next = random.bit();
                ports.write_data.next = random.bits();
            })
        };
    }
    lut_ram!(LutRam<Bits<8>, 3>, "lut_ram_a");
    lut_ram!(LutRam<Bits<147>, 4>, "lut_ram_b");
    lut_ram!(LutRam<Bits<1>, 1>, "lut_ram_c");
}

/// Also checks the queue against a list: nothing is lost, doubled or out of order.
macro_rules! fifo {
    ($block:ident<$word:ty, $bits:literal>, $name:expr, $capacity:expr) => {{
        let mut queue = std::collections::VecDeque::new();
        let (mut deepest, mut tick) = (0, 0);
        clocked!($block<$word, $bits>, $name, 4, |ports, random| {
            tick += 1;
            let (writes, reads) = if tick / 50 % 2 == 0 { (90, 30) } else { (30, 90) };
            ports.reset.next = random.below(500) == 0;
            ports.write.valid.next = random.chance(writes);
            ports.read.ready.next = random.chance(reads);
            ports.write.item.next = random.bits();
            if ports.reset.next {
                queue.clear();
            } else {
                if ports.read.ready.next && ports.read.valid.val() {
                    assert_eq!(queue.pop_front(), Some(ports.read.item.val()));
                }
                if ports.write.valid.next && ports.write.ready.val() {
                    queue.push_back(ports.write.item.next);
                }
            }
            deepest = deepest.max(queue.len());
        });
        assert_eq!(deepest, $capacity, "the queue was never full");
    }};
}

#[test]
fn fifo_agrees() {
    fifo!(Fifo<Bits<8>, 2>, "fifo_a", 4);
    fifo!(Fifo<Bits<147>, 1>, "fifo_b", 2);
    fifo!(Fifo<Bits<33>, 4>, "fifo_c", 16);
}

#[test]
fn block_fifo_agrees() {
    fifo!(BlockFifo<Bits<8>, 2>, "block_fifo_a", 5);
    fifo!(BlockFifo<Bits<64>, 1>, "block_fifo_b", 3);
    fifo!(BlockFifo<Bits<33>, 4>, "block_fifo_c", 17);
}

#[test]
fn a_full_block_fifo_moves_a_word_a_clock() {
    let mut fifo = BlockFifo::<Bits<8>, 3>::default();
    fifo.connect_all();
    fifo.write.valid.next = true;
    fifo.read.ready.next = true;
    let mut moved = 0;
    for cycle in 0..100 {
        assert!(simulate(&mut fifo, 50));
        moved += usize::from(fifo.read.valid.val());
        assert!(fifo.write.ready.val(), "cycle {cycle}");
        for level in [true, false] {
            fifo.clock.next = level.into();
            assert!(simulate(&mut fifo, 50));
        }
    }
    assert_eq!(moved, 97);
}
