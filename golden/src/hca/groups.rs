//! Multicast groups, and the verbs that attach queue pairs to them (`ud.md` section 4.1). A refused verb changes
//! nothing.
use super::group::Group;
use super::Hca;
use crate::decision::special_qps;
use crate::port::{Link, FIRST};
use crate::refusal::VerbError;
use crate::verbs::{QpState, Service};
use crate::wire::multicast::{is_group, LIDS};
use std::collections::BTreeSet;

impl Hca {
    /// Attaches a QP to a multicast group of its port (`link.md` section 8). Nothing changes if the QP is already
    /// attached.
    pub fn attach(&mut self, qpn: u32, mgid: [u8; 16], mlid: u16) -> Result<(), VerbError> {
        self.check_group(qpn, mgid, mlid)?;
        let name = (self.port_of_qp(qpn)?, mgid);
        let (groups, limit) = (self.groups.len(), self.capabilities.max_members);
        let group = self.groups.get(&name);
        if group.is_some_and(|group| group.members.contains(&qpn)) {
            return Ok(());
        }
        if group.is_some_and(|group| group.members.len() >= limit) {
            return Err(VerbError::GroupFull { limit });
        }
        if group.is_none() && groups >= self.capabilities.max_groups {
            return Err(VerbError::TooManyGroups(groups));
        }
        let mlid = self.mlid(mlid);
        let members = BTreeSet::new();
        let group = self.groups.entry(name).or_insert(Group { mlid, members });
        group.members.insert(qpn);
        Ok(())
    }

    /// Detaches a QP from a multicast group.
    pub fn detach(&mut self, qpn: u32, mgid: [u8; 16], mlid: u16) -> Result<(), VerbError> {
        self.check_group(qpn, mgid, mlid)?;
        let name = (self.port_of_qp(qpn)?, mgid);
        let group = self.groups.get_mut(&name);
        let Some(group) = group.filter(|group| group.members.contains(&qpn)) else {
            return Err(VerbError::NotAttached { qpn });
        };
        group.members.remove(&qpn);
        if group.members.is_empty() {
            self.groups.remove(&name);
        }
        Ok(())
    }

    /// Returns the port of a QP.
    fn port_of_qp(&self, qpn: u32) -> Result<u8, VerbError> {
        let qp = self.qps.get(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        Ok(qp.attributes.port)
    }

    /// Returns true if the QP belongs to a multicast group.
    pub(super) fn is_attached(&self, qpn: u32) -> bool {
        self.groups.values().any(|group| group.members.contains(&qpn))
    }

    /// Makes the checks of both verbs, in the order of the page.
    fn check_group(&self, qpn: u32, mgid: [u8; 16], mlid: u16) -> Result<(), VerbError> {
        self.check_qpn(qpn)?;
        let qp = self.qps.get(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        let attribute = |name, value, legal| Err(VerbError::Attribute { name, value, legal });
        if qp.attributes.service != Service::Ud || special_qps::is_special(self.capabilities.ports, qpn) {
            return attribute(
                "service",
                qp.attributes.service as u64,
                "UD, and not of QP0 or QP1",
            );
        }
        if qp.state == QpState::Reset {
            return Err(VerbError::GroupInReset(qpn));
        }
        let port = qp.attributes.port;
        let link = self.port(port).config.link;
        let native = link == Link::InfiniBand;
        if !is_group(link, &mgid) {
            return attribute("mgid", mgid[0].into(), "a multicast GID");
        }
        if native && !LIDS.contains(&mlid) {
            return attribute("mlid", mlid.into(), "a multicast LID, C000h to FFFEh");
        }
        match self.groups.get(&(port, mgid)) {
            Some(group) if group.mlid != self.mlid(mlid) => {
                attribute("mlid", mlid.into(), "the LID by which the group is known")
            }
            _ => Ok(()),
        }
    }

    /// Returns the MLID that counts: 0 on a RoCE link, which knows groups by their GIDs alone.
    fn mlid(&self, mlid: u16) -> u16 {
        match self.port(FIRST).config.link {
            Link::InfiniBand => mlid,
            Link::Roce => 0,
        }
    }
}
