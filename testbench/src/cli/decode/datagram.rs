//! Sound datagrams of RoCEv2 with packets of RC, read in one go: most packets of a capture are such. Of all others the
//! model says what is wrong with them, so that nothing here judges.
use etherparse::{Ethernet2Header, Ipv4Header, Ipv6Header, UdpHeader};
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::atomic_ack_eth::AtomicAckEth;
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::crc::{icrc_roce_v2, ICRC_BYTES};
use hca_golden::wire::extension::Extension;
use hca_golden::wire::ieth::Ieth;
use hca_golden::wire::immdt::ImmDt;
use hca_golden::wire::opcode::{Header, Opcode, Transport};
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::reth::Reth;
use hca_golden::wire::roce::{Network, Roce, ROCE_V2_PORT};

const UDP: u8 = 17;
const BTH_BYTES: usize = 12;
/// Largest payload (`pmtu.csv`).
const LARGEST_PMTU: usize = 4096;

/// The packet; none if anything about it is out of the ordinary.
pub fn packet(bytes: &[u8]) -> Option<Packet> {
    let (ethernet, rest) = Ethernet2Header::from_slice(bytes).ok()?;
    let (network, rest, length) = match ethernet.ether_type.0 {
        0x0800 => {
            let (header, rest) = Ipv4Header::from_slice(rest).ok()?;
            let is_plain = header.header_len() == Ipv4Header::MIN_LEN
                && header.protocol.0 == UDP
                && !header.is_fragmenting_payload()
                && header.header_checksum == header.calc_header_checksum();
            let length = usize::from(header.total_len).checked_sub(Ipv4Header::MIN_LEN)?;
            is_plain.then_some((Network::Ipv4(header), rest, length))?
        }
        0x86DD => {
            let (header, rest) = Ipv6Header::from_slice(rest).ok()?;
            let length = usize::from(header.payload_length);
            (header.next_header.0 == UDP).then_some((Network::Ipv6(header), rest, length))?
        }
        _ => return None,
    };
    let (udp, transport) = UdpHeader::from_slice(rest).ok()?;
    let is_whole = rest.len() == length
        && usize::from(udp.length) == length
        && length % 4 == 0
        && udp.destination_port == ROCE_V2_PORT;
    let (protected, received) = transport.split_last_chunk::<ICRC_BYTES>()?;
    let covered = bytes.get(Ethernet2Header::LEN..bytes.len() - ICRC_BYTES)?;
    if !is_whole || *received != icrc_roce_v2(covered) {
        return None;
    }
    let (bth, mut rest) = protected.split_first_chunk::<BTH_BYTES>()?;
    let bth = base(bth);
    let opcode = Opcode::of(bth.opcode).filter(|_| Transport::of(bth.opcode) == Transport::Rc)?;
    let mut extensions = Vec::with_capacity(opcode.headers.len());
    for header in opcode.headers {
        let (own, behind) = rest.split_at_checked(header.bytes())?;
        extensions.push(extension(*header, own)?);
        rest = behind;
    }
    let payload = rest.get(..rest.len().checked_sub(bth.pad_cnt.into())?)?;
    (bth.tver == 0 && payload.len() <= LARGEST_PMTU).then(|| Packet {
        route: Route::Roce(Roce {
            ethernet,
            network,
            udp,
        }),
        bth,
        extensions,
        payload: payload.to_vec(),
    })
}

/// Fields where `headers.csv` has them.
fn base(bytes: &[u8; BTH_BYTES]) -> Bth {
    let [opcode, flags, p0, p1, marks, q0, q1, q2, asks, n0, n1, n2] = *bytes;
    Bth {
        opcode,
        se: flags & 0x80 != 0,
        m: flags & 0x40 != 0,
        pad_cnt: flags >> 4 & 0x3,
        tver: flags & 0xF,
        p_key: u16::from_be_bytes([p0, p1]),
        f: marks & 0x80 != 0,
        b: marks & 0x40 != 0,
        resv6: marks & 0x3F,
        dest_qp: u32::from_be_bytes([0, q0, q1, q2]),
        a: asks & 0x80 != 0,
        resv7: asks & 0x7F,
        psn: u32::from_be_bytes([0, n0, n1, n2]),
    }
}

fn extension(header: Header, bytes: &[u8]) -> Option<Extension> {
    let word = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let double = |at: usize| Some(u64::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    Some(match header {
        Header::Reth => Extension::Reth(Reth {
            va: double(0)?,
            r_key: word(8)?,
            dma_len: word(12)?,
        }),
        Header::Aeth => Extension::Aeth(Aeth {
            syndrome: *bytes.first()?,
            msn: word(0)? & 0xFF_FFFF,
        }),
        Header::AtomicEth => Extension::AtomicEth(AtomicEth {
            va: double(0)?,
            r_key: word(8)?,
            swap_dt_add_dt: double(12)?,
            cmp_dt: double(20)?,
        }),
        Header::AtomicAckEth => Extension::AtomicAckEth(AtomicAckEth {
            orig_rem_dt: double(0)?,
        }),
        Header::ImmDt => Extension::ImmDt(ImmDt {
            imm_data: *bytes.first_chunk()?,
        }),
        Header::Ieth => Extension::Ieth(Ieth { r_key: word(0)? }),
        Header::Rdeth | Header::Deth => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Capture;
    use hca_golden::port::Link;
    use hca_golden::wire::frame::Frame;
    use proptest::prelude::*;
    use std::fs::File;
    use std::path::Path;

    fn frames() -> Vec<Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures");
        let names = ["rc_send.pcap", "rc_write.pcap", "rc_read.pcap", "rc_cas.pcap"];
        let files = names.map(|name| Capture::new(File::open(folder.join(name)).unwrap()).unwrap());
        files
            .into_iter()
            .flatten()
            .map(|record| record.unwrap().bytes)
            .collect()
    }

    fn by_the_model(bytes: &[u8]) -> Option<Packet> {
        Frame::decode(Link::Roce, bytes).ok()?.packet()
    }

    #[test]
    fn real_packets_are_read_as_the_model_reads_them() {
        let read: Vec<_> = frames().iter().filter_map(|frame| packet(frame)).collect();
        let model: Vec<_> = frames().iter().filter_map(|frame| by_the_model(frame)).collect();
        assert_eq!((read.len(), &read), (401, &model));
    }

    proptest! {
        /// What is read here the model takes, too, and reads the same.
        #[test]
        fn nothing_is_read_that_the_model_refuses(
            at in any::<prop::sample::Index>(),
            changes in proptest::collection::vec((14usize..80, any::<u8>()), 0..4),
            cut in 0usize..8,
        ) {
            let mut frame = at.get(&frames()).clone();
            for (at, value) in changes {
                if let Some(byte) = frame.get_mut(at) {
                    *byte = value;
                }
            }
            frame.truncate(frame.len() - cut);
            if frame.len() > 58 {
                let end = frame.len() - ICRC_BYTES;
                let icrc = icrc_roce_v2(&frame[14..end]);
                frame[end..].copy_from_slice(&icrc);
            }
            if let Some(packet) = packet(&frame) {
                prop_assert_eq!(Some(packet), by_the_model(&frame));
            }
        }
    }
}
