//! The wire alone: frames to fields or a reason, and fields to frames, by the model and by the Verilated parser and
//! builder at every stream width. For what no engine sends or takes.
use hca_golden::arbitration::Arbitration;
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::Pmtu;
use hca_golden::wire::packet::Packet;
use hca_rtl::export::DESIGNS;
use hca_sim::wire::receive::{Header, Manners, Outcome, Receiver};
use hca_sim::wire::transmit::{self, Transmitter};
use hca_testbench::conformance::dut::blocks_are_ours;
use hca_testbench::device::translation::{self, drop_reason};
use hca_testbench::wire::fields::{built, received};
use hca_testbench::wire::framing::addresses;
use hca_testbench::wire::hardware::Blocks;
use hca_testbench::wire::receive::judge;
use hca_testbench::wire::WIDTHS;
use std::sync::OnceLock;

/// A native port with every data VL: LID 2, GID fe80::2.
pub const NATIVE: PortConfig = PortConfig {
    number: 1,
    link: Link::InfiniBand,
    lid: 2,
    lmc: 0,
    gid: [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    guids: [0; 3],
    mac: [0; 6],
    mtu: Pmtu::B4096,
    data_vls: 15,
    sl_to_vl: [0; 16],
    arbitration: Arbitration::of(15),
    p_keys: [0; 4],
};
/// A RoCEv2 port at 192.168.0.2.
pub const ROCE_V4: PortConfig = PortConfig {
    number: 1,
    link: Link::Roce,
    lid: 0,
    lmc: 0,
    gid: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 168, 0, 2],
    guids: [0; 3],
    mac: [2, 0, 0, 0, 0, 2],
    mtu: Pmtu::B4096,
    data_vls: 1,
    sl_to_vl: [0; 16],
    arbitration: Arbitration::of(1),
    p_keys: [0; 4],
};
/// A RoCEv2 port at fe80::2.
pub const ROCE_V6: PortConfig = PortConfig {
    gid: NATIVE.gid,
    ..ROCE_V4
};

/// Fields and payload of a frame, or why it is dropped.
pub type Reading = Result<(Header, Vec<u8>), DropReason>;

/// What reads and builds frames.
pub trait Wire {
    /// What a port makes of frames that come back to back.
    fn read(&self, port: &PortConfig, frames: &[Vec<u8>]) -> Vec<Reading>;
    /// The frames of packets of one link, whose reserved fields are 0.
    fn build(&self, packets: &[Packet]) -> Vec<Vec<u8>>;
}

pub struct Model;

impl Wire for Model {
    fn read(&self, port: &PortConfig, frames: &[Vec<u8>]) -> Vec<Reading> {
        let judged = frames.iter().map(|frame| judge(port, frame));
        judged
            .map(|judged| match judged {
                Ok(packet) => Ok((received(&packet, 0), packet.payload)),
                Err(malformed) => Err(malformed.reason),
            })
            .collect()
    }

    fn build(&self, packets: &[Packet]) -> Vec<Vec<u8>> {
        packets.iter().map(|packet| packet.encode().unwrap()).collect()
    }
}

/// The blocks at the width of this place in [`WIDTHS`]: with benches that never hold back, and with ones that do.
pub struct Hardware(pub usize);

/// Built once for all cases.
fn blocks(link: Link, width: usize) -> &'static Blocks {
    static INFINIBAND: [OnceLock<Blocks>; WIDTHS.len()] = [const { OnceLock::new() }; WIDTHS.len()];
    static ROCE: [OnceLock<Blocks>; WIDTHS.len()] = [const { OnceLock::new() }; WIDTHS.len()];
    blocks_are_ours();
    let built = match link {
        Link::InfiniBand => &INFINIBAND,
        Link::Roce => &ROCE,
    };
    built[width].get_or_init(|| Blocks::new(DESIGNS, WIDTHS[width], translation::link(link)).unwrap())
}

impl Wire for Hardware {
    fn read(&self, port: &PortConfig, frames: &[Vec<u8>]) -> Vec<Reading> {
        let held_back = Manners {
            gap: 60,
            stall: 120,
            discard: 0,
        };
        let [eager, slow] = [Manners::EAGER, held_back].map(|manners| {
            let (library, width) = (&blocks(port.link, self.0).receive, WIDTHS[self.0]);
            let mut receiver = Receiver::new(library, width, &addresses(port), 1).unwrap();
            let arrivals = receiver.run(frames, manners).unwrap();
            arrivals
                .into_iter()
                .map(|a| reading(a.outcome))
                .collect::<Vec<_>>()
        });
        assert_eq!(eager, slow, "at {} bits", WIDTHS[self.0]);
        eager
    }

    fn build(&self, packets: &[Packet]) -> Vec<Vec<u8>> {
        let link = match packets.first().and_then(Packet::roce) {
            Some(_) => Link::Roce,
            None => Link::InfiniBand,
        };
        let wanted: Vec<_> = packets.iter().map(|p| (built(p), p.payload.clone())).collect();
        let held_back = transmit::TransmitPauses { gap: 60, stall: 120 };
        let [eager, slow] = [transmit::TransmitPauses::EAGER, held_back].map(|manners| {
            let (library, width) = (&blocks(link, self.0).build, WIDTHS[self.0]);
            let mut transmitter = Transmitter::new(library, width, 1).unwrap();
            let departures = transmitter.run(&wanted, manners).unwrap();
            departures.into_iter().map(|d| d.bytes).collect::<Vec<_>>()
        });
        assert_eq!(eager, slow, "at {} bits", WIDTHS[self.0]);
        eager
    }
}

/// Arrival numbers are the bench's own matter.
fn reading(outcome: Outcome) -> Reading {
    match outcome {
        Outcome::Accepted { header, payload } => Ok((Header { packet: 0, ..header }, payload)),
        Outcome::Discarded(header) => panic!("the payload was not read: {header:?}"),
        Outcome::Dropped(code) => Err(drop_reason(code).unwrap()),
    }
}

/// The bytes of a hexadecimal literal; blanks and line ends do not count.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|c| !c.is_ascii_whitespace()).collect();
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

/// The port reads this packet in the frame.
pub fn reads(wire: &dyn Wire, port: &PortConfig, frame: &str, packet: &Packet) {
    let expected = Ok((received(packet, 0), packet.payload.clone()));
    assert_eq!(wire.read(port, &[bytes(frame)]), [expected]);
}

/// The packet is built as this frame, and the port reads it back.
pub fn stands_for(wire: &dyn Wire, port: &PortConfig, packet: &Packet, frame: &str) {
    assert_eq!(wire.build(std::slice::from_ref(packet)), [bytes(frame)]);
    reads(wire, port, frame, packet);
}

/// The port drops the frame for this reason.
pub fn drops(wire: &dyn Wire, port: &PortConfig, frame: Vec<u8>, reason: DropReason) {
    assert_eq!(wire.read(port, &[frame]), [Err(reason)]);
}

/// Makes each case two tests.
macro_rules! on_both_wires {
    ($($case:ident),+ $(,)?) => {
        mod model {
            $(#[test] fn $case() { super::$case(&$crate::wire_bench::Model); })+
        }
        mod hardware {
            $(#[test] fn $case() {
                for width in 0..hca_testbench::wire::WIDTHS.len() {
                    super::$case(&$crate::wire_bench::Hardware(width));
                }
            })+
        }
    };
}
pub(crate) use on_both_wires;
