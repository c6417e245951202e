//! The routes of a case.
use super::places::{Places, Use};
use crate::case::QKey;
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{EthernetRoute, GlobalRoute, QpAttributes};

/// TTL on a RoCE link.
const HOP_LIMIT: u8 = 64;
/// Difference between the service levels of one queue pair and the next.
const SL_STEP: u8 = 7;
/// UDP source port on a RoCE link, the first of the dynamic range.
const SOURCE_PORT: u16 = 0xC001;

impl Places {
    /// Returns these attributes with the route from this side to the peer.
    pub fn routed(&self, side: Side, qp: u8, attributes: QpAttributes) -> QpAttributes {
        let peer = self.port(side.other());
        let [_, _, _, _, port_low, port_high, _, _] = self.bits(Use::Route).to_le_bytes();
        let roce = self.link == Link::Roce;
        QpAttributes {
            p_key_index: self.p_key_index(side),
            dlid: self.lid(side.other(), qp),
            source_path_bits: self.path_bits(side, qp),
            sl: self.sl(qp),
            static_rate: self.static_rate(qp),
            global: self.is_global().then_some(self.global(side)),
            sgid_index: self.sgid_index(side),
            ethernet: roce.then_some(EthernetRoute {
                dest_mac: peer.mac,
                source_port: self.source_port(u16::from_le_bytes([port_low, port_high])),
            }),
            sq_psn: self.psn(qp, side),
            rq_psn: self.psn(qp, side.other()),
            pd: self.domain(),
            q_key: self.q_key(qp, QKey::Right),
            ..attributes
        }
    }

    /// Returns true if the packets of connections have a GRH, as native ones have in some cases, or an IP header.
    pub(super) fn is_global(&self) -> bool {
        let [_, _, _, _, _, _, global, _] = self.bits(Use::Route).to_le_bytes();
        self.link == Link::Roce || global & 3 == 3
    }

    /// Returns the fields of such a header, from this side to its peer.
    pub(super) fn global(&self, side: Side) -> GlobalRoute {
        let [_, class, hops, flow, ..] = self.bits(Use::Route).to_le_bytes();
        GlobalRoute {
            dgid: self.gid(side.other()),
            flow_label: u32::from(flow) << 12 | u32::from(flow),
            traffic_class: class,
            hop_limit: HOP_LIMIT ^ hops & 0x3F,
        }
    }

    /// Returns the service level of a queue pair: 0 with spread 0, else values in both halves of the 16.
    pub fn sl(&self, qp: u8) -> u8 {
        match self.is_plain() {
            true => 0,
            false => (self.bits(Use::Route) as u8).wrapping_add(SL_STEP * qp) & 0xF,
        }
    }

    /// Returns the static rate of a queue pair: that of the port, but in one case of four also 2.5, 5 and 120 Gb/s.
    fn static_rate(&self, qp: u8) -> u8 {
        const RATES: [u8; 4] = [2, 5, 10, 0];
        let [.., rate] = self.bits(Use::Route).to_le_bytes();
        match rate >> 6 {
            3 => RATES[usize::from(rate.wrapping_add(qp) & 3)],
            _ => 0,
        }
    }

    fn source_port(&self, bits: u16) -> u16 {
        SOURCE_PORT ^ bits & 0x3FFE
    }
}
