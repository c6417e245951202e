//! Bytes between a message and the memory that its SGEs name.
use crate::memory::Memory;
use crate::verbs::Sge;

/// `length` bytes of a message, from `offset` bytes in.
pub(super) fn gather(memory: &Memory, sges: &[Sge], offset: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    for (addr, at, length) in pieces(sges, offset, length) {
        memory.read_into(addr, &mut bytes[at..at + length]);
    }
    bytes
}

/// Puts `bytes` where the SGEs have them, from `offset` bytes in (CF094).
pub(super) fn scatter(memory: &mut Memory, sges: &[Sge], offset: u64, bytes: &[u8]) {
    for (addr, at, length) in pieces(sges, offset, bytes.len()) {
        memory.write(addr, &bytes[at..at + length]);
    }
}

/// Address, place in the access and length of each contiguous piece.
fn pieces(sges: &[Sge], mut offset: u64, total: usize) -> Vec<(u64, usize, usize)> {
    let mut pieces = Vec::new();
    let mut done = 0;
    for sge in sges {
        let size = u64::from(sge.length);
        if offset >= size {
            offset -= size;
            continue;
        }
        let length = (total - done).min((size - offset) as usize);
        if length == 0 {
            break;
        }
        pieces.push((sge.addr.wrapping_add(offset), done, length));
        done += length;
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
        scatter(&mut memory, &sges, 1, &[1, 2, 3, 4]);
        assert_eq!(memory.read(0x1000, 4), [0, 1, 2, 0]);
        assert_eq!(memory.read(0x3000, 4), [3, 4, 0, 0]);
        assert_eq!(gather(&memory, &sges, 2, 3), [2, 3, 4]);
        assert_eq!(gather(&memory, &[], 0, 0), Vec::<u8>::new());
    }
}
