//! Numbers of packets, and moments in their order. Packets that arrive at different ports have no order (`link.md`
//! section 8).

/// Lowest number of the copies that the ports make of their own multicast packets.
pub(super) const OWN: u32 = 1 << 31;
/// Lowest number of the packets that arrive at port 2. Those of port 1 are numbered from 0.
const SECOND: u32 = 1 << 30;
/// Largest number of ports.
pub(super) const MOST_PORTS: usize = 2;

/// Returns the lowest number of the packets that arrive at this port.
pub(super) fn first_of(port: u8) -> u32 {
    match port {
        1 => 0,
        _ => SECOND,
    }
}

/// Returns the lowest number of the sequence to which this number belongs: that of the port, or that of the copies.
pub(super) fn sequence_of(packet: u32) -> u32 {
    match packet & OWN {
        0 => packet & SECOND,
        own => own,
    }
}

/// A moment: how many packets each port had received, and how many copies there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    pub arrived: [u32; MOST_PORTS],
    pub looped: u32,
}

impl Moment {
    /// Returns true if the packet with this number was there before.
    pub fn is_after(self, packet: u32) -> bool {
        let sequence = sequence_of(packet);
        let count = match sequence {
            0 => self.arrived[0],
            SECOND => self.arrived[1],
            _ => self.looped,
        };
        packet - sequence < count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sequence_has_its_own_order() {
        let moment = Moment {
            arrived: [3, 1],
            looped: 2,
        };
        let is_after = |packets: [u32; 2]| packets.map(|packet| moment.is_after(packet));
        assert_eq!(is_after([2, 3]), [true, false]);
        assert_eq!(is_after([SECOND, SECOND + 1]), [true, false]);
        assert_eq!(is_after([OWN + 1, OWN + 2]), [true, false]);
        assert_eq!(
            [5, SECOND + 5, OWN + 5].map(sequence_of),
            [first_of(1), first_of(2), OWN]
        );
    }
}
