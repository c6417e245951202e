//! Reliable connections beside the management traffic. They use the settings that a manager makes.
use super::buffers::{self, MESSAGE_BYTES};
use super::{ManagedError, ManagedHca};
use crate::driver::{AddressVector, QpChanges, QpInit, ReceiveWork, SendWork};
use crate::verbs::Connection;

/// QPN of the first connection, at both ends.
const FIRST_QPN: u32 = 4;
/// CQN of the completion queue of the connections.
const CQN: u32 = 2;
const CQ_ENTRIES: u32 = 64;
const PMTU: u32 = 256;

impl ManagedHca {
    /// Connects queue pair `n`, below [`CONNECTIONS`](super::CONNECTIONS), to that of the neighbour with this LID
    /// behind this port. It has one receive buffer, for one message.
    pub fn connect(&mut self, n: u32, port: u8, dlid: u16, sl: u8) -> Result<(), ManagedError> {
        let qpn = FIRST_QPN + n;
        if n == 0 {
            let ticket = self.hca.create_cq(CQN, CQ_ENTRIES)?;
            self.call(ticket)?;
        }
        let init = QpInit {
            qpn,
            send_cq: CQN,
            receive_cq: CQN,
            send_entries: 4,
            receive_entries: 4,
            ..QpInit::default()
        };
        let ticket = self.hca.driver().create_qp(&init)?;
        self.call(ticket)?;
        let connection = Connection {
            address: AddressVector {
                dlid,
                sl,
                ..AddressVector::default()
            },
            dest_qpn: qpn,
            pmtu: PMTU,
            ..Connection::default()
        };
        for (state, changes) in connection.transitions() {
            let changes = QpChanges {
                port: changes.port.map(|_| port),
                ..changes
            };
            let ticket = self.hca.driver().modify_qp(qpn, state, &changes)?;
            self.call(ticket)?;
        }
        self.post_buffer(n)
    }

    fn post_buffer(&mut self, n: u32) -> Result<(), ManagedError> {
        let work = ReceiveWork {
            wr_id: n.into(),
            segments: vec![buffers::received_message(n)],
        };
        let (ticket, _) = self.hca.post_receive(FIRST_QPN + n, &work)?;
        self.call(ticket).map(drop)
    }

    /// Posts a message of connection `n`. The message before must have been taken.
    pub fn post_message(&mut self, n: u32, message: &[u8; MESSAGE_BYTES]) -> Result<(), ManagedError> {
        let source = buffers::sent_message(n);
        self.hca.memory_mut().write(source.addr, message);
        let work = SendWork {
            wr_id: n.into(),
            segments: vec![source],
            signaled: true,
            ..SendWork::default()
        };
        let (ticket, _) = self.hca.post_send(FIRST_QPN + n, &work)?;
        self.call(ticket).map(drop)
    }

    /// Takes the next message that arrived, with the number of its connection.
    pub fn take_message(&mut self) -> Result<Option<(u32, [u8; MESSAGE_BYTES])>, ManagedError> {
        while let Some(completion) = self.hca.poll_cq(CQN)? {
            let (qpn, status) = (completion.qpn, completion.status);
            if status != 0 {
                return Err(ManagedError::Failed { qpn, status });
            }
            if completion.receive {
                let n = qpn - FIRST_QPN;
                let mut message = [0; MESSAGE_BYTES];
                self.hca
                    .memory()
                    .read(buffers::received_message(n).addr, &mut message);
                self.post_buffer(n)?;
                return Ok(Some((n, message)));
            }
        }
        Ok(None)
    }
}
