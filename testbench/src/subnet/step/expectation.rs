//! What steps expect of the subnet.
use super::super::cable::Cable;
use super::super::session::{Ran, Session};
use super::super::Node;

/// The default partition of OpenSM, with every port a full member.
pub(super) const PARTITIONS: &str = "Default=0x7fff, ipoib: ALL=full;\n";
/// PortState of an Active port, and of a port that waits for a manager.
pub(super) const ACTIVE: u8 = 4;
pub(super) const INIT: u8 = 2;
pub(super) const DOWN: u8 = 1;

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

/// Returns the LID of a node as text.
pub(super) fn lid<C: Cable>(session: &mut Session<C>, node: Node) -> Ran<String> {
    Ok(session.port_info(node)?.lid.to_string())
}
