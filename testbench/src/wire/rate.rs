//! How fast the wire blocks are: beats a clock with everything ready, and clocks from end to end of an idle block.
use super::draw::Draw;
use super::fields::built;
use super::framing::{addresses, Framing};
use super::hardware::Blocks;
use super::legal;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::header::Unencodable;
use hca_golden::wire::opcode::{RC_ACKNOWLEDGE, RC_SEND_ONLY};
use hca_golden::wire::packet::Packet;
use hca_sim::verilated::Error;
use hca_sim::wire::receive::{self, ReceiveError, Receiver};
use hca_sim::wire::transmit::{self, TransmitError, Transmitter};

/// Headers before the BTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    pub name: &'static str,
    pub framing: Framing,
    /// With a GRH.
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

/// What the packets carry; none is an ack.
pub const PAYLOADS: [Option<usize>; 9] = [
    None,
    Some(0),
    Some(1),
    Some(33),
    Some(64),
    Some(256),
    Some(1024),
    Some(4095),
    Some(4096),
];

/// Packets at least, and beats at least, that a rate is measured over.
const PACKETS: usize = 32;
const BEATS: usize = 1000;

/// What was measured of one kind of packet at one width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Beats of a packet.
    pub beats: usize,
    /// Beats a clock, in and out again.
    pub receive: f64,
    pub transmit: f64,
    /// Clocks from the last beat in to the header out, of a packet alone.
    pub last_to_header: u64,
    /// Clocks from the first beat in to the header out.
    pub first_to_header: u64,
    /// Clocks from the header taken to the first beat out.
    pub header_to_first: u64,
}

/// Why nothing was measured.
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
pub fn measure(blocks: &Blocks, route: Route, payload: Option<usize>) -> Result<Rate, RateError> {
    let mut draw = Draw::new(1, 0);
    let port = route.framing.port(&mut draw);
    let packet = Packet {
        route: legal::route(&mut draw, route.framing, &port, route.global),
        bth: Bth {
            opcode: match payload {
                None => RC_ACKNOWLEDGE,
                Some(_) => RC_SEND_ONLY,
            },
            psn: draw.bits(24),
            ..Bth::default()
        },
        extensions: match payload {
            None => vec![Extension::Aeth(Aeth::default())],
            Some(_) => Vec::new(),
        },
        payload: draw.bytes(payload.unwrap_or(0)),
    };
    let frame = packet.encode()?;
    let beats = frame.len().div_ceil(blocks.width / 8);
    let packets = PACKETS.max(BEATS.div_ceil(beats));
    let rate = |first: u64, last: u64| (packets * beats) as f64 / (last - first + 1) as f64;

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
    // Headers and payload have to leave as fast as beats come: what the buffer holds back counts as lost clocks.
    let end = last_in.done - (alone.done - alone.last_beat);

    let transmit = |packets: usize| -> Result<_, RateError> {
        let mut transmitter = Transmitter::new(&blocks.build, blocks.width, 1)?;
        let wanted = vec![(built(&packet), packet.payload.clone()); packets];
        let departures = transmitter.run(&wanted, transmit::Manners::EAGER)?;
        Ok((departures[0].clone(), departures[departures.len() - 1].clone()))
    };
    let (built_alone, _) = transmit(1)?;
    let (first_out, last_out) = transmit(packets)?;

    Ok(Rate {
        beats,
        receive: rate(first_in.first_beat, end),
        transmit: rate(first_out.first_beat, last_out.last_beat),
        last_to_header: alone.known - alone.last_beat,
        first_to_header: alone.known - alone.first_beat,
        header_to_first: built_alone.first_beat - built_alone.taken,
    })
}
