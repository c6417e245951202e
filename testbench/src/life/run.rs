//! A life on a fabric.
use super::addresses::{self, keys, qpn, region, AREA, CQS, QPS, REGIONS};
use super::step::{Act, Given, Step, Work};
use crate::device::{port_on, Verb};
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::hca::changes_to;
use hca_golden::modification::QpChanges;
use hca_golden::verbs::{
    EndToEndCredits, EthernetRoute, GlobalRoute, Pmtu, QpAttributes, QpState, QueueSide, ReceiveRequest,
    RemoteAccess, SendOperation, SendRequest, Service, Sge,
};
use hca_golden::wire::frame::Link;

/// TTL on a RoCE link.
const HOP_LIMIT: u8 = 64;
/// UDP source port on a RoCE link, of the dynamic range.
const SOURCE_PORT: u16 = 0xC001;
/// Requests of a queue pair that name its peer's words, one after the other.
const WORDS: u64 = 8;

/// What a life came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    pub packets: u64,
    pub completions: u64,
}

/// Software of one side.
#[derive(Default)]
struct Host {
    /// Times that a queue pair and a region was made.
    qps: [u32; QPS as usize],
    regions: [u32; REGIONS as usize],
    /// States that were asked for.
    states: [Option<QpState>; QPS as usize],
    /// Work posted, and receive work posted.
    sent: [u64; QPS as usize],
    received: [u64; QPS as usize],
    wr_id: u64,
}

/// Lives a life to its end: all work that is under way ends, and everything must be as the model says.
pub fn run(fabric: &mut Fabric<'_>, steps: &[Step]) -> Result<Ends, Stop> {
    let mut hosts = [Host::default(), Host::default()];
    for side in Side::BOTH {
        let (sources, length) = addresses::all_sources();
        let bytes: Vec<u8> = (0..length).map(|n| (n ^ n >> 8 ^ side as u64) as u8).collect();
        fabric.station(side).write_memory(sources, &bytes);
        hosts[side as usize].regions[0] = 1;
        fabric.verbs(side, [Verb::RegMr { region: region(0, 1) }])?;
    }
    let mut ends = Ends::default();
    for step in steps {
        match (step.act.clone(), step.side) {
            (Act::Wait { cycles }, _) => {
                for _ in 0..cycles {
                    fabric.step()?;
                }
            }
            (Act::Connect { qp, cq }, _) => {
                // Both exist before either names the other.
                for stage in [making, moving] {
                    for side in Side::BOTH {
                        for act in stage(&hosts[side as usize], qp, cq) {
                            let verb = verb(fabric.link(), &mut hosts, side, &act);
                            fabric.attempt(side, verb)?;
                        }
                    }
                }
            }
            (act, side) => {
                if matches!(act, Act::DeregMr { .. } | Act::Invalidate { .. }) {
                    // Of work under way nobody says whether it still finds its keys.
                    fabric.rest()?;
                }
                let verb = verb(fabric.link(), &mut hosts, side, &act);
                fabric.attempt(side, verb)?;
            }
        }
        ends.completions += reap(fabric);
    }
    fabric.finish()?;
    ends.completions += reap(fabric);
    ends.packets = fabric.packets();
    Ok(ends)
}

/// What one side does to have a queue pair.
fn making(_: &Host, qp: u8, cq: u8) -> Vec<Act> {
    let create = Act::CreateQp {
        qp,
        send_cq: cq,
        receive_cq: cq,
        send_entries: 16,
        receive_entries: 16,
    };
    vec![Act::CreateCq { cq, entries: 64 }, create]
}

/// What it does to take it to RTS.
fn moving(host: &Host, qp: u8, _: u8) -> Vec<Act> {
    let to = |to| {
        let given = Given::Required;
        Act::ModifyQp { qp, to, given }
    };
    let fresh = host.states[usize::from(qp)] == Some(QpState::Reset);
    let reset = (!fresh).then_some(QpState::Reset);
    let way = [QpState::Init, QpState::Rtr, QpState::Rts];
    reset.into_iter().chain(way).map(to).collect()
}

fn reap(fabric: &mut Fabric<'_>) -> u64 {
    let of = |fabric: &mut Fabric<'_>, side| std::iter::from_fn(|| fabric.reap(side)).count();
    Side::BOTH.map(|side| of(fabric, side) as u64).iter().sum()
}

/// The verb of an act; of one that only waits none is asked.
fn verb(link: Link, hosts: &mut [Host; 2], side: Side, act: &Act) -> Verb {
    let peer_qp = |hosts: &[Host; 2], qp: u8| {
        let times = hosts[side.other() as usize].qps[usize::from(qp)];
        qpn(qp, times)
    };
    let own_qp = |hosts: &[Host; 2], qp: u8| qpn(qp, hosts[side as usize].qps[usize::from(qp)]);
    match *act {
        Act::CreateCq { cq, entries } => Verb::CreateCq {
            cqn: cq.into(),
            entries,
        },
        Act::QueryCq { cq } => Verb::QueryCq { cqn: cq.into() },
        Act::ResizeCq { cq, entries } => Verb::ResizeCq {
            cqn: cq.into(),
            entries,
        },
        Act::DestroyCq { cq } => Verb::DestroyCq { cqn: cq.into() },
        Act::RequestNotify { cq, solicited } => Verb::RequestNotify {
            cqn: cq.into(),
            solicited,
        },
        Act::CreateQp {
            qp,
            send_cq,
            receive_cq,
            send_entries,
            receive_entries,
        } => {
            let host = &mut hosts[side as usize];
            let slot = usize::from(qp);
            if host.states[slot].is_none() {
                host.qps[slot] += 1;
                host.states[slot] = Some(QpState::Reset);
            }
            Verb::CreateQp {
                attributes: QpAttributes {
                    send_cq: send_cq.into(),
                    receive_cq: receive_cq.into(),
                    ..attributes(link, side, qp, own_qp(hosts, qp), peer_qp(hosts, qp))
                },
                send_entries,
                receive_entries,
            }
        }
        Act::ModifyQp { qp, to, given } => {
            let attributes = attributes(link, side, qp, own_qp(hosts, qp), peer_qp(hosts, qp));
            let state = &mut hosts[side as usize].states[usize::from(qp)];
            let from = state.unwrap_or(QpState::Reset);
            let changes = changes(&attributes, from, to, given);
            if let (Some(state), Given::Required) = (state, given) {
                *state = to;
            }
            Verb::SetQp {
                qpn: own_qp(hosts, qp),
                state: to,
                changes,
            }
        }
        Act::QueryQp { qp } => Verb::QueryQp {
            qpn: own_qp(hosts, qp),
        },
        Act::DestroyQp { qp } => {
            hosts[side as usize].states[usize::from(qp)] = None;
            Verb::DestroyQp {
                qpn: own_qp(hosts, qp),
            }
        }
        Act::RegMr { region: r } => {
            let times = &mut hosts[side as usize].regions[usize::from(r)];
            *times += 1;
            Verb::RegMr {
                region: region(r, *times),
            }
        }
        Act::DeregMr { region: r } => Verb::DeregMr {
            l_key: keys(r, hosts[side as usize].regions[usize::from(r)]).0,
        },
        Act::Invalidate { region: r } => Verb::Invalidate {
            r_key: keys(r, hosts[side as usize].regions[usize::from(r)]).1,
        },
        Act::PostSend { qp, work } => {
            let (_, r_key) = keys(
                work.region,
                hosts[side.other() as usize].regions[usize::from(work.region)],
            );
            let (_, invalidated) = keys(2, hosts[side.other() as usize].regions[2]);
            let qpn = own_qp(hosts, qp);
            let request = hosts[side as usize].send(qp, &work, r_key, invalidated);
            Verb::PostSend { qpn, request }
        }
        Act::PostReceive { qp, work } => {
            let qpn = own_qp(hosts, qp);
            let request = hosts[side as usize].receive(qp, &work);
            Verb::PostReceive { qpn, request }
        }
        Act::Ring { qp, queue, ahead } => {
            let host = &hosts[side as usize];
            let posted = match queue {
                QueueSide::Send => host.sent[usize::from(qp)],
                QueueSide::Receive => host.received[usize::from(qp)],
            };
            Verb::Ring {
                qpn: own_qp(hosts, qp),
                side: queue,
                producer: (posted as u16).wrapping_add(ahead as u16),
            }
        }
        Act::Connect { .. } | Act::Wait { .. } => Verb::QueryCq { cqn: CQS.into() },
    }
}

/// Attributes that lead to RTS with short waits, towards the peer of the same number.
fn attributes(link: Link, side: Side, qp: u8, qpn: u32, dest_qpn: u32) -> QpAttributes {
    let peer = port_on(link, side.other());
    let roce = link == Link::Roce;
    // Near the end of the 24 bits.
    let psn = |side: Side| 0xFF_FFF8 + u32::from(qp) + 4 * side as u32;
    QpAttributes {
        qpn,
        service: Service::Rc,
        send_cq: 0,
        receive_cq: 0,
        p_key_index: 0,
        dest_qpn,
        dlid: peer.lid,
        sl: 0,
        source_path_bits: 0,
        global: roce.then_some(GlobalRoute {
            dgid: peer.gid,
            flow_label: 0,
            traffic_class: 0,
            hop_limit: HOP_LIMIT,
        }),
        ethernet: roce.then_some(EthernetRoute {
            dest_mac: peer.mac,
            source_port: SOURCE_PORT,
        }),
        pmtu: [Pmtu::B256, Pmtu::B1024, Pmtu::B4096][usize::from(qp % 3)],
        sq_psn: psn(side),
        rq_psn: psn(side.other()),
        min_rnr_timer: 1,
        timeout: 1,
        retry_cnt: qp % 3,
        rnr_retry: qp % 3,
        pd: 0,
        access: RemoteAccess {
            write: true,
            read: true,
            atomic: true,
        },
        max_rd_atomic: 2,
        max_dest_rd_atomic: 2,
        credits: EndToEndCredits {
            supplied: qp == 1,
            expected: qp == 1,
        },
    }
}

/// What a modify_qp gives.
fn changes(attributes: &QpAttributes, from: QpState, to: QpState, given: Given) -> QpChanges {
    let required = changes_to(attributes, from, to);
    let all = QpChanges {
        p_key_index: Some(0),
        port: Some(1),
        access: Some(attributes.access),
        min_rnr_timer: Some(2),
        timeout: Some(2),
        retry_cnt: Some(1),
        rnr_retry: Some(1),
        max_rd_atomic: Some(1),
        max_dest_rd_atomic: Some(1),
        drained_event: true,
        ..changes_to(attributes, QpState::Init, QpState::Rtr)
    };
    match given {
        Given::Required => required,
        Given::Without(n) => QpChanges {
            p_key_index: required.p_key_index.filter(|_| n != 0),
            access: required.access.filter(|_| n != 1),
            pmtu: required.pmtu.filter(|_| n != 2),
            min_rnr_timer: required.min_rnr_timer.filter(|_| n != 3),
            sq_psn: required.sq_psn.filter(|_| n != 4),
            timeout: required.timeout.filter(|_| n != 5),
            ..required
        },
        Given::With(n) => match n {
            0 => QpChanges {
                access: all.access,
                ..required
            },
            1 => QpChanges {
                min_rnr_timer: all.min_rnr_timer,
                ..required
            },
            2 => QpChanges {
                p_key_index: all.p_key_index,
                ..required
            },
            3 => QpChanges {
                port: all.port,
                ..required
            },
            4 => QpChanges {
                timeout: all.timeout,
                ..required
            },
            5 => QpChanges {
                retry_cnt: all.retry_cnt,
                ..required
            },
            6 => QpChanges {
                rnr_retry: all.rnr_retry,
                ..required
            },
            7 => QpChanges {
                max_rd_atomic: all.max_rd_atomic,
                ..required
            },
            8 => QpChanges {
                max_dest_rd_atomic: all.max_dest_rd_atomic,
                ..required
            },
            9 => QpChanges {
                address: all.address,
                ..required
            },
            10 => QpChanges {
                pmtu: all.pmtu,
                ..required
            },
            11 => QpChanges {
                dest_qpn: all.dest_qpn,
                ..required
            },
            12 => QpChanges {
                rq_psn: all.rq_psn,
                ..required
            },
            _ => QpChanges {
                drained_event: true,
                ..required
            },
        },
        Given::Wrong(n) => match n {
            0 => QpChanges {
                p_key_index: Some(4),
                ..required
            },
            1 => QpChanges {
                port: Some(2),
                ..required
            },
            2 => QpChanges {
                max_rd_atomic: Some(17),
                ..required
            },
            _ => QpChanges {
                max_dest_rd_atomic: Some(17),
                ..required
            },
        },
    }
}

impl Host {
    fn next_wr_id(&mut self) -> u64 {
        self.wr_id += 1;
        self.wr_id
    }

    /// Key of this side's memory.
    fn l_key(&self, region: u8) -> u32 {
        keys(region, self.regions[usize::from(region)]).0
    }

    fn send(&mut self, qp: u8, work: &Work, r_key: u32, invalidated: u32) -> SendRequest {
        let count = self.sent[usize::from(qp)];
        self.sent[usize::from(qp)] += 1;
        let immediate = (count as u32).to_be_bytes();
        let (source, target, word) = (
            addresses::source(qp, count),
            addresses::target(qp, count),
            addresses::word(qp, count % WORDS),
        );
        let operation = match work.operation {
            0 => SendOperation::Send,
            1 => SendOperation::SendWithImmediate { immediate },
            // Of no region that work under way may name.
            2 => SendOperation::SendWithInvalidate { r_key: invalidated },
            3 => SendOperation::Write { va: target, r_key },
            4 => SendOperation::WriteWithImmediate {
                va: target,
                r_key,
                immediate,
            },
            5 => SendOperation::Read { va: source, r_key },
            6 => SendOperation::CompareSwap {
                va: word,
                r_key,
                compare: count % 3,
                swap: count,
            },
            _ => SendOperation::FetchAdd {
                va: word,
                r_key,
                add: count,
            },
        };
        let local = match operation.is_read_or_atomic() {
            true => addresses::result(qp, count),
            false => source,
        };
        let sges = match operation.is_atomic() {
            true => spread(local, 8, 1, self.l_key(work.region)),
            false => spread(local, work.length, work.sges, self.l_key(work.region)),
        };
        SendRequest {
            wr_id: self.next_wr_id(),
            operation,
            sges,
            signaled: work.signaled,
            solicited: work.solicited,
            fence: work.fence,
            inline: work.inline,
        }
    }

    fn receive(&mut self, qp: u8, work: &Work) -> ReceiveRequest {
        // Not the areas that Reads and atomics bring their data to.
        let count = self.received[usize::from(qp)];
        self.received[usize::from(qp)] += 1;
        let buffer = addresses::result(qp + QPS, count);
        let room = work.length.max(2000);
        ReceiveRequest {
            wr_id: self.next_wr_id(),
            sges: spread(buffer, room, work.sges, self.l_key(work.region)),
        }
    }
}

/// Bytes at `addr` as so many SGEs; the last takes what is left.
fn spread(addr: u64, length: u32, count: u8, l_key: u32) -> Vec<Sge> {
    debug_assert!(u64::from(length) <= AREA);
    let share = length / u32::from(count.max(1));
    (0..u32::from(count))
        .map(|n| Sge {
            addr: addr + u64::from(n * share),
            length: if n + 1 == u32::from(count) {
                length - n * share
            } else {
                share
            },
            l_key,
        })
        .collect()
}
