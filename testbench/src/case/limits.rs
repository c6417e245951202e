//! The ranges of the numbers of a step. A run can play numbers in these ranges, whether or not a device refuses them.
use super::beyond::Beyond;
use super::datagram::{Address, Destination, QKey};
use super::forged::{Forged, ForgedLink};
use super::step::{Act, Given, Step, Volley, Work};
use super::terms::Terms;
use hca_golden::port::{GIDS, P_KEYS};
use std::ops::RangeInclusive;

/// Number of queue pairs of a life, on each side. Those with the same number are peers.
pub const QPS: u8 = 3;
/// Largest number of entries of a connection's receive queue.
pub const RECEIVES: u8 = 64;
/// Number of completion queues.
pub const CQS: u8 = 3;
/// Number of memory regions. Region 0 exists from the start.
pub const REGIONS: u8 = 3;
/// Region that Sends with Invalidate take out of use. No other likely work uses it.
pub const INVALIDATED: u8 = REGIONS - 1;
/// Number of address handles. The next number is beyond the limit of the smallest profile, the one after it beyond that
/// of every profile.
pub const HANDLES: u8 = 4;
/// Number of handles that a step may name.
pub const HANDLE_NUMBERS: u8 = HANDLES + 2;
/// Number of multicast groups: one more than the smallest profile has, then one with the GID of the first and another
/// LID, and an address that belongs to no group.
pub const GROUPS: u8 = 11;
/// Lengths of a Write that has more than 64 of the smallest packets, in bytes.
pub const LONG_WRITE: RangeInclusive<u32> = 16_385..=20_000;
/// Number of bits of the longest headers up to the end of the BTH.
pub const HEADER_BITS: u16 = 8 * (14 + 20 + 8 + 12);
/// Largest DMALen of a forged RETH, so that a Read of it ends in time.
const DMA_LENGTH: u32 = 1 << 16;
const MAX_MESSAGE: u32 = 1 << 31;
/// Number of bits of a link packet.
pub const LINK_PACKET_BITS: u8 = 48;
/// Number of bytes that may be added to a link packet, or removed if negative. At least one byte stays, and there are
/// at most two beats.
pub const LINK_PACKET_LONGER: RangeInclusive<i8> = -5..=10;
/// Largest QPN.
const QPN: u32 = 0xFF_FFFF;
/// Producers of a doorbell that no ring of a life reaches.
const BEHIND: RangeInclusive<i16> = -1000..=-1;
const AHEAD: RangeInclusive<i16> = 130..=1000;

type Checked = Result<(), Beyond>;

fn small(field: &str, number: u8, things: u8) -> Checked {
    Beyond::unless_within(field, number, 0..=things - 1)
}

impl Step {
    /// Checks that all numbers are in their ranges.
    pub fn check(&self) -> Result<(), Beyond> {
        self.act.check()
    }
}

impl Act {
    /// Returns the name in a file.
    pub fn name(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        value["act"].as_str().unwrap_or_default().to_owned()
    }

    fn check(&self) -> Checked {
        match self {
            Act::CreateCq { cq, .. }
            | Act::QueryCq { cq }
            | Act::ResizeCq { cq, .. }
            | Act::DestroyCq { cq }
            | Act::RequestNotify { cq, .. } => small("cq", *cq, CQS),
            Act::CreateQp {
                qp,
                send_cq,
                receive_cq,
                ..
            } => {
                small("qp", *qp, QPS)?;
                small("send_cq", *send_cq, CQS)?;
                small("receive_cq", *receive_cq, CQS)
            }
            Act::Connect { qp, cq, terms, .. } => {
                small("qp", *qp, QPS)?;
                small("cq", *cq, CQS)?;
                terms.iter().try_for_each(Terms::check)
            }
            Act::ModifyQp { qp, given, .. } => {
                small("qp", *qp, QPS)?;
                given.check()
            }
            Act::QueryQp { qp } | Act::DestroyQp { qp } => small("qp", *qp, QPS),
            Act::RegMr { region } | Act::DeregMr { region } | Act::Invalidate { region } => {
                small("region", *region, REGIONS)
            }
            Act::CreateAh { handle, address } | Act::ModifyAh { handle, address } => {
                small("handle", *handle, HANDLE_NUMBERS)?;
                address.check()
            }
            Act::QueryAh { handle } | Act::DestroyAh { handle } => small("handle", *handle, HANDLE_NUMBERS),
            Act::Attach { qp, group } | Act::Detach { qp, group } => {
                small("qp", *qp, QPS)?;
                small("group", *group, GROUPS)
            }
            Act::PostSend { qp, work } | Act::PostReceive { qp, work } => {
                small("qp", *qp, QPS)?;
                work.check("work")
            }
            Act::Ring { qp, ahead, .. } => {
                small("qp", *qp, QPS)?;
                match BEHIND.contains(ahead) || AHEAD.contains(ahead) {
                    true => Ok(()),
                    false => Err(Beyond {
                        field: "ahead".to_owned(),
                        value: ahead.to_string(),
                        permitted: format!(
                            "{} to {}, or {} to {}",
                            BEHIND.start(),
                            BEHIND.end(),
                            AHEAD.start(),
                            AHEAD.end()
                        ),
                    }),
                }
            }
            Act::Burst {
                qp,
                work,
                others,
                met,
                ..
            } => {
                small("qp", *qp, QPS)?;
                work.check("work")?;
                for (n, work) in others.iter().enumerate() {
                    work.check(&format!("others[{n}]"))?;
                }
                met.iter().try_for_each(|volley| volley.check("met"))
            }
            Act::Forge { qp, packet, others } => {
                small("qp", *qp, QPS)?;
                packet.check().map_err(|e| e.of("packet"))?;
                others.iter().try_for_each(|volley| volley.check("others"))
            }
            Act::ForgeLink { packets } => {
                let mut packets = packets.iter().enumerate();
                packets.try_for_each(|(n, packet)| packet.check().map_err(|e| e.of(&format!("packets[{n}]"))))
            }
            Act::SetPKey { index, .. } => small("index", *index, P_KEYS as u8),
            Act::SetSlToVl { table } => {
                let mut vls = table.iter().enumerate();
                vls.try_for_each(|(sl, vl)| Beyond::unless_within(&format!("table[{sl}]"), *vl, 0..=15))
            }
            Act::SetDataVls { data_vls } => match data_vls {
                1 | 2 | 4 | 8 => Ok(()),
                _ => Err(Beyond {
                    field: "data_vls".to_owned(),
                    value: data_vls.to_string(),
                    permitted: "1, 2, 4 or 8".to_owned(),
                }),
            },
            Act::SetLanes { lanes } => lanes.check_entries(),
            Act::SetPortState { .. }
            | Act::DisablePort
            | Act::SetCable { .. }
            | Act::RaisePort
            | Act::Wait { .. } => Ok(()),
        }
    }
}

impl Work {
    fn check(&self, part: &str) -> Checked {
        Beyond::unless_within("length", self.length, 0..=*LONG_WRITE.end())
            .and_then(|()| small("region", self.region, REGIONS))
            .and_then(|()| self.to.iter().try_for_each(Destination::check))
            .map_err(|e| e.of(part))
    }
}

impl Destination {
    fn check(&self) -> Checked {
        small("to.handle", self.handle, HANDLE_NUMBERS)?;
        small("to.qp", self.qp, QPS)?;
        self.q_key.check("to.q_key")
    }
}

impl QKey {
    fn check(&self, field: &str) -> Checked {
        match self {
            QKey::Right | QKey::Other => Ok(()),
            QKey::Wrong(bit) => Beyond::unless_within(field, *bit, 0..=31),
        }
    }
}

impl Address {
    fn check(&self) -> Checked {
        small("address.qp", self.qp, QPS)?;
        small("address.group", self.group.unwrap_or(0), GROUPS)
    }
}

impl Given {
    fn check(&self) -> Checked {
        match self {
            Given::Required => Ok(()),
            Given::Without(n) => Beyond::unless_within("given.without", *n, 0..=6),
            Given::With(n) => Beyond::unless_within("given.with", *n, 0..=17),
            Given::Wrong(n) => Beyond::unless_within("given.wrong", *n, 0..=3),
        }
    }
}

impl Terms {
    fn check(&self) -> Checked {
        let dest = self.max_dest_rd_atomic.unwrap_or_default();
        [
            ("pmtu", self.pmtu, 4),
            ("timeout", self.timeout, 31),
            ("retry_cnt", self.retry_cnt, 7),
            ("min_rnr_timer", self.min_rnr_timer, 31),
            ("rnr_retry", self.rnr_retry, 7),
            ("max_rd_atomic", self.max_rd_atomic, 16),
            ("max_dest_rd_atomic", dest, 16),
            ("without_access", self.without_access.unwrap_or_default(), 2),
        ]
        .into_iter()
        .try_for_each(|(field, value, most)| Beyond::unless_within(field, value, 0..=most))
        .and_then(|()| Beyond::unless_within("receives", self.receives.unwrap_or(1), 1..=RECEIVES))
        .map_err(|e| e.of("terms"))
    }
}

impl Volley {
    fn check(&self, part: &str) -> Checked {
        let mut packets = self.packets.iter().enumerate();
        packets.try_for_each(|(n, packet)| packet.check().map_err(|e| e.of(&format!("{part}.packets[{n}]"))))
    }
}

impl Forged {
    fn check(&self) -> Checked {
        for (n, bit) in self.flips.iter().enumerate() {
            Beyond::unless_within(&format!("flips[{n}]"), *bit, 0..=HEADER_BITS - 1)?;
        }
        self.q_key.check("q_key")?;
        small("group", self.group.unwrap_or(0), GROUPS)?;
        let qpn = |field, qpn: Option<u32>| Beyond::unless_within(field, qpn.unwrap_or(0), 0..=QPN);
        qpn("source_qp", self.source_qp)?;
        qpn("dest_qp", self.dest_qp)?;
        Beyond::unless_within("vl", self.vl.unwrap_or(0), 0..=15)?;
        small("gid", self.gid.unwrap_or(0), GIDS as u8)?;
        match self.dma_length {
            Some(bytes) if (DMA_LENGTH + 1..=MAX_MESSAGE).contains(&bytes) => Err(Beyond {
                field: "dma_length".to_owned(),
                value: bytes.to_string(),
                permitted: format!("0 to {DMA_LENGTH}, or more than {MAX_MESSAGE}"),
            }),
            _ => Ok(()),
        }
    }
}

impl ForgedLink {
    fn check(&self) -> Checked {
        Beyond::unless_within("op", self.op, 0..=15)?;
        Beyond::unless_within("vl", self.vl, 0..=15)?;
        for (n, bit) in self.flips.iter().enumerate() {
            Beyond::unless_within(&format!("flips[{n}]"), *bit, 0..=LINK_PACKET_BITS - 1)?;
        }
        Beyond::unless_within("longer", self.longer, LINK_PACKET_LONGER)
    }
}
