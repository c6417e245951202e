//! Events of packets that go out.
use super::gather::gather;
use super::{transmit, Hca, Output, Rule, Violation};
use crate::decision::requester;
use crate::verbs::QpState;

impl Hca {
    /// The next request packet of the QP goes out.
    pub(super) fn emit_request(&mut self, qpn: u32, psn: u32) -> Result<Vec<Output>, Violation> {
        let qp = self.qp(qpn)?;
        let sent = format!("sent request PSN {psn}");
        let Some(plan) = requester::plan(&qp.requester) else {
            return Err(Rule::NoSendWqe.broken(qpn, "no request, for all WQEs taken are sent", sent));
        };
        let sends = match qp.state {
            QpState::Rts => true,
            QpState::Sqd => !plan.starts,
            QpState::Error => qp.late_requests > 0,
            _ => false,
        };
        if !sends {
            let expected = match qp.state {
                QpState::Sqd => "no new message in Sqd".into(),
                QpState::Error => "no request in Error beyond those under way".into(),
                state => format!("no request in {state:?}"),
            };
            return Err(Rule::SendState.broken(qpn, expected, sent));
        }
        if psn != plan.psn {
            return Err(Rule::Psn.broken(qpn, format!("request PSN {}", plan.psn), sent));
        }
        if qp.requester.window_is_full() {
            return Err(Rule::Window.broken(
                qpn,
                "no request before an ack, 2^23 PSNs are outstanding",
                sent,
            ));
        }
        let payload = gather(&self.memory, qp.send_sges(plan.index), plan.offset, plan.length);
        let bytes = transmit::request(&self.port, qp, &plan, payload);
        let qp = self.qp_mut(qpn)?;
        qp.requester = requester::send(std::mem::take(&mut qp.requester));
        qp.late_requests = qp.late_requests.saturating_sub(1);
        Ok(vec![Output::Transmit(bytes)])
    }

    /// A scheduled ack or NAK goes out.
    pub(super) fn emit_response(
        &mut self,
        qpn: u32,
        psn: u32,
        syndrome: u8,
    ) -> Result<Vec<Output>, Violation> {
        let port = self.port;
        let qp = self.qp_mut(qpn)?;
        match qp.responses.emit(psn, syndrome) {
            Ok(response) => Ok(vec![Output::Transmit(transmit::response(&port, qp, &response))]),
            Err(rule) => {
                let permitted: Vec<String> = qp
                    .responses
                    .permitted()
                    .map(|r| format!("{:02X}h at PSN {}", r.syndrome, r.psn))
                    .collect();
                let expected = if permitted.is_empty() {
                    "no response".into()
                } else {
                    format!("syndrome {}", permitted.join(" or "))
                };
                let actual = format!("sent syndrome {syndrome:02X}h at PSN {psn}");
                Err(rule.broken(qpn, expected, actual))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::requester::Message;
    use crate::hca::QueuePair;
    use crate::psn;
    use crate::verbs::{Pmtu, PortConfig, QpAttributes, Service};

    /// An HCA whose QP 2 has so many PSNs outstanding and a message of no bytes to send.
    fn outstanding(psns: u32) -> Hca {
        let mut hca = Hca::new(PortConfig {
            lid: 1,
            lmc: 0,
            ..PortConfig::default()
        });
        let mut qp = QueuePair::new(QpAttributes {
            qpn: 2,
            service: Service::Rc,
            send_cq: 0,
            receive_cq: 0,
            p_key: 0xFFFF,
            dest_qpn: 2,
            dlid: 1,
            sl: 0,
            source_path_bits: 0,
            global: None,
            ethernet: None,
            pmtu: Pmtu::B256,
            sq_psn: 0,
            rq_psn: 0,
            min_rnr_timer: 0,
            timeout: 0,
            retry_cnt: 0,
            rnr_retry: 0,
        });
        qp.state = QpState::Rts;
        qp.requester = requester::Context {
            pmtu: 256,
            next_psn: 5,
            unacknowledged_psn: psn::subtract(5, psns),
            acknowledged: 0,
            messages: [Message {
                index: 0,
                length: 0,
                solicited: false,
                first_psn: 0,
                sent: 0,
            }]
            .into(),
        };
        hca.qps.insert(2, qp);
        hca
    }

    /// CF286.
    #[test]
    fn no_more_than_2_to_23_psns_are_outstanding() {
        let full = outstanding(1 << 23).emit_request(2, 5);
        assert_eq!(full.unwrap_err().rule, Rule::Window);
        assert!(outstanding((1 << 23) - 1).emit_request(2, 5).is_ok());
        assert_eq!(outstanding(1 << 23).choices(), []);
        assert!(outstanding(1 << 23).idle());
    }
}
