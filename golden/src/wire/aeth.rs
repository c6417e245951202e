//! Ack extended transport header (`aeth.md`).
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// AETH, 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Aeth {
    /// Syndrome, as in `aeth_syndrome.csv`.
    pub syndrome: u8,
    /// Message sequence number, 24 bits.
    #[deku(bits = 24, assert = "*msn < 1 << 24")]
    pub msn: u32,
}

/// The meaning of a syndrome (`aeth_syndrome.csv`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syndrome {
    /// Positive ack with credit code 0 to 30; `None` if credits are not supplied.
    Ack {
        credit: Option<u8>,
    },
    /// Receiver not ready, with a timer code of `rnr_timer.csv`.
    RnrNak {
        timer: u8,
    },
    Nak(NakCode),
    /// A reserved syndrome, which a requester discards.
    Reserved(u8),
}

/// The code of a NAK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NakCode {
    /// Code 60h.
    PsnSequence,
    /// Code 61h.
    InvalidRequest,
    /// Code 62h.
    RemoteAccess,
    /// Code 63h.
    RemoteOperational,
    /// Code 64h, for RD only.
    InvalidRdRequest,
}

/// Syndrome of a positive ack without credits.
pub const ACK_WITHOUT_CREDITS: u8 = 0x1F;
/// Syndrome of an RNR NAK with timer code 0; the timer code is added to it.
pub const RNR_NAK: u8 = 0x20;
/// Syndrome of a NAK for a PSN sequence error.
pub const NAK_SEQUENCE: u8 = 0x60;
/// Syndrome of a NAK for an invalid request.
pub const NAK_INVALID_REQUEST: u8 = 0x61;
/// Syndrome of a NAK for a remote access error.
pub const NAK_REMOTE_ACCESS: u8 = 0x62;
/// Syndrome of a NAK for a remote operational error.
pub const NAK_REMOTE_OPERATIONAL: u8 = 0x63;

impl HeaderFormat for Aeth {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

impl Aeth {
    /// Returns the meaning of the syndrome.
    pub fn meaning(&self) -> Syndrome {
        Syndrome::of(self.syndrome)
    }
}

impl Syndrome {
    /// Decodes the 8 bits of a syndrome.
    pub fn of(syndrome: u8) -> Syndrome {
        let value = syndrome & 0x1F;
        match syndrome >> 5 {
            0b000 => Syndrome::Ack {
                credit: (value != 0x1F).then_some(value),
            },
            0b001 => Syndrome::RnrNak { timer: value },
            0b011 => match value {
                0 => Syndrome::Nak(NakCode::PsnSequence),
                1 => Syndrome::Nak(NakCode::InvalidRequest),
                2 => Syndrome::Nak(NakCode::RemoteAccess),
                3 => Syndrome::Nak(NakCode::RemoteOperational),
                4 => Syndrome::Nak(NakCode::InvalidRdRequest),
                _ => Syndrome::Reserved(syndrome),
            },
            _ => Syndrome::Reserved(syndrome),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let aeth = Aeth {
            syndrome: 0x1F,
            msn: 0x01_0203,
        };
        stands_for(&aeth, &[0x1F, 1, 2, 3]);
        every_bit_survives::<Aeth>();
    }

    #[test]
    fn syndromes_mean_what_the_table_says() {
        assert_eq!(Syndrome::of(0x00), Syndrome::Ack { credit: Some(0) });
        assert_eq!(Syndrome::of(0x1E), Syndrome::Ack { credit: Some(30) });
        assert_eq!(Syndrome::of(0x1F), Syndrome::Ack { credit: None });
        assert_eq!(Syndrome::of(0x20), Syndrome::RnrNak { timer: 0 });
        assert_eq!(Syndrome::of(0x3F), Syndrome::RnrNak { timer: 31 });
        assert_eq!(Syndrome::of(0x60), Syndrome::Nak(NakCode::PsnSequence));
        assert_eq!(Syndrome::of(0x61), Syndrome::Nak(NakCode::InvalidRequest));
        assert_eq!(Syndrome::of(0x62), Syndrome::Nak(NakCode::RemoteAccess));
        assert_eq!(Syndrome::of(0x63), Syndrome::Nak(NakCode::RemoteOperational));
        assert_eq!(Syndrome::of(0x64), Syndrome::Nak(NakCode::InvalidRdRequest));
        for reserved in (0x40..0x60).chain(0x65..=0xFF) {
            assert_eq!(Syndrome::of(reserved), Syndrome::Reserved(reserved));
        }
    }
}
