//! Messages (`protocol/o2iblnd.md` section 2), in a layout of this testbench: 16 bytes, then data.

/// Length of a message buffer in bytes (section 1).
pub const BUFFER: u32 = 4096;
/// Number of bytes before a message's data.
pub const HEADER: u32 = 16;

/// Message types by their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Noop = 0xD0,
    Immediate = 0xD1,
    PutReq = 0xD2,
    PutAck = 0xD4,
    PutDone = 0xD5,
    GetReq = 0xD6,
    GetDone = 0xD7,
}

/// The right that a receive buffer gives once it is posted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// One more credit to return to the peer.
    PeerCredit,
    /// One more right to start a transfer.
    ReservedCredit,
    Nothing,
}

impl Kind {
    const ALL: [Kind; 7] = [
        Kind::Noop,
        Kind::Immediate,
        Kind::PutReq,
        Kind::PutAck,
        Kind::PutDone,
        Kind::GetReq,
        Kind::GetDone,
    ];

    /// Returns the number of credits that sending it takes (version 2).
    pub fn cost(self) -> u32 {
        matches!(self, Kind::Immediate | Kind::PutReq | Kind::GetReq).into()
    }

    /// Returns true if it starts a transfer, and needs the right to do so.
    pub fn is_reserved(self) -> bool {
        matches!(self, Kind::PutReq | Kind::GetReq)
    }

    /// Returns the right that its buffer gives. Every PUT_REQ is granted here, which keeps the buffer's credit for
    /// PUT_DONE.
    pub fn gives(self) -> Gives {
        match self {
            Kind::Noop | Kind::PutReq => Gives::Nothing,
            Kind::Immediate | Kind::PutDone | Kind::GetReq => Gives::PeerCredit,
            Kind::PutAck | Kind::GetDone => Gives::ReservedCredit,
        }
    }
}

/// Header of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: Kind,
    /// Credits returned to the receiver.
    pub credits: u8,
    /// Cookie of the transfer.
    pub cookie: u32,
    /// Length in bytes of the data behind the header, or of a transfer.
    pub length: u32,
}

impl Header {
    pub fn to_bytes(self) -> [u8; HEADER as usize] {
        let mut bytes = [0; HEADER as usize];
        bytes[0] = self.kind as u8;
        bytes[1] = self.credits;
        bytes[4..8].copy_from_slice(&self.cookie.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }

    /// Decodes a header; `None` for an unknown type.
    pub fn from_bytes(bytes: &[u8; HEADER as usize]) -> Option<Header> {
        let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Some(Header {
            kind: Kind::ALL.into_iter().find(|kind| *kind as u8 == bytes[0])?,
            credits: bytes[1],
            cookie: word(4),
            length: word(8),
        })
    }
}
