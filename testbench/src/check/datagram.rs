//! Datagrams, judged one by one. Their PSNs are not counted (`protocol/ud.md`).
use super::finding::Rule;
use super::flow::Flow;
use super::found::Findings;
use super::observed::Observed;

/// Destination QPN of multicast (`ud.md` section 4).
const MULTICAST_QP: u32 = 0xFF_FFFF;
/// Length of a MAD in bytes (`special_qps.md` section 1).
const MAD_BYTES: u16 = 256;

/// Judges a datagram, but for its Q_Key. `asked` is true once a finding has said that a datagram of its flow asked for
/// an ack.
pub(super) fn judge(packet: &Observed, asked: &mut bool, findings: &mut Findings<'_>) {
    if packet.asks && !std::mem::replace(asked, true) {
        findings.add(Rule::UnreliableAsks, "A = 1 in a datagram, told once".to_owned());
    }
    let Flow { dest_qp, to, .. } = packet.flow;
    if dest_qp == MULTICAST_QP && !to.may_be_multicast() {
        let detail = format!("DestQP FFFFFFh at {to}, which is no group");
        findings.add(Rule::MulticastAddress, detail);
    }
    if dest_qp <= 1 && packet.body.bytes != MAD_BYTES {
        findings.add(
            Rule::MadLength,
            format!("{} bytes to QP{dest_qp}", packet.body.bytes),
        );
    }
}
