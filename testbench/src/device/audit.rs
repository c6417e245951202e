//! Checks the registers and queries of the Verilated hardware when a run is over.
use super::answer::Answer;
use super::extended;
use super::settings::{self, register_is, Said};
use super::software::answer;
use super::software::request::counted;
use super::verilated::VerilatedDevice;
use super::{Books, Fault, Outcome};
use hca_golden::verbs::Arming;
use hca_host::profile::Link;
use hca_host::register;
use hca_sim::driver::{
    Armed, DriverError, ExtendedCounters, ExtendedCountersQuery, KeyViolation, Ticket, ViolationQuery,
};

/// Largest number of clock cycles in which all reads and queries are answered, with a register bus that pauses.
const AUDIT: u64 = 40_000;
/// All causes of an interrupt.
const CAUSES: u32 = register::IRQ_EVENT | register::IRQ_HOST_MEMORY;

impl VerilatedDevice {
    /// Compares the answers of the hardware with its settings and its actions, and its queue pairs and the ports'
    /// counters and violation latches with the model. Nothing may be under way any more.
    pub fn audited(&mut self, books: &Books) -> Result<(), Fault> {
        self.registers_say(self.counters.registers())?;
        self.port_counted(books)?;
        self.port_counted_in_64_bits(books)?;
        self.latches_hold(books)?;
        self.registers_say(settings::identity(&self.profile))?;
        let settings = self.ports.iter().flat_map(settings::port).collect();
        self.registers_say(settings)?;
        let ones = settings::all_ones(self.profile.link, self.ports.len());
        for (_, address, _) in &ones {
            self.hca.driver().write_register(*address, u32::MAX);
        }
        self.registers_say(ones)?;
        for cqn in self.hca.driver().cqns() {
            let arming = books.armings.iter().find(|(number, _)| *number == cqn);
            self.cq_is_as_counted(cqn, arming.map(|(_, arming)| *arming))?;
        }
        for (qpn, expected) in &books.qps {
            self.qp_is_as_modeled(*qpn, expected)?;
        }
        self.line_follows_its_causes()
    }

    fn registers_say(&mut self, said: Vec<Said>) -> Result<(), Fault> {
        let asked: Vec<_> = said
            .into_iter()
            .map(|(name, address, expected)| (name, self.hca.driver().read_register(address), expected))
            .collect();
        for (name, ticket, expected) in asked {
            let outcome = self.wait(&format!("register {name}"), ticket)?;
            register_is(&name, expected, &outcome)?;
        }
        Ok(())
    }

    fn port_counted(&mut self, books: &Books) -> Result<(), Fault> {
        let is_native = self.profile.link == Link::InfiniBand;
        for (port, counter, expected) in &books.counters {
            if !is_native && !counter.is_on_ethernet() {
                continue;
            }
            let ticket = self.driver_of(*port).port_counter(counted(*counter));
            let what = format!("{counter:?} of port {port}");
            let outcome = self.wait(&what, ticket)?;
            if !outcome.as_ref().is_ok_and(|count| expected.contains(count)) {
                register_is(&what, *expected.start(), &outcome)?;
            }
        }
        Ok(())
    }

    /// Checks the registers `PORT_WIDE`, which a port for Ethernet does not have.
    fn port_counted_in_64_bits(&mut self, books: &Books) -> Result<(), Fault> {
        if self.profile.link != Link::InfiniBand {
            return Ok(());
        }
        for (port, expected) in &books.extended {
            let what = format!("PORT_WIDE of port {port}");
            let query = self.driver_of(*port).extended_counters();
            let mut values = [0; ExtendedCountersQuery::REGISTERS];
            for (value, ticket) in values.iter_mut().zip(query.0) {
                let read = self.wait(&what, ticket)?;
                *value = read.map_err(|e| Fault {
                    rule: format!("{what}: {e}"),
                })?;
            }
            extended::fits(*port, expected, &ExtendedCounters::of(values))?;
        }
        Ok(())
    }

    fn latches_hold(&mut self, books: &Books) -> Result<(), Fault> {
        for (port, possible) in &books.latches {
            let what = format!("violation latch of port {port}");
            let fault = |found: String| Fault {
                rule: format!("{what}: {found}"),
            };
            let query = self.driver_of(*port).violation();
            let mut values = [0; ViolationQuery::REGISTERS];
            for (value, ticket) in values.iter_mut().zip(query.0) {
                *value = self.wait(&what, ticket)?.map_err(|e| fault(e.to_string()))?;
            }
            let held = answer::violation(KeyViolation::of(values));
            if !possible.contains(&held) {
                return Err(fault(format!("expected one of {possible:?}, found {held:?}")));
            }
        }
        Ok(())
    }

    fn wait(&mut self, what: &str, ticket: Ticket) -> Result<Result<u32, DriverError>, Fault> {
        let end = self.hca.cycle() + AUDIT;
        loop {
            if let Some(outcome) = self.hca.outcome(ticket) {
                return Ok(outcome);
            }
            if self.hca.cycle() == end {
                return Err(Fault {
                    rule: format!("{what}: no answer within {AUDIT} cycles"),
                });
            }
            self.hca.clock().map_err(|e| Fault { rule: e.to_string() })?;
        }
    }

    /// Checks that `QUERY_CQ` returns the ring of software, the number of CQEs found in it, the number of polled ones,
    /// and the model's arming where there is one.
    fn cq_is_as_counted(&mut self, cqn: u32, arming: Option<Arming>) -> Result<(), Fault> {
        let fault = |found: String| Fault {
            rule: format!("QUERY_CQ of CQ {cqn}: {found}"),
        };
        let ticket = self.hca.driver().query_cq(cqn);
        let granted = self.wait(&format!("QUERY_CQ of CQ {cqn}"), ticket)?;
        granted.map_err(|e| fault(e.to_string()))?;
        let expected = self.hca.driver().cq_books(cqn);
        let expected = expected.map_err(|e| fault(e.to_string()))?;
        match self.hca.driver().cq_status(ticket) {
            // CQEs of a failed CQ are lost.
            Some(status) if status.failed => Ok(()),
            Some(status) if status.books == expected => match (arming, armed_for(status.armed)) {
                (Some(arming), found) if arming != found => {
                    Err(fault(format!("expected arming {arming:?}, found {found:?}")))
                }
                _ => Ok(()),
            },
            Some(status) => Err(fault(format!("expected {expected}, found {}", status.books))),
            None => Err(fault("no answer".to_owned())),
        }
    }

    fn qp_is_as_modeled(&mut self, qpn: u32, expected: &Outcome) -> Result<(), Fault> {
        let fault = |found: String| Fault {
            rule: format!("QUERY_QP of QP {qpn:06X}h: {found}"),
        };
        let ticket = self.hca.driver().query_qp(qpn);
        let granted = self.wait(&format!("QUERY_QP of QP {qpn:06X}h"), ticket)?;
        let value = granted.map_err(|e| fault(e.to_string()))?;
        if let Some((word, was, is)) = self.hca.driver().query_differs(qpn, ticket) {
            return Err(fault(format!(
                "word {word}: expected {was:08X}h, as it was created, found {is:08X}h"
            )));
        }
        match self.answer(ticket, Answer::Qp, value) {
            found if found == *expected => Ok(()),
            found => Err(fault(format!("expected {expected:?}, found {found:?}"))),
        }
    }

    /// Checks that the interrupt line is high if it is enabled and a cause is set: an event of this run whose cause
    /// software has not cleared.
    fn line_follows_its_causes(&mut self) -> Result<(), Fault> {
        let ticket = self.hca.driver().read_register(register::IRQ_STATUS);
        let status = self.wait("IRQ_STATUS", ticket)?;
        let mut expected = if self.events > 0 { register::IRQ_EVENT } else { 0 };
        if self.hca.memory_errors() > 0 {
            // The bus does not show which access failed.
            expected |= *status.as_ref().unwrap_or(&0) & register::IRQ_HOST_MEMORY;
        }
        register_is("IRQ_STATUS", expected, &status)?;
        self.line_is(expected != 0, "with all causes enabled")?;
        self.write("IRQ_ENABLE", register::IRQ_ENABLE, 0)?;
        self.line_is(false, "with no cause enabled")?;
        self.write("IRQ_ENABLE", register::IRQ_ENABLE, u32::MAX)?;
        self.registers_say(vec![("IRQ_ENABLE".to_owned(), register::IRQ_ENABLE, CAUSES)])?;
        self.line_is(expected != 0, "with all causes enabled again")?;
        self.write("IRQ_STATUS", register::IRQ_STATUS, expected)?;
        self.registers_say(vec![("IRQ_STATUS, cleared".to_owned(), register::IRQ_STATUS, 0)])?;
        self.line_is(false, "with all causes cleared")
    }

    fn write(&mut self, name: &str, address: u32, value: u32) -> Result<(), Fault> {
        let ticket = self.hca.driver().write_register(address, value);
        let outcome = self.wait(&format!("register {name}"), ticket)?;
        register_is(name, 0, &outcome)
    }

    fn line_is(&self, up: bool, when: &str) -> Result<(), Fault> {
        if self.hca.irq() == up {
            return Ok(());
        }
        let word = |up| if up { "up" } else { "down" };
        Err(Fault {
            rule: format!("irq: expected {}, found {} {when}", word(up), word(!up)),
        })
    }
}

fn armed_for(armed: Armed) -> Arming {
    match armed {
        Armed::No => Arming::No,
        Armed::Solicited => Arming::Solicited,
        Armed::Next => Arming::Next,
    }
}
