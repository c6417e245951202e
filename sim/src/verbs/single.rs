//! One HCA whose packets the caller carries.
use super::around::{wait, Around, End};
use super::{Error, Host, Port};
use crate::hca::SimConfig;
use crate::stream::Packet;
use crate::verilated::Library;

/// An HCA whose cable carries only what the caller passes on.
pub struct Single {
    end: End,
}

impl Single {
    /// Makes an HCA behind this port. Its events are enabled, and every QP can use the default partition by P_Key index
    /// 0.
    pub fn new(library: &Library, config: &SimConfig, port: &Port) -> Result<Single, Error> {
        let mut single = Single {
            end: End::new(library, config)?,
        };
        let started = single.end.start(port)?;
        wait(&mut single, 0, started)?;
        Ok(single)
    }

    /// Returns the HCA with its software. Packets that it sends while a verb waits are available afterwards.
    pub fn host(&mut self) -> Host<'_> {
        Host::new(self, 0)
    }

    /// Passes a packet to the HCA.
    pub fn receive(&mut self, packet: Vec<u8>) {
        self.end.hca.send_packet(packet);
    }

    /// Takes the next packet that left the HCA.
    pub fn sent(&mut self) -> Option<Packet> {
        self.end.hca.packet_out()
    }

    /// Returns the number of clock cycles since reset.
    pub fn cycle(&self) -> u64 {
        Around::cycle(self)
    }

    /// Runs the HCA for one clock cycle.
    pub fn clock(&mut self) -> Result<(), Error> {
        Around::clock(self)
    }
}

impl Around for Single {
    fn end(&mut self, _side: usize) -> &mut End {
        &mut self.end
    }

    fn cycle(&self) -> u64 {
        self.end.hca.cycle()
    }

    fn clock(&mut self) -> Result<(), Error> {
        self.end.hca.clock()?;
        while self.end.hca.retired().is_some() {}
        Ok(())
    }
}
