//! Control messages: how a client comes, goes and asks about its node. Numbers are in the host's byte order.

/// Bytes of a control message.
pub const CONTROL_BYTES: usize = 80;
/// Bytes of its data.
pub const DATA_BYTES: usize = 64;
/// The first word of each.
const MAGIC: u32 = 0xDEAD_BEEF;
/// Where the node's name stands in the data of a Connect, and its longest length.
const NAME: std::ops::Range<usize> = 12..44;

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The reply means that the request is refused.
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

/// A request, or its reply with the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Number that the client got when it connected.
    pub client: u32,
    kind: u32,
    length: u32,
    pub data: [u8; DATA_BYTES],
}

impl Control {
    /// A request.
    pub fn new(client: u32, kind: Kind, data: [u8; DATA_BYTES]) -> Control {
        Control {
            client,
            kind: kind as u32,
            length: DATA_BYTES as u32,
            data,
        }
    }

    /// Decodes a datagram; `None` if it is no control message.
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

    /// What is asked for; `None` if nothing that a subnet answers.
    pub fn kind(&self) -> Option<Kind> {
        Kind::REQUESTS.into_iter().find(|kind| *kind as u32 == self.kind)
    }

    /// Whether it is a reply that refuses.
    pub fn is_refused(&self) -> bool {
        self.kind == Kind::Error as u32
    }

    /// The reply that refuses this request.
    pub fn refused(mut self) -> Control {
        self.kind = Kind::Error as u32;
        self
    }

    /// The n-th word of the data.
    pub fn word(&self, n: usize) -> u32 {
        let mut word = [0; 4];
        word.copy_from_slice(&self.data[4 * n..][..4]);
        u32::from_ne_bytes(word)
    }

    pub fn set_word(&mut self, n: usize, word: u32) {
        self.data[4 * n..][..4].copy_from_slice(&word.to_ne_bytes());
    }

    /// The node that a Connect names, without its port; empty for the first node. `None` if it is no text, or names a
    /// port other than 1.
    pub fn node(&self) -> Option<&str> {
        let name = self.data[NAME].split(|byte| *byte == 0).next()?;
        let name = std::str::from_utf8(name).ok()?;
        match name.split_once(':') {
            None | Some((_, "1")) => Some(name.split(':').next().unwrap_or_default()),
            Some(_) => None,
        }
    }
}
