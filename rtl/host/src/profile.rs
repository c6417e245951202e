//! Named sets of the datapath's parameters.

/// Framing of the packet streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Native InfiniBand: LRH, ICRC and VCRC.
    InfiniBand,
    /// RoCEv2: Ethernet, IPv4 or IPv6, UDP and ICRC. Frames come without FCS.
    Roce,
}

/// Parameters of one configuration of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Name in lower case.
    pub name: &'static str,
    /// Framing of the packet streams.
    pub link: Link,
    /// Width of the packet streams in bits: 64, 128, 256 or 512.
    pub stream_bits: usize,
    /// Width of the host memory bus in bits.
    pub memory_bits: usize,
    /// Log2 of the number of queue pairs.
    pub qp_bits: usize,
    /// Log2 of the number of completion queues.
    pub cq_bits: usize,
    /// Log2 of the number of memory regions.
    pub region_bits: usize,
    /// Log2 of the number of address handles.
    pub handle_bits: usize,
    /// Number of native ports, 1 or 2. Over Ethernet there is one port ([`Profile::ports`]).
    pub native_ports: usize,
    /// Log2 of the number of data VLs of a native port, 0 to 3.
    pub vl_bits: usize,
    /// Size of the receive buffer of each data VL, in blocks of 64 bytes.
    pub receive_blocks: usize,
    /// Frequency in Hz of the clock that the timers count.
    pub clock_hz: u64,
}

impl Profile {
    /// Returns the same configuration with another framing.
    pub const fn over(self, link: Link) -> Profile {
        Profile { link, ..self }
    }

    /// Returns the number of ports.
    pub const fn ports(&self) -> usize {
        match self.link {
            Link::InfiniBand => self.native_ports,
            Link::Roce => 1,
        }
    }

    /// Returns the rate of a native port in units of 2.5 Gb/s (`protocol/static_rate.csv`).
    pub const fn port_rate(&self) -> usize {
        stream_rate(self.stream_bits, self.clock_hz)
    }

    /// Returns true if the profile is one of [`ALL`], on any link. With a profile that only shares the name of one of
    /// them, model and driver would assume another clock, or other numbers of objects, than the hardware.
    pub fn is_known(&self) -> bool {
        by_name(self.name).is_some_and(|known| known.over(self.link) == *self)
    }
}

/// Returns what a stream carries, in units of 2.5 Gb/s of a link, which has ten bits for each eight.
pub const fn stream_rate(stream_bits: usize, clock_hz: u64) -> usize {
    stream_bits * clock_hz as usize / 2_000_000_000
}

/// For an ECP5, at the rate of a 4X SDR link.
pub const SMALL: Profile = Profile {
    name: "small",
    link: Link::InfiniBand,
    stream_bits: 64,
    memory_bits: 128,
    qp_bits: 4,
    cq_bits: 4,
    region_bits: 6,
    handle_bits: 6,
    native_ports: 1,
    vl_bits: 1,
    receive_blocks: 180,
    clock_hz: 125_000_000,
};

/// `SMALL` with two native ports.
pub const PAIR: Profile = Profile {
    name: "pair",
    native_ports: 2,
    ..SMALL
};

/// Between `SMALL` and `LINE`, as a GW5AST-138C could hold it: 32 bytes a clock each way, 32 Gbit/s at 125 MHz. Host
/// memory is twice as wide, so that WQEs take no clock from payload.
pub const MID: Profile = Profile {
    name: "mid",
    link: Link::InfiniBand,
    stream_bits: 256,
    memory_bits: 512,
    qp_bits: 4,
    cq_bits: 4,
    region_bits: 6,
    handle_bits: 6,
    native_ports: 1,
    vl_bits: 2,
    receive_blocks: 186,
    clock_hz: 125_000_000,
};

/// For a large UltraScale+: 64 bytes a clock each way, 64 Gbit/s at 125 MHz.
pub const LINE: Profile = Profile {
    name: "line",
    link: Link::InfiniBand,
    stream_bits: 512,
    memory_bits: 512,
    qp_bits: 8,
    cq_bits: 8,
    region_bits: 10,
    handle_bits: 10,
    native_ports: 1,
    vl_bits: 3,
    receive_blocks: 189,
    clock_hz: 125_000_000,
};

/// All profiles, smallest first, with native InfiniBand.
pub const ALL: &[Profile] = &[SMALL, PAIR, MID, LINE];

/// Returns the profile with this name.
pub fn by_name(name: &str) -> Option<&'static Profile> {
    ALL.iter().find(|p| p.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_has_the_rate_of_its_stream() {
        assert_eq!([SMALL, PAIR, MID, LINE].map(|p| p.port_rate()), [4, 4, 16, 32]);
    }

    #[test]
    fn a_profile_that_only_has_the_name_of_one_is_not_known() {
        assert!(SMALL.is_known() && LINE.over(Link::Roce).is_known());
        let faster = Profile {
            clock_hz: 250_000_000,
            ..SMALL
        };
        let unnamed = Profile {
            name: "tiny",
            ..SMALL
        };
        assert!(!faster.is_known() && !unnamed.is_known());
    }
}
