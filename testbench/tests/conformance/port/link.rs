//! CF431, CF434, CF435: the physical link comes and goes (`link.md` section 1).
use super::steps::{data, PORT_ACTIVE, PORT_ERROR};
use crate::bench::{on_both, Bench};
use crate::ud::qp0::requester::message;
use crate::ud::qp0::{connect, four_lids, smp};
use crate::ud::{peer, send, success};
use hca_golden::event::DropReason;
use hca_golden::port::PortState;
use hca_golden::verbs::PortCounter;
use hca_testbench::device::Verb;
use PortState::{Active, ActiveDefer, Armed, Down, Init};

on_both!(behind super::four_lids();
    cf431_without_a_link_nothing_leaves_or_arrives,
    cf434_init_waits_for_the_link,
    cf434_a_disabled_port_stays_down,
    cf435_a_link_that_is_back_in_4_ms_was_never_down,
    cf435_a_link_that_is_lost_for_11_ms_is_down,
    cf435_nothing_leaves_or_arrives_while_the_link_trains,
    cf435_software_may_take_the_port_down_meanwhile,
    cf435_the_counts_stay_at_ff,
);

/// Clock cycles of a millisecond.
const MS: u64 = 125_000;

impl Bench {
    fn set_cable(&mut self, is_in: bool) {
        self.submit(Verb::SetCable { is_in });
        self.settle();
    }

    /// LinkErrorRecovery and LinkDowned.
    fn link_counters(&mut self) -> (u32, u32) {
        (
            self.port_counter(PortCounter::LinkErrorRecovery),
            self.port_counter(PortCounter::LinkDowned),
        )
    }
}

/// Not even SMPs.
fn cf431_without_a_link_nothing_leaves_or_arrives(y: &mut Bench) {
    connect(y, peer(), 1);
    y.set_port_state(&[Down]);
    y.set_cable(false);
    assert_eq!(y.port_state(), Down);
    y.take(&[smp(0x81), data()]);
    assert_eq!(y.drops(), [(DropReason::PortState, 2)]);
    y.post(message(1, hca_golden::verbs::SendOperation::Send, 256));
    y.settle();
    assert_eq!(y.packets().len(), 0);
    assert_eq!((y.completions(), y.xmit_discards()), (vec![success(1, 0)], 1));
    y.set_cable(true);
    assert_eq!(y.port_state(), Init);
    y.take(&[smp(0x81)]);
    assert_eq!(y.completions().len(), 1);
}

fn cf434_init_waits_for_the_link(y: &mut Bench) {
    for states in [&[Down][..], &[Armed]] {
        y.set_port_state(states);
        y.set_cable(false);
        assert_eq!(y.port_state(), Down);
        // There is no step from Down but the port's own.
        y.set_port_state(&[Armed, Active, Down]);
        assert_eq!(y.port_state(), Down);
        y.set_cable(true);
        assert_eq!(y.port_state(), Init);
    }
    assert_eq!(y.link_counters(), (0, 2));
    assert_eq!(y.told(), [PORT_ERROR]);
}

/// Until software asks for Down once more.
fn cf434_a_disabled_port_stays_down(y: &mut Bench) {
    for _ in 0..2 {
        y.submit(Verb::DisablePort);
        y.settle();
        assert_eq!(y.port_state(), Down);
        y.set_port_state(&[Armed, Active]);
        assert_eq!(y.port_state(), Down);
    }
    y.set_cable(false);
    y.set_cable(true);
    assert_eq!(y.port_state(), Down);
    y.take(&[smp(0x81)]);
    assert_eq!(y.drops(), [(DropReason::PortState, 1)]);
    y.set_port_state(&[Down]);
    assert_eq!(y.port_state(), Init);
    assert_eq!((y.link_counters(), y.told()), ((0, 0), vec![PORT_ERROR]));
    // It may be disabled before its link is up, and enabled too.
    y.set_cable(false);
    y.submit(Verb::DisablePort);
    y.set_cable(true);
    assert_eq!(y.port_state(), Down);
    y.set_cable(false);
    y.set_port_state(&[Down]);
    assert_eq!(y.port_state(), Down);
    y.set_cable(true);
    assert_eq!(y.port_state(), Init);
    assert_eq!(y.link_counters(), (0, 1));
}

fn cf435_a_link_that_is_back_in_4_ms_was_never_down(y: &mut Bench) {
    y.datagrams();
    y.set_cable(false);
    assert_eq!(y.port_state(), ActiveDefer);
    y.run_for(4 * MS);
    assert_eq!(y.port_state(), ActiveDefer);
    y.set_cable(true);
    assert_eq!(y.port_state(), Active);
    assert_eq!((y.link_counters(), y.told()), ((1, 0), vec![]));
    y.post(send(1, 4));
    y.settle();
    assert_eq!(y.packets().len(), 1);
    assert_eq!(y.completions(), [success(1, 0)]);
}

fn cf435_a_link_that_is_lost_for_11_ms_is_down(y: &mut Bench) {
    y.set_cable(false);
    y.run_for(11 * MS);
    assert_eq!(y.port_state(), Down);
    assert_eq!((y.link_counters(), y.told()), ((0, 1), vec![PORT_ERROR]));
    y.set_cable(true);
    assert_eq!(y.port_state(), Init);
    y.set_port_state(&[Armed, Active]);
    assert_eq!((y.link_counters(), y.told()), ((0, 1), vec![PORT_ACTIVE]));
    // The time begins anew with each loss.
    for _ in 0..2 {
        y.set_cable(false);
        y.run_for(4 * MS);
        y.set_cable(true);
        assert_eq!(y.port_state(), Active);
    }
    assert_eq!((y.link_counters(), y.told()), ((2, 1), vec![]));
}

fn cf435_nothing_leaves_or_arrives_while_the_link_trains(y: &mut Bench) {
    connect(y, peer(), 1);
    y.set_cable(false);
    y.take(&[smp(0x81), data()]);
    assert_eq!(y.drops(), [(DropReason::PortState, 2)]);
    y.post(message(1, hca_golden::verbs::SendOperation::Send, 256));
    y.settle();
    assert_eq!(y.packets().len(), 0);
    assert_eq!((y.completions(), y.xmit_discards()), (vec![success(1, 0)], 1));
    y.set_port_state(&[Armed, Active]);
    assert_eq!(y.port_state(), ActiveDefer);
    y.set_cable(true);
    y.take(&[smp(0x81)]);
    assert_eq!(y.completions().len(), 1);
}

fn cf435_software_may_take_the_port_down_meanwhile(y: &mut Bench) {
    y.set_cable(false);
    y.set_port_state(&[Down]);
    assert_eq!(y.port_state(), Down);
    assert_eq!((y.link_counters(), y.told()), ((0, 0), vec![PORT_ERROR]));
    y.run_for(11 * MS);
    y.set_cable(true);
    assert_eq!(y.port_state(), Init);
    assert_eq!((y.link_counters(), y.told()), ((0, 0), vec![]));
}

fn cf435_the_counts_stay_at_ff(y: &mut Bench) {
    for counter in [PortCounter::LinkErrorRecovery, PortCounter::LinkDowned] {
        y.submit(Verb::SetPortCounter { counter, count: 0xFE });
    }
    for _ in 0..2 {
        y.set_cable(false);
        y.set_cable(true);
    }
    y.set_port_state(&[Down]);
    for _ in 0..2 {
        y.set_cable(false);
        y.set_cable(true);
    }
    assert_eq!(y.link_counters(), (0xFF, 0xFF));
    assert_eq!(y.told(), [PORT_ERROR]);
}
