//! Two managers: the second takes over when the first has gone.
use super::super::cable::Cable;
use super::super::session::{Manager, Ran, Session};
use super::super::Node;
use super::expectation::{check_active, lid, PARTITIONS};

/// Configuration with which a standby manager polls the master once a second, and gives up after two polls without an
/// answer.
const TIMING: &str = "sweep_interval 2
sminfo_polling_timeout 1000
polling_retry_number 2
";

pub fn play<C: Cable>(session: &mut Session<C>) -> Ran<()> {
    let first = Manager::new(session, Node::Alpha, TIMING, PARTITIONS, &["-p", "8"])?;
    let master = first.start(session)?;
    session.serve_until("SUBNET UP of the first opensm", |_| Ok(first.is_up()))?;
    check_active(session, Node::Alpha)?;
    let second = Manager::new(session, Node::Beta, TIMING, PARTITIONS, &["-p", "2"])?;
    let standby = second.start(session)?;
    session.serve_until("STANDBY of the second opensm", |_| {
        Ok(second.log().contains("STANDBY"))
    })?;
    check_active(session, Node::Alpha)?;
    let alpha = lid(session, Node::Alpha)?;
    session.print(Node::Beta, "sminfo", &[&alpha], &["priority 8", "SMINFO_MASTER"])?;
    let beta = lid(session, Node::Beta)?;
    session.print(Node::Alpha, "sminfo", &[&beta], &["priority 2", "SMINFO_STANDBY"])?;
    master.stop();
    session.finish(master)?;
    session.serve_until("the second opensm as manager", |session| {
        let [alpha, beta] = [session.port_info(Node::Alpha)?, session.port_info(Node::Beta)?];
        Ok(second.is_up() && [alpha.master_sm_lid, beta.master_sm_lid] == [beta.lid; 2])
    })?;
    check_active(session, Node::Beta)?;
    standby.stop();
    let finished = session.finish(standby)?;
    session.check(!finished.printed.contains("Error"), || finished.describe())
}
