//! The legal attributes of an address handle (`ud.md` section 1, CF310).
use super::static_rate;
use crate::port::{Link, PortConfig};
use crate::psn;
use crate::refusal::VerbError;
use crate::verbs::AddressHandle;
use crate::wire::multicast;
use std::net::Ipv6Addr;

/// A field of an address handle that may hold an illegal value.
struct Check {
    field: &'static str,
    value: fn(&AddressHandle) -> u64,
    legal: &'static str,
    holds: fn(&PortConfig, &AddressHandle) -> bool,
}

/// The checks of a handle of an existing port.
const CHECKS: [Check; 10] = [
    Check {
        field: "sgid_index",
        value: |a| a.sgid_index.into(),
        legal: "an entry of the port's GID table",
        holds: |port, a| a.global.is_none() || a.sgid_index < port.gid_entries(),
    },
    Check {
        field: "static_rate",
        value: |a| a.static_rate.into(),
        legal: "a code of static_rate.csv",
        holds: |_, a| static_rate::is_code(a.static_rate),
    },
    Check {
        field: "dlid",
        value: |a| a.dlid.into(),
        legal: "not 0000h, and a multicast LID only with a GRH",
        holds: |port, a| {
            let multicast = multicast::LIDS.contains(&a.dlid);
            port.link == Link::Roce || a.dlid != 0 && (!multicast || a.global.is_some())
        },
    },
    Check {
        field: "sl",
        value: |a| a.sl.into(),
        legal: "below 16, and below 8 on a RoCE link",
        holds: |port, a| a.sl < if port.link == Link::Roce { 8 } else { 16 },
    },
    Check {
        field: "source_path_bits",
        value: |a| a.source_path_bits.into(),
        legal: "below 128",
        holds: |_, a| a.source_path_bits < 128,
    },
    Check {
        field: "global",
        value: |a| a.global.is_some().into(),
        legal: "given on a RoCE link",
        holds: |port, a| port.link != Link::Roce || a.global.is_some(),
    },
    Check {
        field: "dest_mac",
        value: |a| a.dest_mac.is_some().into(),
        legal: "given on a RoCE link",
        holds: |port, a| port.link != Link::Roce || a.dest_mac.is_some(),
    },
    Check {
        field: "dgid",
        value: |_| 0,
        legal: "on a RoCE link an address of the port's IP version",
        holds: |port, a| {
            let is_ipv4 = |gid| Ipv6Addr::from(gid).to_ipv4_mapped().is_some();
            let same = |dgid| port.link != Link::Roce || is_ipv4(dgid) == is_ipv4(port.gid);
            a.global.is_none_or(|global| same(global.dgid))
        },
    },
    Check {
        field: "flow_label",
        value: |a| a.global.map_or(0, |global| global.flow_label.into()),
        legal: "below 2^20",
        holds: |_, a| a.global.is_none_or(|global| global.flow_label < 1 << 20),
    },
    Check {
        field: "pd",
        value: |a| a.pd.into(),
        legal: "below 2^24",
        holds: |_, a| a.pd <= psn::MASK,
    },
];

/// Returns `Err` for the first field with an illegal value. `port` is the port that the handle names; `None` if the
/// device has none of that number (`link.md` section 8).
pub fn refuse(port: Option<&PortConfig>, a: &AddressHandle) -> Result<(), VerbError> {
    let Some(port) = port else {
        return Err(VerbError::NoPort(a.port));
    };
    match CHECKS.iter().find(|check| !(check.holds)(port, a)) {
        None => Ok(()),
        Some(check) => Err(VerbError::Attribute {
            name: check.field,
            value: (check.value)(a),
            legal: check.legal,
        }),
    }
}
