//! Queue pairs as the driver knows them.
use super::ring::{Place, Ring};
use super::route::{EthernetRoute, GlobalRoute};
use super::DriverError;
use hca_rtl::host::command::{self, modify_qp};

/// Protocol state (`protocol/qp_cq.md` section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpState {
    Reset,
    Init,
    Rtr,
    Rts,
    Sqd,
    Sqe,
    Error,
}

/// Which work queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Send,
    Receive,
}

impl Side {
    pub fn name(self) -> &'static str {
        match self {
            Side::Send => "send queue",
            Side::Receive => "receive queue",
        }
    }
}

impl QpState {
    /// Number in a command.
    fn code(self) -> u32 {
        match self {
            QpState::Reset => command::STATE_RESET,
            QpState::Init => command::STATE_INIT,
            QpState::Rtr => command::STATE_RTR,
            QpState::Rts => command::STATE_RTS,
            QpState::Sqd => command::STATE_SQD,
            QpState::Sqe => command::STATE_SQE,
            QpState::Error => command::STATE_ERROR,
        }
    }

    /// The transitions that software may ask for.
    pub(super) fn may_become(self, to: QpState) -> bool {
        use QpState::{Error, Init, Reset, Rtr, Rts, Sqd, Sqe};
        matches!(
            (self, to),
            (_, Reset | Error)
                | (Reset | Init, Init)
                | (Init, Rtr)
                | (Rtr | Rts | Sqd | Sqe, Rts)
                | (Rts | Sqd, Sqd)
        )
    }

    /// Whether work may be posted.
    pub(super) fn takes(self, side: Side) -> bool {
        match side {
            Side::Receive => self != QpState::Reset,
            Side::Send => !matches!(self, QpState::Reset | QpState::Init | QpState::Rtr),
        }
    }
}

/// Attributes of a reliable connection's QP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QpSettings {
    /// 24 bits.
    pub qpn: u32,
    pub send_cq: u32,
    pub receive_cq: u32,
    /// Ring sizes, rounded up to powers of two, at most 32768; fixed when the QP leaves Reset.
    pub send_entries: u32,
    pub receive_entries: u32,
    pub p_key: u16,
    /// 24 bits.
    pub dest_qpn: u32,
    pub dlid: u16,
    /// 4 bits.
    pub sl: u8,
    /// 7 bits, below 2^LMC.
    pub source_path_bits: u8,
    /// None: packets without GRH. Always some with RoCEv2.
    pub global: Option<GlobalRoute>,
    /// With RoCEv2.
    pub ethernet: Option<EthernetRoute>,
    /// Bytes: 256, 512, 1024, 2048 or 4096.
    pub pmtu: u32,
    /// First PSN sent, 24 bits.
    pub sq_psn: u32,
    /// First PSN expected, 24 bits.
    pub rq_psn: u32,
    /// Code of `rnr_timer.csv`, 5 bits.
    pub min_rnr_timer: u8,
    /// Code of `ack_timeout.csv`, 5 bits.
    pub timeout: u8,
    /// 3 bits.
    pub retry_cnt: u8,
    /// 3 bits.
    pub rnr_retry: u8,
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// What the peer may do.
    pub access: RemoteAccess,
    /// Reads and atomics under way at most, as requester; up to 16.
    pub max_rd_atomic: u8,
    /// Reads and atomics that the responder keeps to answer again; up to 16.
    pub max_dest_rd_atomic: u8,
    pub credits: EndToEndCredits,
}

/// What connection set-up agreed on for end-to-end credits (`protocol/aeth.md` section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndToEndCredits {
    /// This side's responder gives them; else its acks carry code 31.
    pub supplied: bool,
    /// The peer gives them: this side's requester keeps to its limits.
    pub expected: bool,
}

/// Access flags of a QP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemoteAccess {
    pub write: bool,
    pub read: bool,
    pub atomic: bool,
}

impl QpSettings {
    /// Refuses what the command's fields cannot hold.
    pub(super) fn check(&self) -> Result<(), DriverError> {
        let fields = [
            ("destination QPN", self.dest_qpn, 24),
            ("SL", self.sl.into(), 4),
            ("source path bits", self.source_path_bits.into(), 7),
            ("SQ PSN", self.sq_psn, 24),
            ("RQ PSN", self.rq_psn, 24),
            ("minimum RNR timer", self.min_rnr_timer.into(), 5),
            ("timeout", self.timeout.into(), 5),
            ("retry count", self.retry_cnt.into(), 3),
            ("RNR retry count", self.rnr_retry.into(), 3),
            ("protection domain", self.pd, 24),
        ];
        for (field, value, bits) in fields {
            if value >> bits != 0 {
                return Err(DriverError::FieldTooWide { field, value, bits });
            }
        }
        for depth in [self.max_rd_atomic, self.max_dest_rd_atomic] {
            let limit = command::MAX_RD_ATOMIC;
            if u32::from(depth) > limit {
                return Err(DriverError::TooManyReads { found: depth, limit });
            }
        }
        self.global.as_ref().map_or(Ok(()), GlobalRoute::check)?;
        self.pmtu_code().map(drop)
    }

    /// Code of `pmtu.csv`.
    fn pmtu_code(&self) -> Result<u32, DriverError> {
        match self.pmtu {
            256 => Ok(1),
            512 => Ok(2),
            1024 => Ok(3),
            2048 => Ok(4),
            4096 => Ok(5),
            other => Err(DriverError::BadPmtu(other)),
        }
    }
}

/// A queue pair.
pub(super) struct Qp {
    pub qpn: u32,
    pub state: QpState,
    /// Reads and atomics that it may have under way as requester.
    pub max_rd_atomic: u8,
    send_cq: u32,
    receive_cq: u32,
    send: Ring,
    receive: Ring,
}

impl Qp {
    /// A QP in Reset with its rings in these places.
    pub fn new(settings: &QpSettings, send: Place, receive: Place) -> Qp {
        Qp {
            qpn: settings.qpn,
            state: QpState::Reset,
            max_rd_atomic: settings.max_rd_atomic,
            send_cq: settings.send_cq,
            receive_cq: settings.receive_cq,
            send: Ring::new(send),
            receive: Ring::new(receive),
        }
    }

    pub fn cqn(&self, side: Side) -> u32 {
        match side {
            Side::Send => self.send_cq,
            Side::Receive => self.receive_cq,
        }
    }

    pub fn ring(&self, side: Side) -> &Ring {
        match side {
            Side::Send => &self.send,
            Side::Receive => &self.receive,
        }
    }

    pub fn ring_mut(&mut self, side: Side) -> &mut Ring {
        match side {
            Side::Send => &mut self.send,
            Side::Receive => &mut self.receive,
        }
    }

    /// Arguments of `MODIFY_QP` for the state it is to have.
    pub fn arguments(&self, s: &QpSettings) -> Vec<u32> {
        let pmtu = s.pmtu_code().unwrap_or(0);
        let (send, receive) = (self.send.place, self.receive.place);
        let mut a = vec![0; modify_qp::PD + 1];
        a[modify_qp::QPN] = s.qpn;
        a[modify_qp::STATE] = self.state.code() | command::SERVICE_RC << 4 | pmtu << 8;
        a[modify_qp::LOG_SIZES] = u32::from(send.log_size) | u32::from(receive.log_size) << 8;
        a[modify_qp::SQ_BASE_HIGH] = (send.base >> 32) as u32;
        a[modify_qp::SQ_BASE_LOW] = send.base as u32;
        a[modify_qp::RQ_BASE_HIGH] = (receive.base >> 32) as u32;
        a[modify_qp::RQ_BASE_LOW] = receive.base as u32;
        a[modify_qp::CQNS] = self.send_cq | self.receive_cq << 16;
        a[modify_qp::DEST_QPN] = s.dest_qpn;
        a[modify_qp::ADDRESS] =
            u32::from(s.dlid) | u32::from(s.sl) << 16 | u32::from(s.source_path_bits) << 24;
        a[modify_qp::P_KEY] = s.p_key.into();
        a[modify_qp::SQ_PSN] = s.sq_psn;
        a[modify_qp::RQ_PSN] = s.rq_psn;
        a[modify_qp::TIMERS] = u32::from(s.min_rnr_timer)
            | u32::from(s.timeout) << 8
            | u32::from(s.retry_cnt) << 16
            | u32::from(s.rnr_retry) << 24;
        a[modify_qp::LIMITS] = u32::from(s.max_rd_atomic)
            | u32::from(s.max_dest_rd_atomic) << 8
            | u32::from(s.access.write) << 16
            | u32::from(s.access.read) << 17
            | u32::from(s.access.atomic) << 18
            | u32::from(s.credits.supplied) << 19
            | u32::from(s.credits.expected) << 20;
        a[modify_qp::PD] = s.pd;
        if let Some(global) = &s.global {
            global.write(&mut a);
        }
        if let Some(ethernet) = &s.ethernet {
            ethernet.write(&mut a);
        }
        a
    }
}
