//! The packets of a capture, and what is made of each.
use super::look::{sound, Look};
use super::whole::Whole;
use crate::capture::fault::Fault;
use crate::capture::layer::Layer;
use crate::capture::{Capture, Record};
use crate::check::{is_positive, Judge, Pairing, Tenant};
use crate::cli::decode::packet::Captured;
use hca_golden::wire::packet::Packet;
use std::collections::BTreeMap;
use std::io::Read;
use std::time::Duration;

/// A mirror shows each packet of at least one direction twice: one in so many packets, or more, is a copy.
const MIRROR: u64 = 4;

/// What is known of a packet beside its own fields.
pub struct Seen {
    pub number: u64,
    pub time: Duration,
    pub tenant: Tenant,
}

/// Reads a capture, and counts what is passed over.
#[derive(Default)]
pub struct Reading {
    zero_icrc: bool,
    /// The capture holds packets twice: a mirror of both directions of a port.
    mirror: bool,
    /// The bytes of the latest packet of RDMA, without what is around it, and its tenant.
    latest: (Vec<u8>, Tenant),
    /// Packets of RDMA.
    packets: u64,
    /// Packets that are the same as the one before, in a mirror.
    pub twice: u64,
    /// Packets that are the same as the one before, and no NAKs.
    repeated: u64,
    /// Packets whose ICRC was not made yet.
    pub unprotected: u64,
    pub not_rdma: u64,
    /// By the number of their link type.
    pub other_links: BTreeMap<u32, u64>,
    /// ICRCs that are 0 and count as wrong.
    pub zero: u64,
}

impl Reading {
    pub fn new(zero_icrc: bool) -> Reading {
        Reading {
            zero_icrc,
            ..Reading::default()
        }
    }

    /// The same file once more, with what is known of it.
    pub fn again(&self) -> Reading {
        Reading {
            mirror: self.repeated * MIRROR >= self.packets,
            ..Reading::new(self.zero_icrc)
        }
    }

    /// Every packet of RDMA, in order.
    pub fn each(&mut self, file: impl Read, mut take: impl FnMut(&Seen, Look)) -> Result<(), Fault> {
        for record in Capture::new(file)? {
            let record = record?;
            if let Some(whole) = Whole::of(&record) {
                self.one(
                    &record,
                    &whole.bytes,
                    &whole.tenant,
                    sound(whole.packet),
                    &mut take,
                );
                continue;
            }
            match Captured::of(&record) {
                Captured::Rdma(rdma) => {
                    let look = Look::at(&rdma, self.zero_icrc);
                    self.unprotected += u64::from(matches!(look, Look::Unprotected(_)));
                    self.zero += u64::from(rdma.has_zero_icrc() && matches!(look, Look::Malformed(..)));
                    self.one(&record, &rdma.bytes, &rdma.tenant, look, &mut take);
                }
                Captured::Other => self.not_rdma += 1,
                Captured::OtherLink(number) => *self.other_links.entry(number).or_default() += 1,
            }
        }
        Ok(())
    }

    fn one(
        &mut self,
        record: &Record,
        bytes: &[u8],
        tenant: &[Layer],
        look: Look,
        take: &mut impl FnMut(&Seen, Look),
    ) {
        let tenant = Tenant::of(tenant);
        self.packets += 1;
        if self.is_repeated(bytes, tenant) {
            self.repeated += u64::from(look.packet().is_none_or(is_positive));
            if self.mirror {
                self.twice += 1;
                return;
            }
        }
        let seen = Seen {
            number: record.number,
            time: record.time,
            tenant,
        };
        take(&seen, look);
    }

    /// The packet is the one before once more: the copy of a mirror, or a retry. An interface may show a packet with
    /// its tag, and another one without.
    fn is_repeated(&mut self, bytes: &[u8], tenant: Tenant) -> bool {
        let (latest, of) = &mut self.latest;
        let same_tenant = tenant == *of || [tenant, *of].contains(&Tenant::default());
        if bytes == latest && same_tenant {
            return true;
        }
        latest.clear();
        latest.extend_from_slice(bytes);
        *of = tenant;
        false
    }
}

impl Look {
    /// The packet, as far as it is known.
    pub fn packet(&self) -> Option<&Packet> {
        match self {
            Look::Sound(packet) | Look::Unprotected(packet) | Look::Newer(packet) => Some(packet),
            Look::Malformed(packet, ..) => packet.as_ref(),
            Look::Cut | Look::Foreign => None,
        }
    }
}

/// Takes what tells which answers are for which requests.
pub fn pair(pairing: &mut Pairing, seen: &Seen, look: &Look) {
    match look {
        Look::Sound(packet) | Look::Unprotected(packet) => pairing.packet(seen.tenant, packet),
        Look::Newer(packet) => pairing.newer(seen.tenant, packet),
        Look::Malformed(..) | Look::Cut | Look::Foreign => {}
    }
}

/// A judge, and what was kept from it.
pub struct Checked {
    pub judge: Judge,
    /// Packets that were cut short within their headers.
    pub cut: u64,
}

impl Checked {
    pub fn new(judge: Judge) -> Checked {
        Checked { judge, cut: 0 }
    }

    pub fn look(&mut self, seen: &Seen, look: Look) {
        let Seen { number, time, tenant } = *seen;
        match look {
            Look::Sound(packet) | Look::Unprotected(packet) => {
                self.judge.packet(number, time, tenant, &packet);
            }
            Look::Newer(packet) => self.judge.newer(number, time, tenant, &packet),
            Look::Malformed(packet, rule, why) => {
                self.judge.malformed(number, tenant, packet.as_ref(), (rule, why));
            }
            Look::Cut => {
                self.cut += 1;
                self.judge.cut();
            }
            Look::Foreign => self.judge.foreign(),
        }
    }

    /// At least one packet was held to a rule.
    pub fn is_judged(&self) -> bool {
        self.judge.counts().are_judged() || !self.judge.findings().is_empty()
    }
}
