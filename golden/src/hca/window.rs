//! Copies between messages and the memory of their SGEs.
use super::regions::Regions;
use crate::decision::protection::{Access, Right};
use crate::memory::Memory;
use crate::verbs::Sge;

/// One contiguous piece of an access to a message.
struct Piece {
    access: Access,
    /// Offset of the piece in the access, in bytes.
    at: usize,
}

/// Parameters for a QP's accesses to memory.
#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    pub regions: &'a Regions,
    /// Protection domain.
    pub pd: u32,
}

impl Window<'_> {
    /// Returns true if these bytes of a message may be accessed.
    pub fn permits(&self, sges: &[Sge], offset: u64, length: usize, right: Right) -> bool {
        pieces(sges, offset, length, right)
            .iter()
            .all(|p| self.regions.resolve(self.pd, &p.access).is_ok())
    }

    /// Returns `length` bytes of a message, from `offset` on; `None` if the access to a piece is not permitted.
    pub fn gather(&self, memory: &Memory, sges: &[Sge], offset: u64, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        for piece in pieces(sges, offset, length, Right::LocalRead) {
            let addr = self.regions.resolve(self.pd, &piece.access).ok()?;
            let end = piece.at + piece.access.length as usize;
            memory.read_into(addr, &mut bytes[piece.at..end]);
        }
        Some(bytes)
    }

    /// Returns true if host memory answers the permitted part of an access to these bytes of a message without error.
    pub fn answers(&self, memory: &Memory, sges: &[Sge], offset: u64, length: usize, right: Right) -> bool {
        pieces(sges, offset, length, right)
            .iter()
            .filter_map(|p| Some((self.regions.resolve(self.pd, &p.access).ok()?, p.access.length)))
            .all(|(addr, length)| memory.answers(addr, length))
    }

    /// Writes `bytes` to the SGEs, from `offset` bytes on (CF094). A piece whose key does not permit it is not written.
    pub fn scatter(&self, memory: &mut Memory, sges: &[Sge], offset: u64, bytes: &[u8]) {
        for piece in pieces(sges, offset, bytes.len(), Right::LocalWrite) {
            if let Ok(addr) = self.regions.resolve(self.pd, &piece.access) {
                let end = piece.at + piece.access.length as usize;
                memory.write(addr, &bytes[piece.at..end]);
            }
        }
    }
}

/// Returns the bytes of an inline work request. Software copies them, so that no key is needed.
pub(super) fn copy(memory: &Memory, sges: &[Sge]) -> Vec<u8> {
    sges.iter()
        .flat_map(|s| memory.read(s.addr, s.length as usize))
        .collect()
}

/// Returns the length of a scatter/gather list in bytes.
pub(super) fn total(sges: &[Sge]) -> u64 {
    sges.iter().map(|s| u64::from(s.length)).sum()
}

fn pieces(sges: &[Sge], mut offset: u64, total: usize, right: Right) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for sge in sges {
        let size = u64::from(sge.length);
        if offset >= size {
            offset -= size;
            continue;
        }
        let length = (total - at).min((size - offset) as usize);
        if length == 0 {
            break;
        }
        let access = Access {
            key: sge.l_key,
            va: sge.addr.wrapping_add(offset),
            length: length as u64,
            right,
        };
        pieces.push(Piece { access, at });
        at += length;
        offset = 0;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sge(addr: u64, length: u32) -> Sge {
        Sge {
            addr,
            length,
            l_key: 0,
        }
    }

    #[test]
    fn a_packet_may_span_sges() {
        let sges = [sge(0x1000, 3), sge(0x2000, 0), sge(0x3000, 4)];
        let mut memory = Memory::new();
        let regions = Regions::new(false, None);
        let window = Window {
            regions: &regions,
            pd: 0,
        };
        window.scatter(&mut memory, &sges, 1, &[1, 2, 3, 4]);
        assert_eq!(memory.read(0x1000, 4), [0, 1, 2, 0]);
        assert_eq!(memory.read(0x3000, 4), [3, 4, 0, 0]);
        assert_eq!(window.gather(&memory, &sges, 2, 3), Some(vec![2, 3, 4]));
        assert_eq!(window.gather(&memory, &[], 0, 0), Some(Vec::new()));
    }

    /// An SGE of no bytes needs no key.
    #[test]
    fn every_piece_is_protected() {
        let regions = Regions::new(true, None);
        let window = Window {
            regions: &regions,
            pd: 0,
        };
        assert!(window.permits(&[sge(1, 0)], 0, 0, Right::LocalRead));
        assert!(!window.permits(&[sge(1, 0), sge(2, 1)], 0, 1, Right::LocalRead));
        let mut memory = Memory::new();
        window.scatter(&mut memory, &[sge(0, 1)], 0, &[9]);
        assert_eq!(memory.read(0, 1), [0]);
        assert_eq!(window.gather(&memory, &[sge(0, 1)], 0, 1), None);
    }
}
