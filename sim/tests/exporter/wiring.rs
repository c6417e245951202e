//! The primitives without a clock against their Verilog.
use crate::compare::Twin;
use crate::primitives::{library, CYCLES};
use crate::stimulus::Stimulus;
use hca_hdl::primitive::{ByteReverse, Concat, CrcAdvance, CrcStep, Rom};

/// Runs a block without a clock.
macro_rules! combinational {
    ($block:expr, $name:expr, |$ports:ident, $stimulus:ident| $drive:block) => {{
        let mut twin = Twin::new($block, library(), $name);
        let mut random = Stimulus::new(5);
        for round in 0..CYCLES {
            {
                let ($ports, $stimulus) = (&mut twin.block, &mut random);
                $drive
            }
            twin.settle(&|| format!("round {round}"));
        }
    }};
}

pub fn rom_a() -> Rom<13, 5> {
    let mut random = Stimulus::new(6);
    Rom::new((0..29).map(|_| random.bits()).collect::<Vec<_>>())
}

pub fn rom_b() -> Rom<70, 1> {
    Rom::new([Stimulus::new(7).bits()])
}

#[test]
fn rom_agrees() {
    combinational!(rom_a(), "rom_a", |ports, random| {
        ports.address.next = random.bits();
    });
    combinational!(rom_b(), "rom_b", |ports, random| {
        ports.address.next = random.bits();
    });
}

#[test]
fn concat_agrees() {
    macro_rules! concat {
        ($block:ty, $name:expr) => {
            combinational!(<$block>::default(), $name, |ports, random| {
                ports
                    .i
                    .iter_mut()
                    .for_each(|lane| lane.next = random.bits());
            })
        };
    }
    concat!(Concat<8, 4, 32>, "concat_a");
    concat!(Concat<64, 5, 288>, "concat_b");
    concat!(Concat<7, 3, 9>, "concat_c");
    concat!(Concat<5, 4, 5>, "concat_d");
}

#[test]
fn byte_reverse_agrees() {
    macro_rules! reverse {
        ($width:literal) => {
            combinational!(
                ByteReverse::<$width>::default(),
                concat!("byte_reverse_", $width, "_top"),
                |ports, random| {
                    ports.i.next = random.bits();
                }
            )
        };
    }
    reverse!(8);
    reverse!(64);
    reverse!(512);
}

#[test]
fn crc_step_agrees() {
    macro_rules! crc {
        ($width:literal, $bits:literal, $polynomial:literal) => {
            combinational!(
                CrcStep::<$width, $bits>::new($polynomial),
                concat!("crc_step_", $width, "_", $bits),
                |ports, random| {
                    ports.data.next = random.bits();
                }
            )
        };
    }
    crc!(16, 16, 0xd008);
    crc!(64, 16, 0xd008);
    crc!(64, 32, 0xedb8_8320);
    crc!(512, 32, 0xedb8_8320);
}

#[test]
fn crc_advance_agrees() {
    macro_rules! crc {
        ($bits:literal, $polynomial:literal, $bytes:literal, $name:expr) => {
            combinational!(
                CrcAdvance::<$bits>::new($polynomial, $bytes),
                $name,
                |ports, random| {
                    ports.state.next = random.bits();
                }
            )
        };
    }
    crc!(32, 0xedb8_8320, 8, "crc_advance_a");
    crc!(32, 0xedb8_8320, -3, "crc_advance_b");
    crc!(16, 0xd008, 64, "crc_advance_c");
}
