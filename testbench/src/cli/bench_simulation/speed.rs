//! The time that a workload took, and its printed form.
use serde::Serialize;
use std::ops::AddAssign;

/// Processor seconds of a workload on one build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Seconds {
    /// Time of the two models alone, with the inputs of the run.
    pub bare: f64,
    /// Time of models, buses, host memory, software and comparison.
    pub compared: f64,
}

impl AddAssign for Seconds {
    fn add_assign(&mut self, more: Seconds) {
        self.bare += more.bare;
        self.compared += more.compared;
    }
}

/// The amount of work of a workload, and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Speed {
    /// Number of packets on the link.
    pub packets: u64,
    /// Number of clock cycles, each run by two devices.
    pub cycles: u64,
    /// Times of the model that the system's own tools build, evaluated whole.
    pub plain: Seconds,
    /// Times of the model as `hca` builds it.
    pub fast: Seconds,
}

impl AddAssign for Speed {
    fn add_assign(&mut self, more: Speed) {
        self.packets += more.packets;
        self.cycles += more.cycles;
        self.plain += more.plain;
        self.fast += more.fast;
    }
}

/// The two lines above the [rows](Speed::row).
pub(super) fn heading() -> [String; 2] {
    let groups = format!(
        "{:12} {:>8} {:>9}  {:^16}  {:^16}  {:^16}",
        "", "", "", "plain, packets/s", "hca, packets/s", "hca is faster by"
    );
    let pair = format!("{:>7} {:>8}", "bare", "compared");
    let columns = format!(
        "{:12} {:>8} {:>9}  {pair}  {pair}  {pair}  comparing",
        "", "packets", "cycles"
    );
    [groups, columns].map(|line| line.trim_end().to_owned())
}

impl Speed {
    /// Returns a line of the table. The last column is the part of `hca`'s compared run that is not spent in the bare
    /// models.
    pub fn row(&self, name: &str) -> String {
        let rate = |seconds: f64| self.packets as f64 / seconds;
        let (plain, fast) = (self.plain, self.fast);
        format!(
            "{name:12} {:>8} {:>9}  {:>7.1} {:>8.1}  {:>7.1} {:>8.1}  {:>7.2} {:>8.2}  {:>7.0} %",
            self.packets,
            self.cycles,
            rate(plain.bare),
            rate(plain.compared),
            rate(fast.bare),
            rate(fast.compared),
            plain.bare / fast.bare,
            plain.compared / fast.compared,
            100.0 * (1.0 - fast.bare / fast.compared),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stands_below_its_heading() {
        let seconds = |bare, compared| Seconds { bare, compared };
        let speed = Speed {
            packets: 1200,
            cycles: 60_000,
            plain: seconds(6.0, 8.0),
            fast: seconds(1.0, 2.0),
        };
        let [groups, columns] = heading();
        let row = speed.row("soak");
        assert_eq!(row.len(), columns.len(), "{groups}\n{columns}\n{row}");
        let fields: Vec<_> = row.split_whitespace().collect();
        let expected = [
            "soak", "1200", "60000", "200.0", "150.0", "1200.0", "600.0", "6.00", "4.00", "50", "%",
        ];
        assert_eq!(fields, expected);
    }
}
