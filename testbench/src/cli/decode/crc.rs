//! The check of a captured packet's CRC.
use hca_golden::wire::crc::{vcrc, VCRC_BYTES};
use hca_golden::wire::flow_control::FlowControl;
use hca_golden::wire::header::HeaderFormat;

/// The result of the check of a CRC. Values are as on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crc {
    Right,
    Wrong { received: String, computed: String },
    Absent,
}

impl Crc {
    /// Compares the bytes that came with those that should have come.
    pub(super) fn of(received: &[u8], computed: &[u8]) -> Crc {
        match received == computed {
            true => Crc::Right,
            false => Crc::Wrong {
                received: hex(received),
                computed: hex(computed),
            },
        }
    }

    /// Checks the LPCRC of a link packet, as far as it was kept. It is computed like a VCRC (`link.md` section 4).
    pub(super) fn of_link_packet(packet: &[u8]) -> Crc {
        let parts = packet.split_at_checked(FlowControl::BYTES);
        match parts.and_then(|(covered, rest)| Some((covered, rest.first_chunk::<VCRC_BYTES>()?))) {
            Some((covered, received)) => Crc::of(received, &vcrc(covered)),
            None => Crc::Absent,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|b| format!("{b:02x}"))
        .fold("0x".to_owned(), |text, b| text + &b)
}
