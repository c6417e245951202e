//! Directed routes (`protocol/mad.md` section 3).
use crate::bench::*;
use hca_sim::subnet::directed_route::{self, Arrived, Leaving};
use hca_sim::subnet::mad::{MadBytes, Smp};
use hca_sim::subnet::{Arrival, Handled, Record};

/// Status with D, as a response has it.
const RETURNING: [u8; 2] = [0x80, 0x00];

fn directed(method: u8, pointer: u8, count: u8) -> MadBytes {
    let mut mad = smp(method, NODE_INFO, 0, &[]);
    mad[1] = 0x81;
    mad[6] = pointer;
    mad[7] = count;
    mad[32..36].fill(0xFF);
    mad[129] = 1;
    mad
}

fn arrive(mad: &MadBytes, port: u8) -> (Arrived, MadBytes) {
    let mut smp = Smp::decode(mad);
    let arrived = directed_route::arrive(&mut smp, port);
    (arrived, smp.encode())
}

#[test]
fn the_last_hop_writes_its_port_and_is_answered() {
    let mut bench = Bench::new();
    let (arrived, mad) = arrive(&directed(GET, 1, 1), 2);
    assert_eq!(arrived, Arrived::ForAgent);
    assert_eq!((mad[6], mad[193]), (2, 2), "pointer and ReturnPath[1]");
    let arrival = Arrival {
        port: 2,
        slid: 0xFFFF,
        smp: &Smp::decode(&mad),
        now: bench.now,
    };
    let Ok(Handled::Reply(mut reply)) = bench.agent.receive(&mut bench.ports, &arrival) else {
        panic!("no reply");
    };
    assert_eq!(directed_route::answer(&mut reply, 2), Some(0xFFFF));
    let bytes: MadBytes = reply.encode();
    assert_eq!(bytes[..8], [1, 0x81, 1, GET_RESP, 0x80, 0x00, 1, 1]);
    assert_eq!(bytes[32..36], [0xFF; 4]);
    assert_eq!((bytes[129], bytes[193]), (1, 2), "paths");
    // The requester takes it with pointer 1, and reads 0.
    let (arrived, mad) = arrive(&bytes, 1);
    assert_eq!((arrived, mad[6]), (Arrived::ForManager, 0));
}

#[test]
fn a_route_without_hops_stays_here() {
    let mut smp = Smp::decode(&directed(GET, 0, 0));
    assert_eq!(directed_route::request(&mut smp, 1), Leaving::Here);
    let (arrived, mad) = arrive(&directed(GET, 0, 0), 1);
    assert_eq!((arrived, mad[6]), (Arrived::ForAgent, 1));
    assert_eq!(mad[192..], [0; 64], "no entry of the return path");
    let mut reply = Smp::decode(&mad).response(hca_sim::subnet::mad::Status::Done);
    assert_eq!(directed_route::answer(&mut reply, 1), Some(0xFFFF));
    assert_eq!(reply.header.hop_pointer, 0);
}

#[test]
fn a_route_that_goes_on_or_is_over_is_dropped() {
    for (pointer, count) in [
        (0, 1),
        (1, 2),
        (62, 63),
        (3, 1),
        (255, 1),
        (2, 0),
        (64, 64),
        (65, 64),
        (0, 255),
    ] {
        let mad = directed(GET, pointer, count);
        assert_eq!(arrive(&mad, 1), (Arrived::Dropped, mad), "{pointer} of {count}");
    }
    assert_eq!(arrive(&directed(GET, 63, 63), 1).0, Arrived::ForAgent);
    // Pointer HopCount + 1 goes to the agent as it is.
    let mad = directed(GET, 2, 1);
    assert_eq!(arrive(&mad, 1), (Arrived::ForAgent, mad));
}

#[test]
fn a_route_that_ends_in_a_lid_part_is_dropped() {
    let mut mad = directed(GET, 1, 1);
    mad[34..36].copy_from_slice(&[0x00, 0x05]);
    assert_eq!(arrive(&mad, 1).0, Arrived::Dropped);
}

#[test]
fn a_response_reaches_a_manager_with_pointer_1_alone() {
    for (pointer, arrived) in [
        (0, Arrived::Dropped),
        (1, Arrived::ForManager),
        (2, Arrived::Dropped),
    ] {
        let mut mad = directed(GET_RESP, pointer, 1);
        mad[4..6].copy_from_slice(&RETURNING);
        assert_eq!(arrive(&mad, 1).0, arrived, "pointer {pointer}");
        mad[32..34].copy_from_slice(&[0x00, 0x05]);
        assert_eq!(
            arrive(&mad, 1).0,
            Arrived::Dropped,
            "the route began with a LID part"
        );
    }
}

#[test]
fn a_request_leaves_by_the_first_port_of_its_path() {
    let request = |pointer, count, port| {
        let mut smp = Smp::decode(&directed(GET, pointer, count));
        let leaving = directed_route::request(&mut smp, port);
        (leaving, smp.header.hop_pointer)
    };
    assert_eq!(request(0, 1, 1), (Leaving::ByLink, 1));
    assert_eq!(request(0, 63, 1), (Leaving::ByLink, 1));
    assert_eq!(request(0, 64, 1), (Leaving::Dropped, 0));
    assert_eq!(request(1, 1, 1), (Leaving::Dropped, 1));
    assert_eq!(
        request(0, 1, 2),
        (Leaving::Dropped, 0),
        "InitialPath[1] is port 1"
    );
}

#[test]
fn a_response_leaves_by_the_port_of_its_request_to_the_lid_of_its_route() {
    let answer = |pointer, count, port, slid: [u8; 2]| {
        let mut mad = directed(GET_RESP, pointer, count);
        mad[4..6].copy_from_slice(&RETURNING);
        mad[32..34].copy_from_slice(&slid);
        mad[193] = 1;
        directed_route::answer(&mut Smp::decode(&mad), port)
    };
    assert_eq!(answer(2, 1, 1, [0xFF, 0xFF]), Some(0xFFFF));
    assert_eq!(answer(2, 1, 1, [0x00, 0x05]), Some(5));
    assert_eq!(answer(2, 1, 2, [0xFF, 0xFF]), None);
    assert_eq!(answer(1, 1, 1, [0xFF, 0xFF]), None);
    assert_eq!(answer(65, 64, 1, [0xFF, 0xFF]), None);
}
