//! LMC 2.
use super::super::cable::Cable;
use super::super::session::{Manager, Ran, Session};
use super::super::Node;
use super::expectation::{check_active, PARTITIONS};

pub fn play<C: Cable>(session: &mut Session<C>) -> Ran<()> {
    Manager::sweep_once(session, Node::Alpha, "", PARTITIONS, &["-l", "2"])?;
    check_active(session, Node::Alpha)?;
    for node in Node::BOTH {
        let info = session.port_info(node)?;
        session.check(info.lmc == 2 && info.lid % 4 == 0, || {
            format!("LMC and LID of {} are {} and {}", node.name(), info.lmc, info.lid)
        })?;
    }
    let base = session.port_info(Node::Beta)?.lid;
    for lid in base..base + 4 {
        let lid = lid.to_string();
        session.print(
            Node::Alpha,
            "smpquery",
            &["nodeinfo", &lid],
            &["0x0200000000000020"],
        )?;
    }
    let last = (base + 3).to_string();
    let port = session.port().to_string();
    session.print(Node::Alpha, "perfquery", &[&last, &port], &["PortXmitPkts"])?;
    let beyond = (base + 4).to_string();
    let refused = session.run(Node::Alpha, "smpquery", &["nodeinfo", &beyond])?;
    session.check(!refused.status.success(), || {
        format!("a LID behind the last was answered: {}", refused.describe())
    })
}
