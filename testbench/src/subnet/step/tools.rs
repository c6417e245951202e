//! Programs of infiniband-diags, each by LID and by directed route.
use super::super::cable::Cable;
use super::super::session::{Manager, Ran, Session};
use super::super::Node;
use super::{check_active, lid, PARTITIONS};

pub fn play<C: Cable>(session: &mut Session<C>) -> Ran<()> {
    Manager::sweep_once(session, Node::Alpha, "", PARTITIONS, &[])?;
    check_active(session, Node::Alpha)?;
    let beta = lid(session, Node::Beta)?;
    let beta = beta.as_str();
    for (arguments, texts) in [
        (
            &["nodeinfo", beta][..],
            &["0x0200000000000020", "0x0200000000000021"][..],
        ),
        (&["-D", "nodeinfo", "0,1"], &["0x0200000000000020"]),
        (&["nodedesc", beta], &["beta"]),
        (&["portinfo", beta, "1"], &["Active", "LinkUp", "4096", "VL0-7"]),
        (&["-D", "portinfo", "0,1", "1"], &["Active"]),
        (&["pkeys", beta], &["0xffff"]),
        (&["sl2vl", beta], &["SL:"]),
        (&["vlarb", beta], &["LowCap 8 HighCap 8"]),
        (&["guids", beta], &["0x0200000000000021"]),
        (&["mepi", beta], &[]),
    ] {
        if texts.is_empty() {
            // An attribute that no agent here has: the tool is told so and does not hang.
            session.run(Node::Alpha, "smpquery", arguments)?;
            continue;
        }
        session.print(Node::Alpha, "smpquery", arguments, texts)?;
    }
    session.print(
        Node::Alpha,
        "perfquery",
        &[beta, "1"],
        &["PortXmitPkts", "PortXmitWait"],
    )?;
    session.print(
        Node::Alpha,
        "perfquery",
        &["-x", beta, "1"],
        &["PortUnicastXmitPkts"],
    )?;
    session.print(Node::Alpha, "perfquery", &["-R", beta, "1"], &[])?;
    session.print(Node::Alpha, "sminfo", &[], &["SMINFO_"])?;
    session.print(Node::Alpha, "ibportstate", &[beta, "1", "query"], &["Active"])?;
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
    Ok(())
}
