//! What steps expect of the subnet.
use super::super::cable::Cable;
use super::super::session::{Ran, Session};
use super::super::Node;
use hca_sim::subnet::attribute::PortInfo;

/// The default partition of OpenSM, with every port a full member.
pub(super) const PARTITIONS: &str = "Default=0x7fff, ipoib: ALL=full;\n";
/// PortState of an Active port, and of a port that waits for a manager.
pub(super) const ACTIVE: u8 = 4;
pub(super) const INIT: u8 = 2;
pub(super) const DOWN: u8 = 1;

/// Checks that no manager has found the ports of a node that the programs are not at.
pub(super) fn check_others<C: Cable>(session: &mut Session<C>, node: Node) -> Ran<()> {
    let numbers = session.server().agent(node).0.ports();
    let managed = session.port();
    for port in numbers.filter(|port| *port != managed) {
        let info: PortInfo = session.port_info_of(node, port)?;
        let found = (info.local_port_num, info.port_state, info.lid, info.master_sm_lid);
        session.check(found == (port, INIT, 0, 0), || {
            let name = node.name();
            format!("number, state, LID and manager of port {port} of {name} are {found:?}")
        })?;
    }
    Ok(())
}

/// Checks that both ports are Active, with different LIDs and the same manager.
pub(super) fn check_active<C: Cable>(session: &mut Session<C>, manager: Node) -> Ran<()> {
    let infos = [session.port_info(Node::Alpha)?, session.port_info(Node::Beta)?];
    let [alpha, beta] = infos;
    for (node, info) in Node::BOTH.into_iter().zip(infos) {
        let name = node.name();
        session.check(info.port_state == ACTIVE, || {
            format!("the port of {name} is in state {}, not Active", info.port_state)
        })?;
        session.check(info.lid != 0, || format!("the port of {name} has no LID"))?;
    }
    session.check(alpha.lid != beta.lid, || {
        format!("both ports have LID {}", alpha.lid)
    })?;
    let manager = infos[manager as usize].lid;
    let masters = [alpha.master_sm_lid, beta.master_sm_lid];
    session.check(masters == [manager; 2], || {
        format!("the manager's LID is {manager}, and the ports say {masters:?}")
    })
}

/// Returns true if the ports map SLs to more than one VL.
pub(super) fn has_lanes<C: Cable>(session: &mut Session<C>) -> Ran<bool> {
    Ok(session.port_info(Node::Alpha)?.vl_cap > 1)
}

/// Returns the GUID of the port of a node as text: that of the node plus the number of the port (CF548).
pub(super) fn port_guid<C: Cable>(session: &Session<C>, node: Node) -> String {
    let guid = node.capabilities().port_guid(session.port());
    format!("0x{guid:016x}")
}

/// Returns the LID of a node as text.
pub(super) fn lid<C: Cable>(session: &mut Session<C>, node: Node) -> Ran<String> {
    Ok(session.port_info(node)?.lid.to_string())
}
