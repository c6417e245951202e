//! Extended transport headers, those that follow the BTH (`headers.md` section 2).
use super::aeth::Aeth;
use super::immdt::ImmDt;
use super::opcode::Header;

/// One extended transport header of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extension {
    Aeth(Aeth),
    ImmDt(ImmDt),
    /// One that no decision reads yet: its bytes.
    Opaque(Header, Vec<u8>),
}

impl Extension {
    /// Reads header `kind`; `bytes` are exactly its own. None if they are not as many as it has.
    pub fn parse(kind: Header, bytes: &[u8]) -> Option<Extension> {
        if bytes.len() != kind.bytes() {
            return None;
        }
        Some(match kind {
            Header::Aeth => Extension::Aeth(Aeth::parse(bytes.try_into().ok()?)),
            Header::ImmDt => Extension::ImmDt(ImmDt::parse(bytes.try_into().ok()?)),
            _ => Extension::Opaque(kind, bytes.to_vec()),
        })
    }

    /// Appends the header's bytes.
    pub fn emit(&self, to: &mut Vec<u8>) {
        match self {
            Extension::Aeth(h) => to.extend(h.emit()),
            Extension::ImmDt(h) => to.extend(h.emit()),
            Extension::Opaque(_, bytes) => to.extend(bytes),
        }
    }

    /// Which header it is.
    pub fn kind(&self) -> Header {
        match self {
            Extension::Aeth(_) => Header::Aeth,
            Extension::ImmDt(_) => Header::ImmDt,
            Extension::Opaque(kind, _) => *kind,
        }
    }
}
