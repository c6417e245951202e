//! Rows of QPs in the requester, by the names of their fields (`RequesterRow`).
use crate::bench::{bits, Bench};
use fastrand::Rng;
use hca_sim::graft;
use hca_sim::verilated::{Direction, Library};

/// Name and lowest bit of each field; a field ends where the next one begins.
const FIELDS: [(&str, usize); 42] = [
    ("state", 0),
    ("una", 3),
    ("psn", 27),
    ("started", 51),
    ("current", 67),
    ("offset", 83),
    ("start", 115),
    ("wrapped", 139),
    ("retries", 140),
    ("rnr_retries", 143),
    ("retrying", 146),
    ("rewinding", 147),
    ("cause", 148),
    ("waiting", 150),
    ("resent", 151),
    ("read_head", 175),
    ("reads", 179),
    ("read_first", 184),
    ("read_last", 208),
    ("read_wqe", 232),
    ("read_length", 248),
    ("read_atomic", 280),
    ("refused", 281),
    ("refused_first", 282),
    ("refused_wqe", 306),
    ("refused_status", 322),
    ("flushing", 330),
    ("issued", 331),
    ("ssn", 339),
    ("many", 363),
    ("free", 364),
    ("allowance", 371),
    ("unlimited", 395),
    ("probes", 396),
    ("stop_psn", 397),
    ("owes", 421),
    ("owes_failure", 422),
    ("went_back", 423),
    ("since", 424),
    ("unreported", 432),
    ("broken", 433),
    ("", BITS),
];
const BITS: usize = 434;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(pub Vec<u8>);

impl Row {
    pub fn cleared() -> Row {
        Row(vec![0; BITS.div_ceil(8)])
    }

    pub fn any(rng: &mut Rng) -> Row {
        let mut bytes: Vec<u8> = (0..BITS.div_ceil(8)).map(|_| rng.u8(..)).collect();
        bytes[BITS / 8] &= (1 << (BITS % 8)) - 1;
        Row(bytes)
    }

    pub fn of(bench: &Bench, port: &str) -> Row {
        Row(bench.bytes(port))
    }

    pub fn get(&self, name: &str) -> u64 {
        let (low, width) = place(name);
        bits(&self.0, low, width)
    }

    /// Returns the row with the low bits of `value` in this field.
    pub fn with(mut self, name: &str, value: u64) -> Row {
        let (low, width) = place(name);
        for bit in 0..width {
            let mask = 1 << ((low + bit) % 8);
            self.0[(low + bit) / 8] &= !mask;
            if value >> bit & 1 == 1 {
                self.0[(low + bit) / 8] |= mask;
            }
        }
        self
    }

    /// Returns the row with this field `more` higher.
    pub fn plus(self, name: &str, more: u64) -> Row {
        let value = self.get(name).wrapping_add(more);
        self.with(name, value)
    }

    /// Returns the names of the fields in which the rows differ.
    pub fn unlike(&self, other: &Row) -> Vec<&'static str> {
        let names = FIELDS.iter().map(|(name, _)| *name).filter(|n| !n.is_empty());
        names.filter(|name| self.get(name) != other.get(name)).collect()
    }
}

fn place(name: &str) -> (usize, usize) {
    let at = FIELDS.iter().position(|(field, _)| *field == name);
    let at = at.unwrap_or_else(|| panic!("no field {name}"));
    (FIELDS[at].1, FIELDS[at + 1].1 - FIELDS[at].1)
}

/// Every input at random.
pub fn draw(bench: &mut Bench, library: &Library, rng: &mut Rng) {
    let inputs = library.ports().iter().filter(|p| p.direction == Direction::In);
    for port in inputs.filter(|p| p.name != graft::INPUT) {
        let drawn: Vec<u8> = (0..port.bits.div_ceil(8)).map(|_| rng.u8(..)).collect();
        bench.set_bytes(&port.name, &drawn);
    }
}
