//! The Verilated hardware with its driver as a device.
use super::{Device, Fault, Outcome, Reason, Refusal, Retired, Ticket, Transmitted, Verb, CAPABILITIES};
use crate::device::translation::{completion, event, queue, region, segments, send_work, spoiled, state};
use hca_golden::capabilities::Capabilities;
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{Completion, HostEvent, PortConfig, QpAttributes, QueueSide};
use hca_rtl::host::{register, wqe};
use hca_sim::driver::{self, DriverError, QpSettings, ReceiveWork, RINGS, RINGS_SIZE};
use hca_sim::hca::{Marks, SimConfig, SimError, SimHca};
use hca_sim::verilated::{self, Library};
use std::collections::HashMap;

/// A Verilated HCA on a clock.
pub struct VerilatedDevice {
    hca: SimHca,
    clock_hz: u64,
    /// QPs that there may be, QP0 and QP1 among them.
    queue_pairs: usize,
    port: PortConfig,
    settings: HashMap<u32, QpSettings>,
    tickets: u64,
    waiting: HashMap<Ticket, Waiting>,
    /// Register accesses of the start, with the value that has to come.
    start: Vec<(&'static str, driver::Ticket, u32)>,
}

/// A verb's way to its outcome.
enum Waiting {
    Refused(Refusal),
    Driver(driver::Ticket),
}

impl VerilatedDevice {
    /// A device behind this port, out of reset.
    pub fn new(library: &Library, config: &SimConfig, port: PortConfig) -> Result<VerilatedDevice, SimError> {
        let mut hca = SimHca::new(library, config)?;
        let driver = hca.driver();
        let start = vec![
            ("ID", driver.read_register(register::ID), register::ID_VALUE),
            (
                "VERSION",
                driver.read_register(register::VERSION),
                register::VERSION_VALUE,
            ),
            ("PORT", driver.set_port(port.lid, port.lmc), 0),
            ("PORT_MAC", driver.set_mac(&port.mac), 0),
            ("PORT_GID", driver.set_gid(&port.gid), 0),
            ("PORT_P_KEY", driver.set_p_keys(&port.p_keys), 0),
        ];
        Ok(VerilatedDevice {
            hca,
            clock_hz: config.profile.clock_hz,
            queue_pairs: 1 << config.profile.qp_bits,
            port,
            settings: HashMap::new(),
            tickets: 0,
            waiting: HashMap::new(),
            start,
        })
    }

    /// When something crossed a port last.
    pub fn marks(&self) -> Marks {
        self.hca.marks()
    }

    fn carry_out(&mut self, verb: Verb) -> Option<Result<driver::Ticket, DriverError>> {
        use Verb::{DestroyCq, QueryCq, QueryQp, RequestNotify, ResizeCq, SetQp};
        match verb {
            QueryCq { .. } | ResizeCq { .. } | DestroyCq { .. } | RequestNotify { .. } => None,
            SetQp { .. } | QueryQp { .. } => None,
            verb => Some(self.call(verb)),
        }
    }

    fn call(&mut self, verb: Verb) -> Result<driver::Ticket, DriverError> {
        match verb {
            Verb::CreateCq { cqn, entries } => self.hca.create_cq(cqn, entries),
            Verb::CreateQp {
                attributes,
                send_entries,
                receive_entries,
            } => {
                let settings = settings_of(&self.port, &attributes, send_entries, receive_entries);
                let qpn = settings.qpn;
                // The driver would give away the index of a QP in Reset.
                let index = |qpn: u32| qpn as usize % self.queue_pairs;
                if let Some(&other) = self.settings.keys().find(|&&q| index(q) == index(qpn)) {
                    return Err(DriverError::IndexTaken { qpn, other });
                }
                let ticket = self.hca.modify_qp(&settings, driver::QpState::Reset)?;
                self.settings.insert(qpn, settings);
                Ok(ticket)
            }
            Verb::ModifyQp { qpn, state: to } => {
                let settings = self.settings.get(&qpn).ok_or(DriverError::UnknownQp(qpn))?;
                self.hca.modify_qp(settings, state(to))
            }
            Verb::DestroyQp { qpn } => {
                let settings = self.settings.remove(&qpn).ok_or(DriverError::UnknownQp(qpn))?;
                self.hca.modify_qp(&settings, driver::QpState::Reset)
            }
            Verb::RegMr { region: r } => self.hca.reg_mr(&region(&r)),
            Verb::DeregMr { l_key } => self.hca.dereg_mr(l_key),
            Verb::Invalidate { r_key } => Ok(self.hca.invalidate(r_key)),
            Verb::PostSend { qpn, request } => {
                let work = send_work(&request);
                self.hca.post_send(qpn, &work).map(|(ticket, _)| ticket)
            }
            Verb::PostReceive { qpn, request } => {
                let work = ReceiveWork {
                    wr_id: request.wr_id,
                    segments: segments(&request.sges),
                };
                self.hca.post_receive(qpn, &work).map(|(ticket, _)| ticket)
            }
            Verb::PostDefective { qpn, request, defect } => {
                let (ticket, index) = self.hca.post_send(qpn, &send_work(&request))?;
                let entry = self.hca.driver().send_entry(qpn, index)?;
                let (offset, bytes) = spoiled(defect);
                self.hca.memory_mut().write(entry + offset as u64, &bytes);
                Ok(ticket)
            }
            Verb::Ring { qpn, side, producer } | Verb::RingInReset { qpn, side, producer } => {
                Ok(self.hca.driver().ring(qpn, queue(side), producer))
            }
            other => Err(DriverError::BadRingSize(other.is_command().into())),
        }
    }

    /// What the registers say after reset has to be what this interface says.
    fn check_start(&mut self) -> Result<(), Fault> {
        while let Some((name, ticket, expected)) = self.start.first().copied() {
            let Some(outcome) = self.hca.outcome(ticket) else {
                return Ok(());
            };
            self.start.remove(0);
            if outcome != Ok(expected) {
                let found = match outcome {
                    Ok(value) => format!("{value:08X}h"),
                    Err(e) => e.to_string(),
                };
                return Err(Fault {
                    rule: format!("register {name}: expected {expected:08X}h, found {found}"),
                });
            }
        }
        Ok(())
    }
}

fn settings_of(port: &PortConfig, a: &QpAttributes, send_entries: u32, receive_entries: u32) -> QpSettings {
    QpSettings {
        qpn: a.qpn,
        send_cq: a.send_cq,
        receive_cq: a.receive_cq,
        send_entries,
        receive_entries,
        p_key: port.p_key(a.p_key_index),
        dest_qpn: a.dest_qpn,
        dlid: a.dlid,
        sl: a.sl,
        source_path_bits: a.source_path_bits,
        global: a.global.map(|global| driver::GlobalRoute {
            dgid: global.dgid,
            flow_label: global.flow_label,
            traffic_class: global.traffic_class,
            hop_limit: global.hop_limit,
        }),
        ethernet: a.ethernet.map(|ethernet| driver::EthernetRoute {
            dest_mac: ethernet.dest_mac,
            source_port: ethernet.source_port,
        }),
        pmtu: a.pmtu.bytes() as u32,
        sq_psn: a.sq_psn,
        rq_psn: a.rq_psn,
        min_rnr_timer: a.min_rnr_timer,
        timeout: a.timeout,
        retry_cnt: a.retry_cnt,
        rnr_retry: a.rnr_retry,
        pd: a.pd,
        access: driver::RemoteAccess {
            write: a.access.write,
            read: a.access.read,
            atomic: a.access.atomic,
        },
        max_rd_atomic: a.max_rd_atomic,
        max_dest_rd_atomic: a.max_dest_rd_atomic,
        credits: driver::EndToEndCredits {
            supplied: a.credits.supplied,
            expected: a.credits.expected,
        },
    }
}

impl Device for VerilatedDevice {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_qps: self.queue_pairs,
            reports_verbs: false,
            ..CAPABILITIES
        }
    }

    fn clock_hz(&self) -> u64 {
        self.clock_hz
    }

    fn now(&self) -> u64 {
        self.hca.cycle()
    }

    fn step(&mut self) -> Result<(), Fault> {
        self.hca.clock().map_err(|e| Fault { rule: e.to_string() })?;
        if !self.start.is_empty() {
            self.check_start()?;
        }
        Ok(())
    }

    fn submit(&mut self, verb: Verb) -> Ticket {
        let waiting = match self.carry_out(verb) {
            Some(Ok(ticket)) => Waiting::Driver(ticket),
            Some(Err(e)) => Waiting::Refused(refusal(&e)),
            None => Waiting::Refused(Refusal {
                code: Reason::Unsupported,
                reason: "the driver has no such verb yet".to_owned(),
            }),
        };
        let ticket = Ticket(self.tickets);
        self.tickets += 1;
        self.waiting.insert(ticket, waiting);
        ticket
    }

    fn outcome(&mut self, ticket: Ticket) -> Option<Result<Outcome, Refusal>> {
        let outcome = match self.waiting.get(&ticket)? {
            Waiting::Refused(refusal) => Err(refusal.clone()),
            Waiting::Driver(t) => {
                let outcome = self.hca.outcome(*t)?;
                outcome.map(|_| Outcome::Done).map_err(|e| refusal(&e))
            }
        };
        self.waiting.remove(&ticket);
        Some(outcome)
    }

    fn receive(&mut self, packet: Vec<u8>) {
        self.hca.send_packet(packet);
    }

    fn transmitted(&mut self) -> Option<Transmitted> {
        self.hca.packet_out().map(|packet| Transmitted {
            first_beat: packet.first_beat,
            cycle: packet.last_beat,
            bytes: packet.bytes,
        })
    }

    fn retired(&mut self) -> Result<Option<Retired>, Fault> {
        let Some(retired) = self.hca.retired() else {
            return Ok(None);
        };
        let event = event(&retired.record).map_err(|reason| Fault {
            rule: format!("retire port: {reason}"),
        })?;
        Ok(Some(Retired {
            cycle: retired.cycle,
            event,
        }))
    }

    fn poll(&mut self, cqn: u32) -> Result<Option<Completion>, Fault> {
        let polled = self.hca.poll_cq(cqn).map_err(|e| e.to_string());
        let translated = polled.and_then(|polled| polled.as_ref().map(completion).transpose());
        translated.map_err(|reason| Fault {
            rule: format!("CQ {cqn}: {reason}"),
        })
    }

    fn poll_event(&mut self) -> Result<Option<HostEvent>, Fault> {
        Ok(None)
    }

    fn read_memory(&self, addr: u64, bytes: &mut [u8]) {
        self.hca.memory().read(addr, bytes);
    }

    fn written_pages(&self) -> Vec<u64> {
        let rings = RINGS..RINGS + RINGS_SIZE;
        let pages = self.hca.memory().written_pages().into_iter();
        pages.filter(|addr| !rings.contains(addr)).collect()
    }

    fn write_memory(&mut self, addr: u64, bytes: &[u8]) {
        self.hca.memory_mut().write(addr, bytes);
    }

    fn fail_memory(&mut self, addr: u64, length: u64) {
        self.hca.fail_memory(addr, length);
    }

    fn lose(&mut self, part: RingPart) {
        let of = |side| side == QueueSide::Receive;
        let bytes = |sges: u8| sges as usize * wqe::SEGMENT_BYTES;
        let lost = match part {
            RingPart::Wqe { qpn, side, index } => self.hca.fail_wqe(qpn, of(side), index),
            RingPart::Sges {
                qpn,
                side,
                index,
                first,
            } => self.hca.fail_area(qpn, of(side), index, bytes(first)),
            RingPart::Inline { qpn, index, offset } => self.hca.fail_area(qpn, false, index, offset.into()),
            RingPart::Cqe { cqn, index } => self.hca.fail_cqe(cqn, index),
        };
        // Of what does not exist nothing is read.
        let _ = lost;
    }

    fn quiet(&self) -> bool {
        self.hca.quiet()
    }

    fn close(&mut self) -> Result<(), verilated::Error> {
        self.hca.finish_trace()
    }
}

fn refusal(error: &DriverError) -> Refusal {
    Refusal {
        code: Reason::Unsupported,
        reason: error.to_string(),
    }
}
