//! BTH opcodes (`opcodes.csv`): the transport class, the operation of a packet, its place in the message, and its
//! extended headers.
mod row;
mod table;

pub use row::{Header, Opcode, Operation, Position};

use table::TABLE;
use Operation::*;
use Position::*;

/// The transport class of an opcode, its bits 7:5 (`headers.md` section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Rc,
    Uc,
    Rd,
    Ud,
    CongestionNotification,
    Xrc,
    Vendor,
    Reserved,
}

/// RC Send of one packet.
pub const RC_SEND_ONLY: u8 = 0x04;
/// RC Write of one packet, with immediate.
pub const RC_WRITE_ONLY_WITH_IMMEDIATE: u8 = 0x0B;
/// RC read response, the first of several.
pub const RC_READ_RESPONSE_FIRST: u8 = 0x0D;
/// RC read response between the first and the last.
pub const RC_READ_RESPONSE_MIDDLE: u8 = 0x0E;
/// RC read response, the last of several.
pub const RC_READ_RESPONSE_LAST: u8 = 0x0F;
/// RC read response, the only one.
pub const RC_READ_RESPONSE_ONLY: u8 = 0x10;
/// RC ack or NAK.
pub const RC_ACKNOWLEDGE: u8 = 0x11;
/// RC answer to an atomic.
pub const RC_ATOMIC_ACKNOWLEDGE: u8 = 0x12;
/// UD Send without immediate.
pub const UD_SEND_ONLY: u8 = 0x64;
/// RD CompareSwap, which has the longest headers.
pub const RD_COMPARE_SWAP: u8 = 0x53;

impl Transport {
    /// Returns the class of an opcode, defined or not.
    pub fn of(opcode: u8) -> Transport {
        match opcode >> 5 {
            0b000 => Transport::Rc,
            0b001 => Transport::Uc,
            0b010 => Transport::Rd,
            0b011 => Transport::Ud,
            0b100 => Transport::CongestionNotification,
            0b101 => Transport::Xrc,
            0b111 => Transport::Vendor,
            _ => Transport::Reserved,
        }
    }
}

impl Opcode {
    /// Returns all rows, by ascending value.
    pub fn all() -> &'static [Opcode] {
        &TABLE
    }

    /// Returns the row of this value; `None` if the value is reserved, or of a class that the table does not contain.
    pub fn of(value: u8) -> Option<&'static Opcode> {
        TABLE
            .binary_search_by_key(&value, |o| o.value)
            .ok()
            .map(|at| &TABLE[at])
    }

    /// Returns true if packets with this opcode may have a payload.
    pub fn has_payload(&self) -> bool {
        matches!(self.operation, Send | Write | ReadResponse)
    }

    /// Returns true if a requester receives packets with this opcode.
    pub fn is_response(&self) -> bool {
        matches!(self.operation, ReadResponse | Acknowledge | AtomicAcknowledge)
    }

    /// Returns true if packets with this opcode begin a message.
    pub fn begins(&self) -> bool {
        matches!(self.position, First | Only)
    }

    /// Returns true if packets with this opcode end a message.
    pub fn ends(&self) -> bool {
        matches!(self.position, Last | Only)
    }

    /// Returns the length of all extended headers together, in bytes.
    pub fn header_bytes(&self) -> usize {
        self.headers.iter().map(|h| h.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.windows(2).all(|w| w[0].value < w[1].value));
    }

    /// bth_plus_ext_bytes of opcodes.csv, less the BTH.
    #[test]
    fn header_bytes() {
        let of = |transport| -> Vec<usize> {
            let rows = TABLE.iter().filter(|o| Transport::of(o.value) == transport);
            rows.map(Opcode::header_bytes).collect()
        };
        let rc = [
            0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20, 16, 4, 0, 4, 4, 4, 12, 28, 28, 4, 4,
        ];
        let rd = [
            12, 12, 12, 16, 12, 16, 28, 12, 12, 16, 28, 32, 28, 8, 4, 8, 8, 8, 16, 40, 40, 12,
        ];
        assert_eq!(of(Transport::Rc), rc);
        assert_eq!(of(Transport::Uc), rc[..12]);
        assert_eq!(of(Transport::Rd), rd);
        assert_eq!(of(Transport::Ud), [8, 12]);
    }

    /// CF005: headers follow each other in one order, whatever the opcode.
    #[test]
    fn headers_stand_in_order() {
        assert!(TABLE.iter().all(|o| o.headers.is_sorted()));
    }

    /// CF003: UC has the requests of RC up to Write, each 20h higher.
    #[test]
    fn uc_is_rc_plus_20h() {
        for uc in TABLE.iter().filter(|o| Transport::of(o.value) == Transport::Uc) {
            let rc = Opcode::of(uc.value - 0x20).unwrap();
            assert_eq!(
                (rc.operation, rc.position, rc.headers),
                (uc.operation, uc.position, uc.headers)
            );
        }
        assert!(Opcode::of(0x2B).is_some() && Opcode::of(0x2C).is_none());
    }

    /// CF073: codes that are reserved for RC, or later additions out of scope.
    #[test]
    fn reserved_codes_have_no_row() {
        for code in [0x15].into_iter().chain(0x18..0x20) {
            assert_eq!(Opcode::of(code), None);
            assert_eq!(Transport::of(code), Transport::Rc);
        }
    }
}
