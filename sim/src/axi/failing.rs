//! Addresses that host memory answers with errors.

/// Length of the smallest failing range in bytes. No beat is wider.
pub const LINE: u64 = 64;

/// Codes of xRESP (AXI A3.4.4).
pub(super) const OKAY: u64 = 0;
const SLVERR: u64 = 2;
const DECERR: u64 = 3;

/// Failing addresses: the first, and the number of bytes.
#[derive(Default)]
pub(super) struct Failing(Vec<(u64, u64)>);

impl Failing {
    /// Makes these bytes fail from now on.
    pub fn add(&mut self, addr: u64, length: u64) {
        self.0.push((addr, length));
    }

    /// Returns the xRESP of an access to these bytes.
    pub fn response(&self, addr: u64, bytes: u64) -> u64 {
        if self.0.is_empty() {
            return OKAY;
        }
        let meets = |&&(from, length): &&(u64, u64)| {
            addr.wrapping_sub(from) < length || from.wrapping_sub(addr) < bytes
        };
        match self.0.iter().find(meets) {
            None => OKAY,
            Some((from, _)) if (from / LINE).is_multiple_of(2) => SLVERR,
            Some(_) => DECERR,
        }
    }

    /// Returns the BRESP of a burst at `addr` with these strobes.
    pub fn write_response(&self, addr: u64, strobes: &[u8]) -> u64 {
        if self.0.is_empty() {
            return OKAY;
        }
        let written = |i: &usize| strobes[i / 8] >> (i % 8) & 1 != 0;
        let bytes = (0..8 * strobes.len()).filter(written);
        let answers = bytes.map(|i| self.response(addr.wrapping_add(i as u64), 1));
        answers.max().unwrap_or(OKAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_meets_a_failing_line_fails() {
        let failing = Failing(vec![(0x1000, 64), (0x2040, 64)]);
        assert_eq!(failing.response(0xFF0, 16), OKAY);
        assert_eq!(failing.response(0x1030, 16), SLVERR);
        assert_eq!(failing.response(0x2000, 128), DECERR);
        assert_eq!(failing.write_response(0x1038, &[0xFF, 0xFF]), SLVERR);
        assert_eq!(failing.write_response(0x1038, &[0x00, 0xFF]), OKAY);
    }
}
