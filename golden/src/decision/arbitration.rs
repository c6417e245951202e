//! Which data VL of a native port sends next (`link.md` section 6). Blocks are those of section 5.
use crate::arbitration::{Arbitration, Entry, Table, ENTRIES};
use crate::wire::lrh::MANAGEMENT_VL;

/// VLHighLimit that stands for no limit.
const NO_LIMIT: u8 = 255;
/// Blocks of the high table for each unit of VLHighLimit, which is 4096 bytes.
const LIMIT_UNIT: u16 = 64;

/// The blocks of the first packet of each data VL that may start now: it has credits.
pub type Eligible = [Option<u16>; MANAGEMENT_VL as usize];

/// Position within one table: its current entry, and what that entry has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// The current entry.
    pub entry: usize,
    /// Blocks that the current entry has sent in its turn.
    pub used: u16,
}

/// Position within both tables, and what the high table has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    pub high: Turn,
    pub low: Turn,
    /// The limit counter: blocks that the high table may still send before the low table sends a packet.
    pub high_left: u16,
}

impl Turns {
    /// Returns the turns of new tables: both begin with their first entry.
    pub fn begin(port: &Arbitration) -> Turns {
        Turns {
            high_left: reload(port),
            ..Turns::default()
        }
    }
}

/// Returns the value that the limit counter begins with. Any packet takes the single block of limit 0.
fn reload(port: &Arbitration) -> u16 {
    match port.high_limit {
        0 => 1,
        limit => LIMIT_UNIT * u16::from(limit),
    }
}

/// Chooses the VL that sends its first packet, and returns it with the turns after that packet; `None` if no entry of
/// either table has a packet that may start. The first `data_vls` VLs are operational.
pub fn choose(port: &Arbitration, data_vls: u8, turns: Turns, eligible: &Eligible) -> Option<(u8, Turns)> {
    let high = || {
        let (vl, blocks, turn) = next(&port.high, data_vls, turns.high, eligible)?;
        let high_left = turns.high_left.saturating_sub(blocks);
        let after = Turns {
            high: turn,
            high_left,
            ..turns
        };
        Some((vl, after))
    };
    let low = || {
        let (vl, _, turn) = next(&port.low, data_vls, turns.low, eligible)?;
        let after = Turns {
            low: turn,
            high_left: reload(port),
            ..turns
        };
        Some((vl, after))
    };
    match port.high_limit == NO_LIMIT || turns.high_left > 0 {
        true => high().or_else(low),
        false => low().or_else(high),
    }
}

/// Chooses within a table: the current entry if its turn has not ended, then those behind it, and last the current one
/// in a new turn. Returns VL, blocks and turn.
fn next(table: &Table, data_vls: u8, turn: Turn, eligible: &Eligible) -> Option<(u8, u16, Turn)> {
    (0..=ENTRIES).find_map(|further| {
        let entry = (turn.entry + further) % ENTRIES;
        let used = if further == 0 { turn.used } else { 0 };
        let Entry { vl, weight } = table[entry];
        let may_start = vl < data_vls && used < u16::from(weight);
        let blocks = eligible
            .get(usize::from(vl))
            .copied()
            .flatten()
            .filter(|_| may_start)?;
        let used = used + blocks;
        Some((vl, blocks, Turn { entry, used }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(entries: &[(u8, u8)]) -> Table {
        let mut table = Table::default();
        for (entry, &(vl, weight)) in table.iter_mut().zip(entries) {
            *entry = Entry { vl, weight };
        }
        table
    }

    /// A port with these entries, VL and weight, of the high and the low table.
    fn port(high: &[(u8, u8)], low: &[(u8, u8)], high_limit: u8) -> Arbitration {
        Arbitration {
            high: table(high),
            low: table(low),
            high_limit,
        }
    }

    /// Returns the first packets of the VLs, each given by its VL and its blocks.
    fn packets(waiting: &[(u8, u16)]) -> Eligible {
        let mut eligible = Eligible::default();
        waiting
            .iter()
            .for_each(|&(vl, blocks)| eligible[usize::from(vl)] = Some(blocks));
        eligible
    }

    /// The VLs of the next `count` packets, of eight operational VLs, while such packets always wait.
    fn schedule(port: &Arbitration, waiting: &[(u8, u16)], count: usize) -> Vec<u8> {
        schedule_of(8, port, waiting, count)
    }

    fn schedule_of(data_vls: u8, port: &Arbitration, waiting: &[(u8, u16)], count: usize) -> Vec<u8> {
        let mut turns = Turns::begin(port);
        let step = || {
            let (vl, after) = choose(port, data_vls, turns, &packets(waiting))?;
            turns = after;
            Some(vl)
        };
        std::iter::from_fn(step).take(count).collect()
    }

    /// CF269.
    #[test]
    fn an_entry_of_weight_0_is_skipped() {
        let port = port(&[], &[(0, 0), (1, 1), (0, 0), (2, 1)], 0);
        let all = [(0, 1), (1, 1), (2, 1)];
        assert_eq!(schedule(&port, &all, 5), [1, 2, 1, 2, 1]);
    }

    /// CF461.
    #[test]
    fn an_entry_of_a_vl_that_is_not_operational_is_skipped() {
        let port = port(&[(3, 9)], &[(0, 1), (2, 9), (1, 1)], 0);
        let all = [(0, 1), (1, 1), (2, 1), (3, 1)];
        assert_eq!(schedule_of(2, &port, &all, 4), [0, 1, 0, 1]);
        assert_eq!(schedule_of(3, &port, &all, 4), [0, 2, 2, 2]);
    }

    /// CF270: 3 blocks to 1, with packets of a block.
    #[test]
    fn shares_follow_the_weights() {
        let port = port(&[], &[(0, 3), (1, 1)], 0);
        let both = [(0, 1), (1, 1)];
        assert_eq!(schedule(&port, &both, 9), [0, 0, 0, 1, 0, 0, 0, 1, 0]);
    }

    /// An entry starts its last packet while a single block of its weight is left.
    #[test]
    fn the_last_packet_of_a_turn_may_exceed_it() {
        let port = port(&[], &[(0, 5), (1, 1)], 0);
        let both = [(0, 4), (1, 66)];
        assert_eq!(schedule(&port, &both, 6), [0, 0, 1, 0, 0, 1]);
    }

    /// Blocks beyond a turn, or left of it, do not count in the next turn.
    #[test]
    fn leaving_an_entry_clears_its_count() {
        let port = port(&[], &[(0, 4), (1, 1)], 0);
        let mut turns = Turns::begin(&port);
        let mut next = |waiting: &[(u8, u16)]| {
            let (vl, after) = choose(&port, 8, turns, &packets(waiting)).unwrap();
            turns = after;
            (vl, after.low)
        };
        let turn = |entry, used| Turn { entry, used };
        assert_eq!(next(&[(0, 3), (1, 1)]), (0, turn(0, 3)));
        // Nothing waits on VL 0 for a moment.
        assert_eq!(next(&[(1, 1)]), (1, turn(1, 1)));
        assert_eq!(next(&[(0, 3), (1, 1)]), (0, turn(0, 3)));
        assert_eq!(next(&[(0, 3), (1, 1)]), (0, turn(0, 6)));
        assert_eq!(next(&[(0, 3), (1, 1)]), (1, turn(1, 1)));
        assert_eq!(next(&[(0, 3), (1, 1)]), (0, turn(0, 3)));
    }

    #[test]
    fn an_entry_begins_a_new_turn_if_no_other_has_a_packet() {
        let port = port(&[], &[(0, 2), (1, 2)], 0);
        assert_eq!(schedule(&port, &[(0, 2)], 4), [0, 0, 0, 0]);
    }

    /// Each entry has its own count, and a VL in both tables is served by either.
    #[test]
    fn a_vl_may_have_several_entries() {
        let twice = port(&[], &[(0, 2), (1, 1), (0, 1)], 0);
        let both = [(0, 1), (1, 1)];
        assert_eq!(schedule(&twice, &both, 8), [0, 0, 1, 0, 0, 0, 1, 0]);
        let in_both_tables = port(&[(0, 1)], &[(1, 1), (0, 1)], 0);
        assert_eq!(schedule(&in_both_tables, &both, 8), [0, 1, 0, 0, 0, 1, 0, 0]);
    }

    /// CF279.
    #[test]
    fn with_limit_0_the_low_table_follows_each_high_packet() {
        let port = port(&[(0, 255)], &[(1, 255)], 0);
        for blocks in [1, 66] {
            let both = [(0, blocks), (1, 1)];
            assert_eq!(schedule(&port, &both, 6), [0, 1, 0, 1, 0, 1]);
        }
    }

    /// CF268: 64 blocks of the high table are 16 packets of 4 blocks; what exceeds them is not made up for.
    #[test]
    fn with_limit_1_the_high_table_sends_4096_bytes_first() {
        let port = port(&[(0, 255)], &[(1, 255)], 1);
        let mut expected = [[0; 16].as_slice(), &[1]].concat();
        expected.extend(expected.clone());
        assert_eq!(schedule(&port, &[(0, 4), (1, 66)], 34), expected);
        assert_eq!(schedule(&port, &[(0, 63), (1, 1)], 6), [0, 0, 1, 0, 0, 1]);
        assert_eq!(schedule(&port, &[(0, 66), (1, 1)], 4), [0, 1, 0, 1]);
    }

    /// CF280.
    #[test]
    fn with_limit_255_the_low_table_may_starve() {
        let port = port(&[(0, 1)], &[(1, 255)], 255);
        assert_eq!(schedule(&port, &[(0, 66), (1, 1)], 1000), [0; 1000]);
    }

    /// CF281.
    #[test]
    fn a_table_without_an_eligible_packet_yields_to_the_other() {
        for limit in [0, 1, 255] {
            let port = port(&[(0, 1)], &[(1, 1)], limit);
            assert_eq!(schedule(&port, &[(1, 1)], 3), [1, 1, 1]);
            assert_eq!(schedule(&port, &[(0, 66)], 3), [0, 0, 0]);
        }
    }

    /// The counter stays at 0 until a low packet has left, then it begins anew.
    #[test]
    fn the_limit_counter_does_not_go_below_0() {
        let port = port(&[(0, 255)], &[(1, 255)], 1);
        let mut turns = Turns::begin(&port);
        let mut next = |waiting: &[(u8, u16)]| {
            let (vl, after) = choose(&port, 8, turns, &packets(waiting)).unwrap();
            turns = after;
            (vl, after.high_left)
        };
        assert_eq!(next(&[(0, 60)]), (0, 4));
        assert_eq!(next(&[(0, 60)]), (0, 0));
        assert_eq!(next(&[(0, 60)]), (0, 0));
        assert_eq!(next(&[(0, 60), (1, 1)]), (1, 64));
        assert_eq!(next(&[(0, 60), (1, 1)]), (0, 4));
        assert_eq!(next(&[(1, 1)]), (1, 64));
    }

    #[test]
    fn nothing_leaves_by_tables_without_a_usable_entry() {
        let all = [(0, 1), (1, 1)];
        assert_eq!(schedule(&port(&[], &[], 255), &all, 1), []);
        assert_eq!(schedule(&port(&[(0, 0)], &[(1, 0), (2, 7)], 0), &all, 1), []);
    }

    /// After a reset each VL sends 64 blocks in its turn.
    #[test]
    fn a_port_is_fair_after_a_reset() {
        let expected = [0, 0, 1, 1, 0, 0, 1, 1];
        assert_eq!(schedule(&Arbitration::of(2), &[(0, 32), (1, 33)], 8), expected);
    }
}
