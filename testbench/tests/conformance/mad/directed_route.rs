//! Directed routes of one hop (`mad.md` section 3).
use super::*;
use crate::bench::on_both;
use hca_sim::subnet::directed_route::{answer, arrive, Arrived};

mod of_no_lid {
    use super::*;

    on_both!(behind super::super::unmanaged(); cf470_the_last_hop_writes_its_port_and_is_answered);
}

mod of_a_lid {
    use super::*;

    on_both!(behind super::super::managed(); cf471_a_route_that_goes_on_or_is_over_is_dropped);
}

/// A port without a LID is reached too.
fn cf470_the_last_hop_writes_its_port_and_is_answered(y: &mut Bench) {
    let mut node = Node::at(y, 0, 0);
    let mad = directed(smp(GET, NODE_INFO, 0, &[]));
    let (slid, mad) = node.arrive(0, Node::packet(0, NEIGHBOUR, NEIGHBOUR, &mad));
    assert_eq!(slid, 0xFFFF);
    let mut smp = Smp::decode(&mad);
    assert_eq!(arrive(&mut smp, PORT), Arrived::ForAgent);
    let mad: MadBytes = smp.encode();
    assert_eq!((mad[6], mad[193]), (2, 1), "pointer and ReturnPath[1]");
    let Handled::Reply(mut reply) = node.handle(slid, &mad) else {
        panic!("no reply");
    };
    let dlid = answer(&mut reply, PORT);
    assert_eq!(dlid, Some(0xFFFF));
    let (slid, dlid, sent) = node.send(0, 0xFFFF, &reply.encode());
    assert_eq!((slid, dlid), (0xFFFF, 0xFFFF));
    assert_eq!(sent[..8], [1, 0x81, 1, GET_RESP, 0x80, 0x00, 1, 1]);
    assert_eq!(sent[32..36], [0xFF; 4]);
    assert_eq!((sent[129], sent[193]), (1, 1), "paths");
}

fn cf471_a_route_that_goes_on_or_is_over_is_dropped(y: &mut Bench) {
    let mut node = Node::new(y);
    for (pointer, count) in [(0, 1), (1, 2), (3, 1), (255, 1), (64, 64)] {
        let mut mad = directed(smp(GET, NODE_INFO, 0, &[]));
        (mad[6], mad[7]) = (pointer, count);
        let (_, mad) = node.arrive(0, Node::packet(0, NEIGHBOUR, NEIGHBOUR, &mad));
        let arrived = arrive(&mut Smp::decode(&mad), PORT);
        assert_eq!(arrived, Arrived::Dropped, "{pointer} of {count}");
    }
}
