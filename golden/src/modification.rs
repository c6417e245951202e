//! The attributes that modify_qp sets (`protocol/qp_cq.md` section 2).
use crate::verbs::{EndToEndCredits, EthernetRoute, GlobalRoute, Pmtu, QpAttributes, RemoteAccess};
use enumset::{EnumSet, EnumSetType};

/// An attribute of modify_qp. The fields of one attribute are set together. A refusal names the first faulty attribute
/// in the order of this list.
#[derive(Debug, EnumSetType)]
pub enum Attribute {
    PKeyIndex,
    Port,
    Access,
    Address,
    Pmtu,
    DestQpn,
    RqPsn,
    MaxDestRdAtomic,
    MinRnrTimer,
    SqPsn,
    Timeout,
    RetryCnt,
    RnrRetry,
    MaxRdAtomic,
    Credits,
    QKey,
    DrainedEvent,
}

/// A set of attributes.
pub type Attributes = EnumSet<Attribute>;

/// The route of a QP's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AddressVector {
    pub dlid: u16,
    /// Service level, 4 bits.
    pub sl: u8,
    /// Offset from the port's base LID, below 2^LMC.
    pub source_path_bits: u8,
    /// A code of `static_rate.csv`; of no effect on a RoCE link.
    #[cfg_attr(feature = "serde", serde(default))]
    pub static_rate: u8,
    /// Fields of the GRH; `None` for packets without a GRH. Always given on a RoCE link.
    pub global: Option<GlobalRoute>,
    /// Entry of the port's GID table; counts only with a GRH.
    #[cfg_attr(feature = "serde", serde(default))]
    pub sgid_index: u8,
    /// Additional fields for a RoCE link; given there only.
    pub ethernet: Option<EthernetRoute>,
}

/// The attributes given to modify_qp. The answer to a query has all that the QP has, 0 where nothing was set since
/// Reset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QpChanges {
    /// Index into the port's P_Key table, 0 to 3.
    pub p_key_index: Option<u16>,
    /// Number of the port, from 1 on.
    pub port: Option<u8>,
    pub access: Option<RemoteAccess>,
    pub address: Option<AddressVector>,
    /// In the answer to a query, `None` until it is set.
    pub pmtu: Option<Pmtu>,
    /// Destination QPN, 24 bits.
    pub dest_qpn: Option<u32>,
    /// First PSN expected, 24 bits.
    pub rq_psn: Option<u32>,
    /// Reads and atomics that the responder stores, 0 to 16.
    pub max_dest_rd_atomic: Option<u8>,
    /// Timer code of RNR NAKs, as in `rnr_timer.csv`.
    pub min_rnr_timer: Option<u8>,
    /// First PSN sent, 24 bits.
    pub sq_psn: Option<u32>,
    /// Local ack timeout, a code of `ack_timeout.csv`.
    pub timeout: Option<u8>,
    /// Retries of a request without an answer, 0 to 7.
    pub retry_cnt: Option<u8>,
    /// Retries after RNR NAKs, 0 to 6; 7 is unlimited.
    pub rnr_retry: Option<u8>,
    /// Reads and atomics under way as requester, 0 to 16.
    pub max_rd_atomic: Option<u8>,
    pub credits: Option<EndToEndCredits>,
    pub q_key: Option<u32>,
    /// Software wants an event once the send queue is drained.
    pub drained_event: bool,
}

impl QpChanges {
    /// Returns the answer to a query of a QP in Reset.
    pub fn unset() -> QpChanges {
        QpChanges {
            p_key_index: Some(0),
            port: Some(0),
            access: Some(RemoteAccess::default()),
            address: Some(AddressVector::default()),
            pmtu: None,
            dest_qpn: Some(0),
            rq_psn: Some(0),
            max_dest_rd_atomic: Some(0),
            min_rnr_timer: Some(0),
            sq_psn: Some(0),
            timeout: Some(0),
            retry_cnt: Some(0),
            rnr_retry: Some(0),
            max_rd_atomic: Some(0),
            credits: Some(EndToEndCredits::default()),
            q_key: Some(0),
            drained_event: false,
        }
    }

    /// Returns those of a QP's attributes that `asked` names.
    pub fn of(a: &QpAttributes, asked: Attributes) -> QpChanges {
        fn given<T>(asked: Attributes, attribute: Attribute, value: T) -> Option<T> {
            asked.contains(attribute).then_some(value)
        }
        let address = AddressVector {
            dlid: a.dlid,
            sl: a.sl,
            source_path_bits: a.source_path_bits,
            static_rate: a.static_rate,
            global: a.global,
            sgid_index: a.sgid_index,
            ethernet: a.ethernet,
        };
        QpChanges {
            p_key_index: given(asked, Attribute::PKeyIndex, a.p_key_index),
            port: given(asked, Attribute::Port, a.port),
            access: given(asked, Attribute::Access, a.access),
            address: given(asked, Attribute::Address, address),
            pmtu: given(asked, Attribute::Pmtu, a.pmtu),
            dest_qpn: given(asked, Attribute::DestQpn, a.dest_qpn),
            rq_psn: given(asked, Attribute::RqPsn, a.rq_psn),
            max_dest_rd_atomic: given(asked, Attribute::MaxDestRdAtomic, a.max_dest_rd_atomic),
            min_rnr_timer: given(asked, Attribute::MinRnrTimer, a.min_rnr_timer),
            sq_psn: given(asked, Attribute::SqPsn, a.sq_psn),
            timeout: given(asked, Attribute::Timeout, a.timeout),
            retry_cnt: given(asked, Attribute::RetryCnt, a.retry_cnt),
            rnr_retry: given(asked, Attribute::RnrRetry, a.rnr_retry),
            max_rd_atomic: given(asked, Attribute::MaxRdAtomic, a.max_rd_atomic),
            credits: given(asked, Attribute::Credits, a.credits),
            q_key: given(asked, Attribute::QKey, a.q_key),
            drained_event: false,
        }
    }

    /// Returns the set of given attributes.
    pub fn given(&self) -> Attributes {
        [
            (self.p_key_index.is_some(), Attribute::PKeyIndex),
            (self.port.is_some(), Attribute::Port),
            (self.access.is_some(), Attribute::Access),
            (self.address.is_some(), Attribute::Address),
            (self.pmtu.is_some(), Attribute::Pmtu),
            (self.dest_qpn.is_some(), Attribute::DestQpn),
            (self.rq_psn.is_some(), Attribute::RqPsn),
            (self.max_dest_rd_atomic.is_some(), Attribute::MaxDestRdAtomic),
            (self.min_rnr_timer.is_some(), Attribute::MinRnrTimer),
            (self.sq_psn.is_some(), Attribute::SqPsn),
            (self.timeout.is_some(), Attribute::Timeout),
            (self.retry_cnt.is_some(), Attribute::RetryCnt),
            (self.rnr_retry.is_some(), Attribute::RnrRetry),
            (self.max_rd_atomic.is_some(), Attribute::MaxRdAtomic),
            (self.credits.is_some(), Attribute::Credits),
            (self.q_key.is_some(), Attribute::QKey),
            (self.drained_event, Attribute::DrainedEvent),
        ]
        .into_iter()
        .filter_map(|(given, attribute)| given.then_some(attribute))
        .collect()
    }

    /// Adds these changes. The request for an event of a drained queue is not kept.
    pub fn merge(&mut self, changes: &QpChanges) {
        fn set<T: Copy>(standing: &mut Option<T>, change: Option<T>) {
            *standing = change.or(*standing);
        }
        set(&mut self.p_key_index, changes.p_key_index);
        set(&mut self.port, changes.port);
        set(&mut self.access, changes.access);
        set(&mut self.address, changes.address);
        set(&mut self.pmtu, changes.pmtu);
        set(&mut self.dest_qpn, changes.dest_qpn);
        set(&mut self.rq_psn, changes.rq_psn);
        set(&mut self.max_dest_rd_atomic, changes.max_dest_rd_atomic);
        set(&mut self.min_rnr_timer, changes.min_rnr_timer);
        set(&mut self.sq_psn, changes.sq_psn);
        set(&mut self.timeout, changes.timeout);
        set(&mut self.retry_cnt, changes.retry_cnt);
        set(&mut self.rnr_retry, changes.rnr_retry);
        set(&mut self.max_rd_atomic, changes.max_rd_atomic);
        set(&mut self.credits, changes.credits);
        set(&mut self.q_key, changes.q_key);
    }

    /// Writes the given attributes to a QP's attributes.
    pub fn apply(&self, a: &mut QpAttributes) {
        fn set<T: Copy>(standing: &mut T, change: Option<T>) {
            *standing = change.unwrap_or(*standing);
        }
        set(&mut a.p_key_index, self.p_key_index);
        set(&mut a.port, self.port);
        set(&mut a.access, self.access);
        if let Some(address) = self.address {
            a.dlid = address.dlid;
            a.sl = address.sl;
            a.source_path_bits = address.source_path_bits;
            a.static_rate = address.static_rate;
            a.global = address.global;
            a.sgid_index = address.sgid_index;
            a.ethernet = address.ethernet;
        }
        set(&mut a.pmtu, self.pmtu);
        set(&mut a.dest_qpn, self.dest_qpn);
        set(&mut a.rq_psn, self.rq_psn);
        set(&mut a.max_dest_rd_atomic, self.max_dest_rd_atomic);
        set(&mut a.min_rnr_timer, self.min_rnr_timer);
        set(&mut a.sq_psn, self.sq_psn);
        set(&mut a.timeout, self.timeout);
        set(&mut a.retry_cnt, self.retry_cnt);
        set(&mut a.rnr_retry, self.rnr_retry);
        set(&mut a.max_rd_atomic, self.max_rd_atomic);
        set(&mut a.credits, self.credits);
        set(&mut a.q_key, self.q_key);
    }
}
