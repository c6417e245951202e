//! The terms of a connection: attributes of its queue pairs that both sides agree on and traffic depends on.
use hca_golden::verbs::{EndToEndCredits, Pmtu, RemoteAccess, Service};
use serde::{Deserialize, Serialize};

const PMTUS: [Pmtu; 5] = [Pmtu::B256, Pmtu::B512, Pmtu::B1024, Pmtu::B2048, Pmtu::B4096];
/// RNR retry count for which retries never end.
pub const FOREVER: u8 = 7;

/// The terms of both queue pairs of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Path MTU: 256 bytes shifted left by this number.
    pub pmtu: u8,
    pub timeout: u8,
    pub retry_cnt: u8,
    pub min_rnr_timer: u8,
    pub rnr_retry: u8,
    /// Largest number of Reads and atomics under way in each direction.
    pub max_rd_atomic: u8,
    /// Largest number of Reads and atomics that responders accept, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_dest_rd_atomic: Option<u8>,
    pub credits: bool,
    /// Kind of remote access that is not permitted: 0 Write, 1 Read, 2 atomic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_access: Option<u8>,
    /// The service is UC. The terms of waits, Reads and credits then have no effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreliable: bool,
    /// The service is UD. The connection then only has its queue pairs, and an address handle with their number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub datagrams: bool,
    /// Number of entries of the receive queue; `None` for 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receives: Option<u8>,
}

impl Terms {
    /// Returns the terms of queue pairs that have not got others from a connection.
    pub fn of(qp: u8) -> Terms {
        Terms {
            pmtu: [0, 2, 4][usize::from(qp % 3)],
            timeout: 1,
            retry_cnt: qp % 3,
            min_rnr_timer: 1,
            rnr_retry: qp % 3,
            max_rd_atomic: 2,
            max_dest_rd_atomic: None,
            credits: qp == 1,
            without_access: None,
            unreliable: false,
            datagrams: false,
            receives: None,
        }
    }

    /// Returns the path MTU.
    pub fn bytes(&self) -> Pmtu {
        PMTUS[usize::from(self.pmtu) % PMTUS.len()]
    }

    /// Returns the credits; only RC has them.
    pub fn end_to_end_credits(&self) -> EndToEndCredits {
        let given = self.credits && self.service().is_reliable();
        EndToEndCredits {
            supplied: given,
            expected: given,
        }
    }

    /// Returns the remote access that both queue pairs permit.
    pub fn access(&self) -> RemoteAccess {
        let given = |n| self.without_access != Some(n);
        RemoteAccess {
            write: given(0),
            read: given(1),
            atomic: given(2),
        }
    }

    /// Returns the service of both queue pairs.
    pub fn service(&self) -> Service {
        match (self.datagrams, self.unreliable) {
            (true, _) => Service::Ud,
            (false, true) => Service::Uc,
            (false, false) => Service::Rc,
        }
    }

    /// Returns true if a requester never gives up on a responder without receive WQEs.
    pub fn waits_forever(&self) -> bool {
        self.rnr_retry == FOREVER && self.service().is_reliable()
    }
}
