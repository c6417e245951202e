//! Queue pairs, address handles and receive WQEs of both sides.
use super::layout::{place, qpn_of, split, BUFFERS, ENTRIES, LONGEST, MESSAGES, QPS, RECEIVE};
use super::run::Services;
use crate::device::{port_on, Verb};
use crate::fabric::{Fabric, Stop};
use crate::scenario::connection::{Connection, RECEIVE_CQ, SEND_CQ};
use crate::scenario::region::all_memory;
use crate::scenario::spread::{self, spread};
use crate::Side;
use hca_golden::port::{Link, FIRST};
use hca_golden::verbs::{
    AddressHandle, GlobalRoute, Pmtu, QpAttributes, QpState, ReceiveRequest, RemoteAccess, Service,
};
use rand_chacha::rand_core::RngCore;
use rand_chacha::ChaCha8Rng;

/// Bytes of a receive buffer before the payload of a datagram (`ud.md` section 3.2).
pub const AREA: u32 = 40;
/// Number of address handles: the peer's address without a GRH, if the link permits that, and with one.
pub const HANDLES: u32 = 2;
/// Local ack timeout, a code of `ack_timeout.csv`: 65.536 us.
const TIMEOUT: u8 = 4;
const MAX_RD_ATOMIC: u8 = 4;
const HOP_LIMIT: u8 = 64;

/// Returns the Q_Key of queue pair `n` of either side.
pub fn q_key(n: u32) -> u32 {
    0x7A00_0000 | n << 16 | n
}

/// Returns true if a datagram by this handle has a GRH, or an IP header in its place.
pub fn is_global(link: Link, handle: u32) -> bool {
    link == Link::Roce || handle == 1
}

/// Returns the service level of a handle.
pub fn sl(handle: u32) -> u8 {
    2 + handle as u8
}

/// Returns the attributes of an address handle of the peer.
pub fn address(link: Link, side: Side, handle: u32) -> AddressHandle {
    let peer = port_on(link, side.other());
    let roce = link == Link::Roce;
    AddressHandle {
        port: FIRST,
        dlid: if roce { 0 } else { peer.lid },
        sl: sl(handle),
        global: is_global(link, handle).then_some(GlobalRoute {
            dgid: peer.gid,
            flow_label: handle,
            traffic_class: 0,
            hop_limit: HOP_LIMIT,
        }),
        dest_mac: roce.then_some(peer.mac),
        ..AddressHandle::default()
    }
}

pub fn attributes(
    link: Link,
    side: Side,
    n: u32,
    service: Service,
    pmtu: Pmtu,
    psns: [u32; 2],
) -> QpAttributes {
    let connection = Connection {
        link,
        pmtu,
        x_psn: psns[Side::X as usize],
        y_psn: psns[Side::Y as usize],
        entries: ENTRIES,
    };
    let reads = match service {
        Service::Rc => MAX_RD_ATOMIC,
        _ => 0,
    };
    QpAttributes {
        qpn: qpn_of(side, n),
        dest_qpn: qpn_of(side.other(), n),
        service,
        timeout: TIMEOUT,
        access: RemoteAccess {
            write: true,
            read: service == Service::Rc,
            atomic: false,
        },
        max_rd_atomic: reads,
        max_dest_rd_atomic: reads,
        q_key: q_key(n),
        ..connection.attributes(side)
    }
}

/// Moves all queue pairs to RTS, and posts the receive WQEs.
pub fn establish(run: &Services, fabric: &mut Fabric<'_>, random: &mut ChaCha8Rng) -> Result<(), Stop> {
    let (link, ports) = (fabric.link(), fabric.ports());
    spread::begin(fabric)?;
    let shapes: Vec<(Pmtu, [u32; 2])> = (0..QPS)
        .map(|_| {
            let pmtus = [Pmtu::B256, Pmtu::B512, Pmtu::B1024, Pmtu::B2048, Pmtu::B4096];
            let pmtu = pmtus[random.next_u32() as usize % pmtus.len()];
            // Some PSNs wrap soon.
            let psns = [(); 2].map(|()| (0xFF_FFF0 + random.next_u32() % 32) & 0xFF_FFFF);
            (pmtu, psns)
        })
        .collect();
    for side in Side::BOTH {
        let entries = QPS * ENTRIES;
        let mut verbs: Vec<Verb> = [SEND_CQ, RECEIVE_CQ]
            .map(|cqn| Verb::CreateCq { cqn, entries })
            .into();
        verbs.push(Verb::RegMr { region: all_memory() });
        verbs.extend((0..HANDLES).map(|handle| Verb::CreateAh {
            handle,
            attributes: address(link, side, handle),
        }));
        for (n, &(pmtu, psns)) in (0..).zip(&shapes) {
            let service = run.service(n);
            let mut attributes = attributes(link, side, n, service, pmtu, psns);
            // The address handles are of port 1.
            if service != Service::Ud {
                attributes = spread(ports, link, side, n, attributes);
            }
            let qpn = attributes.qpn;
            verbs.push(Verb::CreateQp {
                attributes,
                send_entries: ENTRIES,
                receive_entries: ENTRIES,
            });
            let states = [QpState::Init, QpState::Rtr, QpState::Rts];
            verbs.extend(states.map(|state| Verb::ModifyQp { qpn, state }));
            let room = LONGEST + if service == Service::Ud { AREA } else { 0 };
            verbs.extend((0..MESSAGES).map(|m| Verb::PostReceive {
                qpn,
                request: ReceiveRequest {
                    wr_id: RECEIVE | u64::from(m),
                    sges: split(random, place(BUFFERS, n, m), room),
                },
            }));
        }
        fabric.verbs(side, verbs)?;
    }
    Ok(())
}
