//! Subnet management packets as fields, behind the header of their MAD (`protocol/mad.md` section 2).
use super::field::{hex, HeaderLayout};

const BYTES: usize = 232;

const ROUTED: HeaderLayout = HeaderLayout {
    bytes: BYTES,
    fields: &[hex("SMP.M_Key", "infiniband.smplid.mkey", 0, 64)],
};

const DIRECTED: HeaderLayout = HeaderLayout {
    bytes: BYTES,
    fields: &[
        hex("SMP.M_Key", "infiniband.smplid.mkey", 0, 64),
        hex("SMP.DrSLID", "infiniband.smpdirected.drslid", 64, 16),
        hex("SMP.DrDLID", "infiniband.smpdirected.drdlid", 80, 16),
    ],
};

/// Returns the fields of an SMP; `None` for a MAD of another class.
pub fn layout(class: u8) -> Option<&'static HeaderLayout> {
    match class {
        0x01 => Some(&ROUTED),
        0x81 => Some(&DIRECTED),
        _ => None,
    }
}
