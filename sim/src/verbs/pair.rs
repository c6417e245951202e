//! Two HCAs on a cable.
use super::around::{wait, Around, End};
use super::{Connection, Error, Host, Port, Qp};
use crate::hca::SimConfig;
use crate::verilated::Library;
use hca_host::profile::{Link, Profile};

/// HCAs X and Y with a cable between them. A packet of one arrives at the other in the next clock.
pub struct Pair {
    ends: [End; 2],
    profile: Profile,
}

impl Pair {
    /// Makes two HCAs whose ports have LIDs 1 and 2, or addresses 10.0.0.1 and 10.0.0.2. Their events are enabled, and
    /// every QP can use the default partition by P_Key index 0.
    pub fn new(library: &Library, config: &SimConfig) -> Result<Pair, Error> {
        let mut pair = Pair {
            ends: [
                End::numbered(library, config, 0)?,
                End::numbered(library, config, 1)?,
            ],
            profile: config.profile,
        };
        for side in [0, 1] {
            let started = pair.ends[side].start(&Port::of(side))?;
            wait(&mut pair, side, started)?;
        }
        Ok(pair)
    }

    /// Returns HCA X with its software.
    pub fn x(&mut self) -> Host<'_> {
        Host::new(self, 0)
    }

    /// Returns HCA Y with its software.
    pub fn y(&mut self) -> Host<'_> {
        Host::new(self, 1)
    }

    /// Moves a QP of X and a QP of Y from Reset to RTS, connected to each other.
    pub fn connect(&mut self, x: Qp, y: Qp, connection: &Connection) -> Result<(), Error> {
        let roce = self.profile.link == Link::Roce;
        self.x()
            .connect(x, &connection.with_peer(&Port::of(1), y, roce))?;
        self.y().connect(y, &connection.with_peer(&Port::of(0), x, roce))
    }

    /// Returns the number of clock cycles since reset.
    pub fn cycle(&self) -> u64 {
        Around::cycle(self)
    }

    /// Runs both HCAs for one clock cycle.
    pub fn clock(&mut self) -> Result<(), Error> {
        Around::clock(self)
    }
}

impl Around for Pair {
    fn end(&mut self, side: usize) -> &mut End {
        &mut self.ends[side]
    }

    fn cycle(&self) -> u64 {
        self.ends[0].hca.cycle()
    }

    fn clock(&mut self) -> Result<(), Error> {
        for end in &mut self.ends {
            end.hca.clock()?;
            while end.hca.retired().is_some() {}
        }
        let [x, y] = &mut self.ends;
        while let Some(packet) = x.hca.packet_out() {
            y.hca.send_packet(packet.bytes);
        }
        while let Some(packet) = y.hca.packet_out() {
            x.hca.send_packet(packet.bytes);
        }
        Ok(())
    }
}
