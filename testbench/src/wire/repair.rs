//! Repairs the checks that a mutation broke, so that those behind them are reached.
use etherparse::checksum::Sum16BitWords;
use hca_golden::port::Link;
use hca_golden::wire::crc::{icrc, icrc_roce_v2, vcrc, ICRC_BYTES, VCRC_BYTES};

/// What is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    Nothing,
    /// VCRC, and the IPv4 header checksum.
    Link,
    /// VCRC, the IPv4 header checksum, and the ICRC.
    All,
}

const LRH_BYTES: usize = 8;
const ETHERNET_BYTES: usize = 14;
/// Place of the checksum in the IPv4 header.
const CHECKSUM: std::ops::Range<usize> = 10..12;
const IPV4_BYTES: usize = 20;
const IPV6_BYTES: usize = 40;
/// Number of bytes to which Ethernet pads a frame.
const PADDED_BYTES: usize = 60;

/// Repairs a frame, as far as it has room for the repaired fields.
pub fn repair(link: Link, frame: &mut [u8], repair: Repair) {
    match link {
        Link::InfiniBand => native(frame, repair),
        Link::Roce => roce(frame, repair),
    }
}

fn native(frame: &mut [u8], repair: Repair) {
    if repair == Repair::Nothing || frame.len() < LRH_BYTES + ICRC_BYTES + VCRC_BYTES {
        return;
    }
    if repair == Repair::All {
        let (covered, crcs) = frame.split_at_mut(frame.len() - ICRC_BYTES - VCRC_BYTES);
        crcs[..ICRC_BYTES].copy_from_slice(&icrc(covered));
    }
    let (covered, crc) = frame.split_at_mut(frame.len() - VCRC_BYTES);
    crc.copy_from_slice(&vcrc(covered));
}

fn roce(frame: &mut [u8], repair: Repair) {
    if repair == Repair::Nothing || frame.len() < ETHERNET_BYTES + IPV4_BYTES + ICRC_BYTES {
        return;
    }
    let is_ipv4 = frame[12..14] == [0x08, 0x00];
    let ip = &mut frame[ETHERNET_BYTES..];
    if is_ipv4 {
        ip[CHECKSUM].fill(0);
        let sum = Sum16BitWords::new().add_slice(&ip[..IPV4_BYTES]);
        // The sum is in memory order.
        ip[CHECKSUM].copy_from_slice(&sum.ones_complement().to_ne_bytes());
    }
    if repair == Repair::All {
        let stated = match is_ipv4 {
            true => usize::from(u16::from_be_bytes([ip[2], ip[3]])),
            false => IPV6_BYTES + usize::from(u16::from_be_bytes([ip[4], ip[5]])),
        };
        let end = match ip.len() + ETHERNET_BYTES {
            PADDED_BYTES if (IPV4_BYTES..ip.len()).contains(&stated) => stated,
            _ => ip.len(),
        };
        let (covered, crc) = ip[..end].split_at_mut(end - ICRC_BYTES);
        crc.copy_from_slice(&icrc_roce_v2(covered));
    }
}
