//! `link.md` section 12: a port over Ethernet has no states.
use crate::bench::requester::{work, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{attributes_on, on_both, Bench};
use hca_golden::hca::changes_to;
use hca_golden::port::{Link, PortConfig, PortState};
use hca_golden::verbs::QpState;
use hca_testbench::device::{port_on, Reason};
use hca_testbench::Side;

on_both!(behind super::roce_port();
    it_is_active_whatever_software_asks_for,
    it_has_one_gid,
);

pub fn roce_port() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

fn it_is_active_whatever_software_asks_for(y: &mut Bench) {
    y.create(&attributes_on(Link::Roce, 100));
    y.enter_rts();
    y.set_port_state(&[PortState::Down, PortState::Init, PortState::Armed]);
    assert_eq!(y.port_state(), PortState::Active);
    y.post(work(1, SEND, 4));
    y.settle();
    assert_eq!(y.packets().len(), 1);
    assert_eq!((y.told(), y.xmit_discards()), (vec![], 0));
}

fn it_has_one_gid(y: &mut Bench) {
    let mut attributes = attributes_on(Link::Roce, 100);
    y.create(&attributes);
    assert_eq!(y.attempt_move(QpState::Init), DONE);
    attributes.sgid_index = 1;
    let changes = changes_to(&attributes, QpState::Init, QpState::Rtr, 1);
    assert_eq!(y.attempt_set(QpState::Rtr, &changes), Err(Reason::BadAttribute));
    assert_eq!(y.attempt_move(QpState::Rtr), DONE);
}
