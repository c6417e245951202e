//! What a port's state permits, and what the device may know of it.
use super::super::lanes::WAITING;
use super::*;
use crate::wire::flow_control::FlowControl;
use PortState::{Active, Armed, Down, Init};

/// Both sides report the step. Returns whether the model permits it.
fn steps(port: &mut Port, state: PortState) -> bool {
    let sides = [QueueSide::Receive, QueueSide::Send];
    sides
        .into_iter()
        .all(|side| port.port_modified(side, state).is_ok())
}

/// Returns what LinkDowned may be once the port is Down.
fn link_downed(mut port: Port) -> std::ops::RangeInclusive<u32> {
    assert!(steps(&mut port, Down));
    port.port_counter_range(PortCounter::LinkDowned)
}

#[test]
fn link_downed_is_open_where_the_cause_is() {
    let mut lost = Port::flow_controlled();
    lost.states.receive = Armed;
    lost.states.send = Armed;
    lost.set_link(false);
    assert_eq!(link_downed(lost.clone()), 1..=1);
    // The neighbour may have restarted while the port was not Active.
    lost.neighbour_initialises(false, true);
    assert_eq!(link_downed(lost), 0..=1);
    let mut restarted = Port::flow_controlled();
    restarted.neighbour_initialises(true, true);
    assert_eq!(link_downed(restarted), 0..=0);
    let mut asked = Port::flow_controlled();
    asked.set_port_state(Down);
    assert_eq!(link_downed(asked), 0..=0);
}

/// A data packet whose decision is due.
fn meeting() -> Meeting {
    Meeting {
        traffic: Traffic::Data,
        at_link: AtLink::Error,
        vl: None,
        operational: 1..=1,
        load: (0, 1),
        is_whole: true,
        may_overrun: false,
        overruns: false,
        passed: true,
        has_moved: false,
    }
}

/// An Armed port whose device has just taken a data packet.
/// `came_before`: the packet came before the port went to Armed.
fn armed_by(came_before: bool) -> Port {
    let mut port = Port::flow_controlled();
    (port.states.receive, port.states.send) = (Init, Init);
    port.set_port_state(Armed);
    if !came_before {
        assert!(steps(&mut port, Armed));
    }
    port.states.meetings.insert(0, meeting());
    if came_before {
        assert!(steps(&mut port, Armed));
    }
    port.decided(0, Verdict::Accept, Room::Found);
    port
}

#[test]
fn a_packet_of_before_may_wake_an_armed_port() {
    let mut port = armed_by(false);
    assert!(port.is_port_changing() && steps(&mut port, Active));
    let port = armed_by(true);
    assert!(!port.is_port_changing() && steps(&mut port.clone(), Active));
    let mut late = port;
    late.now += LATE;
    assert!(!steps(&mut late, Active));
}

#[test]
fn a_disabled_port_may_be_back_in_init_if_it_restarted_before() {
    let mut port = Port::flow_controlled();
    port.neighbour_initialises(true, true);
    port.disable_port();
    assert!(steps(&mut port, Down) && steps(&mut port, Init) && steps(&mut port, Down));
    assert!(!steps(&mut port, Init), "the device knows that it is disabled");
}

#[test]
fn a_disabled_port_stays_down() {
    let mut port = Port::flow_controlled();
    port.disable_port();
    assert!(steps(&mut port, Down) && !steps(&mut port, Init));
    assert_eq!(port.query_port_state(), Down);
    port.set_port_state(Active);
    port.set_port_state(Init);
    assert!(!steps(&mut port, Init), "no request leads to Init");
}

#[test]
fn a_round_begins_as_the_port_enters_init() {
    let mut port = Port::flow_controlled();
    let round = port.round();
    port.set_port_state(Down);
    assert!(steps(&mut port, Down));
    port.now += 7;
    assert_eq!(port.round(), round);
    assert!(steps(&mut port, Init));
    assert_eq!((port.round(), port.round_began()), (round + 1, port.now));
}

/// A flow-control packet of VL 0 or 1.
fn flow_control(op: u8, vl: u8) -> Vec<u8> {
    let (fctbs, fccl) = (0, 64);
    FlowControl { op, fctbs, vl, fccl }.encode().unwrap()
}

#[test]
fn a_restart_that_may_be_missed_shows_soon_after_the_last_decision() {
    let mut port = Port::flow_controlled();
    port.states.meetings.insert(0, meeting());
    port.states.meetings.insert(1, meeting());
    port.arrived = 2;
    port.receive_link(&flow_control(1, 1));
    port.set_data_vls(1);
    port.decided(0, Verdict::Accept, Room::Found);
    port.now += LATE;
    assert!(port.is_port_changing(), "the packet before it waits");
    port.decided(1, Verdict::Accept, Room::Found);
    assert!(port.is_port_changing());
    port.now += LATE;
    assert!(!port.is_port_changing());
}

#[test]
fn a_link_packet_is_looked_at_soon_after_the_last_decision() {
    let mut port = Port::flow_controlled();
    let now = port.now;
    for number in 0..2 {
        port.states.meetings.insert(number, meeting());
        port.arrived = number + 1;
        port.receive_link(&flow_control(0, 0));
    }
    port.decided(0, Verdict::Accept, Room::Found);
    let untils = |port: &Port| port.met.iter().map(|met| met.until).collect::<Vec<_>>();
    assert_eq!(untils(&port), [now + WAITING; 2], "a packet waits");
    port.decided(1, Verdict::Accept, Room::Found);
    assert_eq!(untils(&port), [now + LATE]);
}

#[test]
fn a_limit_that_comes_between_the_steps_to_init_counts_after_them() {
    let mut port = Port::flow_controlled();
    port.set_port_state(Down);
    assert!(steps(&mut port, Down));
    assert!(port.port_modified(QueueSide::Send, Init).is_ok());
    port.receive_link(&flow_control(0, 0));
    assert!(port.port_modified(QueueSide::Receive, Init).is_ok());
    let packet = [0; 26];
    assert!(!port.surely_starts(&packet) && port.might_start(&packet));
}
