//! Traps and their repetition (`mad.md` section 6).
use super::*;
use crate::bench::on_both;
use hca_golden::port::PortState::{Active, Armed, Down};
use hca_sim::subnet::attribute::Trap;

mod of_no_lid {
    use super::*;

    on_both!(behind super::super::unmanaged(); cf483_no_trap_without_a_manager);
}

mod of_a_lid {
    use super::*;

    on_both!(behind super::super::managed();
        cf483_no_trap_but_from_an_active_port,
        cf484_a_repress_ends_the_repetition,
        cf546_the_repetition_has_a_limit,
    );
}

/// More than the distance of two traps, 4.096 us * 2^18.
const GAP: Duration = Duration::from_millis(1100);

/// A TrapRepress of the trap with this transaction and number.
pub(super) fn repress(transaction: u64, number: u16) -> MadBytes {
    let mut data = [0; 64];
    data[4..6].copy_from_slice(&number.to_be_bytes());
    let mut mad = smp(TRAP_REPRESS, 0x0002, 0, &data);
    mad[8..16].copy_from_slice(&transaction.to_be_bytes());
    mad
}

/// Y with a manager at LID 1 and a reason for trap 131.
fn asked(y: &mut Bench) -> Node<'_> {
    let mut node = Node::new(y);
    node.data(&smp(SET, PORT_INFO, 1, &written()));
    node.agent.ask(PORT, Trap::FlowControlWatchdog);
    node
}

fn cf483_no_trap_without_a_manager(y: &mut Bench) {
    let mut node = Node::at(y, 0, 0);
    node.agent.ask(PORT, Trap::FlowControlWatchdog);
    assert_eq!(node.trap(), None, "MasterSMLID 0");
}

/// It waits for the port, and for its link.
fn cf483_no_trap_but_from_an_active_port(y: &mut Bench) {
    let mut node = asked(y);
    for states in [&[Down][..], &[Armed]] {
        node.y.set_port_state(states);
        assert_eq!(node.trap(), None, "{states:?}");
    }
    node.y.set_port_state(&[Active]);
    node.y.submit(Verb::SetCable { is_in: false });
    node.y.settle();
    assert_eq!(node.trap(), None, "ActiveDefer");
    node.y.submit(Verb::SetCable { is_in: true });
    node.y.settle();
    let (slid, dlid, trap) = node.trap().expect("a trap");
    assert_eq!((slid, dlid), (0x14, 1));
    assert_eq!(trap[..4], [1, 1, 1, 0x05]);
    let notice = &trap[DATA..];
    assert_eq!(notice[..8], [0x81, 0, 0, 1, 0x00, 0x83, 0x00, 0x14], "131");
    assert_eq!(notice[10..16], [0, 0, 0x00, 0x14, 1, 0], "LID and port");
    node.y.told();
}

fn cf484_a_repress_ends_the_repetition(y: &mut Bench) {
    let mut node = asked(y);
    let (_, _, first) = node.trap().expect("a trap");
    let transaction = u64::from_be_bytes(first[8..16].try_into().unwrap());
    // Another transaction, or another number, ends nothing.
    assert_eq!(node.ask(&repress(transaction + 1, 131)), None);
    assert_eq!(node.ask(&repress(transaction, 130)), None);
    node.now += GAP;
    let (_, _, again) = node.trap().expect("a repeat");
    assert_eq!(again, first);
    assert_eq!(node.ask(&repress(transaction, 131)), None);
    node.now += GAP;
    assert_eq!(node.trap(), None);
}

fn cf546_the_repetition_has_a_limit(y: &mut Bench) {
    let mut node = asked(y);
    let mut sent = 0;
    for _ in 0..12 {
        sent += u32::from(node.trap().is_some());
        node.now += GAP;
    }
    assert_eq!(sent, 10);
}
