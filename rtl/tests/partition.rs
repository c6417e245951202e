//! The partition check under Verilator (`protocol/special_qps.md` section 1, `protocol/headers.md` section 5).
#[allow(dead_code)]
mod bench;

use bench::Bench;
use hca_rtl::receive::PartitionCheck;

const TABLE: [u16; 4] = [0xFFFF, 0x9234, 0x0000, 0x1235];

struct Check(Bench);

impl Check {
    fn new() -> Check {
        let library = bench::library::<PartitionCheck>("partition_check");
        let mut bench = Bench::without_clock(&library, 1);
        bench.set("own_index", 0);
        Check::with_table(Check(bench), TABLE)
    }

    fn with_table(mut self, table: [u16; 4]) -> Check {
        let value = (0..4).fold(0, |value, n| value | u64::from(table[n]) << (16 * n));
        self.0.set("port_p_keys", value);
        self
    }

    /// Whether the packet passes, and the entry that it matches.
    fn of(&mut self, dest_qp: u32, p_key: u16) -> (bool, Option<u64>) {
        self.0.set("subnet", (dest_qp == 0).into());
        self.0.set("general", (dest_qp == 1).into());
        self.0.set("p_key", p_key.into());
        self.0.follow();
        let index = self.0.is_set("in_table").then(|| self.0.get("index"));
        (self.0.get("passes") == 0x1F, index)
    }
}

/// CF051.
#[test]
fn qp0_takes_every_p_key() {
    let mut check = Check::new();
    for p_key in 0..=0xFFFF {
        assert_eq!(check.of(0, p_key), (true, None), "{p_key:04X}h");
    }
}

/// CF052: full members of 1234h and 7FFFh take both kinds, a limited one of 1235h takes full ones.
#[test]
fn qp1_takes_every_p_key_of_the_table() {
    let mut check = Check::new();
    for p_key in 0..=0xFFFF {
        let index = match p_key {
            0xFFFF | 0x7FFF => Some(0),
            0x9234 | 0x1234 => Some(1),
            0x9235 => Some(3),
            _ => None,
        };
        assert_eq!(check.of(1, p_key), (index.is_some(), index), "{p_key:04X}h");
    }
}

#[test]
fn the_first_entry_that_matches_is_named() {
    let mut check = Check::new().with_table([0x1234, 0x9234, 0x9234, 0x9999]);
    assert_eq!(check.of(1, 0x1234), (true, Some(1)));
    assert_eq!(check.of(1, 0x9234), (true, Some(0)));
    let mut check = check.with_table([0x8000, 0x0000, 0x9234, 0x9234]);
    assert_eq!(check.of(1, 0x1234), (true, Some(2)));
    assert_eq!(check.of(1, 0x8000), (false, None));
}

/// CF050, whatever the index of its entry: those whose low bits are QP0's and QP1's too.
#[test]
fn any_other_qp_takes_its_own_p_key() {
    for own in 0..4 {
        let mut table = [0xFFFF, 0x9234, 0x9235, 0x0000];
        table[own] = 0xABCD;
        let mut check = Check::new().with_table(table);
        check.0.set("own_index", own as u64);
        takes_abcd(&mut check);
    }
}

fn takes_abcd(check: &mut Check) {
    for dest_qp in [2, 3, 0x10, 0x11, 0x01_0000, 0x80_0001, 0xFF_FFFF] {
        for p_key in [0xABCD, 0x2BCD] {
            assert_eq!(check.of(dest_qp, p_key), (true, None), "{p_key:04X}h");
        }
        for p_key in [0xFFFF, 0x9234, 0xABCC, 0x3BCD, 0x8000, 0x0000] {
            assert_eq!(check.of(dest_qp, p_key), (false, None), "{p_key:04X}h");
        }
    }
}
