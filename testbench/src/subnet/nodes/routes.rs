//! The route of a MAD: from a client to the link, and from the link to an agent or a client.
use super::super::cable::Cable;
use super::super::outstanding::Key;
use super::super::socket::Data;
use super::requests::{client_of, OWN};
use super::{lower_transaction, send, Arrival, Node, Nodes, Outbound};
use hca_sim::subnet::directed_route::{self, Arrived, Leaving, PERMISSIVE_LID};
use hca_sim::subnet::mad::{class, Header, Method, PerformanceMad, Smp};
use hca_sim::subnet::{performance, Handled, Record};
use hca_sim::subnet::{MadPacket, QP0};

/// Classes that vendors define.
const VENDOR: std::ops::RangeInclusive<u8> = 0x30..=0x4F;

impl<C: Cable> Nodes<C> {
    /// Sends the MAD of a client, for the first time or again.
    pub(super) fn forward(&mut self, number: usize, packet: MadPacket) -> Result<(), C::Error> {
        let Some(client) = self.clients.get(number) else {
            return Ok(());
        };
        let node = client.node;
        let mut smp = Smp::decode(&packet.mad);
        if !smp.is_directed() {
            return send(&mut self.cable, &mut self.arrivals, node, packet);
        }
        if smp.header.is_response() {
            let is_local = smp.header.hop_count == 0;
            return self.answer_directed(node, &packet, smp, is_local);
        }
        let leaving = directed_route::request(&mut smp, packet.port);
        let packet = MadPacket {
            slid: PERMISSIVE_LID,
            dlid: PERMISSIVE_LID,
            mad: smp.encode(),
            ..packet
        };
        match leaving {
            Leaving::Here => self.arrivals.push_back(Arrival {
                node,
                packet,
                is_local: true,
            }),
            Leaving::ByLink => self.cable.send(node, &packet)?,
            Leaving::Dropped => self.lost.route += 1,
        }
        Ok(())
    }

    /// Sends the response to an SMP with a directed route back by the port at which the SMP arrived.
    fn answer_directed(
        &mut self,
        node: Node,
        packet: &MadPacket,
        mut smp: Smp,
        is_local: bool,
    ) -> Result<(), C::Error> {
        let Some(dlid) = directed_route::answer(&mut smp, packet.port) else {
            self.lost.route += 1;
            return Ok(());
        };
        let packet = MadPacket {
            slid: PERMISSIVE_LID,
            dlid,
            mad: smp.encode(),
            ..*packet
        };
        match is_local {
            true => self.hand_up(node, packet),
            false => self.cable.send(node, &packet)?,
        }
        Ok(())
    }

    /// Takes a MAD that came to a node.
    pub(super) fn arrive(&mut self, arrival: Arrival) -> Result<(), C::Error> {
        let Arrival { node, packet, .. } = arrival;
        if packet.destination_qpn == QP0 {
            return self.arrive_at_qp0(arrival);
        }
        let header = Header::decode(&packet.mad);
        if header.class != class::PERFORMANCE || header.is_response() {
            self.hand_up(node, packet);
            return Ok(());
        }
        let request = PerformanceMad::decode(&packet.mad);
        let answer = performance::answer(self.cable.ports(node), packet.port, &request)?;
        match answer {
            Some(mad) => {
                let answer = packet.answer(mad.encode());
                send(&mut self.cable, &mut self.arrivals, node, answer)
            }
            None => Ok(()),
        }
    }

    fn arrive_at_qp0(&mut self, arrival: Arrival) -> Result<(), C::Error> {
        let Arrival {
            node,
            mut packet,
            is_local,
        } = arrival;
        let mut smp = Smp::decode(&packet.mad);
        if smp.is_directed() {
            let arrived = directed_route::arrive(&mut smp, packet.port);
            packet.mad = smp.encode();
            match arrived {
                Arrived::ForAgent => {}
                Arrived::ForManager => {
                    self.hand_up(node, packet);
                    return Ok(());
                }
                Arrived::Dropped => {
                    self.lost.route += 1;
                    return Ok(());
                }
            }
        }
        let arrival = hca_sim::subnet::Arrival {
            port: packet.port,
            slid: packet.slid,
            smp: &smp,
            now: self.now,
        };
        let handled = self.agents[node as usize].receive(self.cable.ports(node), &arrival)?;
        match handled {
            Handled::Consumed => {}
            Handled::ForManager(smp) => {
                packet.mad = smp.encode();
                self.hand_up(node, packet);
            }
            Handled::Reply(reply) => {
                match reply.is_directed() {
                    true => self.answer_directed(node, &packet, reply, is_local)?,
                    false => {
                        let answer = packet.answer(reply.encode());
                        send(&mut self.cable, &mut self.arrivals, node, answer)?;
                    }
                }
                self.agents[node as usize].reply_left(self.cable.ports(node), packet.port)?;
            }
        }
        Ok(())
    }

    /// Passes a MAD to the client at its port of this node that it is for.
    fn hand_up(&mut self, node: Node, packet: MadPacket) {
        let header = Header::decode(&packet.mad);
        let (client, packet) = match header.method() {
            Some(Method::TrapRepress) => match self.represses(node, &packet) {
                Some((client, transaction)) => {
                    let mut packet = packet;
                    packet.mad[8..16].copy_from_slice(&transaction);
                    (client, packet)
                }
                None => {
                    self.lost.late += 1;
                    return;
                }
            },
            _ if header.is_response() => {
                let key = Key {
                    client: client_of(header.transaction),
                    transaction: header.transaction & OWN,
                };
                let is_there = self
                    .clients
                    .get(key.client)
                    .is_some_and(|client| client.is_at(node, packet.port));
                if !is_there {
                    self.lost.unclaimed += 1;
                    return;
                }
                if self.outstanding.remove(key).is_none() {
                    self.lost.late += 1;
                    return;
                }
                (key.client, packet)
            }
            // A client must not get a MAD of a class for which it is not registered, because `libumad2sim` does not
            // check it.
            _ => {
                let client = match header.class {
                    class::SUBNET | class::SUBNET_DIRECTED | class::ADMINISTRATION => {
                        self.clients.manager(node, packet.port)
                    }
                    vendor if VENDOR.contains(&vendor) => self.clients.vendor_server(node, packet.port),
                    _ => None,
                };
                match client {
                    Some(client) => (client, packet),
                    None => {
                        self.lost.unclaimed += 1;
                        return;
                    }
                }
            }
        };
        let data = Data::of(&packet, 0);
        self.outbox.push_back(Outbound { client, data });
    }

    /// Returns the client at its port of this node whose Trap this TrapRepress answers, with the Trap's transaction.
    fn represses(&mut self, node: Node, packet: &MadPacket) -> Option<(usize, [u8; 8])> {
        let lower = lower_transaction(&packet.mad);
        let is_it = |(key, trap): &(&Key, &MadPacket)| {
            Header::decode(&trap.mad).method() == Some(Method::Trap)
                && key.transaction as u32 == lower
                && self
                    .clients
                    .get(key.client)
                    .is_some_and(|client| client.is_at(node, packet.port))
        };
        let key = *self.outstanding.iter().find(is_it)?.0;
        let trap = self.outstanding.remove(key)?;
        let mut transaction = [0; 8];
        transaction.copy_from_slice(&trap.mad[8..16]);
        Some((key.client, transaction))
    }
}
