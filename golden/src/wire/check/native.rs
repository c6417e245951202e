//! Checks of native packets, first LRH byte to last VCRC byte.
use super::transport::Transport;
use super::{bytes_at, first_fault, management, read_at, Check};
use crate::event::DropReason;
use crate::port::PortConfig;
use crate::wire::bth::Bth;
use crate::wire::crc::{icrc, vcrc, ICRC_BYTES, VCRC_BYTES};
use crate::wire::frame::Frame;
use crate::wire::grh::{self, Grh};
use crate::wire::header::HeaderFormat;
use crate::wire::length::{max_words, MAX_WORDS, MIN_RAW_WORDS};
use crate::wire::lrh::{Lrh, LNH_GLOBAL, LNH_LOCAL, LNH_RAW, LNH_RAW_IPV6, MANAGEMENT_VL, PERMISSIVE_LID};
use crate::wire::malformed::{Fault, Malformed};
use crate::wire::multicast;
use crate::wire::packet::{Packet, Route};
use crate::wire::raw::{Raw, RawHeader};
use etherparse::Ipv6Header;

struct Native<'a> {
    bytes: &'a [u8],
    lrh: Lrh,
    /// The GRH; zeros if the packet has none.
    grh: Grh,
    /// The port; `None` to accept packets for any port.
    port: Option<&'a PortConfig>,
    /// The port takes packets for multicast groups.
    groups: bool,
}

type NativeCheck = Check<fn(&Native<'_>) -> Option<Fault>>;

/// How the state of a port sees an arriving packet (`link.md` section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// A packet on VL 15.
    Management,
    /// A packet on another VL that passes the checks of the link.
    Data,
    /// A packet on another VL that fails a check of the link.
    Invalid,
    /// A packet shorter than an LRH, which has no VL.
    Runt,
}

impl Traffic {
    /// Returns true if a port in Init may take the packet.
    pub fn may_be_management(self) -> bool {
        matches!(self, Traffic::Management | Traffic::Runt)
    }

    /// Classifies a packet that arrives at this port. `groups` says whether the port takes multicast packets.
    pub fn of(bytes: &[u8], port: &PortConfig, groups: bool) -> Traffic {
        let native = Native::read(bytes, Some(port), groups);
        match first_fault(&LINK, |check| check(&native)) {
            _ if bytes.len() < Lrh::BYTES => Traffic::Runt,
            _ if native.lrh.vl == MANAGEMENT_VL => Traffic::Management,
            Ok(()) => Traffic::Data,
            Err(_) => Traffic::Invalid,
        }
    }
}

/// How the port counts an arriving packet (`link.md` sections 9 and 10, `port_counters.csv`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtLink {
    /// The packet passes checks 1 to 7, which come before the check of its VL's buffer. It has this many words, and
    /// may be for a multicast group by its DLID, whether the port takes such packets or not.
    Received { words: u32, is_multicast: bool },
    /// The packet fails one of those checks.
    Error,
    /// The link marked the packet as bad at its end.
    EndedBad,
}

impl AtLink {
    /// Classifies a packet that the link has not marked as bad at its end.
    pub fn of(bytes: &[u8], port: &PortConfig) -> AtLink {
        let native = Native::read(bytes, Some(port), true);
        let (_, before_address) = LINK.split_last().expect("the checks are not empty");
        match first_fault(before_address, |check| check(&native)) {
            Ok(()) => AtLink::Received {
                words: native.lrh.pkt_len.into(),
                is_multicast: multicast::LIDS.contains(&native.lrh.dlid),
            },
            Err(_) => AtLink::Error,
        }
    }
}

/// The link's checks of any packet. The port does not count a failure of the last one, that of the address.
const LINK: [NativeCheck; 9] = [
    Check {
        reason: DropReason::Length,
        citation: "responder.md section 1 step 1, headers.md section 3",
        fault: |n| {
            let size = n.bytes.len();
            let whole = size % 4 == VCRC_BYTES && n.words() >= MIN_RAW_WORDS;
            (!whole).then_some(Fault::Size(size))
        },
    },
    Check {
        reason: DropReason::Vcrc,
        citation: "responder.md section 1 step 1, crc.md section 4, CF035",
        fault: |n| {
            let covered = n.before(VCRC_BYTES);
            let (received, computed) = (bytes_at(n.bytes, covered.len()), vcrc(covered));
            (received != computed).then_some(Fault::Vcrc { received, computed })
        },
    },
    Check {
        reason: DropReason::LinkVersion,
        citation: "responder.md section 1 step 1, CF039",
        fault: |n| (n.lrh.lver != 0).then_some(Fault::LinkVersion(n.lrh.lver)),
    },
    Check {
        reason: DropReason::Length,
        citation: "responder.md section 1 step 1, CF055",
        fault: |n| {
            let (pkt_len, received) = (n.lrh.pkt_len.into(), n.words());
            (pkt_len != received).then_some(Fault::PktLen { pkt_len, received })
        },
    },
    Check {
        reason: DropReason::Length,
        citation: "headers.md sections 2 and 3, link.md section 9, CF457",
        fault: |n| {
            let (words, lnh, least, most) = (n.words(), n.lrh.lnh, n.least_words(), n.most_words());
            let fault = Fault::Words {
                words,
                lnh,
                least,
                most,
            };
            (!(least..=most).contains(&words)).then_some(fault)
        },
    },
    Check {
        reason: DropReason::Dlid,
        citation: "link.md section 9, CF458",
        fault: |n| n.port.filter(|_| n.lrh.dlid == 0).map(|_| Fault::NoDlid),
    },
    Check {
        reason: DropReason::Vl,
        citation: "link.md section 9, CF456",
        fault: |n| {
            let (Lrh { vl, dlid, .. }, port) = (n.lrh, n.port?);
            let may_arrive = match vl {
                MANAGEMENT_VL => !multicast::LIDS.contains(&dlid),
                _ => vl < port.data_vls,
            };
            (!may_arrive).then_some(Fault::Vl { vl, dlid })
        },
    },
    Check {
        reason: DropReason::Vl15,
        citation: "link.md section 9, special_qps.md section 3 step 2, CF420",
        fault: |n| {
            let is_local = n.lrh.lnh == LNH_LOCAL;
            n.port
                .filter(|_| n.lrh.vl == MANAGEMENT_VL && !is_local)
                .map(|_| Fault::ManagementHeader(n.lrh.lnh))
        },
    },
    Check {
        reason: DropReason::Dlid,
        citation: "responder.md section 1 step 1, link.md section 2, CF046, CF047",
        fault: |n| {
            let &PortConfig { lid, lmc, .. } = n.port?;
            let Lrh { dlid, vl, .. } = n.lrh;
            let reaches_qp0 = vl == MANAGEMENT_VL && dlid == PERMISSIVE_LID;
            let passes = is_own(lid, lmc, dlid) || n.is_multicast() || reaches_qp0;
            (!passes).then_some(Fault::Dlid { dlid, lid, lmc })
        },
    },
];

/// Fails for raw packets, which no service takes.
const TRANSPORT: [NativeCheck; 1] = [Check {
    reason: DropReason::NetworkHeader,
    citation: "responder.md section 1 step 3, lnh.csv",
    fault: |n| n.port.filter(|_| n.is_raw()).map(|_| Fault::Raw(n.lrh.lnh)),
}];

/// The checks of the headers before the IBA transport.
const NETWORK: [NativeCheck; 5] = [
    Check {
        reason: DropReason::Grh,
        citation: "responder.md section 1 step 3, CF053",
        fault: |n| {
            let (found, expected) = (n.grh()?.ipver, grh::IPVER);
            (found != expected).then_some(Fault::IpVersion { found, expected })
        },
    },
    Check {
        reason: DropReason::Grh,
        citation: "responder.md section 1 step 3, CF054",
        fault: |n| {
            let (found, expected) = (n.grh()?.nxt_hdr, grh::NXTHDR_IBA);
            (found != expected).then_some(Fault::NextHeader { found, expected })
        },
    },
    Check {
        reason: DropReason::Length,
        citation: "headers.md section 3, CF012",
        fault: |n| {
            let pay_len = n.grh()?.pay_len.into();
            let expected = (4 * n.words()).saturating_sub(Lrh::BYTES + Grh::BYTES);
            (pay_len != expected).then_some(Fault::PayLen { pay_len, expected })
        },
    },
    Check {
        reason: DropReason::Dgid,
        citation: "responder.md section 1 step 3",
        fault: |n| {
            let (dgid, port) = (n.grh()?.dgid, n.port?);
            let is_ours = port.has_gid(dgid) || n.is_multicast();
            (!is_ours).then_some(Fault::Dgid { dgid, port: port.gid })
        },
    },
    Check {
        reason: DropReason::Icrc,
        citation: "responder.md section 1 step 2, crc.md section 4, CF034",
        fault: |n| {
            let covered = n.before(ICRC_BYTES + VCRC_BYTES);
            let (received, computed) = (bytes_at(n.bytes, covered.len()), icrc(covered));
            (received != computed).then_some(Fault::Icrc { received, computed })
        },
    },
];

/// The checks of a raw packet.
const RAW: [NativeCheck; 2] = [
    Check {
        reason: DropReason::HeaderIncomplete,
        citation: "headers.md section 1",
        fault: |n| {
            let (lnh, words) = (n.lrh.lnh, n.words());
            let least = (Lrh::BYTES + Ipv6Header::LEN) / 4;
            (lnh == LNH_RAW_IPV6 && words < least).then_some(Fault::RawHeader { lnh, words })
        },
    },
    Check {
        reason: DropReason::NetworkHeader,
        citation: "lnh.csv",
        fault: |n| {
            let ([first], expected) = (bytes_at(n.bytes, Lrh::BYTES), 6);
            let wrong = n.lrh.lnh == LNH_RAW_IPV6 && first >> 4 != expected;
            wrong.then_some(Fault::IpVersion {
                found: first >> 4,
                expected,
            })
        },
    },
];

/// Returns true if a packet has a correct VCRC and its PktLen equals the received length (`link.md` section 5).
pub fn is_whole(bytes: &[u8]) -> bool {
    let native = Native::read(bytes, None, false);
    let hides_length = |reason| matches!(reason, DropReason::Vcrc | DropReason::Length);
    let mut checks = LINK.iter().filter(|check| hides_length(check.reason));
    checks.all(|check| (check.fault)(&native).is_none())
}

/// Returns the frame if these bytes pass all checks, for any port.
pub fn decode(bytes: &[u8]) -> Result<Frame, Malformed> {
    let native = Native::read(bytes, None, false);
    first_fault(&LINK, |check| check(&native))?;
    if !native.is_raw() {
        return native.packet().map(Frame::Iba);
    }
    first_fault(&RAW, |check| check(&native))?;
    let lrh = native.lrh;
    let after_lrh = native.before(VCRC_BYTES).get(Lrh::BYTES..).unwrap_or_default();
    match RawHeader::split(lrh.lnh, after_lrh) {
        Some((header, payload)) => {
            let payload = payload.to_vec();
            Ok(Frame::Raw(Raw { lrh, header, payload }))
        }
        None => native.packet().map(Frame::Iba),
    }
}

/// Returns the packet if these bytes pass all checks of this port. `groups` says whether the port takes multicast
/// packets.
pub fn judge(bytes: &[u8], port: &PortConfig, groups: bool) -> Result<Packet, Malformed> {
    let native = Native::read(bytes, Some(port), groups);
    first_fault(&LINK, |check| check(&native))?;
    first_fault(&TRANSPORT, |check| check(&native))?;
    let packet = native.packet()?;
    management::judge(&packet)?;
    Ok(packet)
}

impl<'a> Native<'a> {
    fn read(bytes: &'a [u8], port: Option<&'a PortConfig>, groups: bool) -> Native<'a> {
        let lrh: Lrh = read_at(bytes, 0);
        let grh = match lrh.lnh {
            LNH_GLOBAL => read_at(bytes, Lrh::BYTES),
            _ => Grh::default(),
        };
        Native {
            bytes,
            lrh,
            grh,
            port,
            groups,
        }
    }

    /// Returns the checked packet as one of the IBA transport.
    fn packet(&self) -> Result<Packet, Malformed> {
        first_fault(&NETWORK, |check| check(self))?;
        let (route, transport_at) = match self.grh() {
            Some(grh) => (Route::Global(self.lrh, *grh), Lrh::BYTES + Grh::BYTES),
            None => (Route::Local(self.lrh), Lrh::BYTES),
        };
        let transport = self.before(ICRC_BYTES + VCRC_BYTES).get(transport_at..);
        let mtu = self.port.map(|port| port.mtu);
        Transport::read(transport.unwrap_or_default(), mtu).judge(route)
    }

    /// Returns the number of words before the VCRC.
    fn words(&self) -> usize {
        self.bytes.len().saturating_sub(VCRC_BYTES) / 4
    }

    /// Returns true if the packet is for a multicast group. Which group it is does not matter to the link.
    fn is_multicast(&self) -> bool {
        self.groups && multicast::LIDS.contains(&self.lrh.dlid)
    }

    fn is_raw(&self) -> bool {
        matches!(self.lrh.lnh, LNH_RAW | LNH_RAW_IPV6)
    }

    fn grh(&self) -> Option<&Grh> {
        (self.lrh.lnh == LNH_GLOBAL).then_some(&self.grh)
    }

    fn least_words(&self) -> usize {
        let headers = match self.lrh.lnh {
            LNH_LOCAL => Lrh::BYTES + Bth::BYTES,
            LNH_GLOBAL => Lrh::BYTES + Grh::BYTES + Bth::BYTES,
            _ => return MIN_RAW_WORDS,
        };
        (headers + ICRC_BYTES) / 4
    }

    fn most_words(&self) -> usize {
        self.port.map_or(MAX_WORDS, |port| max_words(port.mtu.bytes()))
    }

    /// Returns all bytes but the last `end`.
    fn before(&self, end: usize) -> &'a [u8] {
        &self.bytes[..self.bytes.len().saturating_sub(end)]
    }
}

/// Returns true if `dlid` is a unicast LID of the port: its low LMC bits are ignored.
fn is_own(lid: u16, lmc: u8, dlid: u16) -> bool {
    let path_bits = (1_u16 << lmc.min(7)) - 1;
    (0x0001..=0xBFFF).contains(&dlid) && dlid & !path_bits == lid
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CF046, CF047.
    #[test]
    fn a_port_answers_to_2_to_the_lmc_lids() {
        let own: Vec<u16> = (0..=0xFFFF).filter(|&dlid| is_own(0x0010, 2, dlid)).collect();
        assert_eq!(own, [0x10, 0x11, 0x12, 0x13]);
    }

    /// A port with a LID out of range accepts nothing.
    #[test]
    fn no_lid_but_a_unicast_one_is_answered() {
        for lid in [0, 0xC000, 0xFFFF] {
            assert!(!is_own(lid, 0, lid), "{lid:04X}h");
        }
    }
}
