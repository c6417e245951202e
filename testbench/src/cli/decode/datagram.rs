//! Reads correct datagrams of RoCEv2 with packets of RC, UC or UD in one pass, because most packets of a capture are
//! such. It judges nothing: for all other packets the model says what is wrong.
use crc32fast::Hasher;
use etherparse::{Ipv4HeaderSlice, Ipv6HeaderSlice};
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::atomic_ack_eth::AtomicAckEth;
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::crc::ICRC_BYTES;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::ieth::Ieth;
use hca_golden::wire::immdt::ImmDt;
use hca_golden::wire::opcode::{Header, Opcode, Transport};
use hca_golden::wire::reth::Reth;
use hca_golden::wire::roce::ROCE_V2_PORT;
use std::net::{Ipv4Addr, Ipv6Addr};

const UDP: u8 = 17;
const UDP_BYTES: usize = 8;
const IPV4_BYTES: usize = 20;
const IPV6_BYTES: usize = 40;
const BTH_BYTES: usize = 12;
/// Largest payload (`pmtu.csv`).
const LARGEST_PMTU: usize = 4096;

/// Offsets, from the IP header on, of the bytes that the ICRC of RoCEv2 takes as ones (`crc.md` section 1). IPv4: TOS,
/// TTL, both checksums and Resv8a. IPv6: traffic class, flow label, hop limit, UDP checksum and Resv8a; of the first
/// byte only the lower half.
const MASKED_IPV4: [usize; 7] = [1, 8, 10, 11, 26, 27, 32];
const MASKED_IPV6: [usize; 7] = [1, 2, 3, 7, 46, 47, 52];
/// Number of bytes that contain all of them.
const HEAD_BYTES: usize = IPV6_BYTES + UDP_BYTES + 5;

/// A datagram that a port accepts.
#[derive(Debug)]
pub struct Datagram<'a> {
    /// Source and destination GID, also of IPv4 addresses.
    pub gids: [[u8; 16]; 2],
    pub bth: Bth,
    opcode: &'static Opcode,
    /// The extended headers' bytes.
    pub extensions: &'a [u8],
    /// Payload without pad bytes.
    pub payload: &'a [u8],
    /// IP and UDP headers, and the ICRC: the bytes that the ICRC does not cover, and the ICRC, which represents the
    /// rest.
    pub around: [&'a [u8]; 2],
}

impl<'a> Datagram<'a> {
    /// Reads a datagram from its IP header on; `None` if anything about it is unusual.
    pub fn of(ether_type: u16, ip: &'a [u8]) -> Option<Datagram<'a>> {
        let (header, gids) = match ether_type {
            0x0800 => {
                let header = Ipv4HeaderSlice::from_slice(ip).ok()?;
                let is_plain = header.slice().len() == IPV4_BYTES
                    && header.protocol().0 == UDP
                    && !header.is_fragmenting_payload()
                    && is_summed(header.slice());
                let is_whole = usize::from(header.total_len()) == ip.len();
                let gid = |address: Ipv4Addr| address.to_ipv6_mapped().octets();
                let gids = [gid(header.source_addr()), gid(header.destination_addr())];
                (is_plain && is_whole).then_some((IPV4_BYTES, gids))?
            }
            0x86DD => {
                let header = Ipv6HeaderSlice::from_slice(ip).ok()?;
                let is_plain = header.next_header().0 == UDP;
                let is_whole = usize::from(header.payload_length()) + IPV6_BYTES == ip.len();
                let gid = |address: Ipv6Addr| address.octets();
                let gids = [gid(header.source_addr()), gid(header.destination_addr())];
                (is_plain && is_whole).then_some((IPV6_BYTES, gids))?
            }
            _ => return None,
        };
        let (around, transport) = ip.split_at_checked(header + UDP_BYTES)?;
        let [_, _, p0, p1, l0, l1, _, _] = *around.last_chunk::<UDP_BYTES>()?;
        let length = usize::from(u16::from_be_bytes([l0, l1]));
        let is_whole =
            length == ip.len() - header && length % 4 == 0 && u16::from_be_bytes([p0, p1]) == ROCE_V2_PORT;
        let (protected, received) = transport.split_last_chunk::<ICRC_BYTES>()?;
        if !is_whole || *received != icrc(ether_type, &ip[..ip.len() - ICRC_BYTES]) {
            return None;
        }
        let (bth, rest) = protected.split_first_chunk::<BTH_BYTES>()?;
        let bth = base(bth);
        let is_read = matches!(
            Transport::of(bth.opcode),
            Transport::Rc | Transport::Uc | Transport::Ud
        );
        let opcode = Opcode::of(bth.opcode).filter(|_| is_read)?;
        let headers = opcode.headers.iter().map(|header| header.bytes()).sum();
        let (extensions, rest) = rest.split_at_checked(headers)?;
        let payload = rest.get(..rest.len().checked_sub(bth.pad_cnt.into())?)?;
        (bth.tver == 0 && payload.len() <= LARGEST_PMTU).then_some(Datagram {
            gids,
            bth,
            opcode,
            extensions,
            payload,
            around: [around, received],
        })
    }

    /// Returns the extended headers.
    pub fn headers(&self) -> impl Iterator<Item = Extension> + '_ {
        let mut rest = self.extensions;
        self.opcode.headers.iter().map_while(move |header| {
            let (own, behind) = rest.split_at_checked(header.bytes())?;
            rest = behind;
            extension(*header, own)
        })
    }
}

/// Returns true if the checksum of an IPv4 header is correct.
fn is_summed(header: &[u8]) -> bool {
    let words = header.chunks_exact(2);
    let sum: u32 = words
        .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])))
        .sum();
    let sum = (sum & 0xFFFF) + (sum >> 16);
    sum & 0xFFFF == 0xFFFF
}

/// Returns the ICRC of a datagram of RoCEv2 in the order of the wire. `covered` is everything from its IP header to its
/// last pad byte.
fn icrc(ether_type: u16, covered: &[u8]) -> [u8; ICRC_BYTES] {
    let mut head = [0; HEAD_BYTES];
    let kept = covered.len().min(HEAD_BYTES);
    head[..kept].copy_from_slice(&covered[..kept]);
    let masked = match ether_type {
        0x86DD => {
            head[0] |= 0x0F;
            MASKED_IPV6
        }
        _ => MASKED_IPV4,
    };
    for at in masked {
        head[at] = 0xFF;
    }
    let mut hasher = Hasher::new();
    hasher.update(&[0xFF; 8]);
    hasher.update(&head[..kept]);
    hasher.update(&covered[kept..]);
    hasher.finalize().to_le_bytes()
}

/// Reads the fields of a BTH at the places in `headers.csv`.
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
        Header::Deth => Extension::Deth(Deth {
            q_key: word(0)?,
            resv8: *bytes.get(4)?,
            src_qp: word(4)? & 0xFF_FFFF,
        }),
        Header::Rdeth => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Capture;
    use hca_golden::port::Link;
    use hca_golden::wire::crc::icrc_roce_v2;
    use hca_golden::wire::frame::Frame;
    use hca_golden::wire::packet::Packet;
    use proptest::prelude::*;
    use std::fs::File;
    use std::path::Path;

    const ETHERNET_BYTES: usize = 14;

    /// The result of both readers for a packet.
    #[derive(Debug, PartialEq)]
    struct Read {
        gids: [[u8; 16]; 2],
        bth: Bth,
        extensions: Vec<Extension>,
        payload: Vec<u8>,
    }

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

    fn by_the_model(frame: &[u8]) -> Option<Read> {
        let Packet {
            route,
            bth,
            extensions,
            payload,
        } = Frame::decode(Link::Roce, frame).ok()?.packet()?;
        let hca_golden::wire::packet::Route::Roce(roce) = route else {
            return None;
        };
        Some(Read {
            gids: [roce.network.sgid(), roce.network.dgid()],
            bth,
            extensions,
            payload,
        })
    }

    fn here(frame: &[u8]) -> Option<Read> {
        let ether_type = u16::from_be_bytes([*frame.get(12)?, *frame.get(13)?]);
        let datagram = Datagram::of(ether_type, frame.get(ETHERNET_BYTES..)?)?;
        Some(Read {
            gids: datagram.gids,
            bth: datagram.bth,
            extensions: datagram.headers().collect(),
            payload: datagram.payload.to_vec(),
        })
    }

    #[test]
    fn real_packets_are_read_as_the_model_reads_them() {
        let read: Vec<_> = frames().iter().filter_map(|frame| here(frame)).collect();
        let model: Vec<_> = frames().iter().filter_map(|frame| by_the_model(frame)).collect();
        assert_eq!((read.len(), &read), (401, &model));
    }

    proptest! {
        /// The ICRC equals that of the model.
        #[test]
        fn icrcs_are_those_of_the_model(bytes in proptest::collection::vec(any::<u8>(), 60..200), six: bool) {
            let mut bytes = bytes;
            bytes[0] = if six { 0x60 } else { 0x45 };
            let ether_type = if six { 0x86DD } else { 0x0800 };
            prop_assert_eq!(icrc(ether_type, &bytes), icrc_roce_v2(&bytes));
        }

        /// The model also accepts what is read here, and reads the same.
        #[test]
        fn nothing_is_read_that_the_model_refuses(
            at in any::<prop::sample::Index>(),
            changes in proptest::collection::vec((14usize..80, any::<u8>()), 0..4),
            opcode in prop_oneof![Just(None), (0u8..0x80).prop_map(Some)],
            cut in 0usize..8,
        ) {
            let mut frame = at.get(&frames()).clone();
            for (at, value) in changes {
                if let Some(byte) = frame.get_mut(at) {
                    *byte = value;
                }
            }
            if let Some(opcode) = opcode {
                if let Some(byte) = frame.get_mut(42) {
                    *byte = opcode;
                }
            }
            frame.truncate(frame.len() - cut);
            if frame.len() > 58 {
                let end = frame.len() - ICRC_BYTES;
                let icrc = icrc_roce_v2(&frame[14..end]);
                frame[end..].copy_from_slice(&icrc);
            }
            if let Some(read) = here(&frame) {
                prop_assert_eq!(Some(read), by_the_model(&frame));
            }
        }
    }
}
