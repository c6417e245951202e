//! The credits of a data VL (`link.md` section 5). All counts are modulo 4096 blocks of 64 bytes.
use crate::wire::crc::VCRC_BYTES;

/// Size of a block in bytes.
const BLOCK: usize = 64;
/// Modulus of the counts.
const MODULO: u16 = 1 << 12;
/// Largest number of blocks that one flow-control packet promises.
pub const MOST_PROMISED: u16 = 2048;

/// Returns the number of blocks of a packet with this many words from LRH to ICRC. Its VCRC takes room, too.
pub fn blocks(words: usize) -> u16 {
    (4 * words + VCRC_BYTES).div_ceil(BLOCK) as u16
}

/// Returns a count that is `blocks` higher.
pub fn further(count: u16, blocks: u16) -> u16 {
    (count + blocks) % MODULO
}

/// Returns by how many blocks a count is beyond an earlier one.
pub fn beyond(earlier: u16, count: u16) -> u16 {
    (count + MODULO - earlier) % MODULO
}

/// Returns true if a packet of `blocks` blocks may start. `limit` is the CreditLimit of the last flow-control packet
/// taken for its VL, and `sent` the number of blocks sent since Init (CF277, CF448). Before the first flow-control
/// packet no packet may start (CF444).
pub fn may_start(limit: Option<u16>, sent: u16, blocks: u16) -> bool {
    let after = further(sent, blocks);
    limit.is_some_and(|limit| (limit + MODULO - after) % MODULO <= MOST_PROMISED)
}

/// Returns the number of blocks that may still start by this limit, with `sent` blocks sent since Init.
pub fn left(limit: u16, sent: u16) -> u16 {
    let left = (limit + MODULO - sent) % MODULO;
    match left <= MOST_PROMISED {
        true => left,
        false => 0,
    }
}

/// Returns the FCCL to send when `received` blocks have come since Init and `free` blocks are free (CF446).
pub fn limit(received: u16, free: u16) -> u16 {
    further(received, free.min(MOST_PROMISED))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of section 5.
    #[test]
    fn a_packet_has_the_blocks_of_the_table() {
        let table = [
            (5, 1),
            (15, 1),
            (16, 2),
            (31, 2),
            (32, 3),
            (72, 5),
            (82, 6),
            (518, 33),
            (1032, 65),
            (1055, 66),
        ];
        for (words, expected) in table {
            assert_eq!(blocks(words), expected, "PktLen {words}");
        }
    }

    #[test]
    fn a_limit_behind_what_was_sent_leaves_nothing() {
        for (limit, expected) in [(10, 6), (4, 0), (3, 0), (2052, 2048), (2053, 0)] {
            assert_eq!(left(limit, 4), expected, "{limit}");
        }
        assert_eq!(left(10, 4090), 16);
    }

    /// CF448: CreditLimit, FCTBS, blocks, and whether the packet may start.
    #[test]
    fn a_packet_starts_as_in_the_table() {
        let table = [
            (64, 0, 64, true),
            (64, 0, 65, false),
            (64, 64, 1, false),
            (65, 64, 1, true),
            (10, 4090, 16, true),
            (10, 4090, 17, false),
            (0, 0, 1, false),
            (2048, 0, 2048, true),
            (2048, 0, 2049, false),
            (1110, 291, 819, true),
            (1110, 291, 820, false),
        ];
        for (limit, sent, blocks, expected) in table {
            assert_eq!(
                may_start(Some(limit), sent, blocks),
                expected,
                "{limit}, {sent}, {blocks}"
            );
        }
        assert!(!may_start(None, 0, 1));
    }

    /// Section 5: the rule says the same as "blocks <= credits left", for 0 to 2048 credits, wherever the counts stand.
    #[test]
    fn the_rule_says_what_is_left() {
        for sent in [0, 1, 2047, 2048, 4095] {
            for left in 0..=MOST_PROMISED {
                for blocks in [1, 2, 66, left, left + 1] {
                    let limit = Some(limit(sent, left));
                    assert_eq!(
                        may_start(limit, sent, blocks),
                        blocks <= left,
                        "{sent}, {left}, {blocks}"
                    );
                }
            }
        }
    }
}
