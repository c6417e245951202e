//! Compares verbs. A command is applied to the model when the device reports it, any other verb when it starts; then
//! the results are compared.
use super::failure::{Failure, Kind};
use super::verbs::Started;
use super::Checked;
use crate::device::model::{number, start};
use crate::device::{Outcome, Reason, Refusal, Ticket, Verb};
use crate::station::Station;
use hca_golden::event::{CommandVerb, Event};
use hca_golden::refusal::VerbError;
use hca_golden::verbs::{PortCounter, QpState, QueueSide};

impl Checked {
    /// Starts a verb that device and model may refuse, both for the same reason. [`Checked::verb_outcome`] returns the
    /// result.
    pub fn attempt(&mut self, verb: Verb) -> Ticket {
        let ticket = self.verbs.ask(verb, true);
        self.start_verbs();
        ticket
    }

    /// Takes the next outcome of an attempt.
    pub fn verb_outcome(&mut self) -> Option<(Ticket, Result<Outcome, Refusal>)> {
        self.verbs.outcomes.pop_front()
    }

    pub(super) fn start_verbs(&mut self) {
        while let Some(asked) = self.verbs.next() {
            let verb = asked.verb.clone();
            let ticket = self.device.submit(verb.clone());
            let outcome = self.device.outcome(ticket);
            let refused = outcome.as_ref().and_then(|o| o.as_ref().err());
            let (port, of_port) = verb.with_port();
            let sets_vls = matches!(of_port, Verb::SetDataVls { .. }) && self.model.has_port(port);
            let former = sets_vls.then(|| self.model.port(port).data_vls());
            let unheard = refused.and_then(|refusal| self.unheard(&verb, refusal.code));
            let expected = match unheard {
                _ if verb.is_command() => None,
                Some(error) => Some(Err(error)),
                None => Some(start(&mut self.model, &mut self.attributes, &verb)),
            };
            if expected.as_ref().is_some_and(Result::is_ok) {
                self.completions.verb(&verb);
            }
            if let Some(former) = former {
                self.model.port_mut(port).vls_may_be(former);
                self.packets.vls_changed(self.model.port(port));
                self.packets.readmit(self.model.port_mut(port));
            }
            if let (port, Verb::ReleaseViolation) = verb.with_port() {
                if self.model.has_port(port) {
                    self.model.port_mut(port).violation_is_releasing();
                }
            }
            self.deadline = self.model.deadline();
            self.progress = self.now();
            let started = Started {
                asked,
                ticket,
                expected,
                outcome,
                placements: self.placements.now(),
            };
            self.verbs.started.push_back(started);
        }
    }

    /// Returns why software refuses work that the model would accept, because it does not know all that the device has
    /// done: a completion that frees room is on its way, or the QP came to Error before RTS.
    fn unheard(&self, verb: &Verb, refused: Reason) -> Option<VerbError> {
        let side = match verb {
            Verb::PostSend { .. } | Verb::PostDefective { .. } => QueueSide::Send,
            Verb::PostReceive { .. } => QueueSide::Receive,
            _ => return None,
        };
        let qpn = number(verb);
        match refused {
            Reason::QueueFull => {
                let entries = 0;
                let on_its_way = self.completions.announced_of(qpn, side);
                on_its_way.then_some(VerbError::QueueFull { qpn, entries })
            }
            Reason::WrongState if side == QueueSide::Send => {
                let moved = self.verbs.moved.get(&qpn).copied();
                let state = moved.filter(|state| matches!(state, QpState::Init | QpState::Rtr))?;
                self.model
                    .has_failed(qpn)
                    .then_some(VerbError::State { qpn, state })
            }
            _ => None,
        }
    }

    /// Lets the model judge a command that the device has judged.
    pub(super) fn command_judged(
        &mut self,
        verb: CommandVerb,
        about: u32,
        refused: Option<Reason>,
    ) -> Result<(), Box<Failure>> {
        let Some(started) = self.verbs.judged(verb, about) else {
            let rule = format!("the device reports {verb:?} of {about:06X}h, which nobody asked for");
            return Err(self.failure(None, None, Kind::Fault { rule }));
        };
        let asked = started.asked.verb.clone();
        let expected = start(&mut self.model, &mut self.attributes, &asked);
        if expected.is_ok() {
            self.completions.verb(&asked);
        }
        started.expected = Some(expected.clone());
        started.placements = self.placements.now();
        self.deadline = self.model.deadline();
        if expected.as_ref().err().map(VerbError::reason) == refused {
            return Ok(());
        }
        let event = Event::Command {
            verb,
            number: about,
            refused,
        };
        let actual = match refused {
            Some(reason) => Err(reason.to_string()),
            None => Ok(Outcome::Done),
        };
        Err(self.failure(None, Some(event), disagreement(&asked, expected, actual)))
    }

    pub(super) fn verb_outcomes(&mut self) -> Result<(), Box<Failure>> {
        while let Some(started) = self.verbs.started.front_mut() {
            let there = started.outcome.take();
            let Some(actual) = there.or_else(|| self.device.outcome(started.ticket)) else {
                break;
            };
            let Some(started) = self.verbs.started.pop_front() else {
                break;
            };
            self.progress = self.now();
            if actual.is_ok() {
                self.nothing_on_its_way(&started)?;
            }
            let Started { asked, expected, .. } = started;
            let Some(expected) = expected.or_else(|| self.refused_by_software(&asked.verb, &actual)) else {
                let rule = format!("{} is done and no command was reported", asked.verb);
                return Err(self.failure(None, None, Kind::Fault { rule }));
            };
            let agree = match (&expected, &actual) {
                (Ok(expected), Ok(actual)) => self.tells_the_same(&asked.verb, expected, actual),
                (Err(e), Err(refusal)) => e.reason() == refusal.code,
                // Software does not know of the failure of the CQ.
                (Err(VerbError::CqFailed(_)), Ok(_)) => matches!(asked.verb, Verb::RequestNotify { .. }),
                _ => false,
            };
            if !agree || (actual.is_err() && !asked.may_be_refused) {
                let actual = actual.map_err(|refusal| refusal.to_string());
                return Err(self.failure(None, None, disagreement(&asked.verb, expected, actual)));
            }
            match asked.verb {
                Verb::ModifyQp { qpn, state } | Verb::SetQp { qpn, state, .. } if actual.is_ok() => {
                    self.verbs.moved.insert(qpn, state);
                }
                Verb::DestroyQp { qpn } if actual.is_ok() => {
                    self.verbs.moved.remove(&qpn);
                }
                _ => {}
            }
            match asked.verb {
                Verb::DeregMr { .. } | Verb::Invalidate { .. } if actual.is_ok() => {
                    self.model.region_is_gone()
                }
                Verb::RegMr { region } if actual.is_ok() => {
                    self.model.region_stands(region.l_key);
                    let end = region.base.saturating_add(region.length);
                    self.placements.register(region.l_key, region.base..end);
                }
                _ => {}
            }
            if let (port, Verb::SetDataVls { .. }) = asked.verb.with_port() {
                if self.model.has_port(port) {
                    self.model.port_mut(port).vls_stand();
                }
            }
            if let (port, Verb::ReleaseViolation) = asked.verb.with_port() {
                if actual.is_ok() {
                    self.model.violation_released(port);
                }
            }
            if asked.may_be_refused {
                self.verbs.outcomes.push_back((asked.ticket, actual));
            }
        }
        self.start_verbs();
        Ok(())
    }

    /// Returns the model's outcome of a command that never reached the device, because software refused it.
    fn refused_by_software(
        &mut self,
        verb: &Verb,
        actual: &Result<Outcome, Refusal>,
    ) -> Option<Result<Outcome, VerbError>> {
        let mut model = self.model.clone();
        let mut attributes = self.attributes.clone();
        actual.is_err().then(|| start(&mut model, &mut attributes, verb))
    }

    /// Returns true if both outcomes agree. A QP that has to go to Error may report that state, the count of discards
    /// may contain packets that the port may have given up, packets may have waited for longer, and the violation latch
    /// may have taken a violation since.
    fn tells_the_same(&self, verb: &Verb, expected: &Outcome, actual: &Outcome) -> bool {
        let (port, of_port) = verb.with_port();
        let is_of_discards = matches!(
            of_port,
            Verb::QueryPortCounter {
                counter: PortCounter::XmitDiscards
            }
        );
        if let (true, Outcome::PortCounter(least), Outcome::PortCounter(found)) =
            (is_of_discards, expected, actual)
        {
            let most = least.saturating_add(self.packets.perhaps_given_up(port) as u32);
            return (*least..=most).contains(found);
        }
        if let (
            Verb::QueryPortCounter {
                counter: PortCounter::XmitWait,
            },
            Outcome::PortCounter(least),
            Outcome::PortCounter(found),
        ) = (of_port, expected, actual)
        {
            return least <= found;
        }
        if let Outcome::Violation(found) = actual {
            let possible = self.model.port(port).possible_violations();
            return expected == actual || possible.contains(&found.as_deref().copied());
        }
        let (
            Outcome::Qp { attributes, .. },
            Outcome::Qp {
                state,
                attributes: reported,
            },
        ) = (expected, actual)
        else {
            return expected == actual;
        };
        let fails = self.model.is_failing(number(verb)) && *state == QpState::Error;
        expected == actual || (fails && attributes == reported)
    }
}

fn disagreement(verb: &Verb, expected: Result<Outcome, VerbError>, actual: Result<Outcome, String>) -> Kind {
    Kind::Verb {
        verb: verb.to_string(),
        expected: expected.map_err(|e| format!("{}: {e}", e.reason())),
        actual,
    }
}
