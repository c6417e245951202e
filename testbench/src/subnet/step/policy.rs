//! Partitions, and quality of service if a port has more than one VL.
use super::super::cable::Cable;
use super::super::session::{Manager, Ran, Session};
use super::super::Node;
use super::expectation::{check_active, has_lanes, port_guid};
use hca_sim::subnet::attribute::ArbitrationEntry;
use hca_sim::subnet::{ArbitrationTable, Ports};

/// Policy with eight VLs, odd weights, and SLs in reverse. OpenSM folds VLs that a port does not have: of two VLs, VL 7
/// is VL 1 (`protocol/mad.md` section 5).
const POLICY: &str = "qos TRUE
qos_max_vls 8
qos_high_limit 4
qos_vlarb_high 0:64,1:32
qos_vlarb_low 2:16,3:8,4:4,5:2,6:1,7:255
qos_sl2vl 7,6,5,4,3,2,1,0,0,1,2,3,4,5,6,7
";
const VLS: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7];
const HIGH: [(u8, u8); 8] = [(0, 64), (1, 32), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)];
const LOW: [(u8, u8); 8] = [(2, 16), (3, 8), (4, 4), (5, 2), (6, 1), (7, 255), (0, 0), (0, 0)];

pub fn play<C: Cable>(session: &mut Session<C>) -> Ran<()> {
    let [alpha, beta] = Node::BOTH.map(|node| port_guid(session, node));
    let partitions = format!(
        "Default=0x7fff, ipoib: ALL=limited, SELF=full;\nstorage=0x0042: {alpha}=full, {beta}=limited;\n"
    );
    Manager::sweep_once(session, Node::Alpha, POLICY, &partitions, &["-Q"])?;
    check_active(session, Node::Alpha)?;
    for (node, expected) in [(Node::Alpha, [0xFFFF, 0x8042]), (Node::Beta, [0x7FFF, 0x0042])] {
        let name = node.name();
        let port = session.port();
        let ports = session.server().nodes().cable().ports(node);
        let mut p_keys = ports.p_keys(port).unwrap_or_default();
        p_keys.retain(|p_key| *p_key != 0);
        session.check(p_keys == expected, || {
            format!("the P_Keys of {name} are {p_keys:04X?}")
        })?;
        if !has_lanes(session)? {
            continue;
        }
        let info = session.port_info(node)?;
        let limit = info.vl_high_limit;
        session.check(limit == 4, || format!("VLHighLimit of {name} is {limit}"))?;
        // Codes 1, 2, 3 and 4 are 1, 2, 4 and 8 VLs.
        let vls = 1 << (info.operational_vls - 1);
        let ports = session.server().nodes().cable().ports(node);
        let sl_to_vl = ports.sl_to_vl(port).unwrap_or_default().vls;
        let high = ports
            .vl_arbitration(port, ArbitrationTable::High)
            .unwrap_or_default();
        let low = ports
            .vl_arbitration(port, ArbitrationTable::Low)
            .unwrap_or_default();
        session.check(sl_to_vl == VLS.map(|vl| vl % vls), || {
            format!("the VLs of {name} are {sl_to_vl:?}")
        })?;
        session.check(high == entries(HIGH, vls), || {
            format!("the high table of {name} is {high:?}")
        })?;
        session.check(low == entries(LOW, vls), || {
            format!("the low table of {name} is {low:?}")
        })?;
    }
    Ok(())
}

/// Returns these entries, VL and weight, with each VL folded into the `vls` VLs of the port.
fn entries(pairs: [(u8, u8); 8], vls: u8) -> Vec<ArbitrationEntry> {
    let folded = |(vl, weight)| ArbitrationEntry { vl: vl % vls, weight };
    pairs.into_iter().map(folded).collect()
}
