//! Queue pairs, groups and places in memory of runs with multicast.
use hca_golden::port::Link;

/// Number of queue pairs of a side. With the smallest profile, two indices stay free.
pub(super) const QPS: u32 = 12;
pub(super) const GROUPS: u32 = 4;
pub(super) const ROUNDS: u32 = 3;
/// Number of messages of a queue pair in a round.
pub(super) const MESSAGES: u32 = 3;
/// Largest number of copies that a queue pair gets in a round: one of every message of the others.
pub(super) const COPIES: u32 = (2 * QPS - 1) * MESSAGES;
/// Number of entries of a receive queue. A lossy link may repeat every packet.
pub(super) const ENTRIES: u32 = (2 * COPIES).next_power_of_two();
/// Distance from one message's or copy's place to the next, in bytes.
pub(super) const STRIDE: u64 = 0x2000;
/// Areas of the sources of messages, and of the copies.
pub(super) const SOURCES: u64 = 0x1000_0000;
pub(super) const BUFFERS: u64 = 0x2000_0000;

/// Returns the GID of a group; on a RoCE link that of an IPv4 address.
pub(in super::super) fn mgid(link: Link, group: u32) -> [u8; 16] {
    let number = group as u8;
    match link {
        Link::Roce => [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 239, 1, 2, number],
        Link::InfiniBand => [
            0xFF, 0x12, 0x40, 0x1B, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 1, number,
        ],
    }
}

/// Returns the LID of a group; 0 on a RoCE link.
pub(in super::super) fn mlid(link: Link, group: u32) -> u16 {
    match link {
        Link::Roce => 0,
        Link::InfiniBand => 0xC100 + group as u16,
    }
}

/// Returns the service level of packets for a group.
pub(in super::super) fn sl(group: u32) -> u8 {
    1 + group as u8
}
