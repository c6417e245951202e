//! Messages on four SLs beside a program that reads counters.
use super::super::cable::Cable;
use super::super::session::{Manager, Ran, Session};
use super::super::Node;
use super::expectation::{check_active, lid, PARTITIONS};
use hca_sim::subnet::Ports;

const SLS: [u8; 4] = [0, 3, 7, 15];
/// Number of times that the program runs.
const RUNS: u32 = 4;
/// Number of packets of a message at the connections' path MTU of 256 bytes.
const PACKETS: u32 = 4;

pub fn play<C: Cable>(session: &mut Session<C>) -> Ran<()> {
    Manager::sweep_once(session, Node::Alpha, "", PARTITIONS, &[])?;
    check_active(session, Node::Alpha)?;
    let port = session.port();
    if !session.server().connect_nodes(port, &SLS)? {
        return Ok(());
    }
    let before = sent(session)?;
    let credits = session.server().nodes().cable().link_packets();
    let beta = lid(session, Node::Beta)?;
    let mut came = 0;
    for _ in 0..RUNS {
        let folder = session.make_folder("perfquery")?;
        let mut running = session.start(Node::Alpha, "perfquery", &[&beta, &port.to_string()], &folder)?;
        session.serve_until("the end of perfquery", |session| {
            came += session.server().exchange()?;
            running.has_ended()
        })?;
        let finished = session.finish(running)?;
        session.check(
            finished.status.success() && finished.printed.contains("PortXmitPkts"),
            || finished.describe(),
        )?;
    }
    let least = u64::from(RUNS) * SLS.len() as u64;
    session.check(came >= least, || format!("only {came} messages came"))?;
    // A credit limit is renewed at the latest when a quarter of a buffer is free again.
    let renewed = session.server().nodes().cable().link_packets() - credits;
    session.check(renewed > 0, || "no credits crossed the link".to_owned())?;
    let counted = sent(session)? - before;
    // Half of them went in this direction.
    let packets = came / 2 * u64::from(PACKETS);
    session.check(u64::from(counted) >= packets, || {
        format!("{came} messages came, and PortXmitPkts counted {counted}")
    })
}

/// Returns PortXmitPkts of beta.
fn sent<C: Cable>(session: &mut Session<C>) -> Ran<u32> {
    let port = session.port();
    let counters = session.server().nodes().cable().ports(Node::Beta).counters(port);
    Ok(counters.map(|counters| counters.xmit_pkts).unwrap_or_default())
}
