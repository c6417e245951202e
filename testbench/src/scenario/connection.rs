//! One RC connection between X and Y.
use super::region::all_memory;
use crate::device::{port_on, Verb};
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{
    EndToEndCredits, EthernetRoute, GlobalRoute, Pmtu, QpAttributes, QpState, RemoteAccess, Service,
};

/// Completion queue of the send side.
pub const SEND_CQ: u32 = 1;
/// Completion queue of the receive side.
pub const RECEIVE_CQ: u32 = 2;
/// TTL on a RoCE link.
const HOP_LIMIT: u8 = 64;
/// UDP source port on a RoCE link, from the dynamic range.
const SOURCE_PORT: u16 = 0xC001;

/// Parameters that both QPs of a connection share.
#[derive(Clone, Copy, Debug)]
pub struct Connection {
    pub link: Link,
    pub pmtu: Pmtu,
    /// First PSN that X sends, 24 bits.
    pub x_psn: u32,
    /// First PSN that Y sends, 24 bits.
    pub y_psn: u32,
    /// Number of entries of every work queue, a power of two; completion queues have twice as many.
    pub entries: u32,
}

/// Returns the QPN of a side. Its low bits, as many as any profile uses, differ from the reserved 0 and 1.
pub fn qpn_of(side: Side) -> u32 {
    match side {
        Side::X => 0x00_0A12,
        Side::Y => 0x00_0B23,
    }
}

impl Connection {
    /// Returns the attributes of one of the two QPs.
    pub fn attributes(&self, side: Side) -> QpAttributes {
        let (sq_psn, rq_psn) = match side {
            Side::X => (self.x_psn, self.y_psn),
            Side::Y => (self.y_psn, self.x_psn),
        };
        let peer = port_on(self.link, side.other());
        let roce = self.link == Link::Roce;
        QpAttributes {
            qpn: qpn_of(side),
            service: Service::Rc,
            send_cq: SEND_CQ,
            receive_cq: RECEIVE_CQ,
            port: 1,
            p_key_index: 0,
            dest_qpn: qpn_of(side.other()),
            dlid: peer.lid,
            sl: 0,
            source_path_bits: 0,
            static_rate: 0,
            sgid_index: 0,
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
            pmtu: self.pmtu,
            sq_psn,
            rq_psn,
            min_rnr_timer: 1,
            timeout: 14,
            retry_cnt: 7,
            rnr_retry: 7,
            pd: 0,
            access: RemoteAccess::default(),
            max_rd_atomic: 0,
            max_dest_rd_atomic: 0,
            credits: EndToEndCredits::default(),
            q_key: 0,
            dry_event: false,
        }
    }

    /// Creates queues and QPs on both sides and moves the QPs to RTS. All memory is a region.
    pub fn establish(&self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        for side in Side::BOTH {
            let qpn = qpn_of(side);
            let modify = |state| Verb::ModifyQp { qpn, state };
            let cq = |cqn| Verb::CreateCq {
                cqn,
                entries: 2 * self.entries,
            };
            fabric.verbs(
                side,
                [
                    cq(SEND_CQ),
                    cq(RECEIVE_CQ),
                    Verb::RegMr { region: all_memory() },
                    Verb::CreateQp {
                        attributes: self.attributes(side),
                        send_entries: self.entries,
                        receive_entries: self.entries,
                    },
                    modify(QpState::Init),
                    modify(QpState::Rtr),
                    modify(QpState::Rts),
                ],
            )?;
        }
        Ok(())
    }
}
