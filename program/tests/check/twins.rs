//! Each finding beside its twin: sound traffic of the same shape, in which nothing is found. A rule without a pair of
//! its own does not compile.
use super::communication::agreement;
use super::credits::Credited;
use super::made::{ack, atomic, atomic_answer, nak, only, remote, request, response, ACK};
use super::sweep::found;
use super::unreliable::{datagram, from_qp1, mad, messages};
use super::*;
use hca_golden::wire::crc::{icrc, icrc_roce_v2, vcrc};
use hca_testbench::check::Rule;
use pcap_file::pcap::PcapHeader;
use pcap_file::DataLink;

const PMTU: usize = 1024;
const SEQUENCE: u8 = 0x60;
/// Not ready for 10 us.
const NOT_READY: u8 = 0x21;

/// Traffic that breaks a rule, and traffic that does not.
enum Pair {
    /// Packets, so many microseconds apart.
    Packets(u64, Vec<Packet>, Vec<Packet>),
    /// One packet each, byte for byte, of this link type.
    Bytes(DataLink, Vec<u8>, Vec<u8>),
}

fn with(mut packet: Packet, edit: impl FnOnce(&mut Packet)) -> Packet {
    edit(&mut packet);
    packet
}

/// Packets a microsecond apart.
fn both<const A: usize, const B: usize>(bad: [Packet; A], good: [Packet; B]) -> Pair {
    Pair::Packets(1, bad.to_vec(), good.to_vec())
}

/// A message of full packets whose last one is this, and its twin.
fn message(bad: Packet, good: Packet) -> Pair {
    let first = request(0x00, 5, PMTU);
    both([first.clone(), bad], [first, good])
}

/// A Read of three responses, the middle one at this place of the bad traffic.
fn read(middle: Option<Packet>) -> Pair {
    let read = remote(0x0C, 5, 0, 2 * PMTU as u32 + 100);
    let first = response(0x0D, 5, PMTU);
    let last = response(0x0F, 7, 100);
    let good = [read.clone(), first.clone(), response(0x0E, 6, PMTU), last.clone()];
    let mut bad = vec![read, first];
    bad.extend(middle);
    bad.push(last);
    Pair::Packets(1, bad, good.to_vec())
}

/// A frame of RoCEv2 that is edited, its CRC put right, and the same as it was.
fn frame(edit: impl FnOnce(&mut Vec<u8>)) -> Pair {
    let good = request(0x04, 5, 64).encode().unwrap();
    let mut bad = good.clone();
    edit(&mut bad);
    // The checksum of the IP header is made anew, too.
    bad[24..26].fill(0);
    let words = bad[14..34]
        .chunks(2)
        .map(|word| u32::from(word[0]) << 8 | u32::from(word[1]));
    let sum: u32 = words.sum();
    let sum = (sum & 0xFFFF) + (sum >> 16);
    bad[24..26].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    let end = bad.len() - 4;
    let crc = icrc_roce_v2(&bad[14..end]);
    bad[end..].copy_from_slice(&crc);
    Pair::Bytes(DataLink::ETHERNET, bad, good)
}

/// A packet of native InfiniBand that is edited; `is_whole`: its CRCs are put right.
fn native(is_whole: bool, edit: impl FnOnce(&mut Vec<u8>)) -> Pair {
    let file = std::fs::read(capture("field/ib247.pcap")).unwrap();
    // Behind the headers of the file and of its first record.
    let good = file[40..40 + 90].to_vec();
    let mut bad = good.clone();
    edit(&mut bad);
    if is_whole {
        let end = bad.len() - 6;
        let crc = icrc(&bad[..end]);
        bad[end..end + 4].copy_from_slice(&crc);
        let crc = vcrc(&bad[..end + 4]);
        bad[end + 4..].copy_from_slice(&crc);
    }
    Pair::Bytes(DataLink::Unknown(247), bad, good)
}

/// The ERF record of this link packet, and that of a sound one: Op 0, FCTBS 291, VL 3, FCCL 1110 (`fcp_vectors.csv`).
fn link_packet(bad: [u8; 6]) -> Pair {
    let record = |packet| [&[0; 8][..], &[25, 4, 0, 22, 0, 0, 0, 6], packet].concat();
    let good = [0x01, 0x23, 0x34, 0x56, 0xD1, 0x9F];
    Pair::Bytes(DataLink::ERF, record(&bad), record(&good))
}

/// Credits that are counted: what comes behind a message that was acknowledged without one.
fn credited(bad: impl FnOnce(&mut Credited), good: impl FnOnce(&mut Credited)) -> Pair {
    let made = |more: &mut dyn FnMut(&mut Credited)| {
        let mut sent = Credited::without_a_credit();
        more(&mut sent);
        sent.packets
    };
    let (mut bad, mut good) = (Some(bad), Some(good));
    Pair::Packets(
        1,
        made(&mut |sent| bad.take().unwrap()(sent)),
        made(&mut |sent| good.take().unwrap()(sent)),
    )
}

/// Packets of UC, one of them edited.
fn unreliable(at: usize, edit: impl FnOnce(&mut Packet)) -> Pair {
    let good = messages();
    let mut bad = good.clone();
    edit(&mut bad[at]);
    Pair::Packets(1, bad, good)
}

/// What the connection managers agree on, a Send of two packets so many times, and an RNR NAK before each but the first
/// if there is a syndrome.
fn tries(times: usize, syndrome: Option<u8>) -> Vec<Packet> {
    let [asks, replies] = agreement(&only(5), &ack(5, 1), 2, 2);
    let mut packets = vec![asks, replies];
    for time in 0..times {
        if let Some(syndrome) = syndrome.filter(|_| time > 0) {
            packets.push(nak(5, syndrome, 0));
        }
        packets.extend([only(5), only(6)]);
    }
    packets
}

fn pair(rule: Rule) -> Pair {
    match rule {
        // More pad than there are bytes.
        Rule::Malformed => frame(|bytes| {
            bytes[43] |= 0x30;
            bytes.drain(54..118);
            (bytes[17], bytes[39]) = (bytes[17] - 64, bytes[39] - 64);
        }),
        Rule::Icrc => {
            let Pair::Bytes(link, mut bad, good) = frame(|_| ()) else {
                unreachable!()
            };
            *bad.last_mut().unwrap() ^= 1;
            Pair::Bytes(link, bad, good)
        }
        Rule::Vcrc => native(false, |bytes| *bytes.last_mut().unwrap() ^= 1),
        Rule::Lpcrc => link_packet([0x01, 0x23, 0x24, 0x56, 0xD1, 0x9F]),
        Rule::LinkOp => link_packet([0x21, 0x23, 0x34, 0x56, 0x07, 0x50]),
        Rule::LinkVersion => native(true, |bytes| bytes[0] |= 1),
        Rule::TransportVersion => frame(|bytes| bytes[43] |= 1),
        Rule::UnknownOpcode => frame(|bytes| bytes[42] = 0x1F),
        Rule::UnreliableOpcode => frame(|bytes| bytes[42] = 0x3F),
        Rule::DatagramOpcode => frame(|bytes| bytes[42] = 0x7F),
        Rule::PacketLength => native(true, |bytes| bytes[5] -= 1),
        // A Write's headers need more bytes than there are.
        Rule::HeaderIncomplete => frame(|bytes| {
            bytes[42] = 0x0A;
            bytes.drain(54..118);
            (bytes[17], bytes[39]) = (bytes[17] - 64, bytes[39] - 64);
        }),
        Rule::RequestPsn => both([only(5), only(7)], [only(5), only(6)]),
        Rule::OutstandingPsns => {
            let far = |step: u32| (0..260).map(move |n| only((5 + n * step) & 0xFF_FFFF));
            let begin = || [only(4), ack(4, 1)].into_iter();
            Pair::Packets(
                1,
                begin().chain(far(1 << 15)).collect(),
                begin().chain(far(1)).collect(),
            )
        }
        Rule::OpcodeSequence => message(request(0x00, 6, PMTU), request(0x01, 6, PMTU)),
        Rule::FullPackets => message(request(0x01, 6, 1000), request(0x01, 6, PMTU)),
        Rule::LastLength => message(request(0x02, 6, 0), request(0x02, 6, 1)),
        Rule::OnlyLength => {
            let before = [request(0x00, 5, PMTU), request(0x02, 6, 100)];
            let only = |bytes| [before[0].clone(), before[1].clone(), request(0x04, 7, bytes)];
            both(only(PMTU + 4), only(PMTU))
        }
        Rule::MessageLength => {
            let write = |bytes| [remote(0x06, 5, PMTU, 2 * PMTU as u32), request(0x08, 6, bytes)];
            both(write(1000), write(PMTU))
        }
        Rule::SolicitedEvent => {
            let solicits = |packet: &mut Packet| packet.bth.se = true;
            both(
                [with(remote(0x0A, 5, 64, 64), solicits)],
                [with(only(5), solicits)],
            )
        }
        Rule::SolicitedSend => {
            let solicits = |packet: &mut Packet| packet.bth.se = true;
            let (first, last) = (request(0x00, 5, PMTU), request(0x02, 6, 8));
            both([with(first.clone(), solicits)], [first, with(last, solicits)])
        }
        Rule::AckRequest => both([with(only(5), |packet| packet.bth.a = false)], [only(5)]),
        Rule::Resent => {
            let again = |byte: u8| [only(5), only(6), with(only(5), |packet| packet.payload[0] = byte)];
            both(again(8), again(7))
        }
        Rule::UnknownPsn => both(
            [only(5), ack(5, 1), ack(9, 2)],
            [only(5), ack(5, 1), only(6), ack(6, 2)],
        ),
        Rule::ResponseOrder => {
            let late = |msn| [only(5), only(6), only(7), ack(7, 3), ack(6, msn)];
            both(late(1), late(2))
        }
        Rule::OwnResponse => {
            let read = remote(0x0C, 5, 0, 64);
            both(
                [read.clone(), only(6), ack(6, 2)],
                [read, only(6), response(0x10, 5, 64), ack(6, 2)],
            )
        }
        Rule::ReadResponse => read(None),
        Rule::ReadLength => read(Some(response(0x0E, 6, 1000))),
        Rule::AtomicResponse => both(
            [only(5), atomic_answer(5, ACK, 1)],
            [atomic(5, 8), atomic_answer(5, ACK, 1)],
        ),
        Rule::Msn => {
            let counts = |msn| [only(5), ack(5, 1), only(6), ack(6, msn)];
            both(counts(9), counts(2))
        }
        Rule::RepeatedNak => {
            let nak = nak(6, SEQUENCE, 1);
            both(
                [only(5), only(6), only(7), nak.clone(), ack(5, 1), nak.clone()],
                [only(5), only(6), only(7), nak.clone(), only(6), nak],
            )
        }
        Rule::AfterFatalNak => both(
            [only(5), only(6), nak(5, 0x61, 0), ack(6, 1)],
            [only(5), only(6), ack(5, 1), nak(6, 0x61, 1)],
        ),
        Rule::RnrNak => both(
            [remote(0x0A, 5, 64, 64), nak(5, NOT_READY, 0)],
            [only(5), nak(5, NOT_READY, 0)],
        ),
        Rule::ReservedBit => both([only(5), nak(5, 0x9F, 1)], [only(5), ack(5, 1)]),
        Rule::ReservedSyndrome => both([only(5), nak(5, 0x45, 1)], [only(5), ack(5, 1)]),
        Rule::RefusingResponse => both(
            [atomic(5, 8), atomic_answer(5, 0x62, 1)],
            [atomic(5, 8), atomic_answer(5, ACK, 1)],
        ),
        Rule::AckFields => both(
            [only(5), with(ack(5, 1), |packet| packet.bth.a = true)],
            [only(5), ack(5, 1)],
        ),
        Rule::AnswerQp => {
            let to = |dest_qp: u32| {
                let around = [ack(5, 1), ack(6, 2), ack(8, 4)];
                let astray = with(ack(7, 3), |packet| packet.bth.dest_qp = dest_qp);
                let [first, second, last] = around;
                [only(5), first, only(6), second, only(7), astray, only(8), last]
            };
            both(to(0x77), to(ack(5, 1).bth.dest_qp))
        }
        Rule::NakPsn => {
            let begin = [only(5), only(6), ack(6, 2)];
            let [a, b, c] = begin.clone();
            both(
                [a.clone(), b.clone(), c.clone(), nak(5, SEQUENCE, 2)],
                [a, b, c, only(7), nak(7, SEQUENCE, 2)],
            )
        }
        Rule::NakMsn => {
            let counts = |msn| [only(5), ack(5, 1), only(6), only(7), nak(7, SEQUENCE, msn)];
            both(counts(9), counts(2))
        }
        Rule::GoneBack => {
            let sent = [only(5), only(6), only(7), nak(5, SEQUENCE, 0)];
            let [a, b, c, d] = sent;
            both(
                [a.clone(), b.clone(), c.clone(), d.clone(), only(6)],
                [a, b, c, d, only(5)],
            )
        }
        Rule::RnrWait => {
            let waits = |timer| vec![only(5), nak(5, timer, 0), only(5)];
            // 655.36 ms, and 10 us.
            Pair::Packets(3, waits(0x20), waits(NOT_READY).into_iter().take(2).collect())
        }
        Rule::Retries => Pair::Packets(20, tries(4, None), tries(3, None)),
        Rule::RnrRetries => Pair::Packets(20, tries(4, Some(NOT_READY)), tries(3, Some(NOT_READY))),
        Rule::NoPayload => both(
            [only(5), with(ack(5, 1), |packet| packet.payload = vec![0; 4])],
            [only(5), ack(5, 1)],
        ),
        Rule::DmaLength => {
            let write = |bytes| [remote(0x06, 5, PMTU, bytes)];
            both(write((1 << 31) + 1), write(1 << 31))
        }
        Rule::AtomicAddress => {
            let at = |va| [atomic(5, va), atomic_answer(5, ACK, 1)];
            both(at(12), at(16))
        }
        Rule::AtomicReplay => {
            let again = |original| {
                let asked = [atomic(5, 8), atomic_answer(5, ACK, 1)];
                let [asks, answers] = asked;
                [asks.clone(), answers, asks, atomic_answer(5, ACK, original)]
            };
            both(again(2), again(1))
        }
        Rule::PKey => {
            let of = |p_key| [only(5), with(only(6), |packet| packet.bth.p_key = p_key)];
            both(of(only(5).bth.p_key ^ 4), of(only(5).bth.p_key ^ 0x8000))
        }
        Rule::CreditProbe => credited(
            |sent| sent.send(0, 5),
            |sent| {
                sent.send(0, 5);
                sent.asking();
            },
        ),
        Rule::CreditRest => {
            let sent = |sent: &mut Credited, is_acked: bool| {
                sent.send(0, 5);
                sent.asking();
                if is_acked {
                    sent.ack(0);
                }
                sent.send(1, 5);
            };
            credited(move |s| sent(s, false), move |s| sent(s, true))
        }
        Rule::CreditOrder => {
            let sent = |sent: &mut Credited, is_acked: bool| {
                sent.send(0, 1);
                if is_acked {
                    sent.ack(2);
                }
                sent.send(0, 1);
            };
            credited(move |s| sent(s, false), move |s| sent(s, true))
        }
        Rule::CreditsTaken => {
            let sent = |sent: &mut Credited, code: u8| {
                sent.send(0, 1);
                sent.ack(6);
                sent.send(0, 1);
                sent.ack(code);
            };
            credited(move |s| sent(s, 4), move |s| sent(s, 5))
        }
        Rule::UnreliableAsks => unreliable(2, |packet| packet.bth.a = true),
        Rule::UnreliableSegments => unreliable(1, |packet| packet.payload.truncate(512)),
        Rule::UnreliableOrder => unreliable(1, |packet| packet.bth.opcode = 0x27),
        Rule::UnreliableLength => unreliable(5, |packet| packet.payload.truncate(96)),
        Rule::MulticastAddress => both([datagram(0xFF_FFFF, 1, 8)], [datagram(0xFF_FFFE, 1, 8)]),
        Rule::MadLength => both(
            [with(mad(0x10), |packet| packet.payload.truncate(252))],
            [mad(0x10)],
        ),
        Rule::Qp1QKey => {
            let keyed = |q_key| {
                let like = datagram(1, q_key, 0);
                [with(mad(0x10), |packet| packet.extensions = like.extensions)]
            };
            both(keyed(0x8001_0001), keyed(0x8001_0000))
        }
        Rule::OwnQKey => both([from_qp1(0x8001_0001)], [from_qp1(0x8001_0000)]),
    }
}

/// The output for a capture of this one packet.
fn told(link: DataLink, bytes: &[u8]) -> assert_cmd::assert::Assert {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.pcap");
    let header = PcapHeader {
        datalink: link,
        ..PcapHeader::default()
    };
    let mut writer = PcapWriter::with_header(File::create(&path).unwrap(), header).unwrap();
    let record = PcapPacket::new(Duration::from_secs(1), bytes.len() as u32, bytes);
    writer.write_packet(&record).unwrap();
    drop(writer);
    check(&path)
}

#[test]
fn every_finding_has_a_twin() {
    let mut wrong = Vec::new();
    for rule in Rule::all() {
        match pair(rule) {
            Pair::Packets(apart, bad, good) => {
                let (bad, good) = (found(&bad, apart), found(&good, apart));
                if !bad.contains(&rule) || !good.is_empty() {
                    wrong.push(format!("{rule:?}: found {bad:?}; in its twin {good:?}"));
                }
            }
            Pair::Bytes(link, bad, good) => {
                told(link, &good).code(0);
                let found = format!("  {}  ", rule.requirement());
                let bad = told(link, &bad);
                let output = String::from_utf8_lossy(&bad.get_output().stdout).into_owned();
                if !output.contains(&found) {
                    wrong.push(format!("{rule:?}: {output}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
