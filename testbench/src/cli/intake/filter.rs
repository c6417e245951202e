//! The selected part of a capture.
use super::number::queue_pair;
use clap::Args;
use std::net::IpAddr;
use std::time::Duration;

/// Options that choose packets.
#[derive(Debug, Args)]
pub struct Selection {
    /// Only packets of connections of this queue pair, at either end (`17`, `0x11` or `11h`); may be given more than
    /// once
    #[arg(long, value_name = "QPN", value_parser = queue_pair)]
    pub qp: Vec<u32>,
    /// Only packets from or to this IP address or GID, tunnels left aside; may be given more than once
    #[arg(long, value_name = "ADDRESS")]
    pub ip: Vec<IpAddr>,
    /// Leave out what is before this packet (`1000`), or so long after the first (`2s`, `1500ms`)
    #[arg(long, value_name = "WHERE", value_parser = bound)]
    from: Option<Bound>,
    /// Leave out what is behind this packet, or so long after the first
    #[arg(long, value_name = "WHERE", value_parser = bound)]
    to: Option<Bound>,
}

/// A place in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Packet(u64),
    /// Time since the first packet.
    Time(Duration),
}

fn bound(text: &str) -> Result<Bound, String> {
    if let Ok(number) = text.parse() {
        return Ok(Bound::Packet(number));
    }
    let time = humantime::parse_duration(text);
    time.map(Bound::Time)
        .map_err(|_| "write the number of a packet, or a time with its unit, such as 2s or 1500ms".to_owned())
}

/// The place of a packet relative to the selected part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Before,
    Within,
    /// No later packet is selected.
    Behind,
}

impl Selection {
    /// Returns the place of the packet with this number and this time since the first packet.
    pub fn place(&self, number: u64, since: Duration) -> Place {
        let is_before = match self.from {
            None => false,
            Some(Bound::Packet(first)) => number < first,
            Some(Bound::Time(first)) => since < first,
        };
        match self.to {
            Some(Bound::Packet(last)) if number > last => Place::Behind,
            // Packets of merged captures may go back in time, so that later ones may be selected.
            Some(Bound::Time(last)) if since > last => Place::Before,
            _ if is_before => Place::Before,
            _ => Place::Within,
        }
    }

    /// Returns true if packets are chosen by their ends. A link packet has none: it is of a link and its ports.
    pub fn is_of_ends(&self) -> bool {
        !self.qp.is_empty() || !self.ip.is_empty()
    }

    /// Returns true if one of these addresses is selected, or all are.
    pub fn holds(&self, addresses: impl IntoIterator<Item = IpAddr>) -> bool {
        self.ip.is_empty() || addresses.into_iter().any(|address| self.ip.contains(&address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_both_its_ends_in_it() {
        let places = |from: &str, to: &str| {
            let selection = Selection {
                qp: Vec::new(),
                ip: Vec::new(),
                from: Some(bound(from).unwrap()),
                to: Some(bound(to).unwrap()),
            };
            let places = (1..=5).map(|n| selection.place(n, Duration::from_millis(n)));
            places.collect::<Vec<_>>()
        };
        use Place::*;
        assert_eq!(places("2", "3"), [Before, Within, Within, Behind, Behind]);
        assert_eq!(places("2ms", "3ms"), [Before, Within, Within, Before, Before]);
        assert!(bound("soon").is_err());
    }
}
