//! Extended transport headers, those that follow the BTH (`headers.md` section 2).
use super::aeth::Aeth;
use super::atomic_ack_eth::AtomicAckEth;
use super::atomic_eth::AtomicEth;
use super::deth::Deth;
use super::header::{HeaderFormat, Unencodable};
use super::ieth::Ieth;
use super::immdt::ImmDt;
use super::opcode::Header;
use super::rdeth::Rdeth;
use super::reth::Reth;

/// One extended transport header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    Rdeth(Rdeth),
    Deth(Deth),
    Reth(Reth),
    AtomicEth(AtomicEth),
    Aeth(Aeth),
    AtomicAckEth(AtomicAckEth),
    ImmDt(ImmDt),
    Ieth(Ieth),
}

impl Extension {
    /// Decodes a header of this kind; `None` unless `bytes` is exactly as long as the header.
    pub fn parse(kind: Header, bytes: &[u8]) -> Option<Extension> {
        match kind {
            Header::Rdeth => Rdeth::parse(bytes).map(Extension::Rdeth),
            Header::Deth => Deth::parse(bytes).map(Extension::Deth),
            Header::Reth => Reth::parse(bytes).map(Extension::Reth),
            Header::AtomicEth => AtomicEth::parse(bytes).map(Extension::AtomicEth),
            Header::Aeth => Aeth::parse(bytes).map(Extension::Aeth),
            Header::AtomicAckEth => AtomicAckEth::parse(bytes).map(Extension::AtomicAckEth),
            Header::ImmDt => ImmDt::parse(bytes).map(Extension::ImmDt),
            Header::Ieth => Ieth::parse(bytes).map(Extension::Ieth),
        }
    }

    /// Appends the header's bytes. Returns `Err` if a value is too wide for its field.
    pub fn emit(&self, to: &mut Vec<u8>) -> Result<(), Unencodable> {
        match self {
            Extension::Rdeth(h) => h.emit(to),
            Extension::Deth(h) => h.emit(to),
            Extension::Reth(h) => h.emit(to),
            Extension::AtomicEth(h) => h.emit(to),
            Extension::Aeth(h) => h.emit(to),
            Extension::AtomicAckEth(h) => h.emit(to),
            Extension::ImmDt(h) => h.emit(to),
            Extension::Ieth(h) => h.emit(to),
        }
    }

    /// Returns the kind of the header.
    pub fn kind(&self) -> Header {
        match self {
            Extension::Rdeth(_) => Header::Rdeth,
            Extension::Deth(_) => Header::Deth,
            Extension::Reth(_) => Header::Reth,
            Extension::AtomicEth(_) => Header::AtomicEth,
            Extension::Aeth(_) => Header::Aeth,
            Extension::AtomicAckEth(_) => Header::AtomicAckEth,
            Extension::ImmDt(_) => Header::ImmDt,
            Extension::Ieth(_) => Header::Ieth,
        }
    }
}
