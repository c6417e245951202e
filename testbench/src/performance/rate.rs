//! Measures the clock cycles for each message, and the share of cycles with a beat.
use super::{attributes, create_handle, datagram, qpn_of, AREA, ENTRIES};
use crate::device::Verb;
use crate::fabric::{Fabric, Observer, Reaped, Stop};
use crate::scenario::connection::{RECEIVE_CQ, SEND_CQ};
use crate::scenario::region::{all_memory, r_key_of_all, L_KEY};
use crate::station::Station;
use crate::trace::output::OutputError;
use crate::trace::PacketRecord;
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{
    Pmtu, QpAttributes, QpState, ReceiveRequest, SendOperation, SendRequest, Service, Sge,
};

pub(super) const SOURCE: u64 = 0x1_0000_0000;
pub(super) const TARGET: u64 = 0x2_0000_0000;
/// Distance from one message's place to the next, in bytes.
const STRIDE: u64 = 8192;
pub(super) const PATIENCE: u64 = 50_000;
/// Largest number of verbs under way on a side. It is so large that the register bus, with a doorbell every four
/// clocks, delays nothing.
pub(super) const VERBS: usize = 64;

/// The operation of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Send,
    Write,
    WriteImm,
    Read,
    FetchAdd,
}

impl Operation {
    /// Returns the operations that are measured for a service: all for RC, else those that end in a completion of the
    /// receiver.
    pub fn of(service: Service) -> &'static [Operation] {
        use Operation::{FetchAdd, Read, Send, Write, WriteImm};
        match service {
            Service::Uc => &[Send, WriteImm],
            Service::Ud => &[Send],
            _ => &[Send, Write, Read, FetchAdd],
        }
    }

    /// Returns true if the operation takes a receive WQE.
    fn tells(self) -> bool {
        matches!(self, Operation::Send | Operation::WriteImm)
    }

    /// Returns true if the requester receives the data.
    pub fn brings(self) -> bool {
        matches!(self, Operation::Read | Operation::FetchAdd)
    }
}

/// A stream of equal messages.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub link: Link,
    pub service: Service,
    pub operation: Operation,
    /// Length of a message in bytes.
    pub bytes: u32,
    /// Number of SGEs at the source and at the target.
    pub sges: u32,
    pub pmtu: Pmtu,
    pub qps: u32,
    /// Number of messages of a QP.
    pub messages: u32,
    /// Bytes from a 4096-byte boundary to the source of a message, and to its target; ignored for atomics.
    pub offset: u64,
    /// True if Y sends requests, too.
    pub both: bool,
    /// True if the side that sends the data is the model, which does so at once. The rate is then that of the
    /// completions.
    pub by_completions: bool,
    /// Clock cycles from the departure of a packet at Y to its arrival at X.
    pub ack_delay: u64,
    /// Number of data VLs on which the QPs leave in turn, with flow control of the link. `None`: all are on VL 0,
    /// without flow control.
    pub vls: Option<u8>,
}

impl Load {
    /// Returns the SL of QP `n`, whose VL has the same number.
    fn sl(&self, n: u32) -> u8 {
        self.vls.map_or(0, |vls| (n % u32::from(vls)) as u8)
    }
}

/// Results of a load.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Clock cycles from the last beat of one data packet to the last beat of the next, at the side that sends them.
    pub cycles_a_packet: f64,
    /// Share of those cycles with a beat of a data packet, and with a beat of any packet of that side.
    pub share: f64,
    pub share_with_acks: f64,
    /// Clock cycles from one completion of X's messages to the next: at X or, for an unreliable service, at Y, which
    /// receives them.
    pub cycles_a_message: f64,
}

/// The data packets of one side, as they leave it.
struct Meter {
    from: Side,
    beat: usize,
    first: Option<u64>,
    last: u64,
    packets: u64,
    beats: u64,
    /// Number of beats of acks since the first data packet, and number of those before the last data packet.
    ack_beats: u64,
    ack_beats_counted: u64,
}

impl Observer for Meter {
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError> {
        let d = packet.dissection();
        let beats = packet.bytes.len().div_ceil(self.beat) as u64;
        if packet.from != self.from {
            return Ok(());
        }
        // Acks of the other direction are not data packets, but use a share of the link.
        if d.value("BTH.Opcode") == Some(0x11) {
            self.ack_beats += self.first.map_or(0, |_| beats);
            return Ok(());
        }
        match self.first {
            None => self.first = Some(packet.cycle),
            Some(_) => {
                self.last = packet.cycle;
                self.packets += 1;
                self.beats += beats;
                self.ack_beats_counted = self.ack_beats;
            }
        }
        Ok(())
    }

    fn completion(&mut self, _: &Reaped) -> Result<(), OutputError> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) {}
}

/// Runs a load between two stations. `stream_bits` is the width of the hardware's streams.
pub fn measure(load: &Load, stations: [Box<dyn Station>; 2], stream_bits: usize) -> Result<Rate, Stop> {
    let from = if load.operation.brings() { Side::Y } else { Side::X };
    let mut meter = Meter {
        from,
        beat: stream_bits / 8,
        first: None,
        last: 0,
        packets: 0,
        beats: 0,
        ack_beats: 0,
        ack_beats_counted: 0,
    };
    let [x, y] = stations;
    let mut fabric = Fabric::new(x, y, PATIENCE, &mut meter).over(load.link);
    fabric.delay(Side::X, load.ack_delay);
    fabric.delay(Side::Y, 0);
    establish(&mut fabric, load)?;
    let done = stream(&mut fabric, load, &mut |_| ())?;
    drop(fabric);
    let packets = meter.packets.max(1) as f64;
    let window = match load.by_completions {
        true => done * packets / f64::from(load.bytes.div_ceil(load.pmtu.bytes() as u32).max(1)),
        false => (meter.last - meter.first.unwrap_or(0)).max(1) as f64,
    };
    Ok(Rate {
        cycles_a_packet: window / packets,
        share: meter.beats as f64 / window,
        share_with_acks: (meter.beats + meter.ack_beats_counted) as f64 / window,
        cycles_a_message: done,
    })
}

/// Creates the queue pairs of both sides, and turns flow control on if the load has it.
pub(super) fn establish(fabric: &mut Fabric<'_>, load: &Load) -> Result<(), Stop> {
    for side in Side::BOTH {
        let entries = 2 * load.qps * ENTRIES;
        let mut verbs: Vec<Verb> = [SEND_CQ, RECEIVE_CQ]
            .map(|cqn| Verb::CreateCq { cqn, entries })
            .into();
        verbs.push(Verb::RegMr { region: all_memory() });
        if load.service == Service::Ud {
            verbs.push(create_handle(load.link, side));
        }
        for n in 0..load.qps {
            let qpn = qpn_of(side, n);
            verbs.push(Verb::CreateQp {
                attributes: QpAttributes {
                    sl: load.sl(n),
                    ..attributes(load.link, side, n, load.service, load.pmtu)
                },
                send_entries: ENTRIES,
                receive_entries: ENTRIES,
            });
            let states = [QpState::Init, QpState::Rtr, QpState::Rts];
            verbs.extend(states.map(|state| Verb::ModifyQp { qpn, state }));
        }
        fabric.verbs(side, verbs)?;
    }
    match load.vls {
        None => Ok(()),
        Some(_) => fabric.control_flow_of(std::array::from_fn(|sl| load.sl(sl as u32))),
    }
}

/// The messages and receive buffers of one QP of a side that makes requests.
#[derive(Clone, Copy, Default)]
struct Posted {
    buffers: u32,
    /// Number of buffers whose doorbell has rung, and number of messages that have completed at the receiver.
    ready: u32,
    received: u32,
    sent: u32,
    done: u32,
}

/// Keeps all queues full until every message is done, and calls `beside` before each step. Returns the cycles from one
/// completion of X's messages to the next.
pub(super) fn stream(
    fabric: &mut Fabric<'_>,
    load: &Load,
    beside: &mut dyn FnMut(&mut Fabric<'_>),
) -> Result<f64, Stop> {
    let asking: &[Side] = if load.both { &Side::BOTH } else { &[Side::X] };
    let mut posted = [
        vec![Posted::default(); load.qps as usize],
        vec![Posted::default(); load.qps as usize],
    ];
    let (mut first, mut last, mut count) = (None, 0, 0);
    let total = load.messages * load.qps * asking.len() as u32;
    let mut ended = 0;
    while ended < total {
        for &side in asking {
            post(fabric, load, side, &mut posted[side as usize]);
        }
        beside(fabric);
        fabric.step()?;
        for side in Side::BOTH {
            while let Some(reaped) = fabric.reap(side) {
                let n = (reaped.completion.qpn & 0xFF) as usize - 2;
                fabric.expect(
                    "status of a completion",
                    hca_golden::verbs::Status::Success,
                    reaped.completion.status,
                )?;
                let received = reaped.completion.wr_id == RECEIVE;
                let sender = if received { side.other() } else { side };
                match received {
                    true => posted[sender as usize][n].received += 1,
                    false => posted[sender as usize][n].done += 1,
                }
                // The sender of an unreliable service does not learn when the message is received.
                if received == load.service.is_reliable() {
                    continue;
                }
                ended += 1;
                if sender == Side::X {
                    first.get_or_insert(reaped.cycle);
                    last = reaped.cycle;
                    count += 1;
                }
            }
        }
        let still = fabric
            .station(Side::X)
            .progress()
            .max(fabric.station(Side::Y).progress());
        let open = total - ended;
        if fabric.cycle() > still + PATIENCE {
            fabric.expect("messages open when nothing moves", 0, open)?;
        }
    }
    Ok((last - first.unwrap_or(last)) as f64 / f64::from((count - 1).max(1)))
}

/// Bit of `wr_id` that marks a receive buffer.
pub(super) const RECEIVE: u64 = 1 << 32;

/// Posts as much as the queues have room for, receive buffers before the Sends that need them.
fn post(fabric: &mut Fabric<'_>, load: &Load, side: Side, posted: &mut [Posted]) {
    let peer = side.other();
    for (n, p) in (0..).zip(posted) {
        if load.operation.tells() {
            if fabric.station(peer).verbs_open() == 0 {
                p.ready = p.buffers;
            }
            while p.buffers < load.messages
                && p.buffers - p.received < ENTRIES
                && fabric.station(peer).verbs_open() < VERBS
            {
                let request = ReceiveRequest {
                    wr_id: RECEIVE,
                    sges: buffer(n, p.buffers, load),
                };
                let qpn = qpn_of(peer, n);
                fabric.station(peer).submit(Verb::PostReceive { qpn, request });
                p.buffers += 1;
            }
        } else {
            p.ready = load.messages;
        }
        while p.sent < p.ready && p.sent - p.done < ENTRIES && fabric.station(side).verbs_open() < VERBS {
            let request = message(load, side, n, p.sent);
            let qpn = qpn_of(side, n);
            fabric.station(side).submit(Verb::PostSend { qpn, request });
            p.sent += 1;
        }
    }
}

/// Returns the place of message `m` of QP `n` in an area. A place is used again once all WQEs were used.
pub(super) fn place(area: u64, n: u32, m: u32) -> u64 {
    area + u64::from(n * ENTRIES + m % ENTRIES) * STRIDE
}

fn list(area: u64, n: u32, m: u32, load: &Load) -> Vec<Sge> {
    let length = load.bytes / load.sges;
    let part = |i: u32| Sge {
        addr: place(area, n, m) + u64::from(i * length),
        length,
        l_key: L_KEY,
    };
    (0..load.sges).map(part).collect()
}

/// Returns a receive buffer. A datagram's payload begins where another message does.
fn buffer(n: u32, m: u32, load: &Load) -> Vec<Sge> {
    let mut sges = list(TARGET + load.offset, n, m, load);
    if let (Service::Ud, Some(first)) = (load.service, sges.first_mut()) {
        first.addr -= u64::from(AREA);
        first.length += AREA;
    }
    sges
}

fn message(load: &Load, side: Side, n: u32, m: u32) -> SendRequest {
    let r_key = r_key_of_all();
    let (source, target) = match load.operation {
        Operation::FetchAdd => (SOURCE, TARGET),
        _ => (SOURCE + load.offset, TARGET + load.offset),
    };
    let (operation, area) = match load.operation {
        Operation::Send => (SendOperation::Send, source),
        Operation::Write => (
            SendOperation::Write {
                va: place(target, n, m),
                r_key,
            },
            source,
        ),
        Operation::WriteImm => (
            SendOperation::WriteWithImmediate {
                va: place(target, n, m),
                r_key,
                immediate: m.to_be_bytes(),
            },
            source,
        ),
        Operation::Read => (
            SendOperation::Read {
                va: place(source, n, m),
                r_key,
            },
            target,
        ),
        Operation::FetchAdd => (
            SendOperation::FetchAdd {
                va: place(source, n, 0),
                r_key,
                add: 1,
            },
            target,
        ),
    };
    SendRequest {
        wr_id: m.into(),
        operation,
        sges: list(area, n, m, load),
        signaled: true,
        datagram: datagram(load.service, side, n),
        ..SendRequest::default()
    }
}
