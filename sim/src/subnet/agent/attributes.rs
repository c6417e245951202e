//! All attributes except PortInfo: what a Get returns and what a Set changes (`protocol/mad.md` section 5).
use super::super::attribute::{
    id, ArbitrationBlock, GuidInfo, NodeInfo, PKeyBlock, SlToVl, SmpData, NODE_TYPE_CA,
};
use super::super::m_key::Permission;
use super::super::mad::{Smp, Status, VERSION};
use super::super::port::{ArbitrationTable, Ports};
use super::super::record::Record;
use super::subnet_agent::{Access, Arrival, Event, Handled, SubnetAgent};

/// The data of a reply, or the status of a reply without data.
pub(super) type Answer = Result<SmpData, Status>;

impl SubnetAgent {
    /// Carries out a permitted Get or Set.
    pub(super) fn attribute<P: Ports>(
        &mut self,
        ports: &mut P,
        arrival: &Arrival<'_>,
        access: Access,
        permission: Permission,
    ) -> Result<Handled, P::Error> {
        let Arrival { port, smp, .. } = *arrival;
        let modifier = smp.header.modifier;
        let written = (access == Access::Set).then_some(&smp.data);
        let answer = match (smp.header.attribute, access) {
            (id::NODE_DESCRIPTION, Access::Get) => of_whole_node(modifier, self.description),
            (id::NODE_INFO, Access::Get) => of_whole_node(modifier, self.node_info(port).encode()),
            (id::GUID_INFO, _) => guid_info(ports, port, modifier, written)?,
            (id::PORT_INFO, _) => match self.named_port(arrival) {
                None => Err(Status::Field),
                Some(named) if named == port => match access {
                    Access::Get => Ok(self.get_port_info(ports, port, permission)?),
                    Access::Set => self.set_port_info(ports, port, &smp.data)?,
                },
                // The key of the named port is checked, too.
                Some(named) => match (self.judge(named, arrival, access), access) {
                    (Permission::Refused, _) => return Ok(Handled::Consumed),
                    (permission, Access::Get) => Ok(self.get_port_info(ports, named, permission)?),
                    (_, Access::Set) => Err(Status::Field),
                },
            },
            (id::P_KEY_TABLE, _) => self.p_key_table(ports, port, modifier, written)?,
            (id::SL_TO_VL, _) if self.capabilities.maps_sls() => sl_to_vl(ports, port, written)?,
            (id::VL_ARBITRATION, _) if self.capabilities.maps_sls() => {
                vl_arbitration(ports, port, modifier, written)?
            }
            _ => Err(Status::Attribute),
        };
        Ok(Handled::Reply(match answer {
            Ok(data) => Smp {
                data,
                ..smp.response(Status::Done)
            },
            Err(status) => smp.response(status),
        }))
    }

    /// Returns the port that the modifier of a PortInfo names; 0 names the port at which the request arrived. `None` if
    /// there is no such port.
    fn named_port(&self, arrival: &Arrival<'_>) -> Option<u8> {
        match u8::try_from(arrival.smp.header.modifier) {
            Ok(0) => Some(arrival.port),
            Ok(named) => (named <= self.capabilities.ports).then_some(named),
            Err(_) => None,
        }
    }

    /// Returns NodeInfo as a request to `port` sees it.
    pub fn node_info(&self, port: u8) -> NodeInfo {
        let capabilities = &self.capabilities;
        NodeInfo {
            base_version: VERSION,
            class_version: VERSION,
            node_type: NODE_TYPE_CA,
            ports: capabilities.ports,
            system_image_guid: capabilities.system_image_guid,
            node_guid: capabilities.node_guid,
            port_guid: capabilities.port_guid(port),
            partition_cap: capabilities.p_key_cap,
            device_id: capabilities.device_id,
            revision: capabilities.revision,
            local_port: port,
            vendor_id: capabilities.vendor_id,
        }
    }

    fn p_key_table<P: Ports>(
        &mut self,
        ports: &mut P,
        port: u8,
        modifier: u32,
        written: Option<&SmpData>,
    ) -> Result<Answer, P::Error> {
        let mut p_keys = ports.p_keys(port)?;
        // The upper half of the modifier names a port of a switch.
        let Some(range) = block(modifier & 0xFFFF, PKeyBlock::ENTRIES, p_keys.len()) else {
            return Ok(Err(Status::Field));
        };
        if let Some(data) = written {
            let new = PKeyBlock::decode(data).p_keys;
            let new = &new[..range.len()];
            if p_keys[range.clone()] != *new {
                p_keys[range.clone()].copy_from_slice(new);
                ports.set_p_keys(port, &p_keys)?;
                self.raise(Event::PKeyChange { port });
            }
        }
        let mut shown = PKeyBlock {
            p_keys: [0; PKeyBlock::ENTRIES],
        };
        shown.p_keys[..range.len()].copy_from_slice(&p_keys[range]);
        Ok(Ok(shown.encode()))
    }
}

fn of_whole_node(modifier: u32, data: SmpData) -> Answer {
    match modifier {
        0 => Ok(data),
        _ => Err(Status::Field),
    }
}

/// Returns the entries of a table that are in this block; `None` if the table ends before it.
fn block(number: u32, size: usize, entries: usize) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(number).ok()?.checked_mul(size)?;
    (start < entries).then(|| start..entries.min(start + size))
}

fn sl_to_vl<P: Ports>(ports: &mut P, port: u8, written: Option<&SmpData>) -> Result<Answer, P::Error> {
    if let Some(data) = written {
        ports.set_sl_to_vl(port, &SlToVl::decode(data))?;
    }
    Ok(Ok(ports.sl_to_vl(port)?.encode()))
}

fn guid_info<P: Ports>(
    ports: &mut P,
    port: u8,
    modifier: u32,
    written: Option<&SmpData>,
) -> Result<Answer, P::Error> {
    let mut guids = ports.guids(port)?;
    let Some(range) = block(modifier, GuidInfo::ENTRIES, guids.len()) else {
        return Ok(Err(Status::Field));
    };
    if let Some(data) = written {
        let new = GuidInfo::decode(data).guids;
        let mine = guids[range.clone()].iter_mut().zip(new).enumerate();
        for (_, (guid, new)) in mine.filter(|(n, _)| range.start + n != 0) {
            *guid = new;
        }
        ports.set_guids(port, &guids)?;
    }
    let mut shown = GuidInfo::default();
    shown.guids[..range.len()].copy_from_slice(&guids[range]);
    Ok(Ok(shown.encode()))
}

fn vl_arbitration<P: Ports>(
    ports: &mut P,
    port: u8,
    modifier: u32,
    written: Option<&SmpData>,
) -> Result<Answer, P::Error> {
    let (table, part) = match modifier >> 16 {
        1 => (ArbitrationTable::Low, 0),
        2 => (ArbitrationTable::Low, 1),
        3 => (ArbitrationTable::High, 0),
        4 => (ArbitrationTable::High, 1),
        _ => return Ok(Err(Status::Field)),
    };
    let mut entries = ports.vl_arbitration(port, table)?;
    let Some(range) = block(part, ArbitrationBlock::ENTRIES, entries.len()) else {
        return Ok(Err(Status::Field));
    };
    if let Some(data) = written {
        let new = ArbitrationBlock::decode(data).entries;
        entries[range.clone()].copy_from_slice(&new[..range.len()]);
        ports.set_vl_arbitration(port, table, &entries)?;
    }
    let mut shown = ArbitrationBlock::default();
    shown.entries[..range.len()].copy_from_slice(&entries[range]);
    Ok(Ok(shown.encode()))
}
