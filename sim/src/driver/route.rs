//! The network part of a QP's address.
use super::DriverError;
use hca_rtl::host::command::modify_qp;

/// What the GRH of a QP's packets says; with RoCEv2 the IP header in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalRoute {
    /// Destination GID; with RoCEv2 an IP address, IPv4 as ::ffff:a.b.c.d.
    pub dgid: [u8; 16],
    /// 20 bits.
    pub flow_label: u32,
    pub traffic_class: u8,
    pub hop_limit: u8,
}

/// What RoCEv2 needs beyond that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EthernetRoute {
    pub dest_mac: [u8; 6],
    /// UDP source port.
    pub source_port: u16,
}

impl GlobalRoute {
    pub(super) fn check(&self) -> Result<(), DriverError> {
        if self.flow_label >> 20 != 0 {
            return Err(DriverError::FieldTooWide {
                field: "flow label",
                value: self.flow_label,
                bits: 20,
            });
        }
        Ok(())
    }

    pub(super) fn write(&self, arguments: &mut [u32]) {
        arguments[modify_qp::GRH] = 1 << 31 | self.flow_label;
        arguments[modify_qp::HOP] = u32::from(self.hop_limit) | u32::from(self.traffic_class) << 8;
        arguments[modify_qp::DGID..][..4].copy_from_slice(&words(&self.dgid));
    }
}

impl EthernetRoute {
    pub(super) fn write(&self, arguments: &mut [u32]) {
        let (high, low) = mac_words(&self.dest_mac);
        arguments[modify_qp::MAC_HIGH] = high | u32::from(self.source_port) << 16;
        arguments[modify_qp::MAC_LOW] = low;
    }
}

/// The four words of a GID, first word first.
pub(super) fn words(gid: &[u8; 16]) -> [u32; 4] {
    let word = |n: usize| {
        gid[4 * n..][..4]
            .iter()
            .fold(0, |word, &byte| word << 8 | u32::from(byte))
    };
    std::array::from_fn(word)
}

/// First two and last four bytes of a MAC address.
pub(super) fn mac_words(mac: &[u8; 6]) -> (u32, u32) {
    let [a, b, c, d, e, f] = *mac;
    (u32::from_be_bytes([0, 0, a, b]), u32::from_be_bytes([c, d, e, f]))
}
