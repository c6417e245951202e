//! The link goes down and comes back, by the cable or by command.
use super::super::cable::Cable;
use super::super::session::{Manager, Ran, Session};
use super::super::Node;
use super::expectation::{check_active, lid, DOWN, INIT, PARTITIONS};

pub fn play<C: Cable>(session: &mut Session<C>) -> Ran<()> {
    Manager::sweep_once(session, Node::Alpha, "", PARTITIONS, &[])?;
    check_active(session, Node::Alpha)?;
    plug(session, false)?;
    reach(session, [DOWN; 2])?;
    plug(session, true)?;
    reach(session, [INIT; 2])?;
    Manager::sweep_once(session, Node::Alpha, "", PARTITIONS, &[])?;
    check_active(session, Node::Alpha)?;
    let port = session.port().to_string();
    let port = port.as_str();
    let beta = lid(session, Node::Beta)?;
    session.succeed(Node::Alpha, "ibportstate", &[&beta, port, "disable"])?;
    reach(session, [DOWN; 2])?;
    let physical = session.port_info(Node::Beta)?.port_physical_state;
    session.check(physical == 3, || {
        format!("the disabled port is in physical state {physical}")
    })?;
    // Nobody reaches the disabled port over the link, so its own node enables it.
    let own = ["-C", "ibsim0", "-P", port, "-D", "0", port, "enable"];
    session.succeed(Node::Beta, "ibportstate", &own)?;
    reach(session, [INIT; 2])?;
    Manager::sweep_once(session, Node::Alpha, "", PARTITIONS, &[])?;
    check_active(session, Node::Alpha)?;
    let beta = lid(session, Node::Beta)?;
    session.succeed(Node::Alpha, "ibportstate", &[&beta, port, "reset"])?;
    reach(session, [INIT; 2])?;
    Manager::sweep_once(session, Node::Alpha, "", PARTITIONS, &[])?;
    check_active(session, Node::Alpha)
}

fn plug<C: Cable>(session: &mut Session<C>, is_in: bool) -> Ran<()> {
    let port = session.port();
    Ok(session.server().plug(port, is_in)?)
}

/// Serves until the ports are in these states.
fn reach<C: Cable>(session: &mut Session<C>, states: [u8; 2]) -> Ran<()> {
    session.serve_until(&format!("the port states {states:?}"), |session| {
        let [alpha, beta] = [session.port_info(Node::Alpha)?, session.port_info(Node::Beta)?];
        Ok([alpha.port_state, beta.port_state] == states)
    })?;
    session.check(true, String::new)
}
