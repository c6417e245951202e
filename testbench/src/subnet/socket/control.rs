//! Control messages: how a client connects, disconnects and asks about its node. Numbers are in the host's byte order.
use super::super::cable::FIRST;

/// Length of a control message in bytes.
pub const CONTROL_BYTES: usize = 80;
/// Length of its data in bytes.
pub const DATA_BYTES: usize = 64;
/// The first word of each control message.
const MAGIC: u32 = 0xDEAD_BEEF;
/// Place of the node's name in the data of a Connect.
const NAME: std::ops::Range<usize> = 12..44;

/// The request of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A reply that refuses the request.
    Error = 0,
    Connect = 1,
    Disconnect = 2,
    GetVendor = 4,
    GetNodeInfo = 7,
    GetPortInfo = 8,
    SetIsSm = 9,
    GetPKeys = 10,
}

impl Kind {
    const REQUESTS: [Kind; 7] = [
        Kind::Connect,
        Kind::Disconnect,
        Kind::GetVendor,
        Kind::GetNodeInfo,
        Kind::GetPortInfo,
        Kind::SetIsSm,
        Kind::GetPKeys,
    ];
}

/// A request, or its reply, which has the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Number that the client got when it connected.
    pub client: u32,
    kind: u32,
    length: u32,
    pub data: [u8; DATA_BYTES],
}

impl Control {
    /// Makes a request.
    pub fn new(client: u32, kind: Kind, data: [u8; DATA_BYTES]) -> Control {
        Control {
            client,
            kind: kind as u32,
            length: DATA_BYTES as u32,
            data,
        }
    }

    /// Decodes a datagram; `None` if it is not a control message.
    pub fn parse(bytes: &[u8]) -> Option<Control> {
        let (words, data) = bytes.split_first_chunk::<16>()?;
        let word = |at: usize| u32::from_ne_bytes([words[at], words[at + 1], words[at + 2], words[at + 3]]);
        let data = data.try_into().ok()?;
        (word(0) == MAGIC).then(|| Control {
            client: word(4),
            kind: word(8),
            length: word(12),
            data,
        })
    }

    /// Returns the message as a datagram.
    pub fn bytes(&self) -> [u8; CONTROL_BYTES] {
        let mut bytes = [0; CONTROL_BYTES];
        for (at, word) in [MAGIC, self.client, self.kind, self.length]
            .into_iter()
            .enumerate()
        {
            bytes[4 * at..][..4].copy_from_slice(&word.to_ne_bytes());
        }
        bytes[16..].copy_from_slice(&self.data);
        bytes
    }

    /// Returns the kind of the request; `None` if a subnet does not answer it.
    pub fn kind(&self) -> Option<Kind> {
        Kind::REQUESTS.into_iter().find(|kind| *kind as u32 == self.kind)
    }

    /// Returns true for a reply that refuses.
    pub fn is_refused(&self) -> bool {
        self.kind == Kind::Error as u32
    }

    /// Returns the reply that refuses this request.
    pub fn refused(mut self) -> Control {
        self.kind = Kind::Error as u32;
        self
    }

    /// Returns the n-th word of the data.
    pub fn word(&self, n: usize) -> u32 {
        let mut word = [0; 4];
        word.copy_from_slice(&self.data[4 * n..][..4]);
        u32::from_ne_bytes(word)
    }

    /// Sets the n-th word of the data.
    pub fn set_word(&mut self, n: usize, word: u32) {
        self.data[4 * n..][..4].copy_from_slice(&word.to_ne_bytes());
    }

    /// Returns the node that a Connect names, an empty text for the first node, and the port behind a colon, without
    /// one the first port. `None` if it is not text, or the port is not a digit.
    pub fn place(&self) -> Option<(&str, u8)> {
        let name = self.data[NAME].split(|byte| *byte == 0).next()?;
        let name = std::str::from_utf8(name).ok()?;
        match name.split_once(':') {
            None => Some((name, FIRST)),
            Some((name, port)) => match port.as_bytes() {
                [digit @ b'1'..=b'9'] => Some((name, digit - b'0')),
                _ => None,
            },
        }
    }
}
