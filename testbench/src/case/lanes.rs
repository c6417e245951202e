//! The arbitration of a link's data VLs in a case.
use super::beyond::Beyond;
use hca_golden::arbitration::{Arbitration, Entry, Table, ENTRIES};
use serde::{Deserialize, Serialize};

/// Largest number of a data VL.
const MAX_VL: u8 = 14;

/// The arbitration tables of both ports, VL and weight of each entry, and the high limit. Entries that are not listed
/// have weight 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lanes {
    pub high: Vec<(u8, u8)>,
    pub low: Vec<(u8, u8)>,
    pub high_limit: u8,
}

impl Lanes {
    /// Checks that the tables fit, and that each of the first `vls` VLs has a turn, so that no packet waits for ever.
    pub(super) fn check(&self, vls: u8) -> Result<(), Beyond> {
        self.check_entries()?;
        match self.unserved(vls) {
            None => Ok(()),
            Some(vl) => Err(Beyond {
                field: "lanes".to_owned(),
                value: format!("without a turn of VL {vl}"),
                permitted: format!("tables with a turn of VLs 0 to {}", vls - 1),
            }),
        }
    }

    /// Checks that the tables fit.
    pub(super) fn check_entries(&self) -> Result<(), Beyond> {
        for (name, table) in [("lanes.high", &self.high), ("lanes.low", &self.low)] {
            Beyond::unless_within(&format!("{name}.len"), table.len(), 0..=ENTRIES)?;
            for (n, (vl, _)) in table.iter().enumerate() {
                Beyond::unless_within(&format!("{name}[{n}][0]"), *vl, 0..=MAX_VL)?;
            }
        }
        Ok(())
    }

    /// Returns the first of these VLs that has no turn.
    pub fn unserved(&self, vls: u8) -> Option<u8> {
        (0..vls).find(|vl| !self.arbitration().serves(*vl))
    }

    /// Returns these tables with a turn of each of the first `vls` VLs, at most as many as a table has entries: a VL
    /// without one gets its turn at the end of the low table. In a full table the last entry goes that is not the only
    /// turn of such a VL.
    pub fn serving(mut self, vls: u8) -> Lanes {
        while let Some(vl) = self.unserved(vls) {
            if self.low.len() == ENTRIES {
                let is_needed = |n: &usize| {
                    let mut without = self.clone();
                    without.low.remove(*n);
                    let (of, weight) = self.low[*n];
                    of < vls && weight > 0 && !without.arbitration().serves(of)
                };
                let last = (0..ENTRIES).rev().find(|n| !is_needed(n));
                self.low
                    .remove(last.expect("fewer VLs have a turn than there are entries"));
            }
            self.low.push((vl, 1));
        }
        self
    }

    /// Returns these tables as the arbitration of a port.
    pub fn arbitration(&self) -> Arbitration {
        let table = |listed: &[(u8, u8)]| {
            let mut table = Table::default();
            for (entry, &(vl, weight)) in table.iter_mut().zip(listed) {
                *entry = Entry { vl, weight };
            }
            table
        };
        Arbitration {
            high: table(&self.high),
            low: table(&self.low),
            high_limit: self.high_limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(high: &[(u8, u8)], low: &[(u8, u8)]) -> Lanes {
        Lanes {
            high: high.to_vec(),
            low: low.to_vec(),
            high_limit: 0,
        }
    }

    #[test]
    fn every_vl_gets_a_turn() {
        let cases = [
            (lanes(&[(0, 1)], &[(1, 1)]), lanes(&[(0, 1)], &[(1, 1)])),
            (lanes(&[], &[]), lanes(&[], &[(0, 1), (1, 1)])),
            (lanes(&[(1, 5), (0, 0)], &[]), lanes(&[(1, 5), (0, 0)], &[(0, 1)])),
            (
                lanes(&[], &[(0, 0); 8]),
                lanes(
                    &[],
                    &[(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 1), (1, 1)],
                ),
            ),
        ];
        for (drawn, expected) in cases {
            assert_eq!(drawn.serving(2), expected);
            assert_eq!(expected.check(2), Ok(()));
        }
    }

    #[test]
    fn eight_vls_fit_into_a_full_table() {
        let drawn = lanes(
            &[(5, 1)],
            &[(0, 1), (0, 2), (5, 1), (9, 7), (2, 0), (2, 3), (2, 4), (1, 1)],
        );
        let low = &[(0, 1), (0, 2), (2, 3), (1, 1), (3, 1), (4, 1), (6, 1), (7, 1)];
        assert_eq!(drawn.serving(8), lanes(&[(5, 1)], low));
    }

    #[test]
    fn a_file_holds_the_tables() {
        let held = lanes(&[(0, 1), (14, 255)], &[(1, 64)]);
        let text = "high = [[0, 1], [14, 255]]\nlow = [[1, 64]]\nhigh_limit = 0\n";
        assert_eq!(toml::from_str::<Lanes>(text).unwrap(), held);
        let written = toml::to_string(&held).unwrap();
        assert_eq!(toml::from_str::<Lanes>(&written).unwrap(), held);
    }

    #[test]
    fn tables_that_no_port_has_are_refused() {
        let refused = |lanes: Lanes| lanes.check(2).unwrap_err().to_string();
        assert_eq!(
            refused(lanes(&[(15, 1)], &[(0, 1), (1, 1)])),
            "`lanes.high[0][0]` is 15; it may be 0 to 14"
        );
        assert_eq!(
            refused(lanes(&[], &[(0, 1); 9])),
            "`lanes.low.len` is 9; it may be 0 to 8"
        );
        assert_eq!(
            refused(lanes(&[(0, 9)], &[(1, 0)])),
            "`lanes` is without a turn of VL 1; it may be tables with a turn of VLs 0 to 1"
        );
    }
}
