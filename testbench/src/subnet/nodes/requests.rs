//! The requests of clients: control requests, and MADs to send.
use super::super::cable::Cable;
use super::super::clients::Client;
use super::super::outstanding::Key;
use super::super::socket::{Control, Data, Kind};
use super::{lower_transaction, Node, Nodes};
use hca_sim::subnet::attribute::PortInfo;
use hca_sim::subnet::directed_route::PERMISSIVE_LID;
use hca_sim::subnet::mad::{Header, Method};
use hca_sim::subnet::MadPacket;
use hca_sim::subnet::{Ports, Record};
use std::time::Duration;

/// Number of P_Keys in the answer to a client.
const P_KEYS: usize = 32;
/// The lowest bit of the client's number in a transaction ID. Bits 63:48 are that number, which the server writes to
/// find the client of a response; bits 47:32 are the agent number of `libumad2sim`; bits 31:0 are the program's.
const CLIENT: u32 = 48;
/// Mask of bits 47:0 of a transaction ID, which the server leaves as the client wrote them.
pub(super) const OWN: u64 = (1 << CLIENT) - 1;

/// Returns the number of the client whose request has this transaction.
pub(super) fn client_of(transaction: u64) -> usize {
    (transaction >> CLIENT) as usize
}

impl<C: Cable> Nodes<C> {
    /// Answers a control request. The number of a client that has connected is in the first word of the reply's data.
    pub fn control(&mut self, request: &Control, now: Duration) -> Result<Control, C::Error> {
        self.now = self.now.max(now);
        let number = request.client as usize;
        let place = self.clients.get(number).map(|client| (client.node, client.port));
        let mut reply = *request;
        match (request.kind(), place) {
            (Some(Kind::Connect), _) => return self.connect(request),
            (Some(Kind::Disconnect), Some(_)) => self.disconnect(number),
            (Some(Kind::GetVendor), Some((node, port))) => {
                let info = self.agents[node as usize].node_info(port);
                reply.set_word(0, info.vendor_id);
                reply.set_word(1, info.device_id.into());
                reply.set_word(2, info.revision);
            }
            (Some(Kind::GetNodeInfo), Some((node, port))) => {
                reply.data = self.agents[node as usize].node_info(port).encode();
            }
            (Some(Kind::GetPortInfo), Some((node, port))) => {
                let (agent, ports) = self.agent(node);
                let info = agent.port_info(ports, port)?;
                // The key is only for SMPs.
                reply.data = PortInfo { m_key: 0, ..info }.encode();
            }
            (Some(Kind::SetIsSm), Some(_)) => self.set_is_sm(number, request.word(0) != 0),
            (Some(Kind::GetPKeys), Some((node, port))) => {
                let p_keys = self.cable.ports(node).p_keys(port)?;
                let all = p_keys.into_iter().chain(std::iter::repeat(0)).take(P_KEYS);
                let bytes = all.flat_map(u16::to_be_bytes);
                reply.data.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
            }
            (Some(Kind::Error) | None, _) | (_, None) => return Ok(request.refused()),
        }
        Ok(reply)
    }

    /// Connects a client. The first word of the reply's data is its number; the name of its node is echoed.
    fn connect(&mut self, request: &Control) -> Result<Control, C::Error> {
        let client = request.place().and_then(|(name, port)| {
            let node = Node::named(name)?;
            let has_port = self.agents[node as usize].ports().contains(&port);
            let client = Client {
                pid: request.word(0),
                node,
                port,
                is_sm: false,
            };
            has_port.then(|| self.clients.connect(client)).flatten()
        });
        let Some(number) = client else {
            return Ok(request.refused());
        };
        self.set_is_sm(number, request.word(2) != 0);
        let mut reply = *request;
        reply.set_word(0, number as u32);
        Ok(reply)
    }

    /// Disconnects a client: nothing is sent for it or to it any more.
    pub fn disconnect(&mut self, number: usize) {
        if self.clients.get(number).is_none() {
            return;
        }
        self.set_is_sm(number, false);
        for (key, packet) in self.outstanding.forget(number) {
            self.trap_given_up(key, &packet);
        }
        self.outbox.retain(|outbound| outbound.client != number);
        self.clients.disconnect(number);
    }

    fn set_is_sm(&mut self, number: usize, is_sm: bool) {
        let Some(client) = self.clients.get_mut(number) else {
            return;
        };
        client.is_sm = is_sm;
        let (node, port) = (client.node, client.port);
        let is_any = self.clients.manager(node, port).is_some();
        self.agents[node as usize].set_is_sm(port, is_any);
    }

    /// Notes that a request of a client is given up. If it is a Trap, a later TrapRepress is not for the client.
    pub(super) fn trap_given_up(&mut self, key: Key, packet: &MadPacket) {
        let is_trap = Header::decode(&packet.mad).method() == Some(Method::Trap);
        if let (true, Some(client)) = (is_trap, self.clients.get(key.client)) {
            let agent = &mut self.agents[client.node as usize];
            agent.manager_gave_up(client.port, key.transaction);
        }
    }

    /// Sends the MAD of a client.
    pub fn from_client(&mut self, number: usize, data: &Data, now: Duration) -> Result<(), C::Error> {
        self.now = self.now.max(now);
        let Some(client) = self.clients.get(number) else {
            return Ok(());
        };
        let (node, port) = (client.node, client.port);
        let lid = self.cable.ports(node).settings(port)?.lid;
        let slid = match (data.slid, lid) {
            (0, 0) => PERMISSIVE_LID,
            (0, own) => own,
            (slid, _) => slid,
        };
        let mut packet = MadPacket {
            port,
            slid,
            dlid: data.dlid,
            // A client's message carries no SL.
            sl: 0,
            source_qpn: data.source_qpn,
            destination_qpn: data.destination_qpn,
            mad: data.mad,
        };
        let header = Header::decode(&data.mad);
        match header.method() {
            // It answers a Trap, whose transaction is identified by its lower 32 bits.
            Some(Method::TrapRepress) => packet.mad[8..12].fill(0),
            _ if header.is_response() => {}
            method => {
                let own = header.transaction & OWN;
                let transaction = own | (number as u64) << CLIENT;
                packet.mad[8..16].copy_from_slice(&transaction.to_be_bytes());
                if method != Some(Method::Send) {
                    let key = Key {
                        client: number,
                        transaction: own,
                    };
                    self.outstanding.insert(key, packet, self.now);
                }
                if method == Some(Method::Trap) {
                    let lower = lower_transaction(&packet.mad);
                    self.agents[node as usize].manager_sent_trap(port, lower.into());
                }
            }
        }
        self.forward(number, packet)?;
        self.settle()?;
        self.cable.step(self.now)
    }
}
