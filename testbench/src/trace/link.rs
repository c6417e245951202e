//! Link packets as data (`protocol/link.md` section 4).
use super::dissection::Field;
use super::field::{decimal, hex, HeaderLayout};

/// A flow-control packet.
const FLOW_CONTROL: HeaderLayout = HeaderLayout {
    bytes: 4,
    fields: &[
        decimal("Link.Op", "infiniband_link.op", 0, 4),
        decimal("Link.FCTBS", "infiniband_link.fctbs", 4, 12),
        decimal("Link.VL", "infiniband_link.vl", 16, 4),
        decimal("Link.FCCL", "infiniband_link.fccl", 20, 12),
    ],
};
const LPCRC: HeaderLayout = HeaderLayout {
    bytes: 2,
    fields: &[hex("Link.LPCRC", "infiniband_link.lpcrc", 0, 16)],
};

/// Dissects a link packet, whatever it holds; stops where its bytes end.
pub fn dissect(packet: &[u8]) -> Vec<Field> {
    let mut fields = Vec::with_capacity(FLOW_CONTROL.fields.len() + LPCRC.fields.len());
    let mut rest = packet;
    for layout in [FLOW_CONTROL, LPCRC] {
        let Some((header, behind)) = rest.split_at_checked(layout.bytes) else {
            break;
        };
        fields.extend(layout.fields.iter().map(|layout| Field {
            layout,
            value: layout.value(header),
        }));
        rest = behind;
    }
    fields
}

/// Returns the name of a link packet by its Op; `None` stands for one that ends before it.
pub fn name(op: Option<u128>) -> String {
    match op {
        Some(0) => "FLOW_CONTROL_NORMAL".to_owned(),
        Some(1) => "FLOW_CONTROL_INITIALISE".to_owned(),
        Some(op) => format!("LINK_OP_{op}"),
        None => "no Op".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_shown_as_far_as_it_goes() {
        // `fcp_vectors.csv`: Op 0, FCTBS 291, VL 3, FCCL 1110.
        let packet = [0x01, 0x23, 0x34, 0x56, 0xD1, 0x9F, 0xFF];
        let values = |bytes: &[u8]| dissect(bytes).iter().map(|field| field.value).collect::<Vec<_>>();
        for length in 0..4 {
            assert_eq!(values(&packet[..length]), []);
        }
        for length in 4..6 {
            assert_eq!(values(&packet[..length]), [0, 291, 3, 1110]);
        }
        for length in 6..=7 {
            assert_eq!(values(&packet[..length]), [0, 291, 3, 1110, 0xD19F]);
        }
    }
}
