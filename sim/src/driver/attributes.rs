//! Converts attributes of a QP to the words of commands and back (`protocol/qp_cq.md` section 2).
use super::route::AddressVector;
use super::words::{fits, Words};
use super::{DriverError, QpState};
use hca_host::argument::qp;
use hca_host::command::{attribute, modify_qp};

/// The attributes to set; an attribute that is `None` keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QpChanges {
    /// Index into the port's P_Key table.
    pub p_key_index: Option<u16>,
    /// Number of the port, from 1.
    pub port: Option<u8>,
    /// Accesses that the peer may make.
    pub access: Option<RemoteAccess>,
    pub address: Option<AddressVector>,
    /// Path MTU in bytes: 256, 512, 1024, 2048 or 4096.
    pub pmtu: Option<u32>,
    /// Destination QPN, 24 bits.
    pub dest_qpn: Option<u32>,
    /// First PSN expected, 24 bits.
    pub rq_psn: Option<u32>,
    /// Number of Reads and atomics that the responder keeps to answer them again; at most 16.
    pub max_dest_rd_atomic: Option<u8>,
    /// Timer code of RNR NAKs, as in `rnr_timer.csv`; 5 bits.
    pub min_rnr_timer: Option<u8>,
    /// First PSN sent, 24 bits.
    pub sq_psn: Option<u32>,
    /// Local ack timeout, a code of `ack_timeout.csv`; 5 bits.
    pub timeout: Option<u8>,
    /// Retries of a request without an answer, 3 bits.
    pub retry_cnt: Option<u8>,
    /// Retries after RNR NAKs, 3 bits; 7 is unlimited.
    pub rnr_retry: Option<u8>,
    /// Largest number of Reads and atomics under way as requester; at most 16.
    pub max_rd_atomic: Option<u8>,
    pub credits: Option<EndToEndCredits>,
    /// Q_Key, for a QP of UD.
    pub q_key: Option<u32>,
    /// Used with the state SQD: software wants an event once the send queue is drained.
    pub drained_event: bool,
}

/// End-to-end credits as agreed when the connection was set up (`protocol/aeth.md` section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndToEndCredits {
    /// True if this side's responder supplies credits. If false, its acks carry code 31.
    pub supplied: bool,
    /// True if the peer supplies credits, whose limit this side's requester then respects.
    pub expected: bool,
}

/// The kinds of remote access that a QP permits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemoteAccess {
    pub write: bool,
    pub read: bool,
    pub atomic: bool,
}

/// The answer to `query_qp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QpStatus {
    pub state: QpState,
    /// Every attribute that a modify can set; 0 if it was never set.
    pub attributes: QpChanges,
}

/// Returns the code of `pmtu.csv`; for any other size, a code that the hardware refuses.
fn pmtu_code(bytes: u32) -> u32 {
    (1..=5).find(|code| 128 << code == bytes).unwrap_or(0)
}

impl QpChanges {
    /// Writes the words of `MODIFY_QP`, except QPN and state.
    pub(super) fn write(&self, words: &mut Words) -> Result<(), DriverError> {
        let numbers = [
            (
                self.p_key_index.map(u32::from),
                modify_qp::P_KEY,
                &qp::P_KEY_INDEX,
                attribute::P_KEY_INDEX,
            ),
            (
                self.port.map(u32::from),
                modify_qp::P_KEY,
                &qp::PORT,
                attribute::PORT,
            ),
            (
                self.pmtu.map(pmtu_code),
                modify_qp::STATE,
                &qp::PMTU,
                attribute::PMTU,
            ),
            (
                self.dest_qpn,
                modify_qp::DEST_QPN,
                &qp::DEST_QPN,
                attribute::DEST_QPN,
            ),
            (self.rq_psn, modify_qp::RQ_PSN, &qp::RQ_PSN, attribute::RQ_PSN),
            (
                self.max_dest_rd_atomic.map(u32::from),
                modify_qp::LIMITS,
                &qp::MAX_DEST_RD_ATOMIC,
                attribute::MAX_DEST_RD_ATOMIC,
            ),
            (
                self.min_rnr_timer.map(u32::from),
                modify_qp::TIMERS,
                &qp::MIN_RNR_TIMER,
                attribute::MIN_RNR_TIMER,
            ),
            (self.sq_psn, modify_qp::SQ_PSN, &qp::SQ_PSN, attribute::SQ_PSN),
            (
                self.timeout.map(u32::from),
                modify_qp::TIMERS,
                &qp::TIMEOUT,
                attribute::TIMEOUT,
            ),
            (
                self.retry_cnt.map(u32::from),
                modify_qp::TIMERS,
                &qp::RETRY_CNT,
                attribute::RETRY_CNT,
            ),
            (
                self.rnr_retry.map(u32::from),
                modify_qp::TIMERS,
                &qp::RNR_RETRY,
                attribute::RNR_RETRY,
            ),
            (
                self.max_rd_atomic.map(u32::from),
                modify_qp::LIMITS,
                &qp::MAX_RD_ATOMIC,
                attribute::MAX_RD_ATOMIC,
            ),
            (self.q_key, modify_qp::Q_KEY, &qp::Q_KEY, attribute::Q_KEY),
        ];
        let mut given = 0;
        for (value, index, field, bit) in numbers {
            if let Some(value) = value {
                words.put(index, fits(field, value)?);
                given |= bit;
            }
        }
        if let Some(access) = self.access {
            words.put(modify_qp::LIMITS, qp::REMOTE_WRITE.word(access.write.into()));
            words.put(modify_qp::LIMITS, qp::REMOTE_READ.word(access.read.into()));
            words.put(modify_qp::LIMITS, qp::REMOTE_ATOMIC.word(access.atomic.into()));
            given |= attribute::ACCESS;
        }
        if let Some(credits) = self.credits {
            words.put(
                modify_qp::LIMITS,
                qp::CREDITS_SUPPLIED.word(credits.supplied.into()),
            );
            words.put(
                modify_qp::LIMITS,
                qp::CREDITS_EXPECTED.word(credits.expected.into()),
            );
            given |= attribute::CREDITS;
        }
        if let Some(address) = &self.address {
            address.write(words)?;
            given |= attribute::ADDRESS;
        }
        if self.drained_event {
            given |= attribute::DRAINED_EVENT;
        }
        words.put(modify_qp::ATTRIBUTES, given);
        Ok(())
    }
}

impl QpStatus {
    pub(super) fn read(words: &Words, roce: bool) -> Option<QpStatus> {
        let word = |index| words.get(index);
        let (state, limits) = (word(modify_qp::STATE), word(modify_qp::LIMITS));
        let (timers, p_key) = (word(modify_qp::TIMERS), word(modify_qp::P_KEY));
        let byte = |field: &hca_host::field::Field, word| Some(field.of(word) as u8);
        let is_set = |field: &hca_host::field::Field| field.of(limits) != 0;
        Some(QpStatus {
            state: QpState::of_code(qp::STATE.of(state))?,
            attributes: QpChanges {
                p_key_index: Some(qp::P_KEY_INDEX.of(p_key) as u16),
                port: byte(&qp::PORT, p_key),
                access: Some(RemoteAccess {
                    write: is_set(&qp::REMOTE_WRITE),
                    read: is_set(&qp::REMOTE_READ),
                    atomic: is_set(&qp::REMOTE_ATOMIC),
                }),
                address: Some(AddressVector::read(words, roce)),
                pmtu: Some(match qp::PMTU.of(state) {
                    0 => 0,
                    code => 128 << code,
                }),
                dest_qpn: Some(word(modify_qp::DEST_QPN)),
                rq_psn: Some(word(modify_qp::RQ_PSN)),
                max_dest_rd_atomic: byte(&qp::MAX_DEST_RD_ATOMIC, limits),
                min_rnr_timer: byte(&qp::MIN_RNR_TIMER, timers),
                sq_psn: Some(word(modify_qp::SQ_PSN)),
                timeout: byte(&qp::TIMEOUT, timers),
                retry_cnt: byte(&qp::RETRY_CNT, timers),
                rnr_retry: byte(&qp::RNR_RETRY, timers),
                max_rd_atomic: byte(&qp::MAX_RD_ATOMIC, limits),
                credits: Some(EndToEndCredits {
                    supplied: is_set(&qp::CREDITS_SUPPLIED),
                    expected: is_set(&qp::CREDITS_EXPECTED),
                }),
                q_key: Some(word(modify_qp::Q_KEY)),
                drained_event: false,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::route::GlobalRoute;

    #[test]
    fn what_is_written_is_read() {
        let changes = QpChanges {
            p_key_index: Some(3),
            port: Some(1),
            access: Some(RemoteAccess {
                write: true,
                read: false,
                atomic: true,
            }),
            address: Some(AddressVector {
                dlid: 0x1234,
                sl: 15,
                source_path_bits: 0x7F,
                static_rate: 10,
                global: Some(GlobalRoute {
                    dgid: std::array::from_fn(|n| n as u8),
                    flow_label: 0xF_EDCB,
                    traffic_class: 0xA5,
                    hop_limit: 64,
                }),
                sgid_index: 0x81,
                ethernet: None,
            }),
            pmtu: Some(4096),
            dest_qpn: Some(0xAB_CDEF),
            rq_psn: Some(0xFF_FFFF),
            max_dest_rd_atomic: Some(16),
            min_rnr_timer: Some(31),
            sq_psn: Some(0x12_3456),
            timeout: Some(30),
            retry_cnt: Some(7),
            rnr_retry: Some(6),
            max_rd_atomic: Some(15),
            credits: Some(EndToEndCredits {
                supplied: false,
                expected: true,
            }),
            q_key: Some(0x8765_4321),
            drained_event: false,
        };
        let mut words = Words::default();
        changes.write(&mut words).unwrap();
        assert_eq!(words.get(modify_qp::ATTRIBUTES), 0x1_7FFF);
        assert_eq!(words.get(modify_qp::LIMITS), 0x0205_100F);
        words.put(modify_qp::STATE, 2);
        let status = QpStatus::read(&words, false).unwrap();
        assert_eq!(status.state, QpState::Rtr);
        assert_eq!(status.attributes, changes);
    }

    #[test]
    fn what_does_not_fit_is_refused_and_a_wrong_pmtu_is_left_to_the_hardware() {
        let refused = QpChanges {
            rnr_retry: Some(8),
            ..QpChanges::default()
        };
        let error = refused.write(&mut Words::default()).unwrap_err();
        let field = "rnr_retry";
        assert_eq!(
            error,
            DriverError::FieldTooWide {
                field,
                value: 8,
                bits: 3
            }
        );
        assert_eq!([256, 4096, 1500, 8192].map(pmtu_code), [1, 5, 0, 0]);
    }
}
