//! A capture of correct traffic of reliable connections between two hosts, generated from a seed.
use hca_golden::wire::aeth::{Aeth, ACK_WITHOUT_CREDITS};
use hca_golden::wire::bth::Bth;
use hca_golden::wire::crc::{icrc_roce_v2, ICRC_BYTES};
use hca_golden::wire::extension::Extension;
use hca_golden::wire::header::Unencodable;
use hca_golden::wire::opcode::{RC_ACKNOWLEDGE, RC_SEND_ONLY};
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::reth::Reth;
use hca_golden::wire::roce::{Endpoint, Roce};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::{self, Write};
use std::net::Ipv4Addr;

/// RDMA WRITE of one packet (`opcodes.csv`).
const RC_WRITE_ONLY: u8 = 0x0A;
/// Largest number of requests that one ack answers.
const BURST: u32 = 8;
/// Length of the Ethernet header, and offsets of the BTH and of fields behind it in a datagram over IPv4.
const ETHERNET_BYTES: usize = 14;
const BTH: usize = ETHERNET_BYTES + 20 + 8;
const DEST_QP: usize = BTH + 5;
const PSN: usize = BTH + 9;
const MSN: usize = BTH + 13;
/// File header of a pcap of Ethernet frames, times in nanoseconds, little-endian.
const FILE_HEADER: [u8; 24] = [
    0x4D, 0x3C, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
];
/// Time of the first packet in seconds since 1970, and time between two packets in nanoseconds.
const BEGIN: u64 = 1_700_000_000;
const STEP: u64 = 500;

/// The contents of a capture.
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    pub seed: u64,
    pub connections: u32,
    /// Payload of each request, which is one packet, in bytes.
    pub payload: usize,
    pub packets: u64,
}

/// The state of a connection.
struct Connection {
    psn: u32,
    messages: u32,
}

/// Frames of one kind, which differ in a few fields only.
struct Kind(Vec<u8>);

impl Kind {
    fn new(
        ports: [Endpoint; 2],
        opcode: u8,
        extensions: Vec<Extension>,
        payload: usize,
    ) -> Result<Kind, Unencodable> {
        let [from, to] = ports;
        let bth = Bth {
            opcode,
            p_key: 0xFFFF,
            a: opcode != RC_ACKNOWLEDGE,
            ..Bth::default()
        };
        let packet = Packet {
            route: Route::Roce(Roce::between(from, to, 0xC000)),
            bth,
            extensions,
            payload: vec![0x5A; payload],
        };
        packet.encode().map(Kind)
    }

    /// Returns the frame to this queue pair, with this PSN.
    fn frame(&mut self, dest_qp: u32, psn: u32) -> &mut Vec<u8> {
        self.0[DEST_QP..DEST_QP + 3].copy_from_slice(&dest_qp.to_be_bytes()[1..]);
        self.0[PSN..PSN + 3].copy_from_slice(&psn.to_be_bytes()[1..]);
        &mut self.0
    }
}

/// Corrects the ICRC.
fn seal(frame: &mut [u8]) {
    let end = frame.len() - ICRC_BYTES;
    let icrc = icrc_roce_v2(&frame[ETHERNET_BYTES..end]);
    frame[end..].copy_from_slice(&icrc);
}

fn port(number: u8) -> Endpoint {
    Endpoint {
        mac: [2, 0, 0, 0, 0, number],
        gid: Ipv4Addr::new(192, 0, 2, number).to_ipv6_mapped().octets(),
    }
}

impl Traffic {
    /// Writes the capture.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let asks = [port(1), port(2)];
        let answers = [port(2), port(1)];
        let reth = Extension::Reth(Reth {
            va: 0x1000,
            r_key: 0x77,
            dma_len: self.payload as u32,
        });
        let aeth = Extension::Aeth(Aeth {
            syndrome: ACK_WITHOUT_CREDITS,
            msn: 0,
        });
        let made = |kind: Result<Kind, Unencodable>| kind.map_err(io::Error::other);
        let mut send = made(Kind::new(asks, RC_SEND_ONLY, Vec::new(), self.payload))?;
        let mut write = made(Kind::new(asks, RC_WRITE_ONLY, vec![reth], self.payload))?;
        let mut ack = made(Kind::new(answers, RC_ACKNOWLEDGE, vec![aeth], 0))?;
        let mut connections: Vec<Connection> = (0..self.connections.max(1))
            .map(|_| Connection {
                psn: random.next_u32() & 0xFF_FFFF,
                messages: 0,
            })
            .collect();
        out.write_all(&FILE_HEADER)?;
        let mut packets = 0;
        while packets < self.packets {
            let chosen = random.next_u32() % connections.len() as u32;
            let connection = &mut connections[chosen as usize];
            let left = (self.packets - packets).min(u64::from(u32::MAX)) as u32;
            for _ in 0..(1 + random.next_u32() % BURST).min(left) {
                let kind = if random.next_u32() % 2 == 0 {
                    &mut send
                } else {
                    &mut write
                };
                let frame = kind.frame(0x100 + chosen, connection.psn);
                let behind = frame.len() - ICRC_BYTES;
                if self.payload >= 4 {
                    frame[behind - 4..behind].copy_from_slice(&random.next_u32().to_be_bytes());
                }
                seal(frame);
                record(out, packets, frame)?;
                packets += 1;
                connection.psn = (connection.psn + 1) & 0xFF_FFFF;
                connection.messages = (connection.messages + 1) & 0xFF_FFFF;
            }
            if packets < self.packets {
                let frame = ack.frame(0x1_0000 + chosen, connection.psn.wrapping_sub(1) & 0xFF_FFFF);
                frame[MSN..MSN + 3].copy_from_slice(&connection.messages.to_be_bytes()[1..]);
                seal(frame);
                record(out, packets, frame)?;
                packets += 1;
            }
        }
        out.flush()
    }

    /// Returns roughly how many packets a capture of `bytes` bytes holds.
    pub fn packets_of(bytes: u64, payload: usize) -> u64 {
        // About five packets of six are requests.
        let request = (16 + BTH + 12 + ICRC_BYTES + 8 + payload) as u64;
        let ack = (16 + BTH + 16 + ICRC_BYTES) as u64;
        bytes * 11 / (request * 9 + ack * 2)
    }
}

/// Writes a record of the pcap.
fn record(out: &mut impl Write, number: u64, frame: &[u8]) -> io::Result<()> {
    let time = number * STEP;
    let fields = [
        (BEGIN + time / 1_000_000_000) as u32,
        (time % 1_000_000_000) as u32,
        frame.len() as u32,
        frame.len() as u32,
    ];
    for field in fields {
        out.write_all(&field.to_le_bytes())?;
    }
    out.write_all(frame)
}
