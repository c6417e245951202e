//! Routes of a QP's packets to its peer.
use super::words::{fits, Words};
use super::DriverError;
use hca_host::argument::qp;
use hca_host::command::modify_qp;
use std::net::Ipv6Addr;

/// The route to a QP's peer: address vector (`protocol/qp_cq.md` section 2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressVector {
    /// Destination LID; 0 with RoCEv2.
    pub dlid: u16,
    /// Service level, 4 bits.
    pub sl: u8,
    /// Low bits of the source LID, 7 bits; below 2^LMC.
    pub source_path_bits: u8,
    /// Code of `static_rate.csv`, 6 bits; 0 for the rate of the port. Of no effect with RoCEv2.
    pub static_rate: u8,
    /// Fields of the GRH; `None` for packets without a GRH. Always given with RoCEv2.
    pub global: Option<GlobalRoute>,
    /// Entry of the port's GID table; counts only with a GRH.
    pub sgid_index: u8,
    /// Additional fields for RoCEv2; given there only.
    pub ethernet: Option<EthernetRoute>,
}

/// Fields of the GRH of a QP's packets; with RoCEv2, of the IP header in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalRoute {
    /// Destination GID; with RoCEv2 an IP address, IPv4 as ::ffff:a.b.c.d.
    pub dgid: [u8; 16],
    /// Flow label, 20 bits.
    pub flow_label: u32,
    pub traffic_class: u8,
    pub hop_limit: u8,
}

/// Additional fields for RoCEv2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EthernetRoute {
    pub dest_mac: [u8; 6],
    /// UDP source port.
    pub source_port: u16,
}

/// The driver's copy of its port's settings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnPort {
    pub lmc: u8,
    pub gid: [u8; 16],
    pub flow_control: bool,
}

impl OwnPort {
    /// Returns true if an IP address has the same version as the port's own.
    pub fn speaks(&self, ip: &[u8; 16]) -> bool {
        let is_ipv4 = |gid: [u8; 16]| Ipv6Addr::from(gid).to_ipv4_mapped().is_some();
        is_ipv4(*ip) == is_ipv4(self.gid)
    }
}

/// Unicast LIDs (`protocol/link.md` section 2).
const UNICAST: std::ops::RangeInclusive<u16> = 1..=0xBFFF;

impl AddressVector {
    /// Returns `Err` for an address that no packet of this port can have.
    pub(super) fn check(&self, port: &OwnPort, roce: bool) -> Result<(), DriverError> {
        let refuse = |field, why| Err(DriverError::BadAddress { field, why });
        if self.source_path_bits >> port.lmc != 0 {
            return refuse("source_path_bits", "not below 2^LMC of the port");
        }
        if !roce {
            return match UNICAST.contains(&self.dlid) {
                true => Ok(()),
                false => refuse("dlid", "no unicast LID, 0001h to BFFFh"),
            };
        }
        match &self.global {
            _ if self.dlid != 0 => refuse("dlid", "a RoCE link has none"),
            None => refuse("global", "missing on a RoCE link"),
            Some(_) if self.ethernet.is_none() => refuse("ethernet", "missing on a RoCE link"),
            Some(global) if !port.speaks(&global.dgid) => {
                refuse("dgid", "of another IP version than the port's address")
            }
            Some(_) => Ok(()),
        }
    }

    pub(super) fn write(&self, words: &mut Words) -> Result<(), DriverError> {
        let global = self.global.clone().unwrap_or_default();
        let ethernet = self.ethernet.clone().unwrap_or_default();
        let (mac_high, mac_low) = mac_words(&ethernet.dest_mac);
        words.put(modify_qp::ADDRESS, qp::DLID.word(self.dlid.into()));
        words.put(modify_qp::ADDRESS, fits(&qp::SL, self.sl.into())?);
        words.put(
            modify_qp::ADDRESS,
            fits(&qp::SOURCE_PATH_BITS, self.source_path_bits.into())?,
        );
        words.put(modify_qp::GRH, qp::SGID_INDEX.word(self.sgid_index.into()));
        words.put(modify_qp::GRH, qp::GRH.word(self.global.is_some().into()));
        words.put(modify_qp::GRH, fits(&qp::FLOW_LABEL, global.flow_label)?);
        words.put(modify_qp::HOP, qp::HOP_LIMIT.word(global.hop_limit.into()));
        words.put(
            modify_qp::HOP,
            qp::TRAFFIC_CLASS.word(global.traffic_class.into()),
        );
        words.put(modify_qp::HOP, fits(&qp::STATIC_RATE, self.static_rate.into())?);
        for (n, word) in self::words(&global.dgid).into_iter().enumerate() {
            words.put(modify_qp::DGID + n, word);
        }
        words.put(modify_qp::MAC_HIGH, qp::MAC_HIGH.word(mac_high));
        words.put(
            modify_qp::MAC_HIGH,
            qp::SOURCE_PORT.word(ethernet.source_port.into()),
        );
        words.put(modify_qp::MAC_LOW, mac_low);
        Ok(())
    }

    /// Decodes the address that the hardware reports. `roce` says whether the link is RoCEv2.
    pub(super) fn read(words: &Words, roce: bool) -> AddressVector {
        let address = words.get(modify_qp::ADDRESS);
        let (grh, hop) = (words.get(modify_qp::GRH), words.get(modify_qp::HOP));
        let mut dgid = [0; 16];
        for (n, bytes) in dgid.chunks_exact_mut(4).enumerate() {
            bytes.copy_from_slice(&words.get(modify_qp::DGID + n).to_be_bytes());
        }
        let (high, low) = (words.get(modify_qp::MAC_HIGH), words.get(modify_qp::MAC_LOW));
        let [_, _, a, b] = qp::MAC_HIGH.of(high).to_be_bytes();
        let [c, d, e, f] = low.to_be_bytes();
        AddressVector {
            dlid: qp::DLID.of(address) as u16,
            sl: qp::SL.of(address) as u8,
            source_path_bits: qp::SOURCE_PATH_BITS.of(address) as u8,
            static_rate: qp::STATIC_RATE.of(hop) as u8,
            global: (qp::GRH.of(grh) != 0).then(|| GlobalRoute {
                dgid,
                flow_label: qp::FLOW_LABEL.of(grh),
                traffic_class: qp::TRAFFIC_CLASS.of(hop) as u8,
                hop_limit: qp::HOP_LIMIT.of(hop) as u8,
            }),
            sgid_index: qp::SGID_INDEX.of(grh) as u8,
            ethernet: roce.then(|| EthernetRoute {
                dest_mac: [a, b, c, d, e, f],
                source_port: qp::SOURCE_PORT.of(high) as u16,
            }),
        }
    }
}

/// Returns the four words of a GID, first word first.
pub(super) fn words(gid: &[u8; 16]) -> [u32; 4] {
    let word = |n: usize| {
        gid[4 * n..][..4]
            .iter()
            .fold(0, |word, &byte| word << 8 | u32::from(byte))
    };
    std::array::from_fn(word)
}

/// Returns the first two and the last four bytes of a MAC address.
pub(super) fn mac_words(mac: &[u8; 6]) -> (u32, u32) {
    let [a, b, c, d, e, f] = *mac;
    (u32::from_be_bytes([0, 0, a, b]), u32::from_be_bytes([c, d, e, f]))
}
