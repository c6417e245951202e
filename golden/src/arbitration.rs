//! The tables by which the data VLs of a native port take turns (`protocol/link.md` section 6).

/// Number of entries of each table.
pub const ENTRIES: usize = 8;
/// Weight of an entry after a reset, in blocks of 64 bytes.
const FIRST_WEIGHT: u8 = 64;

/// An entry of a table: a data VL and the number of blocks of 64 bytes that it sends in its turn. With weight 0 it is
/// skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Entry {
    /// Data VL, 0 to 14.
    pub vl: u8,
    pub weight: u8,
}

/// A table.
pub type Table = [Entry; ENTRIES];

/// The arbitration of a port: two tables, and how long the high one goes before the low one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Arbitration {
    pub high: Table,
    pub low: Table,
    /// VLHighLimit, in units of 4096 bytes: how much the high table may send before a packet of the low one. With 0 it
    /// sends one packet, with 255 there is no limit.
    pub high_limit: u8,
}

impl Arbitration {
    /// Returns the arbitration after a reset of a port with this number of data VLs: the low table serves each of them
    /// alike, and the high one is empty.
    pub const fn of(data_vls: u8) -> Arbitration {
        let empty = [Entry { vl: 0, weight: 0 }; ENTRIES];
        let mut low = empty;
        let mut vl = 0;
        while vl < data_vls && (vl as usize) < ENTRIES {
            low[vl as usize] = Entry {
                vl,
                weight: FIRST_WEIGHT,
            };
            vl += 1;
        }
        Arbitration {
            high: empty,
            low,
            high_limit: 0,
        }
    }

    /// Returns true if an entry of either table lets this VL send.
    pub fn serves(&self, vl: u8) -> bool {
        let mut entries = self.high.iter().chain(&self.low);
        entries.any(|entry| entry.vl == vl && entry.weight > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(table: Table) -> [(u8, u8); ENTRIES] {
        table.map(|entry| (entry.vl, entry.weight))
    }

    #[test]
    fn after_a_reset_the_low_table_serves_every_data_vl() {
        let port = Arbitration::of(2);
        assert_eq!(pairs(port.high), [(0, 0); 8]);
        let rest = (0, 0);
        let expected = [(0, 64), (1, 64), rest, rest, rest, rest, rest, rest];
        assert_eq!(pairs(port.low), expected);
        assert_eq!(port.high_limit, 0);
        let expected = [
            (0, 64),
            (1, 64),
            (2, 64),
            (3, 64),
            (4, 64),
            (5, 64),
            (6, 64),
            (7, 64),
        ];
        assert_eq!(pairs(Arbitration::of(8).low), expected);
    }

    #[test]
    fn an_entry_of_weight_0_serves_nothing() {
        let mut port = Arbitration::of(2);
        (port.low[1].weight, port.high[7].vl) = (0, 1);
        assert_eq!([0, 1, 2].map(|vl| port.serves(vl)), [true, false, false]);
        port.high[7].weight = 1;
        assert!(port.serves(1));
    }
}
