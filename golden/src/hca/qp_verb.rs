//! Verbs of queue pairs (`protocol/qp_cq.md` section 1 and 2). A refused verb changes nothing.
use super::modification::Modification;
use super::queue_pair::QueuePair;
use super::Hca;
use crate::decision::transition::{self, Fault, Kind};
use crate::decision::{special_qps, static_rate};
use crate::modification::{AddressVector, Attribute, Attributes, QpChanges};
use crate::port::{Link, PortConfig, FIRST};
use crate::psn;
use crate::refusal::VerbError;
use crate::verbs::{QpAttributes, QpState, Service};
use crate::work_queue::CAPACITY;
use std::net::Ipv6Addr;
use std::ops::RangeInclusive;

impl Hca {
    /// Creates a QP in Reset with the largest queues.
    pub fn create_qp(&mut self, attributes: &QpAttributes) -> Result<(), VerbError> {
        self.create_qp_with(attributes, self.capabilities.max_send_entries, CAPACITY)
    }

    /// Creates a QP in Reset with queues of this many entries. Attributes that modify_qp sets are ignored here.
    pub fn create_qp_with(
        &mut self,
        attributes: &QpAttributes,
        send_entries: usize,
        receive_entries: usize,
    ) -> Result<(), VerbError> {
        let qpn = attributes.qpn;
        let cqns = [attributes.send_cq, attributes.receive_cq];
        let queues = [send_entries, receive_entries];
        refuse_size(queues, [CAPACITY; 2])?;
        self.check_qpn(qpn)?;
        cqns.iter().try_for_each(|&cqn| self.check_cqn(cqn))?;
        if let Some(&other) = self.qps.keys().find(|&&q| self.index(q) == self.index(qpn)) {
            return Err(VerbError::QpExists { qpn, other });
        }
        let queues_of = [self.cq(cqns[0])?, self.cq(cqns[1])?];
        if let Some((_, cqn)) = queues_of.iter().zip(cqns).find(|(cq, _)| cq.failed) {
            return Err(VerbError::CqFailed(cqn));
        }
        let serves =
            |cqn: u32, qp: &QueuePair| [qp.attributes.send_cq, qp.attributes.receive_cq].contains(&cqn);
        let mixes = |cqn: &u32| {
            let mut served = self.qps.iter().filter(|(_, qp)| serves(*cqn, qp));
            served.any(|(&other, _)| self.is_special(other) != self.is_special(qpn))
        };
        if let Some(&cqn) = cqns.iter().find(|cqn| mixes(cqn)) {
            return Err(VerbError::CqReserved { cqn, qpn });
        }
        // `special_qps.md` section 1: a RoCE port has no QP0.
        if qpn == 0 && self.port(FIRST).config.link == Link::Roce {
            return Err(VerbError::NoSubnetManagement);
        }
        // `special_qps.md` section 1: QP0 and QP1 are of UD.
        let is_supported = match attributes.service {
            Service::Ud => true,
            Service::Rc | Service::Uc => !self.is_special(qpn),
            _ => false,
        };
        if !is_supported {
            return Err(VerbError::Service(attributes.service));
        }
        refuse_size(queues, [self.capabilities.max_send_entries, CAPACITY])?;
        let [send_entries, receive_entries] = queues.map(usize::next_power_of_two);
        let qp = QueuePair::new(attributes.clone(), self.capabilities);
        let qp = qp.with_queues(send_entries, receive_entries);
        self.qps.insert(qpn, qp);
        Ok(())
    }

    /// Moves a QP to `state` with these attributes (`qp_cq.md` section 1, CF233, CF234, CF238).
    ///
    /// Reset empties both queues. The move to RTR loads the receive side, the move from RTR to RTS the send side.
    pub fn modify_qp(&mut self, qpn: u32, state: QpState, changes: &QpChanges) -> Result<(), VerbError> {
        self.start_modify_qp(qpn, state, changes)?;
        self.finish_modification(qpn);
        Ok(())
    }

    /// Judges a modification. It takes effect when the device reports it
    /// ([`QpModified`](crate::event::Event::QpModified)).
    pub fn start_modify_qp(
        &mut self,
        qpn: u32,
        state: QpState,
        changes: &QpChanges,
    ) -> Result<(), VerbError> {
        let port = self.port_after(qpn, changes);
        check_ranges(changes, &self.port(port).config)?;
        self.check_qpn(qpn)?;
        let from = self.state(qpn)?;
        let service = self.qps.get(&qpn).map_or(Service::Rc, |qp| qp.attributes.service);
        let ports = self.capabilities.ports;
        match transition::fault(Kind { service, qpn, ports }, from, state, changes) {
            None => {}
            Some(Fault::Transition) => return Err(VerbError::Transition { qpn, from, to: state }),
            Some(Fault::Missing(attribute)) => return Err(VerbError::Missing { qpn, attribute }),
            Some(Fault::Forbidden(attribute)) => return Err(VerbError::Forbidden { qpn, attribute }),
            Some(Fault::Value(name, value, legal)) => {
                return Err(VerbError::Attribute { name, value, legal })
            }
        }
        self.begin(qpn, Modification::new(from, state, changes, false));
        Ok(())
    }

    /// Moves a QP to `state` with those of these attributes that the transition requires, and with end-to-end credits
    /// if the transition takes them.
    pub fn move_qp(&mut self, attributes: &QpAttributes, state: QpState) -> Result<(), VerbError> {
        self.start_move_qp(attributes, state)?;
        self.finish_modification(attributes.qpn);
        Ok(())
    }

    /// Judges the same move as [`move_qp`](Self::move_qp). It takes effect when the device reports it.
    pub fn start_move_qp(&mut self, attributes: &QpAttributes, state: QpState) -> Result<(), VerbError> {
        let from = self.qps.get(&attributes.qpn).map(|qp| qp.state);
        let ports = self.capabilities.ports;
        let changes = changes_to(attributes, from.unwrap_or(QpState::Reset), state, ports);
        self.start_modify_qp(attributes.qpn, state, &changes)
    }

    /// Returns the state of a QP, and the attributes that modify_qp has set since Reset.
    pub fn query_qp(&self, qpn: u32) -> Result<(QpState, QpChanges), VerbError> {
        self.check_qpn(qpn)?;
        let qp = self.qps.get(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        Ok((qp.state, qp.standing.clone()))
    }

    /// Returns true for a QP that has to move to Error and whose move the device has not reported.
    pub fn is_failing(&self, qpn: u32) -> bool {
        self.qps.get(&qpn).is_some_and(QueuePair::has_to_fail)
    }

    /// Returns true while a modification of this QP has not taken effect on both sides.
    pub fn is_modifying(&self, qpn: u32) -> bool {
        self.qps.get(&qpn).is_some_and(|qp| qp.modification.is_some())
    }

    /// Destroys a QP and its state (FB31).
    pub fn destroy_qp(&mut self, qpn: u32) -> Result<(), VerbError> {
        self.start_destroy_qp(qpn)?;
        self.finish_modification(qpn);
        Ok(())
    }

    /// Judges the destruction of a QP. It takes effect when the device reports it.
    pub fn start_destroy_qp(&mut self, qpn: u32) -> Result<(), VerbError> {
        self.check_qpn(qpn)?;
        let from = self.state(qpn)?;
        if self.is_attached(qpn) {
            return Err(VerbError::QpAttached(qpn));
        }
        let none = QpChanges::default();
        self.begin(qpn, Modification::new(from, QpState::Reset, &none, true));
        Ok(())
    }

    fn begin(&mut self, qpn: u32, modification: Modification) {
        if let Some(qp) = self.qps.get_mut(&qpn) {
            qp.modification = Some(modification);
        }
    }

    fn state(&self, qpn: u32) -> Result<QpState, VerbError> {
        let qp = self.qps.get(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        Ok(qp.state)
    }

    /// Returns the port of a QP once these changes are made; the first one if there is no such QP or port.
    fn port_after(&self, qpn: u32, changes: &QpChanges) -> u8 {
        let own = || self.qps.get(&qpn).map(|qp| qp.attributes.port);
        let port = changes.port.or_else(own);
        port.filter(|&port| self.has_port(port)).unwrap_or(FIRST)
    }

    /// Returns true for QP0 and QP1 of any port.
    fn is_special(&self, qpn: u32) -> bool {
        special_qps::is_special(self.capabilities.ports, qpn)
    }

    fn index(&self, qpn: u32) -> usize {
        qpn as usize % self.capabilities.max_qps
    }

    /// Checks a QPN: it has 24 bits, and only QP0 and QP1 of port 1 have the first two indices.
    pub(super) fn check_qpn(&self, qpn: u32) -> Result<(), VerbError> {
        let special = special_qps::is_special(FIRST, self.index(qpn) as u32) && !self.is_special(qpn);
        match qpn > psn::MASK || special {
            true => Err(VerbError::Qpn(qpn)),
            false => Ok(()),
        }
    }
}

/// Returns the attributes of these that a transition requires on a device with this number of ports, and end-to-end
/// credits if it takes them.
pub fn changes_to(attributes: &QpAttributes, from: QpState, to: QpState, ports: u8) -> QpChanges {
    let (service, qpn) = (attributes.service, attributes.qpn);
    let kind = Kind { service, qpn, ports };
    let asked = transition::between(kind, from, to).map_or_else(Attributes::default, |t| {
        match t.optional.contains(Attribute::Credits) {
            true => t.required | Attribute::Credits,
            false => t.required,
        }
    });
    QpChanges::of(attributes, asked)
}

/// Refuses queue sizes outside 1 to their limits.
fn refuse_size(queues: [usize; 2], limits: [usize; 2]) -> Result<(), VerbError> {
    let mut both = queues.into_iter().zip(limits);
    match both.find(|(entries, limit)| !(1..=*limit).contains(entries)) {
        Some((entries, limit)) => Err(VerbError::QueueSize { entries, limit }),
        None => Ok(()),
    }
}

/// Checks the widths of the fields that the given attributes fill (`headers.csv`, `link.md` section 2, `qp_cq.md`
/// section 2).
fn check_ranges(changes: &QpChanges, port: &PortConfig) -> Result<(), VerbError> {
    const SERIAL: RangeInclusive<u64> = 0..=psn::MASK as u64;
    if let Some(address) = &changes.address {
        check_address(address, port)?;
    }
    let fields: [(_, Option<u64>, _, _); 7] = [
        ("dest_qpn", changes.dest_qpn.map(u64::from), SERIAL, "below 2^24"),
        ("sq_psn", changes.sq_psn.map(u64::from), SERIAL, "below 2^24"),
        ("rq_psn", changes.rq_psn.map(u64::from), SERIAL, "below 2^24"),
        (
            "min_rnr_timer",
            changes.min_rnr_timer.map(u64::from),
            0..=31,
            "below 32",
        ),
        ("timeout", changes.timeout.map(u64::from), 0..=31, "below 32"),
        ("retry_cnt", changes.retry_cnt.map(u64::from), 0..=7, "below 8"),
        ("rnr_retry", changes.rnr_retry.map(u64::from), 0..=7, "below 8"),
    ];
    refuse_outside(
        fields.map(|(name, value, legal, words)| (name, value.unwrap_or(*legal.start()), legal, words)),
    )
}

fn check_address(a: &AddressVector, port: &PortConfig) -> Result<(), VerbError> {
    let path_bits = (1 << port.lmc) - 1;
    let roce = port.link == Link::Roce;
    let lids = if roce { 0..=0 } else { 1..=0xBFFF };
    let given = u64::from(roce)..=1;
    let is_ipv4 = |gid| Ipv6Addr::from(gid).to_ipv4_mapped().is_some();
    let reachable = a
        .global
        .is_none_or(|global| !roce || is_ipv4(global.dgid) == is_ipv4(port.gid));
    let flow_label = a.global.map_or(0, |global| global.flow_label);
    let sgid_index = a.global.map_or(0, |_| a.sgid_index.into());
    refuse_outside([
        (
            "dlid",
            a.dlid.into(),
            lids,
            "a unicast LID, 0001h to BFFFh; 0 on a RoCE link",
        ),
        (
            "global",
            a.global.is_some().into(),
            given.clone(),
            "given on a RoCE link",
        ),
        (
            "ethernet",
            a.ethernet.is_some().into(),
            given,
            "given on a RoCE link",
        ),
        (
            "dgid",
            reachable.into(),
            1..=1,
            "on a RoCE link an address of the port's IP version",
        ),
        (
            "sgid_index",
            sgid_index,
            0..=u64::from(port.gid_entries()) - 1,
            "an entry of the port's GID table",
        ),
        ("flow_label", flow_label.into(), 0..=0xF_FFFF, "below 2^20"),
        ("sl", a.sl.into(), 0..=15, "below 16"),
        (
            "source_path_bits",
            a.source_path_bits.into(),
            0..=path_bits,
            "below 2^LMC of the port",
        ),
        (
            "static_rate",
            static_rate::is_code(a.static_rate).into(),
            1..=1,
            "a code of static_rate.csv",
        ),
    ])
}

/// Refuses the first field with an illegal value.
fn refuse_outside<const N: usize>(
    fields: [(&'static str, u64, RangeInclusive<u64>, &'static str); N],
) -> Result<(), VerbError> {
    let outside = |(_, value, legal, _): &(_, u64, RangeInclusive<u64>, _)| !legal.contains(value);
    match fields.into_iter().find(outside) {
        Some((name, value, _, legal)) => Err(VerbError::Attribute { name, value, legal }),
        None => Ok(()),
    }
}
