//! The verbs of an act.
use super::host::{Host, Remote};
use super::places::Places;
use crate::case::limits::INVALIDATED;
use crate::case::Terms;
use crate::case::{Act, Given, QKey};
use crate::device::Verb;
use crate::Side;
use hca_golden::hca::changes_to;
use hca_golden::modification::QpChanges;
use hca_golden::verbs::{QpAttributes, QpState, QueueSide, Service};
use hca_golden::wire::multicast::DEST_QP;

/// Returns the verb of an act; `None` if the act is more than a single verb.
pub(super) fn verb(places: &Places, hosts: &mut [Host; 2], side: Side, act: &Act) -> Option<Verb> {
    let peer_qp = |hosts: &[Host; 2], qp: u8| {
        let times = hosts[side.other() as usize].qps[usize::from(qp)];
        places.qpn(qp, times)
    };
    let own_qp = |hosts: &[Host; 2], qp: u8| places.qpn(qp, hosts[side as usize].qps[usize::from(qp)]);
    Some(match *act {
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
        Act::RequestNotify { cq, solicited, .. } => Verb::RequestNotify {
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
            hosts[side as usize].make(qp);
            let terms = hosts[side as usize].terms(qp);
            Verb::CreateQp {
                attributes: QpAttributes {
                    send_cq: places.cq(qp, send_cq).into(),
                    receive_cq: places.cq(qp, receive_cq).into(),
                    ..attributes(places, side, qp, own_qp(hosts, qp), peer_qp(hosts, qp), &terms)
                },
                send_entries,
                receive_entries,
            }
        }
        Act::ModifyQp { qp, to, given } => {
            let terms = hosts[side as usize].terms(qp);
            let attributes = attributes(places, side, qp, own_qp(hosts, qp), peer_qp(hosts, qp), &terms);
            let state = &mut hosts[side as usize].states[usize::from(qp)];
            let from = state.unwrap_or(QpState::Reset);
            let other_q_key = places.q_key(qp, QKey::Other);
            let changes = changes(&attributes, from, to, given, other_q_key, places.ports());
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
        Act::DestroyQp { qp } => Verb::DestroyQp {
            qpn: own_qp(hosts, qp),
        },
        Act::RegMr { region: r } => {
            let times = &mut hosts[side as usize].regions[usize::from(r)];
            *times += 1;
            Verb::RegMr {
                region: places.region(r, *times),
            }
        }
        Act::DeregMr { region: r } => Verb::DeregMr {
            l_key: places.keys(r, hosts[side as usize].regions[usize::from(r)]).0,
        },
        Act::Invalidate { region: r } => Verb::Invalidate {
            r_key: places.keys(r, hosts[side as usize].regions[usize::from(r)]).1,
        },
        Act::SetPortState { .. } | Act::DisablePort | Act::SetCable { .. } if places.keeps_port() => {
            Verb::QueryPortState.on_port(places.managed_port())
        }
        Act::SetSlToVl { .. } | Act::SetLanes { .. } if !places.changes_link() => {
            Verb::QueryPortState.on_port(places.managed_port())
        }
        Act::SetSlToVl { table } => Verb::SetSlToVl { table }.on_port(places.managed_port()),
        Act::SetLanes { ref lanes } => {
            let arbitration = lanes.arbitration();
            Verb::SetArbitration { arbitration }.on_port(places.managed_port())
        }
        Act::SetPortState { state } => Verb::SetPortState { state }.on_port(places.managed_port()),
        Act::DisablePort => Verb::DisablePort.on_port(places.managed_port()),
        Act::SetCable { is_in } => Verb::SetCable { is_in }.on_port(places.managed_port()),
        Act::SetPKey { index, p_key } => Verb::SetPKey {
            index: index.into(),
            p_key: places.changed_p_key(side, index, p_key),
        }
        .on_port(places.managed_port()),
        Act::CreateAh { handle, address } => Verb::CreateAh {
            handle: places.handle(handle),
            attributes: places.address_of(side, &address),
        },
        Act::ModifyAh { handle, address } => Verb::ModifyAh {
            handle: places.handle(handle),
            attributes: places.address_of(side, &address),
        },
        Act::QueryAh { handle } => Verb::QueryAh {
            handle: places.handle(handle),
        },
        Act::DestroyAh { handle } => Verb::DestroyAh {
            handle: places.handle(handle),
        },
        Act::Attach { qp, group } => {
            let (mgid, mlid) = places.group(group);
            let qpn = own_qp(hosts, qp);
            Verb::Attach { qpn, mgid, mlid }
        }
        Act::Detach { qp, group } => {
            let (mgid, mlid) = places.group(group);
            let qpn = own_qp(hosts, qp);
            Verb::Detach { qpn, mgid, mlid }
        }
        Act::PostSend { qp, work } => {
            let (_, r_key) = places.keys(
                work.region,
                hosts[side.other() as usize].regions[usize::from(work.region)],
            );
            let generation = hosts[side.other() as usize].regions[usize::from(INVALIDATED)];
            let (_, invalidated) = places.keys(INVALIDATED, generation);
            let to = work.destination(qp);
            let remote = Remote {
                r_key,
                invalidated,
                qpn: match to.multicast {
                    true => DEST_QP,
                    false => places.in_packets(to.qp, peer_qp(hosts, to.qp)),
                },
            };
            let qpn = own_qp(hosts, qp);
            let request = hosts[side as usize].send(qp, &work, &remote);
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
            // Refused work was not posted. A negative number means before the first WQE, a positive one beyond every
            // ring.
            let from = if ahead < 0 { 0 } else { posted as u16 };
            Verb::Ring {
                qpn: own_qp(hosts, qp),
                side: queue,
                producer: from.wrapping_add(ahead as u16),
            }
        }
        Act::Connect { .. }
        | Act::Burst { .. }
        | Act::Forge { .. }
        | Act::ForgeLink { .. }
        | Act::RaisePort
        | Act::SetDataVls { .. }
        | Act::Wait { .. } => return None,
    })
}

/// Returns attributes for RTS with short waits, towards the peer's queue pair with the same number.
fn attributes(places: &Places, side: Side, qp: u8, qpn: u32, dest_qpn: u32, terms: &Terms) -> QpAttributes {
    let attributes = QpAttributes {
        qpn,
        service: terms.service(),
        send_cq: 0,
        receive_cq: 0,
        port: places.port_of(qp),
        p_key_index: 0,
        dest_qpn,
        dlid: 0,
        sl: 0,
        source_path_bits: 0,
        static_rate: 0,
        sgid_index: 0,
        global: None,
        ethernet: None,
        pmtu: terms.bytes(),
        sq_psn: 0,
        rq_psn: 0,
        min_rnr_timer: terms.min_rnr_timer,
        timeout: terms.timeout,
        retry_cnt: terms.retry_cnt,
        rnr_retry: terms.rnr_retry,
        pd: 0,
        access: terms.access(),
        max_rd_atomic: match terms.service().is_reliable() {
            true => terms.max_rd_atomic,
            false => 0,
        },
        max_dest_rd_atomic: match terms.service().is_reliable() {
            false => 0,
            true => terms.max_dest_rd_atomic.unwrap_or(terms.max_rd_atomic),
        },
        credits: terms.end_to_end_credits(),
        q_key: 0,
        dry_event: qp % 2 == 1,
    };
    places.routed(side, qp, attributes)
}

/// Returns the attributes for a modify_qp.
fn changes(
    attributes: &QpAttributes,
    from: QpState,
    to: QpState,
    given: Given,
    other_q_key: u32,
    ports: u8,
) -> QpChanges {
    let required = changes_to(attributes, from, to, ports);
    // A queue pair of datagrams does not have its own address.
    let of_rc = QpAttributes {
        service: Service::Rc,
        ..attributes.clone()
    };
    let all = QpChanges {
        p_key_index: Some(0),
        port: Some(attributes.port),
        access: Some(attributes.access),
        min_rnr_timer: Some(2),
        timeout: Some(2),
        retry_cnt: Some(1),
        rnr_retry: Some(1),
        max_rd_atomic: Some(1),
        max_dest_rd_atomic: Some(1),
        drained_event: true,
        ..changes_to(&of_rc, QpState::Init, QpState::Rtr, ports)
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
            q_key: required.q_key.filter(|_| n != 6),
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
            16 => QpChanges {
                q_key: Some(other_q_key),
                ..required
            },
            17 => QpChanges {
                q_key: Some(attributes.q_key),
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
                // Another port, or beyond the last.
                port: Some(attributes.port + 1),
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
