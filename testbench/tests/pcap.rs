//! What `--pcap` writes must decode in Wireshark without a malformed packet.
mod tshark;

use hca_golden::port::Link;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};
use hca_testbench::trace::pcap::PcapTrace;
use hca_testbench::trace::PacketRecord;
use hca_testbench::Side;

fn packet(opcode: u8, psn: u32, extensions: Vec<Extension>, payload: Vec<u8>) -> Packet {
    Packet {
        route: Route::Local(Lrh {
            dlid: 2,
            slid: 1,
            ..Lrh::default()
        }),
        bth: Bth {
            opcode,
            a: extensions.is_empty(),
            psn,
            dest_qp: 0xB23,
            p_key: 0xFFFF,
            ..Bth::default()
        },
        extensions,
        payload,
    }
}

#[test]
fn tshark_reads_every_field_back() {
    let aeth = |syndrome, msn| vec![Extension::Aeth(Aeth { syndrome, msn })];
    let sent = [
        (Side::X, 1, packet(0x00, 100, vec![], vec![0x5A; 2048])),
        (Side::X, 1, packet(0x04, 101, vec![], vec![1, 2, 3])),
        (Side::X, 2, packet(0x04, 102, vec![], vec![])),
        (Side::Y, 1, packet(0x11, 100, aeth(0x1F, 7), vec![])),
        (Side::Y, 2, packet(0x11, 101, aeth(0x60, 8), vec![])),
        (Side::X, 2, packet(0x00, 0xFF_FFFF, vec![], vec![0xA5; 4096])),
    ];
    let mut trace = PcapTrace::new(Vec::new(), Link::InfiniBand, 125_000_000).unwrap();
    for (n, (from, port, packet)) in sent.iter().enumerate() {
        let bytes = packet.encode().unwrap();
        let cycle = 1_000_000_000 * n as u64 + 1;
        trace
            .packet(&PacketRecord {
                cycle,
                from: *from,
                port: *port,
                link: Link::InfiniBand,
                bytes,
            })
            .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.pcap");
    std::fs::write(&path, trace.into_inner()).unwrap();
    let names = [
        "frame.time_epoch",
        "frame.protocols",
        "erf.flags.cap",
        "erf.rlen",
        "erf.wlen",
        "infiniband.lrh.pktlen",
        "infiniband.bth.opcode",
        "infiniband.bth.psn",
        "infiniband.bth.a",
        "infiniband.aeth.syndrome",
        "infiniband.aeth.msn",
        "infiniband.variant.crc",
        "_ws.malformed",
        "_ws.expert.message",
    ];
    let Some(lines) = tshark::fields(&path, &[], &names) else {
        return;
    };
    assert_eq!(lines.len(), sent.len(), "{lines:?}");
    for (n, ((_, _, packet), fields)) in sent.iter().zip(lines).enumerate() {
        let bytes = packet.encode().unwrap();
        let number = |i: usize| -> Option<u64> {
            let f = fields[i].as_str();
            match f.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).ok(),
                None => f.parse().ok(),
            }
        };
        assert_eq!(fields[0], format!("{}.000000008", 8 * n), "{fields:?}");
        assert!(fields[1].starts_with("erf:infiniband"), "{fields:?}");
        assert_eq!(number(2), Some([0, 0, 2, 1, 3, 2][n]), "{fields:?}");
        assert_eq!(number(3), Some(bytes.len() as u64 + 16), "{fields:?}");
        assert_eq!(number(4), Some(bytes.len() as u64), "{fields:?}");
        assert_eq!(number(5), Some((bytes.len() as u64 - 2) / 4), "{fields:?}");
        assert_eq!(number(6), Some(packet.bth.opcode.into()), "{fields:?}");
        assert_eq!(number(7), Some(packet.bth.psn.into()), "{fields:?}");
        let aeth = packet.aeth();
        assert_eq!(number(9), aeth.map(|a| a.syndrome.into()), "{fields:?}");
        assert_eq!(number(10), aeth.map(|a| a.msn.into()), "{fields:?}");
        let vcrc = bytes[bytes.len() - 2..]
            .iter()
            .fold(0, |v, b| v << 8 | u64::from(*b));
        assert_eq!(number(11), Some(vcrc), "{fields:?}");
        assert_eq!(fields[12..], ["", ""], "{fields:?}");
    }
}
