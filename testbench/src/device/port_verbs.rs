//! Verbs about one port of the hardware.
use super::answer::Answer;
use super::software::request::{counted, vls};
use super::verilated::VerilatedDevice;
use super::{Reason, Refusal, Verb};
use hca_golden::arbitration::Table;
use hca_golden::port::{PortConfig, PortState};
use hca_golden::verbs::Pmtu;
use hca_sim::driver::{DriverError, OfPort, Ticket};

impl VerilatedDevice {
    /// Returns true if the adapter has a port of this number. If it has not, the run fails.
    pub(super) fn has_port(&mut self, port: u8) -> bool {
        let has = (1..=self.ports.len()).contains(&port.into());
        if !has {
            self.broken
                .get_or_insert_with(|| format!("the adapter has no port {port}"));
        }
        has
    }

    /// Returns why software starts no verb of this port; `None` if it does.
    pub(super) fn refuses_port(&self, port: u8) -> Option<Refusal> {
        let has = (1..=self.ports.len()).contains(&port.into());
        (!has).then(|| Refusal {
            code: Reason::BadAttribute,
            reason: format!("the adapter has no port {port}"),
        })
    }

    fn port_config(&mut self, port: u8) -> &mut PortConfig {
        &mut self.ports[usize::from(port) - 1]
    }

    /// Starts the call of a verb of this port. Returns it with the answer that follows it; `None` if the verb is not
    /// one of a port.
    pub(super) fn carry_out_at(
        &mut self,
        port: u8,
        verb: &Verb,
    ) -> Option<Result<(Ticket, Answer), DriverError>> {
        let call = match verb {
            Verb::OnPort { .. } => {
                let (port, verb) = verb.with_port();
                return self.carry_out_at(port, verb);
            }
            Verb::QueryPortCounter { counter } => Ok(self.driver_of(port).port_counter(counted(*counter))),
            Verb::SetPortCounter { counter, count } => {
                Ok(self.driver_of(port).set_port_counter(counted(*counter), *count))
            }
            Verb::QueryExtendedCounters => {
                let query = self.driver_of(port).extended_counters();
                return Some(Ok((query.last(), Answer::ExtendedCounters(query))));
            }
            Verb::QueryViolation => {
                let query = self.driver_of(port).violation();
                return Some(Ok((query.last(), Answer::Violation(query))));
            }
            Verb::ReleaseViolation => Ok(self.driver_of(port).release_violation()),
            Verb::SetLid { lid, lmc } => {
                let config = self.port_config(port);
                (config.lid, config.lmc) = (*lid, *lmc);
                Ok(self.driver_of(port).set_port(*lid, *lmc))
            }
            Verb::SetGids { gid, guids } => {
                let config = self.port_config(port);
                (config.gid, config.guids) = (*gid, *guids);
                self.driver_of(port).set_gid(gid);
                Ok(self.driver_of(port).set_guids(guids))
            }
            Verb::SetPKey { index, p_key } => {
                if let Some(entry) = self.port_config(port).p_keys.get_mut(usize::from(*index)) {
                    *entry = *p_key;
                }
                self.driver_of(port).set_p_key(*index, *p_key)
            }
            Verb::SetSlToVl { table } => {
                self.port_config(port).sl_to_vl = *table;
                Ok(self.driver_of(port).set_sl_to_vl(table))
            }
            Verb::SetDataVls { data_vls } => {
                self.port_config(port).data_vls = *data_vls;
                Ok(self.driver_of(port).set_operational_vls(vls(*data_vls)))
            }
            Verb::SetMtu { mtu } => {
                let config = self.port_config(port);
                config.mtu = Pmtu::of_code(*mtu).unwrap_or(config.mtu);
                Ok(self.driver_of(port).set_mtu(*mtu))
            }
            Verb::SetArbitration { arbitration } => {
                self.port_config(port).arbitration = *arbitration;
                let mut driver = self.driver_of(port);
                driver.set_vl_high_limit(arbitration.high_limit);
                let pairs = |table: Table| table.map(|entry| (entry.vl, entry.weight));
                driver.set_vl_arbitration(true, &pairs(arbitration.high));
                Ok(driver.set_vl_arbitration(false, &pairs(arbitration.low)))
            }
            Verb::SetFlowControl { is_on } => Ok(self.driver_of(port).set_flow_control(*is_on)),
            Verb::QueryPortState => Ok(self.driver_of(port).port_state()),
            Verb::SetPortState { state } => {
                if *state == PortState::Down {
                    self.counters.port(port).take_down(false);
                }
                self.driver_of(port).set_port_state(*state as u32);
                Ok(self.driver_of(port).port_state())
            }
            Verb::DisablePort => {
                self.counters.port(port).take_down(true);
                self.driver_of(port).disable_port();
                Ok(self.driver_of(port).port_state())
            }
            Verb::SetCable { is_in } => {
                self.counters.port(port).set_cable(*is_in);
                self.hca.port(port).set_cable(*is_in);
                Ok(self.driver_of(port).port_state())
            }
            _ => return None,
        };
        Some(call.map(|call| (call, Answer::by(verb, port))))
    }

    pub(super) fn driver_of(&mut self, port: u8) -> OfPort<'_> {
        self.hca.driver().port(port)
    }
}
