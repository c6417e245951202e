//! The violation latch of a native port (`protocol/mad.md` section 6.1).
use super::{Driver, Ticket};
use hca_host::register;

/// Number of words that the latch holds.
const WORDS: usize = register::VIOLATION_DATA_COUNT as usize;

/// What the latch holds of a packet whose P_Key or Q_Key did not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyViolation {
    /// True if the Q_Key did not match, false if the P_Key did not.
    pub is_q_key: bool,
    pub slid: u16,
    /// DLID; that of the group for a multicast packet.
    pub dlid: u16,
    /// The P_Key or Q_Key of the packet.
    pub key: u32,
    pub sl: u8,
    /// QPN of a datagram's sender; 0 for a packet of a connection.
    pub source_qpn: u32,
    /// QPN that the packet was for; that of the member for the copy of a multicast packet.
    pub destination_qpn: u32,
    /// GIDs of the GRH, or 0 if the packet has none.
    pub sgid: [u8; 16],
    pub dgid: [u8; 16],
}

/// A read of the latch that is under way: one call for each register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViolationQuery(pub [Ticket; ViolationQuery::REGISTERS]);

impl ViolationQuery {
    /// Number of registers.
    pub const REGISTERS: usize = 1 + WORDS;

    /// Returns the call that is carried out last.
    pub fn last(self) -> Ticket {
        self.0[WORDS]
    }
}

impl KeyViolation {
    /// Returns what the latch holds by the values of its registers, in the order of the calls of [`ViolationQuery`];
    /// `None` if it is free.
    pub fn of(values: [u32; ViolationQuery::REGISTERS]) -> Option<KeyViolation> {
        let [standing, lids, key, source, destination, gids @ ..] = values;
        let gid = |half: usize| {
            let words = gids[4 * half..4 * half + 4].iter();
            words
                .fold(0, |gid: u128, word| gid << 32 | u128::from(*word))
                .to_be_bytes()
        };
        (standing & register::violation::HELD != 0).then(|| KeyViolation {
            is_q_key: standing & register::violation::Q_KEY != 0,
            slid: (lids >> 16) as u16,
            dlid: lids as u16,
            key,
            sl: (source >> 28) as u8,
            source_qpn: source & 0xFF_FFFF,
            destination_qpn: destination & 0xFF_FFFF,
            sgid: gid(0),
            dgid: gid(1),
        })
    }
}

impl Driver {
    /// Reads the violation latch of the port. What it holds stays until
    /// [`release_violation`](Driver::release_violation), so that the registers belong together.
    pub fn violation(&mut self) -> ViolationQuery {
        let word = |n: usize| register::VIOLATION_DATA + 4 * n as u32;
        ViolationQuery(std::array::from_fn(|n| {
            self.read_of_port(n.checked_sub(1).map_or(register::VIOLATION, word))
        }))
    }

    /// Releases the violation latch of the port: it takes the next packet whose key does not match.
    pub fn release_violation(&mut self) -> Ticket {
        self.write_of_port(register::VIOLATION, register::violation::HELD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_latch_holds_nothing() {
        assert_eq!(KeyViolation::of([0xFFFF_FFFE; 13]), None);
    }

    #[test]
    fn fields_stand_where_the_registers_say() {
        let words = [
            3, 0x0102_0304, 0x0506_0708, 0x9010_1112, 0x0014_1516, 0x2021_2223, 0x2425_2627, 0x2829_2A2B,
            0x2C2D_2E2F, 0x3031_3233, 0x3435_3637, 0x3839_3A3B, 0x3C3D_3E3F,
        ];
        let violation = KeyViolation {
            is_q_key: true,
            slid: 0x0102,
            dlid: 0x0304,
            key: 0x0506_0708,
            sl: 9,
            source_qpn: 0x10_1112,
            destination_qpn: 0x14_1516,
            sgid: std::array::from_fn(|n| 0x20 + n as u8),
            dgid: std::array::from_fn(|n| 0x30 + n as u8),
        };
        assert_eq!(KeyViolation::of(words), Some(violation));
    }
}
