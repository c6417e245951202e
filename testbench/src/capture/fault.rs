//! The errors of captures, and the places where they occur.
use std::fmt;
use std::io;

/// Largest length of a packet that the reader accepts. It is Wireshark's own limit.
pub const MAX_RECORD_BYTES: u32 = 262_144;
/// Largest length of a block of a pcapng file that the reader accepts. It is Wireshark's own limit.
pub const MAX_BLOCK_BYTES: u32 = 16 << 20;

/// Why the rest of a capture cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{place} at byte {offset}: {trouble}")]
pub struct Fault {
    pub place: Place,
    /// Offset in the file of the first byte of the record or header.
    pub offset: u64,
    pub trouble: Trouble,
}

/// The part of the file that was being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    FileHeader,
    /// A record of a pcap, counted from 1.
    Record(u64),
    /// A block of a pcapng, counted from 1. It would hold packet `record`.
    Block {
        block: u64,
        record: u64,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::FileHeader => write!(f, "file header"),
            Place::Record(record) => write!(f, "record {record}"),
            Place::Block { block, record } => write!(f, "block {block} (record {record})"),
        }
    }
}

/// The error.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error("the file is empty")]
    Empty,
    #[error("neither pcap nor pcapng, it begins with {0:02X?}")]
    Magic(Vec<u8>),
    #[error("{format} of version {major}; {known} is the only one that is known")]
    Version {
        format: &'static str,
        major: u16,
        known: u16,
    },
    #[error("a section whose byte-order magic is {0:02X?}, not [1A, 2B, 3C, 4D] or the same backwards")]
    ByteOrder([u8; 4]),
    #[error("cut short: {claimed} bytes claimed, {present} there")]
    Cut { claimed: u64, present: u64 },
    #[error("it holds no byte of a packet")]
    NoByte,
    #[error("a packet of {0} bytes is claimed, {MAX_RECORD_BYTES} are believed at most")]
    TooLong(u32),
    #[error("a block of {0} bytes is claimed; 12 at least, a multiple of 4, and {most} at most", most = MAX_BLOCK_BYTES)]
    Block(u32),
    #[error("a block of {first} bytes ends as one of {last}")]
    Trailer { first: u32, last: u32 },
    #[error("a packet of {packet} bytes is claimed in a block of {block}")]
    Overfull { packet: u32, block: u64 },
    #[error("{what} of {bytes} bytes with a field that the format does not allow")]
    Content { what: &'static str, bytes: u64 },
    #[error("link type {0}; known are 1 (Ethernet), 197 (ERF), 247 (InfiniBand), 113 and 276 (Linux cooked), 12, 14, 101, 228 and 229 (IP)")]
    LinkType(u32),
    #[error("interface {0} was not described before")]
    Interface(u32),
    #[error("an ERF header has 16 bytes and what its extensions take, the record has {0}")]
    ErfHeader(usize),
    #[error("reading failed: {0}")]
    Read(#[from] io::Error),
}

impl Trouble {
    /// Returns advice on how to mend the error.
    pub fn help(&self) -> &'static str {
        match self {
            Trouble::Version { .. } => {
                "its header is damaged, or whatever wrote it has to save it as pcap 2.4 or pcapng 1.0"
            }
            Trouble::LinkType(_) => {
                "capture on an Ethernet interface, or save native InfiniBand as ERF (Wireshark's `ERF` \
                 encapsulation)"
            }
            Trouble::Cut { .. } => "the end of the file is missing; copy or capture it again",
            Trouble::Empty | Trouble::Magic(_) => "name a file that tcpdump, Wireshark or `--pcap` wrote",
            Trouble::Read(e) if is_damage(e) => {
                "the compressed file is damaged or cut; copy or compress it again"
            }
            Trouble::Read(_) => "name a readable file, or `-` for standard input",
            _ => "the file is damaged from here on; copy or capture it again",
        }
    }
}

/// Returns true if decompression failed, false if the file could not be read.
fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | Other | UnexpectedEof)
}
