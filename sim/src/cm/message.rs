//! Messages of the connection manager as values and as MADs of 256 bytes.
//!
//! A MAD has 24 bytes of header (`protocol/mad.md` section 2), then the fields of the message, then private data of the
//! program. Reserved fields are sent as 0, and ignored when they come.

/// Bytes of a MAD.
pub const MAD_BYTES: usize = 256;
/// Length of the header in bytes.
const HEADER: usize = 24;
/// First bytes of every MAD of the connection manager: base version, class, class version, method Send.
const LEAD: [u8; 4] = [1, 7, 2, 3];
/// Length in bytes of the private header that rdma_cm puts at the start of the private data of a REQ.
pub const IP_HEADER_BYTES: usize = 36;
/// Service ID of TCP port 0; the port is in the low 16 bits.
const TCP_SERVICE: u64 = 0x0000_0000_0106_0000;

/// Why a MAD is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum BadMad {
    #[error("it has not 256 bytes")]
    Length,
    #[error("it is not of the connection manager, version 2, or not sent")]
    Class,
    #[error("its status is not 0")]
    Status,
    #[error("no message has its attribute")]
    Attribute,
    #[error("a connection ID is 0")]
    Id,
    #[error("its queue pair is not of a reliable connection, or it has none")]
    QueuePair,
    #[error("its path MTU is none of 256 to 4096")]
    Pmtu,
}

/// The message that asks for a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Req {
    pub local_id: u32,
    pub service: u64,
    pub ca_guid: u64,
    /// QPN, 24 bits.
    pub qpn: u32,
    /// Number of Reads and atomics that the sender answers at a time, and number that it requests at a time.
    pub responder_resources: u8,
    pub initiator_depth: u8,
    /// The sender's responder supplies end-to-end credits. The receiver of the message then expects them (CF540).
    pub flow_control: bool,
    /// First PSN that the sender expects and the receiver of the message starts with; 24 bits.
    pub starting_psn: u32,
    /// Retries of a request without an answer, 0 to 7.
    pub retry_count: u8,
    /// Retries after RNR NAKs, 0 to 6; 7 is unlimited.
    pub rnr_retry_count: u8,
    pub p_key: u16,
    /// Path MTU, a code of `pmtu.csv`.
    pub pmtu: u8,
    /// Local ack timeout, a code of `ack_timeout.csv`.
    pub ack_timeout: u8,
    pub local_gid: [u8; 16],
    pub remote_gid: [u8; 16],
    /// Private data, at most 92 bytes. A received REQ has 92, including zeros at the end.
    pub private_data: Vec<u8>,
}

/// The message that grants a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rep {
    pub local_id: u32,
    pub remote_id: u32,
    /// QPN, 24 bits.
    pub qpn: u32,
    /// First PSN that the sender expects and the receiver of the message starts with; 24 bits.
    pub starting_psn: u32,
    pub responder_resources: u8,
    pub initiator_depth: u8,
    /// The sender supplies end-to-end credits, as in [`Req::flow_control`].
    pub flow_control: bool,
    /// Retries after RNR NAKs, 0 to 6; 7 is unlimited.
    pub rnr_retry_count: u8,
    pub ca_guid: u64,
    /// Private data, at most 196 bytes. A received REP has 196, including zeros at the end.
    pub private_data: Vec<u8>,
}

/// The two connection IDs of a message: that of the sender and that of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids {
    pub local: u32,
    /// Connection ID of the receiver; 0 in a rejection of a message that could not name the receiver, such as a REQ.
    pub remote: u32,
}

/// A message of the connection manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Req(Req),
    /// The answer takes longer; the time is a code of `ack_timeout.csv`.
    Mra {
        ids: Ids,
        timeout: u8,
    },
    Rej {
        ids: Ids,
        reason: u16,
    },
    Rep(Rep),
    Rtu {
        ids: Ids,
    },
    /// The sender ends the connection; the QPN is that of the receiver.
    Dreq {
        ids: Ids,
        qpn: u32,
    },
    Drep {
        ids: Ids,
    },
}

/// A message with its transaction number, which repetitions and answers carry, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mad {
    pub transaction: u64,
    pub message: Message,
}

impl Mad {
    /// Decodes the payload of a datagram to QP1.
    pub fn parse(payload: &[u8]) -> Result<Mad, BadMad> {
        let mad: &[u8; MAD_BYTES] = payload.try_into().map_err(|_| BadMad::Length)?;
        if mad[..4] != LEAD {
            return Err(BadMad::Class);
        }
        if mad[4..6] != [0, 0] {
            return Err(BadMad::Status);
        }
        let fields = Fields(&mad[HEADER..]);
        let ids = Ids {
            local: fields.word(0),
            remote: fields.word(4),
        };
        let message = match u16::from_be_bytes([mad[16], mad[17]]) {
            0x10 => Message::Req(fields.req()?),
            0x11 => Message::Mra {
                ids,
                timeout: fields.byte(9) >> 3,
            },
            0x12 => Message::Rej {
                ids,
                reason: u16::from_be_bytes([fields.byte(10), fields.byte(11)]),
            },
            0x13 => Message::Rep(fields.rep(ids)?),
            0x14 => Message::Rtu { ids },
            0x15 => Message::Dreq {
                ids,
                qpn: fields.word(8) >> 8,
            },
            0x16 => Message::Drep { ids },
            _ => return Err(BadMad::Attribute),
        };
        let named = match message {
            Message::Req(_) => ids.local != 0,
            Message::Rej { .. } => ids.local != 0 || ids.remote != 0,
            _ => ids.local != 0 && ids.remote != 0,
        };
        let transaction = u64::from_be_bytes(mad[8..16].try_into().map_err(|_| BadMad::Length)?);
        match named {
            true => Ok(Mad { transaction, message }),
            false => Err(BadMad::Id),
        }
    }

    /// Returns the payload of the message's datagram.
    pub fn bytes(&self) -> [u8; MAD_BYTES] {
        let mut mad = [0; MAD_BYTES];
        mad[..4].copy_from_slice(&LEAD);
        mad[8..16].copy_from_slice(&self.transaction.to_be_bytes());
        let fields = &mut mad[HEADER..];
        let mut put = |at: usize, bytes: &[u8]| fields[at..at + bytes.len()].copy_from_slice(bytes);
        let mut ids = |ids: &Ids| {
            put(0, &ids.local.to_be_bytes());
            put(4, &ids.remote.to_be_bytes());
        };
        let attribute = match &self.message {
            Message::Req(req) => {
                req.put(fields);
                0x10
            }
            Message::Mra { ids: both, timeout } => {
                ids(both);
                put(9, &[timeout << 3]);
                0x11
            }
            Message::Rej { ids: both, reason } => {
                ids(both);
                put(10, &reason.to_be_bytes());
                0x12
            }
            Message::Rep(rep) => {
                rep.put(fields);
                0x13
            }
            Message::Rtu { ids: both } => {
                ids(both);
                0x14
            }
            Message::Dreq { ids: both, qpn } => {
                ids(both);
                put(8, &(qpn << 8).to_be_bytes());
                0x15
            }
            Message::Drep { ids: both } => {
                ids(both);
                0x16
            }
        };
        mad[17] = attribute;
        mad
    }
}

/// The part of a MAD behind its header.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.0[at]
    }

    fn word(&self, at: usize) -> u32 {
        self.0[at..at + 4]
            .iter()
            .fold(0, |word, byte| word << 8 | u32::from(*byte))
    }

    fn long(&self, at: usize) -> u64 {
        u64::from(self.word(at)) << 32 | u64::from(self.word(at + 4))
    }

    fn gid(&self, at: usize) -> [u8; 16] {
        let mut gid = [0; 16];
        gid.copy_from_slice(&self.0[at..at + 16]);
        gid
    }

    fn req(&self) -> Result<Req, BadMad> {
        let req = Req {
            local_id: self.word(0),
            service: self.long(8),
            ca_guid: self.long(16),
            qpn: self.word(32) >> 8,
            responder_resources: self.byte(35),
            initiator_depth: self.byte(39),
            flow_control: self.byte(43) & 1 != 0,
            starting_psn: self.word(44) >> 8,
            retry_count: self.byte(47) & 7,
            p_key: (self.word(48) >> 16) as u16,
            pmtu: self.byte(50) >> 4,
            rnr_retry_count: self.byte(50) & 7,
            local_gid: self.gid(56),
            remote_gid: self.gid(72),
            ack_timeout: self.byte(95) >> 3,
            private_data: self.0[REQ_PRIVATE..].to_vec(),
        };
        // Transport service 0 is RC. QPNs 0 and 1 belong to no connection.
        if self.byte(43) >> 1 & 3 != 0 || req.qpn < 2 {
            return Err(BadMad::QueuePair);
        }
        match req.pmtu {
            1..=5 => Ok(req),
            _ => Err(BadMad::Pmtu),
        }
    }

    fn rep(&self, ids: Ids) -> Result<Rep, BadMad> {
        let rep = Rep {
            local_id: ids.local,
            remote_id: ids.remote,
            qpn: self.word(12) >> 8,
            starting_psn: self.word(20) >> 8,
            responder_resources: self.byte(24),
            initiator_depth: self.byte(25),
            flow_control: self.byte(26) & 1 != 0,
            rnr_retry_count: self.byte(27) >> 5,
            ca_guid: self.long(28),
            private_data: self.0[REP_PRIVATE..].to_vec(),
        };
        match rep.qpn {
            0 | 1 => Err(BadMad::QueuePair),
            _ => Ok(rep),
        }
    }
}

/// Offset of the private data of a REQ, behind the header of the MAD.
const REQ_PRIVATE: usize = 140;
const REP_PRIVATE: usize = 36;
/// Timeout code for the peer's and this end's answers: 4.096 us times 2^18, which is about 1 s.
const RESPONSE_TIMEOUT: u8 = 18;
/// Number of repetitions of a message that the peer has to expect.
const CM_RETRIES: u8 = 15;
const HOP_LIMIT: u8 = 64;
/// Code of 10 Gb/s as in `static_rate.csv`.
const RATE: u8 = 3;

fn put_private(fields: &mut [u8], at: usize, data: &[u8]) {
    let room = &mut fields[at..];
    let length = data.len().min(room.len());
    room[..length].copy_from_slice(&data[..length]);
}

impl Req {
    fn put(&self, fields: &mut [u8]) {
        let mut put = |at: usize, bytes: &[u8]| fields[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &self.local_id.to_be_bytes());
        put(8, &self.service.to_be_bytes());
        put(16, &self.ca_guid.to_be_bytes());
        put(
            32,
            &(self.qpn << 8 | u32::from(self.responder_resources)).to_be_bytes(),
        );
        put(39, &[self.initiator_depth]);
        put(43, &[RESPONSE_TIMEOUT << 3 | u8::from(self.flow_control)]);
        put(44, &(self.starting_psn << 8).to_be_bytes());
        put(47, &[RESPONSE_TIMEOUT << 3 | self.retry_count & 7]);
        put(48, &self.p_key.to_be_bytes());
        put(50, &[self.pmtu << 4 | self.rnr_retry_count & 7, CM_RETRIES << 4]);
        // RoCE has no LIDs; the field holds the permissive LID.
        put(52, &[0xFF; 4]);
        put(56, &self.local_gid);
        put(72, &self.remote_gid);
        put(91, &[RATE]);
        put(93, &[HOP_LIMIT]);
        put(95, &[self.ack_timeout << 3]);
        put_private(fields, REQ_PRIVATE, &self.private_data);
    }
}

impl Rep {
    fn put(&self, fields: &mut [u8]) {
        let mut put = |at: usize, bytes: &[u8]| fields[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &self.local_id.to_be_bytes());
        put(4, &self.remote_id.to_be_bytes());
        put(12, &(self.qpn << 8).to_be_bytes());
        put(20, &(self.starting_psn << 8).to_be_bytes());
        put(24, &[self.responder_resources, self.initiator_depth]);
        put(26, &[u8::from(self.flow_control), self.rnr_retry_count << 5]);
        put(28, &self.ca_guid.to_be_bytes());
        put_private(fields, REP_PRIVATE, &self.private_data);
    }
}

/// Returns the service ID under which rdma_cm serves a TCP port.
pub fn tcp_service(port: u16) -> u64 {
    TCP_SERVICE | u64::from(port)
}

/// Returns the private header of rdma_cm in a REQ for IPv4, from address `from` and `port` to address `to`.
pub fn ip_header(from: [u8; 4], port: u16, to: [u8; 4]) -> [u8; IP_HEADER_BYTES] {
    let mut header = [0; IP_HEADER_BYTES];
    header[1] = 4 << 4;
    header[2..4].copy_from_slice(&port.to_be_bytes());
    header[16..20].copy_from_slice(&from);
    header[32..36].copy_from_slice(&to);
    header
}
