//! Programs of infiniband-diags, each by LID and by directed route.
use super::super::cable::Cable;
use super::super::session::{Manager, Ran, Session};
use super::super::Node;
use super::expectation::{check_active, has_lanes, lid, port_guid, PARTITIONS};
use std::time::Duration;

/// Longest time of a server of a vendor's class from its connection to its registration.
const REGISTERING: Duration = Duration::from_secs(1);

pub fn play<C: Cable>(session: &mut Session<C>) -> Ran<()> {
    let manager = Manager::new(session, Node::Alpha, "", PARTITIONS, &[])?;
    let opensm = manager.start(session)?;
    session.serve_until("SUBNET UP of opensm", |_| Ok(manager.is_up()))?;
    check_active(session, Node::Alpha)?;
    let beta = lid(session, Node::Beta)?;
    let beta = beta.as_str();
    let guid = port_guid(session, Node::Beta);
    let port = session.port().to_string();
    let port = port.as_str();
    let path = format!("0,{port}");
    let path = path.as_str();
    for (arguments, texts) in [
        (&["nodeinfo", beta][..], &["0x0200000000000020", &guid][..]),
        (&["-D", "nodeinfo", path], &["0x0200000000000020"]),
        (&["nodedesc", beta], &["beta"]),
        (&["portinfo", beta, port], &["Active", "LinkUp", "4096"]),
        (&["-D", "portinfo", path, port], &["Active"]),
        (&["pkeys", beta], &["0xffff"]),
        (&["guidinfo", beta], &[&guid]),
    ] {
        session.print(Node::Alpha, "smpquery", arguments, texts)?;
    }
    if has_lanes(session)? {
        let last_vl = (1 << (session.port_info(Node::Beta)?.vl_cap - 1)) - 1;
        let vls = format!("VL0-{last_vl}");
        for (arguments, texts) in [
            (&["portinfo", beta, port][..], &[vls.as_str()][..]),
            (&["sl2vl", beta], &["SL:"]),
            (&["vlarb", beta], &["LowCap 8 HighCap 8"]),
        ] {
            session.print(Node::Alpha, "smpquery", arguments, texts)?;
        }
    }
    session.print(
        Node::Alpha,
        "perfquery",
        &[beta, port],
        &["PortXmitPkts", "PortXmitWait"],
    )?;
    session.print(
        Node::Alpha,
        "perfquery",
        &["-x", beta, port],
        &["PortUnicastXmitPkts"],
    )?;
    session.print(Node::Alpha, "perfquery", &["-R", beta, port], &[])?;
    // No agent here has this attribute: it answers with an error status, and the tool fails.
    let lacking = session.run(Node::Alpha, "smpquery", &["mepi", beta])?;
    session.check(!lacking.status.success(), || {
        format!("an unknown attribute was answered: {}", lacking.describe())
    })?;
    for node in Node::BOTH {
        session.print(node, "sminfo", &[], &["sm lid 1", "SMINFO_MASTER"])?;
        // Only one record is requested, because `libumad2sim` cuts longer answers.
        session.print(node, "saquery", &["NR", beta], &[&guid])?;
    }
    session.print(Node::Alpha, "ibportstate", &[beta, port, "query"], &["Active"])?;
    session.print(
        Node::Alpha,
        "ibnetdiscover",
        &[],
        &["\"H-0200000000000010\"", "\"H-0200000000000020\""],
    )?;
    session.print(Node::Beta, "iblinkinfo", &[], &["Active/  LinkUp"])?;
    for (server, asker) in [(Node::Beta, Node::Alpha), (Node::Alpha, Node::Beta)] {
        let folder = session.make_folder("ibping-server")?;
        let answering = session.start(server, "ibping", &["-S"], &folder)?;
        session.serve_until("ibping as a server", |session| {
            Ok(session
                .server()
                .nodes()
                .clients()
                .iter()
                .any(|(_, client)| client.node == server))
        })?;
        // The server registers its class after it has connected, and loses what comes before. Nothing shows when it has
        // done so.
        session.serve_for(REGISTERING)?;
        let to = lid(session, server)?;
        session.print(
            asker,
            "ibping",
            &["-c", "3", &to],
            &["3 received, 0% packet loss"],
        )?;
        answering.stop();
        session.finish(answering)?;
    }
    opensm.stop();
    session.finish(opensm)?;
    manager.check_log(session)
}
