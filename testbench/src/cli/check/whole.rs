//! A packet that is whole and sound, as most are: nothing else has to be known of it.
use crate::capture::layer::Layer;
use crate::capture::overlay::{Inner, ETHER_ROCE_V1};
use crate::capture::{Content, Record};
use crate::cli::decode::datagram;
use hca_golden::port::Link;
use hca_golden::wire::frame::Frame;
use hca_golden::wire::packet::Packet;

/// Such a packet.
pub struct Whole {
    pub packet: Packet,
    /// As a port takes it.
    pub bytes: Vec<u8>,
    pub tenant: Vec<Layer>,
}

impl Whole {
    /// None if anything is wrong with it, or has to be put right.
    pub fn of(record: &Record) -> Option<Whole> {
        let (link, bytes, tenant) = match record.content {
            Content::InfiniBand if record.bytes.len() == record.wire_length => {
                (Link::InfiniBand, record.bytes.clone(), Vec::new())
            }
            Content::Ethernet => {
                let inner = Inner::of(&record.bytes, record.wire_length)?;
                if inner.ether_type == ETHER_ROCE_V1 || inner.end > record.bytes.len() {
                    return None;
                }
                (Link::Roce, inner.untagged(&record.bytes), inner.tenant())
            }
            _ => return None,
        };
        let read = match link {
            Link::Roce => datagram::packet(&bytes),
            Link::InfiniBand => None,
        };
        let packet = match read {
            Some(packet) => packet,
            None => Frame::decode(link, &bytes).ok()?.packet()?,
        };
        Some(Whole {
            packet,
            bytes,
            tenant,
        })
    }
}
