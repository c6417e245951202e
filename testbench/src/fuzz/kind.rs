//! What a case draws of the link layer.
use crate::case::{Act, Case, ForgedLink};
use hca_golden::wire::lrh::MANAGEMENT_VL;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Largest number of blocks that counts as a crumb: less than a largest packet has (`protocol/link.md` section 5).
const CRUMB: u16 = 66;

/// Something of the link layer that a case has or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    FlowControl,
    ArbitrationTables,
    SlToVlTable,
    MoreThanTwoVls,
    LateCredits,
    CreditsInCrumbs,
    PortStepsWithFlowControl,
    SlToVlChange,
    OperationalVlsChange,
    ArbitrationChange,
    VlWithoutTurn,
    LinkPacketWithOp1,
    LinkPacketWithReservedOp,
    LinkPacketOnVl15,
    LinkPacketOnIdleVl,
    LinkPacketWithWrongLpcrc,
    LinkPacketWithWrongLength,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::FlowControl => "flow control",
            Kind::ArbitrationTables => "arbitration tables",
            Kind::SlToVlTable => "SL-to-VL tables",
            Kind::MoreThanTwoVls => "more than two VLs",
            Kind::LateCredits => "late credits of a VL",
            Kind::CreditsInCrumbs => "credits of a VL in crumbs",
            Kind::PortStepsWithFlowControl => "port steps with flow control",
            Kind::SlToVlChange => "changes of SL to VL",
            Kind::OperationalVlsChange => "changes of operational VLs",
            Kind::ArbitrationChange => "changes of arbitration",
            Kind::VlWithoutTurn => "VLs without a turn",
            Kind::LinkPacketWithOp1 => "link packets with Op 1",
            Kind::LinkPacketWithReservedOp => "with a reserved Op",
            Kind::LinkPacketOnVl15 => "on VL 15",
            Kind::LinkPacketOnIdleVl => "on an idle VL",
            Kind::LinkPacketWithWrongLpcrc => "with a wrong LPCRC",
            Kind::LinkPacketWithWrongLength => "with a wrong length",
        })
    }
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 17] = [
        Kind::FlowControl,
        Kind::ArbitrationTables,
        Kind::SlToVlTable,
        Kind::MoreThanTwoVls,
        Kind::LateCredits,
        Kind::CreditsInCrumbs,
        Kind::PortStepsWithFlowControl,
        Kind::SlToVlChange,
        Kind::OperationalVlsChange,
        Kind::ArbitrationChange,
        Kind::VlWithoutTurn,
        Kind::LinkPacketWithOp1,
        Kind::LinkPacketWithReservedOp,
        Kind::LinkPacketOnVl15,
        Kind::LinkPacketOnIdleVl,
        Kind::LinkPacketWithWrongLpcrc,
        Kind::LinkPacketWithWrongLength,
    ];

    /// Returns the kinds of a case.
    pub fn all_of(case: &Case) -> BTreeSet<Kind> {
        let frame = &case.frame;
        let mut kinds = BTreeSet::new();
        // Without `link_layer` only the first port has flow control.
        let is_first = frame.second_port.is_none_or(|second| !second.is_managed);
        if frame.credits.is_none() || !(is_first || frame.controlled().is_some()) {
            return kinds;
        }
        kinds.insert(Kind::FlowControl);
        kinds.extend(frame.lanes.as_ref().map(|_| Kind::ArbitrationTables));
        let changes = frame.controlled().is_some();
        if let Some(layer) = frame.controlled() {
            kinds.insert(Kind::SlToVlTable);
            let all = 0..frame.data_vls();
            let used = all.filter(|vl| layer.sl_to_vl.contains(vl)).count();
            kinds.extend((used > 2).then_some(Kind::MoreThanTwoVls));
            kinds.extend(layer.slow.map(|slow| match slow.blocks < CRUMB {
                true => Kind::CreditsInCrumbs,
                false => Kind::LateCredits,
            }));
        }
        let mut operational = frame.data_vls();
        for step in &case.steps {
            match &step.act {
                Act::ForgeLink { packets } => {
                    kinds.extend(packets.iter().flat_map(|p| of_packet(p, operational)))
                }
                Act::SetPortState { .. } | Act::DisablePort | Act::SetCable { .. } if changes => {
                    kinds.insert(Kind::PortStepsWithFlowControl);
                }
                Act::SetSlToVl { .. } if changes => {
                    kinds.insert(Kind::SlToVlChange);
                }
                Act::SetDataVls { data_vls } if changes => {
                    operational = *data_vls;
                    kinds.insert(Kind::OperationalVlsChange);
                }
                Act::SetLanes { lanes } if changes => {
                    kinds.insert(Kind::ArbitrationChange);
                    let starved = lanes.unserved(frame.data_vls());
                    kinds.extend(starved.map(|_| Kind::VlWithoutTurn));
                }
                _ => {}
            }
        }
        kinds
    }
}

/// Returns the kinds of a forged link packet for a port with this number of operational data VLs.
fn of_packet(packet: &ForgedLink, operational: u8) -> Vec<Kind> {
    let is_sound = packet.is_sound();
    let has = [
        (!packet.flips.is_empty(), Kind::LinkPacketWithWrongLpcrc),
        (packet.longer != 0, Kind::LinkPacketWithWrongLength),
        (is_sound && packet.op == 1, Kind::LinkPacketWithOp1),
        (is_sound && packet.op > 1, Kind::LinkPacketWithReservedOp),
        (is_sound && packet.vl == MANAGEMENT_VL, Kind::LinkPacketOnVl15),
        (
            is_sound && (operational..MANAGEMENT_VL).contains(&packet.vl),
            Kind::LinkPacketOnIdleVl,
        ),
    ];
    has.into_iter()
        .filter(|(has, _)| *has)
        .map(|(_, kind)| kind)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::frame::Frame;
    use crate::fuzz::draw_on;
    use crate::life::Area;
    use hca_golden::port::Link;
    use hca_host::profile::{LINE, MID, PAIR, SMALL};

    /// The number of cases of 300 with each kind.
    fn counts(profile: &str, link: Link) -> Vec<(Kind, usize)> {
        let areas = [Area::All, Area::Hostile, Area::Link];
        let kinds: Vec<BTreeSet<Kind>> = (0..300)
            .zip(areas.into_iter().cycle())
            .map(|(index, area)| {
                let drawn = draw_on(33, index, area, |frame| Frame {
                    profile: profile.to_owned(),
                    link,
                    ..frame
                });
                Kind::all_of(&drawn.case())
            })
            .collect();
        let count = |kind: &Kind| kinds.iter().filter(|of| of.contains(kind)).count();
        Kind::ALL.into_iter().map(|kind| (kind, count(&kind))).collect()
    }

    #[test]
    fn each_kind_appears() {
        for profile in [SMALL.name, PAIR.name, MID.name, LINE.name] {
            let counts = counts(profile, Link::InfiniBand);
            for (kind, count) in &counts {
                let has_few = *kind == Kind::MoreThanTwoVls && [SMALL.name, PAIR.name].contains(&profile);
                assert_eq!(*count == 0, has_few, "{profile}: {counts:?}");
            }
        }
    }

    #[test]
    fn none_appears_over_ethernet() {
        assert!(counts(SMALL.name, Link::Roce)
            .iter()
            .all(|(_, count)| *count == 0));
    }
}
