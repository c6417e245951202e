//! Literal checks of the results of messages.
use super::plan::{counter, Flow, Message, Plan, ADDED};
use super::software::Software;
use super::traffic::qpn_of;
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::verbs::{Completion, SendOperation, Sge, Status};

/// Writes bytes to the elements of a list in order.
pub fn write(fabric: &mut Fabric<'_>, side: Side, list: &[Sge], bytes: &[u8]) {
    let mut bytes = bytes;
    for sge in list {
        let (here, rest) = bytes.split_at(bytes.len().min(sge.length as usize));
        fabric.station(side).write_memory(sge.addr, here);
        bytes = rest;
    }
}

/// Reads this many bytes from the elements of a list in order.
fn read(fabric: &mut Fabric<'_>, side: Side, list: &[Sge], length: usize) -> Vec<u8> {
    let mut all = Vec::new();
    for sge in list {
        let mut bytes = vec![0; sge.length as usize];
        fabric.station(side).read_memory(sge.addr, &mut bytes);
        all.extend(bytes);
    }
    all.truncate(length);
    all
}

/// Checks every flow's completions: each as its message requires, and in post order.
pub fn completions(fabric: &Fabric<'_>, plan: &Plan, software: &Software<'_>) -> Result<(), Stop> {
    for flow in plan.flows.iter().flatten() {
        let n = flow.shape.n;
        let progress = &software.progress[flow.from as usize][n as usize];
        let successes = |all: &[Completion]| -> Vec<Completion> {
            let succeeded = all.iter().filter(|c| c.status == Status::Success);
            succeeded.cloned().collect()
        };
        let (sent, received) = (successes(&progress.sent), successes(&progress.received));
        let name = |queue: &str| {
            format!(
                "{queue} completions of connection {n}, messages of {:?}",
                flow.from
            )
        };
        let mut expected = expected_sent(flow);
        let mut expected_receives = expected_received(flow);
        if software.failed(n as usize) {
            // The device chooses how far it comes; the model judges that choice.
            expected.truncate(sent.len());
            expected_receives.truncate(received.len());
        }
        fabric.expect(&name("send"), expected, sent)?;
        fabric.expect(&name("receive"), expected_receives, received)?;
        let in_order = |all: &[Completion]| all.windows(2).all(|pair| pair[0].wr_id < pair[1].wr_id);
        let ordered = in_order(&progress.sent) && in_order(&progress.received);
        fabric.expect(&name("order of"), true, ordered)?;
    }
    Ok(())
}

fn expected_sent(flow: &Flow) -> Vec<Completion> {
    let signaled = flow.messages.iter().filter(|m| m.request.signaled);
    let completion = |m: &Message| Completion {
        wr_id: m.request.wr_id,
        status: Status::Success,
        qpn: qpn_of(flow.from, flow.shape.n),
        operation: m.request.operation.completed(),
        byte_count: match m.request.operation.is_read_or_atomic() {
            true => m.length,
            false => 0,
        },
        immediate: None,
        invalidated: None,
        p_key_index: None,
        datagram: None,
    };
    signaled.map(completion).collect()
}

fn expected_received(flow: &Flow) -> Vec<Completion> {
    let completion = |m: &Message| {
        let received = m.received.as_ref()?;
        Some(Completion {
            wr_id: m.request.wr_id,
            status: Status::Success,
            qpn: qpn_of(flow.from.other(), flow.shape.n),
            operation: received.operation,
            byte_count: m.length,
            immediate: received.immediate,
            invalidated: received.invalidated,
            p_key_index: None,
            datagram: None,
        })
    };
    flow.receiving().filter_map(completion).collect()
}

/// Checks that every message is in its place, and that each atomic took effect once, in order.
pub fn memory(fabric: &mut Fabric<'_>, plan: &Plan, software: &Software<'_>) -> Result<(), Stop> {
    for flow in plan.flows.iter().flatten() {
        let n = flow.shape.n;
        let progress = &software.progress[flow.from as usize][n as usize];
        let failed = software.failed(n as usize);
        let mut succeeded = progress.sent.iter().filter(|c| c.status == Status::Success);
        let done = match failed {
            true => succeeded.next_back().map_or(0, |c| c.wr_id as usize + 1),
            false => flow.messages.len(),
        };
        let (mut adds, mut swaps) = (0, 0);
        for message in &flow.messages[..done] {
            let number = message.request.wr_id;
            let name = format!("message {number} of connection {n} from {:?}", flow.from);
            let side = message.source_side(flow.from).other();
            let original = match message.request.operation {
                SendOperation::FetchAdd { .. } => {
                    adds += 1;
                    Some(ADDED * (adds - 1))
                }
                SendOperation::CompareSwap { .. } => {
                    swaps += 1;
                    Some(swaps - 1)
                }
                _ => None,
            };
            if let Some(original) = original {
                let bytes = read(fabric, flow.from, &message.target, 8);
                fabric.expect(
                    &format!("original of {name}"),
                    original.to_le_bytes().to_vec(),
                    bytes,
                )?;
            } else {
                let bytes = read(fabric, side, &message.target, message.length as usize);
                fabric.expect(&format!("bytes of {name} as sent"), true, bytes == message.bytes)?;
            }
        }
        if !failed {
            for (which, value) in [(0, ADDED * adds), (1, swaps)] {
                let mut bytes = [0; 8];
                let addr = counter(flow.from, n, which);
                fabric.station(flow.from.other()).read_memory(addr, &mut bytes);
                let name = format!("counter {which} of connection {n} at {:?}", flow.from.other());
                fabric.expect(&name, value, u64::from_le_bytes(bytes))?;
            }
        }
    }
    Ok(())
}
