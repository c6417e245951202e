//! One HCA, whose peer is whoever carries its packets.
use super::around::{wait, Around, End};
use super::{Error, Host, Port};
use crate::hca::SimConfig;
use crate::stream::Packet;
use crate::verilated::Library;

/// An HCA with nothing on its cable but what the caller carries.
pub struct Single {
    end: End,
}

impl Single {
    /// An HCA behind this port; its events are enabled, and every QP can use the default partition by P_Key index 0.
    pub fn new(library: &Library, config: &SimConfig, port: &Port) -> Result<Single, Error> {
        let mut single = Single {
            end: End::new(library, config)?,
        };
        let started = single.end.start(port)?;
        wait(&mut single, 0, started)?;
        Ok(single)
    }

    /// The HCA with its software. What it sends while a verb waits is there afterwards.
    pub fn host(&mut self) -> Host<'_> {
        Host::new(self, 0)
    }

    /// A packet arrives.
    pub fn receive(&mut self, packet: Vec<u8>) {
        self.end.hca.send_packet(packet);
    }

    /// The next packet that left.
    pub fn sent(&mut self) -> Option<Packet> {
        self.end.hca.packet_out()
    }

    /// Clock cycles since reset.
    pub fn cycle(&self) -> u64 {
        Around::cycle(self)
    }

    /// Runs it for one clock cycle.
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
