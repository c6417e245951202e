//! Static rates (`link.md` section 7, `static_rate.csv`).

/// The rate of each code of `static_rate.csv`, in units of 2.5 Gb/s. It is 0 for code 0, which stands for the rate of
/// the port, and for code 1, which `static_rate.csv` does not have.
const RATES: [u32; 11] = [0, 0, 1, 4, 12, 2, 8, 16, 24, 32, 48];
/// Picoseconds in which a link of 2.5 Gb/s, ten bits for each eight, carries a byte.
const BYTE: u64 = 4_000;

/// Returns true if this is a code of `static_rate.csv`.
pub fn is_code(code: u8) -> bool {
    code != 1 && usize::from(code) < RATES.len()
}

/// Returns IPD, the number of packet times that a source of this rate waits after each packet. `port` is the rate of
/// its port in units of 2.5 Gb/s. IPD is 0 for a rate of the port or above, and for a code that no rate has.
pub fn ipd(code: u8, port: u32) -> u32 {
    match RATES.get(usize::from(code)) {
        None | Some(0) => 0,
        Some(rate) => port.div_ceil(*rate) - 1,
    }
}

/// Returns the least time from the start of a packet of so many bytes to the start of the next one of its source, in
/// picoseconds.
pub fn spacing(bytes: usize, ipd: u32, port: u32) -> u64 {
    bytes as u64 * BYTE / u64::from(port) * u64::from(ipd + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_their_ipds() {
        let of = |port| [0, 2, 5, 3, 6, 4, 7, 8, 9, 10].map(|code| ipd(code, port));
        assert_eq!(of(4), [0, 3, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(of(16), [0, 15, 7, 3, 1, 1, 0, 0, 0, 0]);
        assert_eq!(of(48), [0, 47, 23, 11, 5, 3, 2, 1, 1, 0]);
        let unknown = (0..=255).filter(|&code| !is_code(code));
        assert!(unknown.eq([1].into_iter().chain(11..=255)));
        assert_eq!([1, 11, 255].map(|code| ipd(code, 48)), [0; 3]);
    }

    #[test]
    fn a_packet_takes_its_time_at_its_rate() {
        assert_eq!(spacing(282, ipd(2, 4), 4), 1_128_000);
        assert_eq!(spacing(282, ipd(2, 32), 32), 1_128_000);
        assert_eq!(spacing(282, 0, 4), 282_000);
    }
}
