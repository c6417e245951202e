//! The verbs that read and set counters of a port.
use super::port_counters::full;
use super::Port;
use crate::extended_counters::ExtendedCounters;
use crate::verbs::PortCounter;
use std::ops::RangeInclusive;

impl Port {
    /// Returns the value of this counter in the model.
    pub fn query_port_counter(&self, counter: PortCounter) -> u32 {
        self.counters.counts.get(&counter).copied().unwrap_or_default()
    }

    /// Returns the values that the counter may have.
    pub fn port_counter_range(&self, counter: PortCounter) -> RangeInclusive<u32> {
        let least = self.query_port_counter(counter);
        if counter == PortCounter::XmitWait {
            return least..=full(counter);
        }
        let more = self.counters.unclear.get(&counter).copied().unwrap_or_default();
        least..=least.saturating_add(more).min(full(counter))
    }

    /// Returns the 64-bit counters of the port, which no verb sets.
    pub fn query_extended_counters(&self) -> ExtendedCounters {
        self.counters.extended
    }

    /// Returns the lowest and the highest values that the 64-bit counters may have.
    pub fn extended_counters_range(&self) -> RangeInclusive<ExtendedCounters> {
        let least = self.counters.extended;
        least..=least.with(self.counters.extended_unclear)
    }

    /// Sets the counter to `count`.
    pub fn set_port_counter(&mut self, counter: PortCounter, count: u32) {
        self.counters.unclear.remove(&counter);
        *self.counters.of(counter) = count & full(counter);
    }
}
