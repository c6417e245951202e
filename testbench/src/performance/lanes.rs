//! Measures how full the link is with packets on several VLs, and how soon an SMP leaves beside them.
use super::rate::{establish, stream, Load};
use super::HANDLE;
use crate::device::{port_of, Verb};
use crate::fabric::{Fabric, Observer, Reaped, Stop};
use crate::scenario::connection::RECEIVE_CQ;
use crate::scenario::region::L_KEY;
use crate::station::Station;
use crate::trace::output::OutputError;
use crate::trace::PacketRecord;
use crate::Side;
use hca_golden::port::{Link, FIRST};
use hca_golden::verbs::{
    AddressHandle, Datagram, Pmtu, QpAttributes, QpState, SendOperation, SendRequest, Service, Sge,
};
use hca_golden::wire::lrh::MANAGEMENT_VL;

/// Number of the address handle for SMPs. Datagrams use another one.
const SMP_HANDLE: u32 = HANDLE + 1;
/// CQN of the completion queue of QP0 only (`special_qps.md` section 1).
const SMP_CQ: u32 = RECEIVE_CQ + 1;
/// Number of SMPs of a run, and of entries of QP0's send queue. An SMP keeps its entry, because none is signaled.
const SMPS: u32 = 32;
/// Bytes of an SMP.
const SMP_BYTES: u32 = 256;
/// Number of clock cycles from the verb that posts an SMP to the next such verb.
pub const GAP: u64 = 1_500;
/// Address from which SMPs are read.
const SOURCE: u64 = 0x3_0000_0000;
const PATIENCE: u64 = 50_000;

/// Results of a load.
#[derive(Clone, Copy, Debug)]
pub struct Fullness {
    /// Share of the clock cycles from X's first data packet to its last in which a beat of a packet of X leaves. Link
    /// packets are not counted.
    pub share: f64,
    /// Clock cycles from the verb that posts an SMP to the SMP's last beat, on average and at most, while data packets
    /// leave.
    pub smp: Option<(f64, u64)>,
}

/// Packets of X, as they leave it.
#[derive(Default)]
struct Meter {
    beat: usize,
    first: Option<u64>,
    last: u64,
    /// Number of beats since the first data packet, and number of those up to the last data packet.
    beats: u64,
    counted: u64,
    /// Clock cycles in which SMPs have left.
    smps: Vec<u64>,
}

impl Observer for Meter {
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError> {
        if packet.from != Side::X {
            return Ok(());
        }
        let beats = packet.bytes.len().div_ceil(self.beat) as u64;
        let is_smp = packet.bytes[0] >> 4 == MANAGEMENT_VL;
        if is_smp {
            self.smps.push(packet.cycle);
        }
        if self.first.is_some() {
            self.beats += beats;
        }
        if !is_smp {
            self.first.get_or_insert(packet.cycle);
            self.last = packet.cycle;
            self.counted = self.beats;
        }
        Ok(())
    }

    fn completion(&mut self, _: &Reaped) -> Result<(), OutputError> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) {}
}

/// Runs a load between two stations that a cable joins, with SMPs of X beside it. `stream_bits` is the width of the
/// hardware's streams.
pub fn measure(load: &Load, stations: [Box<dyn Station>; 2], stream_bits: usize) -> Result<Fullness, Stop> {
    let mut meter = Meter {
        beat: stream_bits / 8,
        ..Meter::default()
    };
    let [x, y] = stations;
    let mut fabric = Fabric::new(x, y, PATIENCE, &mut meter).cabled();
    establish(&mut fabric, load)?;
    create_qp0(&mut fabric)?;
    let mut posted = Vec::new();
    stream(&mut fabric, load, &mut |fabric| {
        let next = posted.last().map_or(fabric.cycle(), |last| last + GAP);
        if fabric.cycle() >= next && posted.len() < SMPS as usize {
            posted.push(fabric.cycle());
            fabric.station(Side::X).submit(smp());
        }
    })?;
    drop(fabric);
    let window = (meter.last - meter.first.unwrap_or(0)).max(1) as f64;
    // While the first SMP waits, the data packets may still be on their way from memory.
    let beside = |left: &u64| *left < meter.last;
    let pairs = posted.iter().zip(meter.smps.iter().filter(|left| beside(left)));
    let waits: Vec<u64> = pairs.skip(1).map(|(posted, left)| left - posted).collect();
    let mean = waits.iter().sum::<u64>() as f64 / waits.len().max(1) as f64;
    Ok(Fullness {
        share: meter.counted as f64 / window,
        smp: waits.iter().max().map(|most| (mean, *most)),
    })
}

/// Moves QP0 of X to RTS.
fn create_qp0(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let states = [QpState::Init, QpState::Rtr, QpState::Rts];
    let mut verbs = vec![
        Verb::CreateAh {
            handle: SMP_HANDLE,
            attributes: AddressHandle {
                port: FIRST,
                dlid: port_of(Side::Y).lid,
                ..AddressHandle::default()
            },
        },
        Verb::CreateCq {
            cqn: SMP_CQ,
            entries: 2 * SMPS,
        },
        Verb::CreateQp {
            attributes: QpAttributes {
                qpn: 0,
                send_cq: SMP_CQ,
                receive_cq: SMP_CQ,
                ..super::attributes(Link::InfiniBand, Side::X, 0, Service::Ud, Pmtu::B4096)
            },
            send_entries: SMPS,
            receive_entries: SMPS,
        },
    ];
    verbs.extend(states.map(|state| Verb::ModifyQp { qpn: 0, state }));
    fabric.verbs(Side::X, verbs)
}

/// Returns the post of an SMP to the QP0 of Y, which does not exist.
fn smp() -> Verb {
    Verb::PostSend {
        qpn: 0,
        request: SendRequest {
            operation: SendOperation::Send,
            sges: vec![Sge {
                addr: SOURCE,
                length: SMP_BYTES,
                l_key: L_KEY,
            }],
            datagram: Some(Datagram {
                handle: SMP_HANDLE,
                dest_qpn: 0,
                q_key: 0,
                p_key_index: 0,
            }),
            ..SendRequest::default()
        },
    }
}
