//! Forges packets: puts a packet on the link in the peer's name, with any field, any PSN, any length.
use super::addresses;
use super::places::Places;
use crate::case::limits;
use crate::case::{Base, Forged, ForgedLink, Key};
use crate::wire::repair::{repair, Repair};
use crate::Side;
use hca_golden::hca::QpStatus;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::Service;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::atomic_ack_eth::AtomicAckEth;
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::flow_control::FlowControl;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::header::Unencodable;
use hca_golden::wire::ieth::Ieth;
use hca_golden::wire::immdt::ImmDt;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::multicast::{mac_of, DEST_QP};
use hca_golden::wire::opcode::{Header, Opcode};
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::reth::Reth;
use hca_golden::wire::roce::{Endpoint, Roce};

/// What is known about the receiver of a forged packet.
pub(super) struct Known {
    pub places: Places,
    /// Receiver of the packet.
    pub to: Side,
    pub qp: u8,
    pub qpn: u32,
    /// QPN of the peer's queue pair of the same number.
    pub peer_qpn: u32,
    pub service: Service,
    pub status: QpStatus,
    /// R_Keys of the receiver's regions.
    pub r_keys: [u32; limits::REGIONS as usize],
}

/// UDP source port on a RoCE link, from the dynamic range.
const SOURCE_PORT: u16 = 0xC001;
/// Hop limit of a GRH.
const HOP_LIMIT: u8 = 64;
/// Number of the work request whose areas nothing else uses: one of the last.
const AREA: u64 = 63;
/// Number of the word that only forged atomics use.
const WORD: u64 = 9;
/// Tag that no region has.
const NO_TAG: u32 = 0x7F;
/// Number of bytes of the CRCs at the end of a native packet, and of a RoCE frame.
const NATIVE_CRCS: usize = 6;
const ROCE_CRCS: usize = 4;

impl Forged {
    /// Returns the packet's bytes.
    pub(super) fn bytes(&self, known: &Known) -> Result<Vec<u8>, Unencodable> {
        let link = known.places.link();
        let mut bytes = self.packet(known).encode()?;
        let (crcs, headers) = match link {
            Link::InfiniBand => (NATIVE_CRCS, 8 + 12),
            Link::Roce => (ROCE_CRCS, 14 + 20 + 8 + 12),
        };
        for bit in &self.flips {
            let bit = usize::from(*bit) % (8 * headers);
            bytes[bit / 8] ^= 0x80 >> (bit % 8);
        }
        let whole = bytes.len();
        match usize::try_from(self.longer) {
            Ok(more) => bytes
                .splice(whole - crcs..whole - crcs, vec![0; more])
                .for_each(drop),
            Err(_) => {
                let less = usize::from(self.longer.unsigned_abs()).min(whole - crcs);
                bytes.drain(whole - crcs - less..whole - crcs);
            }
        }
        if self.admitted {
            tell_length(link, &mut bytes);
        }
        if !self.flips.is_empty() || self.longer != 0 {
            repair(link, &mut bytes, Repair::All);
        }
        Ok(bytes)
    }

    fn packet(&self, known: &Known) -> Packet {
        let opcode = self.opcode_for(known);
        let headers = Opcode::of(opcode).map_or(&[][..], |o| o.headers);
        let byte = |n| self.class.filter(|_| n == 1).unwrap_or(n as u8 ^ 0xA5);
        Packet {
            route: self.route(known),
            bth: Bth {
                opcode,
                p_key: known.places.p_key(known.to.other()),
                dest_qp: self.receiver(known),
                a: self.ack_req,
                psn: moved(
                    match self.base {
                        Base::Expected => known.status.expected_psn,
                        Base::Unacknowledged => known.status.unacknowledged_psn,
                        Base::Next => known.status.next_psn,
                    },
                    self.psn,
                ),
                ..Bth::default()
            },
            extensions: headers
                .iter()
                .filter_map(|kind| self.extension(*kind, known))
                .collect(),
            payload: (0..self.payload).map(byte).collect(),
        }
    }

    /// Returns the QPN of the receiver.
    fn receiver(&self, known: &Known) -> u32 {
        let of_case = if self.group.is_some() { DEST_QP } else { known.qpn };
        self.dest_qp.unwrap_or(of_case)
    }

    fn route(&self, known: &Known) -> Route {
        let (places, to, qp) = (&known.places, known.to, known.qp);
        let [own, peer] = [to, to.other()].map(|side| places.port(side));
        let end = |port: &PortConfig| Endpoint {
            mac: port.mac,
            gid: port.gid,
        };
        let mut receiver = Endpoint {
            gid: self.gid.map_or(places.gid(to), |entry| own.gid_at(entry)),
            ..end(&own)
        };
        let mut dlid = places.lid(to, qp);
        if let Some(group) = self.group {
            let (mgid, mlid) = places.group(group);
            receiver = Endpoint {
                mac: mac_of(&mgid),
                gid: mgid,
            };
            dlid = mlid;
        }
        let lrh = Lrh {
            vl: self.vl.unwrap_or(if self.receiver(known) == 0 { 15 } else { 0 }),
            sl: places.sl(qp),
            dlid: self.dlid.unwrap_or(dlid),
            slid: self.slid.unwrap_or(places.lid(to.other(), qp)),
            ..Lrh::default()
        };
        match (places.link(), self.global) {
            (Link::InfiniBand, false) => Route::Local(lrh),
            (Link::InfiniBand, true) => Route::Global(
                lrh,
                Grh {
                    hop_lmt: HOP_LIMIT,
                    sgid: places.gid(to.other()),
                    dgid: receiver.gid,
                    ..Grh::default()
                },
            ),
            (Link::Roce, _) => Route::Roce(Roce::between(end(&peer), receiver, SOURCE_PORT)),
        }
    }

    /// Returns the opcode of a Send or a Write in the class of the queue pair's service, if it has one there (`uc.md`
    /// section 1, `ud.md` section 2).
    fn opcode_for(&self, known: &Known) -> u8 {
        if self.syndrome == 0x60 {
            return self.opcode;
        }
        match (known.service, self.opcode) {
            (Service::Uc, opcode @ 0..=0x0B) => opcode | 0x20,
            (Service::Ud, opcode @ 0..=0x17) => 0x64 | opcode & 1,
            (_, opcode) => opcode,
        }
    }

    fn extension(&self, kind: Header, known: &Known) -> Option<Extension> {
        let r_key = match self.key {
            Key::Right => known.r_keys[0],
            Key::NoRemoteAccess => known.r_keys[1],
            Key::OtherDomain => known.r_keys[2],
            Key::Unknown => known.r_keys[0] | NO_TAG,
        };
        let offset = u64::from(self.offset);
        // A Read reads data that nothing writes.
        let va = match self.opcode {
            _ if self.high => u64::MAX - 7,
            0x0C => known.places.va(addresses::source(known.qp, AREA)),
            _ => known.places.va(addresses::target(known.qp, AREA)),
        };
        let extension = match kind {
            Header::Reth => Extension::Reth(Reth {
                va: va.wrapping_add(offset),
                r_key,
                dma_len: self.dma_length.unwrap_or(self.payload.into()),
            }),
            Header::AtomicEth => Extension::AtomicEth(AtomicEth {
                va: known.places.va(addresses::word(known.qp, WORD)) + offset,
                r_key,
                swap_dt_add_dt: 1,
                cmp_dt: 0,
            }),
            Header::Aeth => Extension::Aeth(Aeth {
                syndrome: self.syndrome,
                msn: moved(known.status.ssn, self.msn),
            }),
            Header::AtomicAckEth => Extension::AtomicAckEth(AtomicAckEth { orig_rem_dt: 0xA5 }),
            Header::ImmDt => Extension::ImmDt(ImmDt { imm_data: [0xA5; 4] }),
            // The region is one that no work under way uses.
            Header::Ieth => Extension::Ieth(Ieth {
                r_key: match self.key {
                    Key::Right => known.r_keys[2],
                    _ => known.r_keys[2] | NO_TAG,
                },
            }),
            Header::Deth if known.service == Service::Ud => Extension::Deth(Deth {
                q_key: known.places.q_key(known.qp, self.q_key),
                src_qp: self.source_qp.unwrap_or(known.peer_qpn),
                ..Deth::default()
            }),
            other => return Extension::parse(other, &vec![0; other.bytes()]),
        };
        Some(extension)
    }
}

impl ForgedLink {
    /// Returns the packet's bytes, at least one. `said` is what the peer would send.
    pub(super) fn bytes(&self, said: FlowControl) -> Vec<u8> {
        let count = |count: u16, by: i16| count.wrapping_add_signed(by) & 0xFFF;
        let packet = FlowControl {
            op: self.op & 15,
            fctbs: count(said.fctbs, self.fctbs),
            vl: self.vl & 15,
            fccl: count(said.fccl, self.fccl),
        };
        let mut bytes = packet.encode().expect("each field has its bits");
        for bit in &self.flips {
            let bit = usize::from(*bit) % (8 * bytes.len());
            bytes[bit / 8] ^= 0x80 >> (bit % 8);
        }
        let length = bytes.len().saturating_add_signed(self.longer.into());
        bytes.resize(length.max(1), 0);
        bytes
    }
}

/// Sets the frame length in LRH, or in IPv4 and UDP, as far as the frame has these fields.
fn tell_length(link: Link, frame: &mut [u8]) {
    let bytes = frame.len();
    let stated: &[(usize, usize)] = match link {
        // PktLen: words from LRH to ICRC.
        Link::InfiniBand => &[(4, (bytes.saturating_sub(2) / 4) & 0x7FF)],
        Link::Roce => &[
            (14 + 2, bytes.saturating_sub(14)),
            (14 + 20 + 4, bytes.saturating_sub(14 + 20)),
        ],
    };
    for (at, length) in stated {
        if let Some(field) = frame.get_mut(*at..at + 2) {
            field.copy_from_slice(&(*length as u16).to_be_bytes());
        }
    }
}

/// Returns a 24-bit number plus a difference.
fn moved(number: u32, by: i32) -> u32 {
    number.wrapping_add_signed(by) & 0xFF_FFFF
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::QKey;
    use hca_golden::verbs::QpState;
    use hca_golden::wire::frame::Frame;

    fn plain() -> Forged {
        Forged {
            base: Base::Unacknowledged,
            psn: -1,
            ack_req: false,
            msn: 1,
            ..Forged::expected(0x11)
        }
    }

    fn known(link: Link) -> Known {
        Known {
            places: Places::new(link, 0),
            to: Side::Y,
            qp: 1,
            qpn: 0x103,
            peer_qpn: 0x102,
            service: Service::Rc,
            status: QpStatus {
                state: QpState::Rts,
                expected_psn: 7,
                msn: 2,
                next_psn: 30,
                unacknowledged_psn: 0,
                ssn: 5,
                lsn: None,
            },
            r_keys: [0x11, 0x22, 0x33],
        }
    }

    fn decoded(link: Link, forged: &Forged) -> Result<Packet, String> {
        let bytes = forged.bytes(&known(link)).unwrap();
        let frame = Frame::decode(link, &bytes).map_err(|m| format!("{:?}", m.reason))?;
        Ok(frame.packet().unwrap())
    }

    #[test]
    fn an_ack_is_the_peers_but_for_what_was_forged() {
        for link in [Link::InfiniBand, Link::Roce] {
            let packet = decoded(link, &plain()).unwrap();
            assert_eq!(
                (packet.bth.psn, packet.bth.dest_qp, packet.bth.opcode),
                (0xFF_FFFF, 0x103, 0x11)
            );
            let (syndrome, msn) = (0x1F, 6);
            assert_eq!(packet.extensions, [Extension::Aeth(Aeth { syndrome, msn })]);
        }
    }

    #[test]
    fn a_datagram_has_the_right_keys_but_for_what_was_forged() {
        let known = Known {
            service: Service::Ud,
            ..known(Link::InfiniBand)
        };
        let forged = Forged {
            q_key: QKey::Wrong(3),
            slid: Some(0xFFFF),
            global: true,
            ..Forged::expected(0x05)
        };
        let packet = forged.packet(&known);
        let q_key = known.places.q_key(1, QKey::Right) ^ 8;
        let (src_qp, resv8) = (0x102, 0);
        let deth = Extension::Deth(Deth { q_key, resv8, src_qp });
        assert_eq!(packet.bth.opcode, 0x65);
        assert!(packet.extensions.contains(&deth), "{:?}", packet.extensions);
        assert_eq!(packet.lrh().map(|lrh| lrh.slid), Some(0xFFFF));
        assert!(packet.grh().is_some());
    }

    #[test]
    fn a_multicast_packet_has_the_address_of_its_group() {
        for link in [Link::InfiniBand, Link::Roce] {
            let known = Known {
                service: Service::Ud,
                ..known(link)
            };
            let forged = Forged {
                group: Some(1),
                global: true,
                ..Forged::expected(0x64)
            };
            let packet = forged.packet(&known);
            let (mgid, mlid) = known.places.group(1);
            assert_eq!(packet.bth.dest_qp, 0xFF_FFFF);
            match link {
                Link::InfiniBand => {
                    assert_eq!(packet.lrh().map(|lrh| lrh.dlid), Some(mlid));
                    assert_eq!(packet.grh().map(|grh| grh.dgid), Some(mgid));
                }
                Link::Roce => assert_eq!(
                    packet.roce().map(|roce| roce.ethernet.destination),
                    Some(mac_of(&mgid))
                ),
            }
        }
    }

    #[test]
    fn lengths_and_bits_differ_and_crcs_are_right() {
        for link in [Link::InfiniBand, Link::Roce] {
            for longer in [-3, 4, -200] {
                let forged = Forged { longer, ..plain() };
                let reason = decoded(link, &forged).unwrap_err();
                assert!(!reason.contains("crc"), "{link:?} {longer}: {reason}");
            }
            let admitted = |longer| Forged {
                longer,
                admitted: true,
                ..Forged::expected(0x0C)
            };
            assert_eq!(decoded(link, &admitted(-8)).unwrap_err(), "HeaderIncomplete");
            assert_eq!(decoded(link, &admitted(4)).unwrap().payload, [0; 4]);
            // This flips the lowest bit of the PSN.
            let flips = match link {
                Link::InfiniBand => vec![159],
                Link::Roce => vec![431],
            };
            let packet = decoded(link, &Forged { flips, ..plain() }).unwrap();
            assert_eq!(packet.bth.psn, 0xFF_FFFE);
        }
    }

    #[test]
    fn every_opcode_can_be_forged() {
        for opcode in 0..=255 {
            for payload in [0, 1, 4100] {
                let forged = Forged {
                    opcode,
                    payload,
                    ..plain()
                };
                assert!(
                    forged.bytes(&known(Link::InfiniBand)).is_ok(),
                    "{opcode:02X}h, {payload}"
                );
            }
        }
    }
}
