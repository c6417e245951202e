//! Measures the speed of the wire blocks: beats a clock with everything ready, and clocks through an idle block.
use super::draw::Draw;
use super::fields::built;
use super::framing::{addresses, Framing};
use super::hardware::Blocks;
use super::legal;
use hca_golden::port::PortConfig;
use hca_golden::verbs::Pmtu;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::header::Unencodable;
use hca_golden::wire::opcode::{
    Opcode, RC_ACKNOWLEDGE, RC_SEND_ONLY, RC_WRITE_ONLY_WITH_IMMEDIATE, RD_COMPARE_SWAP,
};
use hca_golden::wire::packet::Packet;
use hca_sim::verilated::Error;
use hca_sim::wire::receive::{self, ReceiveError, Receiver};
use hca_sim::wire::transmit::{self, TransmitError, Transmitter};

/// The headers before the BTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    pub name: &'static str,
    pub framing: Framing,
    /// True with a GRH.
    global: bool,
}

/// All routes.
pub const ROUTES: [Route; 4] = [
    Route {
        name: "local",
        framing: Framing::InfiniBand,
        global: false,
    },
    Route {
        name: "GRH",
        framing: Framing::InfiniBand,
        global: true,
    },
    Route {
        name: "RoCEv2 IPv4",
        framing: Framing::RoceV4,
        global: true,
    },
    Route {
        name: "RoCEv2 IPv6",
        framing: Framing::RoceV6,
        global: true,
    },
];

/// The headers from the BTH on, and the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub name: &'static str,
    opcode: u8,
    /// Length of the payload in bytes.
    payload: usize,
}

const fn kind(name: &'static str, opcode: u8, payload: usize) -> Kind {
    Kind {
        name,
        opcode,
        payload,
    }
}

/// Kinds with lengths that are special at some width, behind the shortest headers, some behind those of 32 bytes, and
/// behind the longest headers.
pub const KINDS: [Kind; 13] = [
    kind("ack", RC_ACKNOWLEDGE, 0),
    kind("0", RC_SEND_ONLY, 0),
    kind("1", RC_SEND_ONLY, 1),
    kind("33", RC_SEND_ONLY, 33),
    kind("64", RC_SEND_ONLY, 64),
    kind("256", RC_SEND_ONLY, 256),
    kind("1024", RC_SEND_ONLY, 1024),
    kind("4095", RC_SEND_ONLY, 4095),
    kind("4096", RC_SEND_ONLY, 4096),
    kind("imm 1", RC_WRITE_ONLY_WITH_IMMEDIATE, 1),
    kind("imm 256", RC_WRITE_ONLY_WITH_IMMEDIATE, 256),
    kind("imm 4096", RC_WRITE_ONLY_WITH_IMMEDIATE, 4096),
    kind("cmpswap", RD_COMPARE_SWAP, 0),
];

/// Least number of packets over which a rate is measured, and least number of bytes of the stream: four times the size
/// of the parser's buffer, so that the buffer is as full as it can be.
const PACKETS: usize = 32;
const BYTES: usize = 64 << 10;

/// The measurements of one kind of packet at one width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Number of beats of a packet.
    pub beats: usize,
    /// Beats a clock, of the receive side and of the packet builder.
    pub receive: f64,
    pub transmit: f64,
    /// Clocks from the last beat in to the header out, for a single packet.
    pub last_to_header: u64,
    /// Clocks from the first beat in to the header out.
    pub first_to_header: u64,
    /// Clocks from the taken header to the first beat out.
    pub header_to_first: u64,
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum RateError {
    #[error(transparent)]
    Build(#[from] Error),
    #[error(transparent)]
    Receive(#[from] ReceiveError),
    #[error(transparent)]
    Transmit(#[from] TransmitError),
    #[error(transparent)]
    Unencodable(#[from] Unencodable),
    #[error("a legal packet is dropped, code {0}")]
    Dropped(u8),
}

/// Measures a kind of packet.
pub fn measure(blocks: &Blocks, route: Route, kind: Kind) -> Result<Rate, RateError> {
    let mut draw = Draw::new(1, 0);
    let port = PortConfig {
        mtu: Pmtu::B4096,
        ..route.framing.port(&mut draw)
    };
    let packet = Packet {
        route: legal::route(&mut draw, route.framing, &port, route.global),
        bth: Bth {
            opcode: kind.opcode,
            dest_qp: 2,
            psn: draw.bits(24),
            ..Bth::default()
        },
        extensions: Opcode::of(kind.opcode)
            .map_or(&[][..], |opcode| opcode.headers)
            .iter()
            .filter_map(|&header| Extension::parse(header, &vec![0; header.bytes()]))
            .collect(),
        payload: draw.bytes(kind.payload),
    };
    let frame = packet.encode()?;
    let beat = blocks.width / 8;
    let beats = frame.len().div_ceil(beat);
    let packets = PACKETS.max(BYTES.div_ceil(beats * beat));

    let receive = |frames: &[&[u8]]| -> Result<_, RateError> {
        let mut receiver = Receiver::new(&blocks.receive, blocks.width, &addresses(&port), 1)?;
        let arrivals = receiver.run(frames, receive::Manners::EAGER)?;
        for arrival in &arrivals {
            if let receive::Outcome::Dropped(code) = arrival.outcome {
                return Err(RateError::Dropped(code));
            }
        }
        Ok((arrivals[0].clone(), arrivals[arrivals.len() - 1].clone()))
    };
    let (alone, _) = receive(&[&frame])?;
    let (first_in, last_in) = receive(&vec![&frame[..]; packets])?;
    // Headers and payload have to leave as fast as beats come; what the buffer holds back counts as lost clocks.
    let end = last_in.done - (alone.done - alone.last_beat);

    let transmit = |packets: usize| -> Result<_, RateError> {
        let mut transmitter = Transmitter::new(&blocks.build, blocks.width, 1)?;
        let wanted = vec![(built(&packet), packet.payload.clone()); packets];
        let departures = transmitter.run(&wanted, transmit::TransmitPauses::EAGER)?;
        Ok((departures[0].clone(), departures[departures.len() - 1].clone()))
    };
    let (built_alone, _) = transmit(1)?;
    let (first_out, last_out) = transmit(packets)?;

    // A packet leaves before its CRCs are known, and only the first has to wait for them.
    let (all, others) = (packets * beats, (packets - 1) * beats);
    Ok(Rate {
        beats,
        receive: all as f64 / (end - first_in.first_beat + 1) as f64,
        transmit: others as f64 / (last_out.last_beat - first_out.last_beat) as f64,
        last_to_header: alone.known - alone.last_beat,
        first_to_header: alone.known - alone.first_beat,
        header_to_first: built_alone.first_beat - built_alone.taken,
    })
}
