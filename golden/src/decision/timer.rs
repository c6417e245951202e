//! Durations of the codes on the wire and in attributes (`aeth.md` section 6). All times are in picoseconds.

/// Delays of `rnr_timer.csv` in microseconds, by code (FB32).
const RNR_DELAY_US: [u64; 32] = [
    655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840, 5120, 7680,
    10_240, 15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840, 245_760, 327_680, 491_520,
];
/// Unit of the local ack timeout: 4.096 us.
const ACK_TIMEOUT_UNIT: u64 = 4_096_000;
/// The timer expires between T and this multiple of T (adopted bound).
const LATEST: u64 = 4;

/// Returns the least time between an RNR NAK with this code and the next request, in picoseconds (CF112).
pub fn rnr_delay(code: u8) -> u64 {
    RNR_DELAY_US[usize::from(code & 0x1F)] * 1_000_000
}

/// Returns T of `ack_timeout.csv` in picoseconds; `None` if the code disables the timer (CF187, CF188).
pub fn ack_timeout(code: u8) -> Option<u64> {
    (code != 0).then(|| ACK_TIMEOUT_UNIT << (code & 0x1F))
}

/// The local ack timer of a requester, while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckTimer {
    /// Time of the last event that restarts the timer: the first outstanding request, progress, or a rewind.
    pub since: u64,
    /// Time of the last request sent. A device may have restarted the timer at any moment up to it.
    pub latest: u64,
}

impl AckTimer {
    /// Makes a timer that starts now.
    pub fn start(now: u64) -> AckTimer {
        AckTimer {
            since: now,
            latest: now,
        }
    }

    /// Returns the earliest and latest time at which the timer may expire, in picoseconds; `None` if the code disables
    /// it.
    pub fn window(&self, code: u8) -> Option<(u64, u64)> {
        let t = ack_timeout(code)?;
        Some((self.since + t, self.latest + LATEST * t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(rnr_delay(0), 655_360_000_000, "the longest");
        assert_eq!(rnr_delay(1), 10_000_000);
        assert_eq!(rnr_delay(25), 61_440_000_000);
        assert_eq!(rnr_delay(31), 491_520_000_000);
        assert_eq!(ack_timeout(0), None);
        assert_eq!(ack_timeout(1), Some(8_192_000));
        assert_eq!(ack_timeout(31), Some(8_796_093_022_208_000));
    }

    #[test]
    fn the_window_opens_at_t_and_closes_at_4_t() {
        let timer = AckTimer {
            since: 1000,
            latest: 5000,
        };
        assert_eq!(timer.window(1), Some((8_193_000, 32_773_000)));
        assert_eq!(timer.window(0), None);
    }
}
