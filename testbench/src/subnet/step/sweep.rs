//! OpenSM sweeps once.
use super::super::cable::Cable;
use super::super::session::{Manager, Ran, Session};
use super::super::Node;
use super::expectation::{check_active, check_others, PARTITIONS};
use hca_sim::subnet::Ports;

pub fn play<C: Cable>(session: &mut Session<C>) -> Ran<()> {
    Manager::sweep_once(session, Node::Alpha, "", PARTITIONS, &[])?;
    check_active(session, Node::Alpha)?;
    let port = session.port();
    for node in Node::BOTH {
        let name = node.name();
        let info = session.port_info(node)?;
        let limits = (
            info.neighbor_mtu, info.operational_vls, info.lmc, info.subnet_timeout,
        );
        session.check(limits == (info.mtu_cap, info.vl_cap, 0, 18), || {
            format!("MTU, VLs, LMC and SubnetTimeOut of {name} are {limits:?}")
        })?;
        let p_keys = session.server().nodes().cable().ports(node).p_keys(port);
        let p_keys = p_keys.unwrap_or_default();
        session.check(p_keys.first() == Some(&0xFFFF), || {
            format!("{name} is no full member of the default partition: {p_keys:04X?}")
        })?;
        check_others(session, node)?;
    }
    let crossed = session.server().nodes().cable().crossed();
    session.check(crossed >= 10, || format!("only {crossed} MADs crossed the link"))
}
