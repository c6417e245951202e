//! Packets whose fate is written down, not computed.
mod common;
mod frames;
mod mtu;
mod native;
mod published;

use super::packet::{reseal, Packet, Route};
use super::Block;
use hca_sim::wire::receive::{Manners, Outcome};

/// What it is, its bytes, and why it is dropped, if it is.
type Case = (&'static str, Vec<u8>, Option<u8>);

/// Every case at the bench's port, one behind the other.
pub fn named(block: &Block) {
    let mut cases = match block.routes {
        Route::NATIVE => native::cases(),
        _ => frames::cases(),
    };
    for route in block.routes {
        cases.extend(common::cases(route));
    }
    let packets: Vec<_> = cases.iter().map(|case| case.1.clone()).collect();
    let arrivals = block.receiver(31).run(&packets, Manners::EAGER);
    let arrivals = arrivals.expect("the block obeys its ports");
    for ((name, packet, expected), arrival) in cases.iter().zip(arrivals) {
        let reason = match arrival.outcome {
            Outcome::Dropped(reason) => Some(reason),
            _ => None,
        };
        assert_eq!(reason, *expected, "{name}");
        assert_eq!(block.judge(packet).err(), *expected, "the bench on {name}");
    }
    published::published(block);
    mtu::of_each_mtu(block);
}

/// A packet with a change, its CRCs made right again.
pub fn changed(packet: &Packet, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = packet.bytes();
    change(&mut bytes);
    reseal(Route::NATIVE.contains(&packet.route), &mut bytes);
    bytes
}
