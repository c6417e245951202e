//! Soaks a native link with flow control: Sends of any length on all VLs, both ways, and none may be lost.
use super::rate::{establish, place, Load, Operation, PATIENCE, RECEIVE, SOURCE, TARGET, VERBS};
pub use super::soak_meter::Lane;
use super::soak_meter::Meter;
use super::{qpn_of, ENTRIES};
use crate::device::{Device, Outcome, Verb};
use crate::fabric::{Fabric, Reaped, Stop};
use crate::scenario::region::L_KEY;
use crate::station::Station;
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{
    Pmtu, PortCounter, ReceiveRequest, SendOperation, SendRequest, Service, Sge, Status,
};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Number of queue pairs of a side. Each VL has the same number of them.
const QPS: u32 = 8;
/// Longest message in bytes. A message is one packet.
const LONGEST: u32 = 4096;
/// Bytes of a message that say which one it is.
const STAMP: usize = 8;
/// Bytes that the flow-control packets of a VL are apart at most (`link.md` section 4.2): 65,536 symbol times of four
/// lanes.
const INTERVAL: u64 = 4 * 65_536;
/// Largest number of clock cycles for which a VL goes on, and for which it falls silent.
const SPELLS: [u32; 2] = [20_000, 6_000];

/// A run.
#[derive(Clone, Copy, Debug)]
pub struct Soak {
    /// Number of messages of both sides.
    pub messages: u64,
    pub vls: u8,
    /// True if software lets each VL fall silent from time to time.
    pub silences: bool,
    pub seed: u64,
}

/// Results of a run.
#[derive(Clone, Debug)]
pub struct Soaked {
    pub cycles: u64,
    /// By side that sends, and by VL.
    pub lanes: [Vec<Lane>; 2],
    /// Counters of both sides that must be 0, or fit to those of the other side, each with its value.
    pub counters: [Vec<(PortCounter, u32)>; 2],
}

const COUNTERS: [PortCounter; 5] = [
    PortCounter::BufferOverrun,
    PortCounter::RcvErrors,
    PortCounter::XmitDiscards,
    PortCounter::XmitPackets,
    PortCounter::RcvPackets,
];

impl Soaked {
    /// Returns what shows that the link has lost something: counters, and credits that have not come back.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for side in Side::BOTH {
            let sent: u64 = self.lanes[side as usize].iter().map(|lane| lane.packets).sum();
            let received: u64 = self.lanes[side.other() as usize]
                .iter()
                .map(|lane| lane.packets)
                .sum();
            for (counter, count) in &self.counters[side as usize] {
                let expected = match counter {
                    PortCounter::XmitPackets => sent,
                    PortCounter::RcvPackets => received,
                    _ => 0,
                };
                if u64::from(*count) != expected {
                    faults.push(format!("{side:?}: {counter:?} is {count}, not {expected}"));
                }
            }
            for (vl, lane) in self.lanes[side as usize].iter().enumerate() {
                if lane.left != lane.buffer {
                    let Lane { left, buffer, .. } = lane;
                    faults.push(format!("{side:?}: VL {vl} ends with {left} credits of {buffer}"));
                }
            }
        }
        faults
    }
}

/// The messages of a queue pair that sends.
#[derive(Clone, Default)]
struct Stream {
    /// Number of receive buffers, and number of those whose doorbell has rung.
    buffers: u32,
    ready: u32,
    sent: u32,
    done: u32,
    received: u32,
    /// Lengths of the messages that have not been received.
    lengths: VecDeque<u32>,
}

/// The VLs of a side, each with the clock cycle in which it falls silent or speaks again.
type Silences = Vec<(bool, u64)>;

struct Run<'f, 'o> {
    fabric: &'f mut Fabric<'o>,
    soak: Soak,
    random: ChaCha8Rng,
    streams: [Vec<Stream>; 2],
    silences: [Silences; 2],
    /// Number of messages that were posted, and number of those that were received.
    posted: u64,
    received: u64,
}

/// Runs a soak between two stations that a cable joins. `stream_bits` is the width of the hardware's streams.
pub fn soak(soak: &Soak, stations: [Box<dyn Station>; 2], stream_bits: usize) -> Result<Soaked, Stop> {
    let mut meter = Meter::default();
    let [x, y] = stations;
    let mut fabric = Fabric::new(x, y, PATIENCE, &mut meter).cabled();
    establish(&mut fabric, &load(soak))?;
    let mut run = Run {
        fabric: &mut fabric,
        soak: *soak,
        random: ChaCha8Rng::seed_from_u64(soak.seed),
        streams: std::array::from_fn(|_| vec![Stream::default(); QPS as usize]),
        silences: std::array::from_fn(|_| vec![(false, 0); soak.vls.into()]),
        posted: 0,
        received: 0,
    };
    run.all()?;
    let cycles = fabric.cycle();
    // Each VL says once more how it stands.
    fabric.rest()?;
    for _ in 0..2 * INTERVAL / (stream_bits as u64 / 8) {
        fabric.step()?;
    }
    let devices = fabric.leave();
    let counters = devices.map(|mut device| COUNTERS.map(|of| (of, count(&mut *device, of))).to_vec());
    Ok(Soaked {
        cycles,
        lanes: meter.lanes.map(|lanes| lanes[..soak.vls.into()].to_vec()),
        counters,
    })
}

/// Returns the queue pairs as those of a load.
fn load(soak: &Soak) -> Load {
    Load {
        link: Link::InfiniBand,
        service: Service::Uc,
        operation: Operation::Send,
        bytes: LONGEST,
        sges: 1,
        pmtu: Pmtu::B4096,
        qps: QPS,
        messages: u32::MAX,
        offset: 0,
        both: true,
        by_completions: false,
        ack_delay: 1,
        vls: Some(soak.vls),
    }
}

impl Run<'_, '_> {
    /// Runs until every message has been received.
    fn all(&mut self) -> Result<(), Stop> {
        for side in Side::BOTH {
            for slot in 0..QPS * ENTRIES {
                let mut bytes = vec![0; LONGEST as usize];
                self.random.fill_bytes(&mut bytes);
                let addr = place(SOURCE, slot / ENTRIES, slot % ENTRIES);
                self.fabric.station(side).write_memory(addr, &bytes);
            }
        }
        let mut moved = self.fabric.cycle();
        while self.received < self.soak.messages {
            for side in Side::BOTH {
                self.silence(side);
                (0..QPS).for_each(|n| self.post(side, n));
            }
            self.fabric.step()?;
            for side in Side::BOTH {
                while let Some(reaped) = self.fabric.reap(side) {
                    moved = self.fabric.cycle();
                    self.take(&reaped)?;
                }
            }
            if self.fabric.cycle() > moved + PATIENCE {
                let open = self.posted - self.received;
                self.fabric.expect("messages that never came", 0, open)?;
            }
        }
        Ok(())
    }

    fn below(&mut self, end: u32) -> u32 {
        self.random.next_u32() % end
    }

    /// Lets VLs of this side fall silent and speak again.
    fn silence(&mut self, side: Side) {
        let now = self.fabric.cycle();
        for vl in 0..self.silences[side as usize].len() {
            let (is_silent, until) = self.silences[side as usize][vl];
            if self.soak.silences && now >= until {
                let spell = self.below(SPELLS[usize::from(!is_silent)]);
                self.silences[side as usize][vl] = (!is_silent, now + u64::from(spell));
            }
        }
    }

    /// Posts to a queue pair as much as it has room for, receive buffers before the Sends that need them.
    fn post(&mut self, side: Side, n: u32) {
        let peer = side.other();
        let stream = &mut self.streams[side as usize][n as usize];
        let is_settled = self.fabric.station(peer).verbs_open() == 0;
        if is_settled {
            stream.ready = stream.buffers;
        }
        while stream.buffers - stream.received < ENTRIES && self.fabric.station(peer).verbs_open() < VERBS {
            let request = ReceiveRequest {
                wr_id: RECEIVE,
                sges: vec![sge(TARGET, n, stream.buffers, LONGEST)],
            };
            let qpn = qpn_of(peer, n);
            self.fabric
                .station(peer)
                .submit(Verb::PostReceive { qpn, request });
            stream.buffers += 1;
        }
        let (is_silent, _) = self.silences[side as usize][(n % u32::from(self.soak.vls)) as usize];
        while !is_silent && self.posted < self.soak.messages && self.may_send(side, n) {
            self.send(side, n);
        }
    }

    fn may_send(&mut self, side: Side, n: u32) -> bool {
        let stream = &self.streams[side as usize][n as usize];
        stream.sent < stream.ready
            && stream.sent - stream.done < ENTRIES
            && self.fabric.station(side).verbs_open() < VERBS
    }

    fn send(&mut self, side: Side, n: u32) {
        let length = match self.below(32) {
            0 => LONGEST,
            1 => 1 + self.below(LONGEST),
            _ => 1 + self.below(128),
        };
        let stream = &mut self.streams[side as usize][n as usize];
        let m = stream.sent;
        stream.sent += 1;
        stream.lengths.push_back(length);
        self.posted += 1;
        let station = self.fabric.station(side);
        station.write_memory(place(SOURCE, n, m), &stamp(n, m));
        station.submit(Verb::PostSend {
            qpn: qpn_of(side, n),
            request: SendRequest {
                operation: SendOperation::Send,
                sges: vec![sge(SOURCE, n, m, length)],
                signaled: true,
                ..SendRequest::default()
            },
        });
    }

    /// Takes a completion: a message that was received is the next of its queue pair.
    fn take(&mut self, reaped: &Reaped) -> Result<(), Stop> {
        let completion = &reaped.completion;
        self.fabric
            .expect("status of a completion", Status::Success, completion.status)?;
        let n = (completion.qpn & 0xFF) - 2;
        if completion.wr_id != RECEIVE {
            self.streams[reaped.side as usize][n as usize].done += 1;
            return Ok(());
        }
        let sender = reaped.side.other();
        let stream = &mut self.streams[sender as usize][n as usize];
        let m = stream.received;
        stream.received += 1;
        self.received += 1;
        let length = stream.lengths.pop_front().unwrap_or(0);
        self.fabric
            .expect("bytes of a message", length, completion.byte_count)?;
        let (mut sent, mut received) = (vec![0; length as usize], vec![0; length as usize]);
        self.fabric
            .station(sender)
            .read_memory(place(SOURCE, n, m), &mut sent);
        self.fabric
            .station(reaped.side)
            .read_memory(place(TARGET, n, m), &mut received);
        // The place of the message may have the next one's number by now.
        let stamped = STAMP.min(length as usize);
        sent[..stamped].copy_from_slice(&stamp(n, m)[..stamped]);
        self.fabric.expect("payload of a message", true, sent == received)
    }
}

/// Returns the first bytes of message `m` of queue pair `n`.
fn stamp(n: u32, m: u32) -> [u8; STAMP] {
    (u64::from(n) << 32 | u64::from(m)).to_be_bytes()
}

fn sge(area: u64, n: u32, m: u32, length: u32) -> Sge {
    Sge {
        addr: place(area, n, m),
        length,
        l_key: L_KEY,
    }
}

/// Returns a counter of a device's first port; the largest number if the device does not answer.
fn count(device: &mut dyn Device, counter: PortCounter) -> u32 {
    let ticket = device.submit(Verb::QueryPortCounter { counter });
    for _ in 0..PATIENCE {
        match device.outcome(ticket) {
            Some(Ok(Outcome::PortCounter(count))) => return count,
            Some(_) => break,
            None if device.step().is_err() => break,
            None => {}
        }
    }
    u32::MAX
}
