//! The M_Key: only its owner may change a port, and the lease frees a port whose manager has gone.
use super::super::cable::Cable;
use super::super::session::{Manager, Ran, Session};
use super::super::Node;
use super::expectation::{check_active, lid, PARTITIONS};

/// Configuration with an M_Key. OpenSM makes the lease longer than its sweep interval.
const CONFIGURATION: &str = "m_key 0x1122334455667788
m_key_protection_level 2
m_key_lease_period 2
sweep_interval 1
";
const KEY: u64 = 0x1122_3344_5566_7788;
const KEY_TEXT: &str = "0x1122334455667788";
/// Text in OpenSM's log about the trap of a wrong M_Key.
const TRAP: &str = "num:256";

pub fn play<C: Cable>(session: &mut Session<C>) -> Ran<()> {
    let manager = Manager::new(session, Node::Alpha, CONFIGURATION, PARTITIONS, &[])?;
    let opensm = manager.start(session)?;
    session.serve_until("SUBNET UP of opensm", |_| Ok(manager.is_up()))?;
    check_active(session, Node::Alpha)?;
    for node in Node::BOTH {
        let info = session.port_info(node)?;
        let found = (info.m_key, info.m_key_protect_bits, info.m_key_lease_period);
        session.check(found == (KEY, 2, 2), || {
            format!("key, protection and lease of {} are {found:X?}", node.name())
        })?;
    }
    let alpha = lid(session, Node::Alpha)?;
    let refused = session.run(Node::Beta, "smpquery", &["-t", "100", "nodeinfo", &alpha])?;
    session.check(!refused.status.success(), || {
        format!("a query without the key was answered: {}", refused.describe())
    })?;
    let violations = session.port_info(Node::Alpha)?.m_key_violations;
    session.check(violations > 0, || "the refused query was not counted".to_owned())?;
    session.serve_until("the trap of the wrong M_Key at opensm", |_| {
        Ok(manager.log().contains(TRAP))
    })?;
    let with_key = ["-y", KEY_TEXT, "nodeinfo", &alpha];
    session.print(Node::Beta, "smpquery", &with_key, &["0x0200000000000010"])?;
    // Without the manager, nothing stops the timer.
    opensm.stop();
    session.finish(opensm)?;
    let refused = session.run(Node::Beta, "smpquery", &["-t", "100", "nodeinfo", &alpha])?;
    session.check(!refused.status.success(), || {
        format!("a query without the key was answered: {}", refused.describe())
    })?;
    session.serve_until("the end of the lease", |session| {
        Ok(session.port_info(Node::Alpha)?.m_key_protect_bits == 0)
    })?;
    let key = session.port_info(Node::Alpha)?.m_key;
    session.check(key == KEY, || format!("after the lease the key is {key:X}"))?;
    session.print(
        Node::Beta,
        "smpquery",
        &["nodeinfo", &alpha],
        &["0x0200000000000010"],
    )
}
