//! Verbs of address handles (`protocol/ud.md` section 1).
use super::bus::Job;
use super::effect::Effect;
use super::route::{AddressVector, EthernetRoute, GlobalRoute};
use super::words::{fits, Words};
use super::{Driver, DriverError, Ticket};
use hca_host::argument::qp;
use hca_host::command::{self, address_handle, modify_qp};
use hca_host::profile::Link;

/// The address of the receiver of datagrams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressHandle {
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// Number of the port, from 1.
    pub port: u8,
    /// Destination LID; 0 with RoCEv2.
    pub dlid: u16,
    /// Service level, 4 bits; with RoCEv2 the priority, 3 bits.
    pub sl: u8,
    /// Low bits of the source LID, 7 bits. Those above the port's LMC have no effect.
    pub source_path_bits: u8,
    /// Code of `static_rate.csv`, 6 bits.
    pub static_rate: u8,
    /// Fields of the GRH; `None` for packets without a GRH. Always given with RoCEv2.
    pub global: Option<GlobalRoute>,
    /// Index into the port's GID table; used only with a GRH.
    pub sgid_index: u8,
    /// Destination MAC address; given with RoCEv2 only. RoCEv2 derives the UDP source port from the flow label.
    pub dest_mac: Option<[u8; 6]>,
}

impl AddressHandle {
    fn write(&self, words: &mut Words) -> Result<(), DriverError> {
        let address = AddressVector {
            dlid: self.dlid,
            sl: self.sl,
            source_path_bits: self.source_path_bits,
            static_rate: self.static_rate,
            global: self.global.clone(),
            sgid_index: self.sgid_index,
            ethernet: self.dest_mac.map(|dest_mac| EthernetRoute {
                dest_mac,
                source_port: 0,
            }),
        };
        address.write(words)?;
        words.put(modify_qp::P_KEY, qp::PORT.word(self.port.into()));
        words.put(modify_qp::PD, fits(&qp::PD, self.pd)?);
        Ok(())
    }

    fn read(words: &Words, roce: bool) -> AddressHandle {
        let address = AddressVector::read(words, roce);
        AddressHandle {
            pd: words.get(modify_qp::PD),
            port: qp::PORT.of(words.get(modify_qp::P_KEY)) as u8,
            dlid: address.dlid,
            sl: address.sl,
            source_path_bits: address.source_path_bits,
            static_rate: address.static_rate,
            global: address.global,
            sgid_index: address.sgid_index,
            dest_mac: address.ethernet.map(|ethernet| ethernet.dest_mac),
        }
    }
}

impl Driver {
    /// Returns the words of a command. An address that does not fit them is illegal, but the adapter first checks that
    /// the handle exists. Such an address is therefore sent with port 0, which the adapter refuses for the same reason.
    fn handle_words(&self, number: u32, address: &AddressHandle) -> Words {
        let mut words = Words::default();
        if !self.reaches(address) || address.write(&mut words).is_err() {
            words = Words::default();
            words.put(modify_qp::P_KEY, qp::PORT.word(0));
        }
        words.put(address_handle::HANDLE, number);
        words
    }

    /// Returns true if the address has all that a RoCE link needs. The device does not check the IP version of its
    /// port.
    fn reaches(&self, address: &AddressHandle) -> bool {
        let own = self.own_port_of(address.port);
        let of_own_version = |global: &GlobalRoute| own.speaks(&global.dgid);
        self.profile.link != Link::Roce
            || (address.dest_mac.is_some() && address.global.as_ref().is_none_or(of_own_version))
    }

    /// Creates address handle `number`.
    pub fn create_ah(&mut self, number: u32, address: &AddressHandle) -> Ticket {
        let arguments = self.handle_words(number, address).into_arguments();
        self.jobs
            .push(Job::command(command::CREATE_AH, arguments, Effect::Nothing))
    }

    /// Gives an address handle another address. The handle keeps its protection domain.
    pub fn modify_ah(&mut self, number: u32, address: &AddressHandle) -> Ticket {
        let arguments = self.handle_words(number, address).into_arguments();
        self.jobs
            .push(Job::command(command::MODIFY_AH, arguments, Effect::Nothing))
    }

    /// Queries an address handle; [`ah`](Driver::ah) returns the answer.
    pub fn query_ah(&mut self, number: u32) -> Ticket {
        self.jobs.push(Job::Command {
            code: command::QUERY_AH,
            arguments: vec![(address_handle::HANDLE, number)],
            answer: modify_qp::ADDRESS..modify_qp::PD + 1,
            effect: Effect::Nothing,
        })
    }

    /// Returns the answer to a successful `query_ah`.
    pub fn ah(&self, ticket: Ticket) -> Option<AddressHandle> {
        let words = Words::from_answer(modify_qp::ADDRESS, self.jobs.answer(ticket)?);
        Some(AddressHandle::read(&words, self.profile.link == Link::Roce))
    }

    /// Removes an address handle that no work names.
    pub fn destroy_ah(&mut self, number: u32) -> Ticket {
        let arguments = vec![(address_handle::HANDLE, number)];
        self.jobs
            .push(Job::command(command::DESTROY_AH, arguments, Effect::Nothing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let address = AddressHandle {
            pd: 0xAB_CDEF,
            port: 1,
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
            dest_mac: None,
        };
        let mut words = Words::default();
        address.write(&mut words).unwrap();
        assert_eq!(words.get(modify_qp::GRH), 0x881F_EDCB);
        assert_eq!(words.get(modify_qp::HOP), 0x000A_A540);
        assert_eq!(AddressHandle::read(&words, false), address);
        let of_frames = AddressHandle {
            dest_mac: Some([1, 2, 3, 4, 5, 6]),
            ..address
        };
        let mut words = Words::default();
        of_frames.write(&mut words).unwrap();
        assert_eq!(words.get(modify_qp::MAC_HIGH), 0x0102);
        assert_eq!(AddressHandle::read(&words, true), of_frames);
    }
}
