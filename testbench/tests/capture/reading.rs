//! Every kind of record is read; every fault has its message and its place, and what came before it is read.
use crate::files::{block, enhanced, interface, pcap, section};
use hca_golden::wire::crc::{icrc, vcrc};
use hca_testbench::capture::layer::Layer;
use hca_testbench::capture::{Capture, Content, Record};
use std::time::Duration;

/// Packets up to the fault, and the fault's words.
fn read(file: &[u8]) -> (Vec<Record>, Option<String>) {
    let mut records = Vec::new();
    match Capture::new(file) {
        Err(fault) => (records, Some(fault.to_string())),
        Ok(capture) => {
            for record in capture {
                match record {
                    Ok(record) => records.push(record),
                    Err(fault) => return (records, Some(fault.to_string())),
                }
            }
            (records, None)
        }
    }
}

fn fault(file: &[u8]) -> (usize, String) {
    let (records, fault) = read(file);
    (records.len(), fault.expect("a fault"))
}

const TWO: [(u32, &[u8]); 2] = [(1_000_002, &[1, 2, 3]), (5, &[4; 70])];

#[test]
fn a_pcap_gives_its_packets() {
    let (records, fault) = read(&pcap(1, &TWO));
    assert_eq!(fault, None);
    assert_eq!(records.len(), 2);
    assert_eq!((records[0].number, &records[0].bytes[..]), (1, &[1, 2, 3][..]));
    assert_eq!(records[0].time, Duration::new(1, 2000));
    assert_eq!((records[1].number, records[1].wire_length), (2, 70));
    assert_eq!(records[1].content, Content::Ethernet);
}

#[test]
fn either_byte_order_and_resolution_of_a_pcap() {
    let swapped = |file: &[u8], words: &[usize], halves: &[usize]| {
        let mut file = file.to_vec();
        for &at in words {
            file[at..at + 4].reverse();
        }
        for &at in halves {
            file[at..at + 2].reverse();
        }
        file
    };
    let mut file = pcap(1, &TWO[..1]);
    file[0] = 0x4D;
    file[1] = 0x3C;
    assert_eq!(read(&file).0[0].time, Duration::new(1, 2));
    let big = swapped(&file, &[0, 8, 12, 16, 20, 24, 28, 32, 36], &[4, 6]);
    assert_eq!(read(&big), read(&file));
}

#[test]
fn a_packet_that_was_cut_keeps_its_length() {
    let mut file = pcap(1, &TWO);
    file[36..40].copy_from_slice(&1090u32.to_le_bytes());
    let (records, fault) = read(&file);
    assert_eq!(fault, None);
    assert_eq!((records[0].bytes.len(), records[0].wire_length), (3, 1090));
}

/// Some writers put 0 there.
#[test]
fn a_length_on_the_wire_below_what_was_kept_is_passed_over() {
    for told in [0u32, 2] {
        let mut file = pcap(1, &TWO);
        file[36..40].copy_from_slice(&told.to_le_bytes());
        let (records, fault) = read(&file);
        assert_eq!((records.len(), fault), (2, None));
        assert_eq!(
            (&records[0].bytes[..], records[0].wire_length),
            (&[1, 2, 3][..], 3)
        );
    }
}

#[test]
fn a_frame_check_sequence_that_is_announced_is_no_part_of_the_frame() {
    let (records, _) = read(&pcap(0x2400_0001, &TWO));
    assert_eq!((records[1].bytes.len(), records[1].wire_length), (66, 66));
    let file = [section(), interface(1, &[(13, &[32])]), enhanced(0, 0, &[7; 64])].concat();
    assert_eq!(read(&file).0[0].bytes.len(), 60);
}

#[test]
fn a_native_packet_comes_out_of_its_erf_record() {
    let mut record = vec![0; 8];
    record.extend([21, 4, 0, 46, 0, 0, 0, 30]);
    record.extend([9; 30]);
    let mut ethernet = record.clone();
    ethernet[8] = 2;
    let (records, _) = read(&pcap(197, &[(0, &record), (0, &ethernet), (0, &record[..40])]));
    assert_eq!(
        (records[0].content, &records[0].bytes[..]),
        (Content::InfiniBand, &[9; 30][..])
    );
    // Behind two bytes of offset and pad there is a frame.
    assert_eq!(
        (records[1].content, &records[1].bytes[..]),
        (Content::Ethernet, &[9; 28][..])
    );
    assert_eq!((records[2].bytes.len(), records[2].wire_length), (24, 30));
}

#[test]
fn a_link_packet_comes_out_of_its_erf_record() {
    let mut record = vec![0; 8];
    record.extend([25, 4, 0, 64, 0, 0, 0, 48]);
    record.extend([1, 2, 3, 4, 5, 6]);
    record.extend([0xFF; 42]);
    let (records, fault) = read(&pcap(197, &[(0, &record), (0, &record[..20])]));
    assert!(fault.is_none(), "{fault:?}");
    assert_eq!(
        (records[0].content, &records[0].bytes[..], records[0].wire_length),
        (Content::Link, &[1, 2, 3, 4, 5, 6][..], 6)
    );
    // Cut within the packet.
    assert_eq!((records[1].bytes.len(), records[1].wire_length), (4, 48));
}

#[test]
fn a_pcapng_gives_its_packets() {
    let simple = [&70u32.to_be_bytes()[..], &[4; 70]].concat();
    let file = [
        section(),
        interface(1, &[]),
        interface(1, &[(9, &[9])]),
        interface(1, &[(9, &[0x8A]), (14, &100u64.to_be_bytes())]),
        block(0x0BAD, &[1; 7]),
        enhanced(0, 3_000_001, &[1, 2, 3]),
        enhanced(1, 3_000_001, &[1]),
        enhanced(2, 3 * 1024 + 512, &[1]),
        block(3, &simple),
        section(),
        interface(197, &[]),
    ]
    .concat();
    let (records, fault) = read(&file);
    assert_eq!(fault, None);
    let times: Vec<Duration> = records.iter().map(|r| r.time).collect();
    assert_eq!(
        times,
        [
            Duration::new(3, 1000),
            Duration::new(0, 3_000_001),
            Duration::new(103, 500_000_000),
            Duration::ZERO
        ]
    );
    assert_eq!(records[0].bytes, [1, 2, 3]);
    assert_eq!(records[3].bytes, [4; 70]);
}

/// With other bytes at this place.
fn with_bytes(mut file: Vec<u8>, at: usize, bytes: [u8; 2]) -> Vec<u8> {
    file[at..at + 2].copy_from_slice(&bytes);
    file
}

#[test]
fn what_is_no_capture_is_reported() {
    for (file, message) in [
        (&[][..], "file header at byte 0: the file is empty"),
        (
            b"<html>",
            "neither pcap nor pcapng, it begins with [3C, 68, 74, 6D]",
        ),
        (&[0xD4], "neither pcap nor pcapng, it begins with [D4]"),
        (
            &[0x1F, 0x8B, 8, 0],
            "neither pcap nor pcapng, it begins with [1F, 8B, 08, 00]",
        ),
        (&pcap(1, &[])[..20], "cut short: 24 bytes claimed, 20 there"),
        (&section()[..10], "cut short: 12 bytes claimed, 10 there"),
        (
            &with_bytes(pcap(1, &TWO), 4, [3, 0]),
            "a pcap of version 3; 2 is the only one that is known",
        ),
        (
            &with_bytes(pcap(1, &TWO), 4, [0, 2]),
            "a pcap of version 512; 2 is the only one that is known",
        ),
        (
            &with_bytes(section(), 12, [0, 2]),
            "a section of version 2; 1 is the only one that is known",
        ),
        (
            &with_bytes(section(), 8, [0x1B, 0x2B]),
            "a section whose byte-order magic is [1B, 2B, 3C, 4D], not [1A, 2B, 3C, 4D] or the same backwards",
        ),
        (
            &pcap(147, &[]),
            "link type 147; known are 1 (Ethernet), 197 (ERF), 247 (InfiniBand), 113 and 276 (Linux cooked), 12, 14, 101, 228 and 229 (IP)",
        ),
    ] {
        let (records, fault) = fault(file);
        assert_eq!(records, 0);
        assert!(fault.starts_with("file header at byte 0: "), "{fault}");
        assert!(fault.ends_with(message), "{fault}");
    }
}

#[test]
fn a_pcap_s_fault_has_its_place() {
    let whole = pcap(1, &TWO);
    let second = 24 + 16 + 3;
    let claiming = |bytes: u32| {
        let mut file = whole.clone();
        file[second + 8..second + 12].copy_from_slice(&bytes.to_le_bytes());
        file
    };
    for (file, message) in [
        (
            whole[..whole.len() - 1].to_vec(),
            "cut short: 86 bytes claimed, 85 there",
        ),
        (
            whole[..second + 9].to_vec(),
            "cut short: 16 bytes claimed, 9 there",
        ),
        (claiming(0), "it holds no byte of a packet"),
        (
            claiming(u32::MAX),
            "a packet of 4294967295 bytes is claimed, 262144 are believed at most",
        ),
        (claiming(262_144), "cut short: 262160 bytes claimed, 86 there"),
    ] {
        assert_eq!(fault(&file), (1, format!("record 2 at byte 43: {message}")));
    }
}

#[test]
fn an_erf_record_needs_its_header() {
    assert_eq!(
        fault(&pcap(197, &[(0, &[0; 15])])),
        (
            0,
            "record 1 at byte 24: an ERF header has 16 bytes and what its extensions take, the record has 15"
                .to_owned()
        )
    );
}

#[test]
fn a_pcapng_s_fault_has_its_place() {
    let begin = [
        section(),
        interface(1, &[]),
        interface(147, &[]),
        enhanced(0, 0, &[1; 8]),
    ]
    .concat();
    let at = begin.len();
    let with = |last: &[u8]| [&begin[..], last].concat();
    let claiming = |bytes: u32| {
        let mut block = enhanced(0, 0, &[1; 8]);
        block[4..8].copy_from_slice(&bytes.to_be_bytes());
        with(&block)
    };
    let mut trailer = enhanced(0, 0, &[1; 8]);
    trailer[39] ^= 1;
    let mut overlong = enhanced(0, 0, &[1; 8]);
    overlong[20..24].copy_from_slice(&9u32.to_be_bytes());
    let mut second = section();
    second[11] ^= 1;
    let mut options = interface(1, &[(9, &[6])]);
    options[19] = 200;
    for (file, message) in [
        (with(&[0, 0, 0, 6, 0]), "cut short: 8 bytes claimed, 5 there"),
        (claiming(48), "cut short: 48 bytes claimed, 40 there"),
        (claiming(0), "a block of 0 bytes is claimed"),
        (claiming(10), "a block of 10 bytes is claimed"),
        (claiming(u32::MAX), "a block of 4294967295 bytes is claimed"),
        (claiming(0xFFFF_FFFC), "a block of 4294967292 bytes is claimed"),
        (with(&trailer), "a block of 40 bytes ends as one of 41"),
        (with(&overlong), "a packet of 9 bytes is claimed in a block of 40"),
        (with(&enhanced(0, 0, &[])), "it holds no byte of a packet"),
        (
            with(&enhanced(9, 0, &[1])),
            "interface 9 was not described before",
        ),
        (
            with(&block(6, &[0; 8])),
            "an enhanced packet block of 20 bytes with a field that the format does not allow",
        ),
        (
            with(&options),
            "an interface description block of 32 bytes with a field",
        ),
        (
            with(&second),
            "a section whose byte-order magic is [1A, 2B, 3C, 4C]",
        ),
        (
            with(&with_bytes(section(), 12, [9, 9])),
            "a section of version 2313",
        ),
    ] {
        let (records, fault) = fault(&file);
        assert_eq!(records, 1, "{fault}");
        assert!(
            fault.starts_with(&format!("block 5 (record 2) at byte {at}: ")),
            "{fault}"
        );
        assert!(fault.contains(message), "{fault}");
    }
}

#[test]
fn an_interface_of_another_link_type_is_passed_over() {
    let file = [section(), interface(147, &[]), enhanced(0, 0, &[1; 8])].concat();
    let (records, fault) = read(&file);
    assert_eq!((records[0].content, fault), (Content::OtherLink(147), None));
}

/// With both CRCs, with the ICRC alone, with none, and cut short.
#[test]
fn a_packet_of_link_type_247_is_completed() {
    let lrh = [0, 2, 0, 1, 0, 7, 0, 2];
    let body = [&lrh[..], &[4; 16]].concat();
    let icrc = icrc(&body);
    let protected = [&body[..], &icrc].concat();
    let whole = [&protected[..], &vcrc(&protected)].concat();
    let (records, _) = read(&pcap(
        247,
        &[(0, &whole), (0, &protected), (0, &body), (0, &body[..9])],
    ));
    for (record, made) in records.iter().zip([0, 2, 6]) {
        assert_eq!((&record.bytes, record.crcs_made), (&whole, made));
    }
    assert_eq!((records[3].bytes.len(), records[3].crcs_made), (9, 0));
}

/// Linux's own headers, and none at all: an Ethernet header without addresses stands for them.
#[test]
fn datagrams_without_an_ethernet_header() {
    let datagram = [0x45; 24];
    let cooked = [&[0; 14][..], &[8, 0], &datagram].concat();
    let newer = [&[8, 0][..], &[0; 18], &datagram].concat();
    for (link, packet) in [(101, &datagram[..]), (113, &cooked[..]), (276, &newer[..])] {
        let (records, _) = read(&pcap(link, &[(0, packet)]));
        let frame = [&[0; 12][..], &[8, 0], &datagram].concat();
        assert_eq!(
            (&records[0].bytes, records[0].wire_length),
            (&frame, 38),
            "{link}"
        );
    }
}

#[test]
fn a_reader_that_fails_is_reported() {
    let fault = Capture::new(std::fs::File::open("/").unwrap())
        .err()
        .expect("a fault");
    assert!(
        fault
            .to_string()
            .starts_with("file header at byte 0: reading failed: "),
        "{fault}"
    );
}

/// ERF tells the port by its own interface, whatever interface of a pcapng has the record; link type 247 by that of the
/// pcapng; an Ethernet frame is of none.
#[test]
fn native_packets_have_a_port() {
    let erf = |flags: u8| [&[0; 8][..], &[21, flags, 0, 17, 0, 0, 0, 1, 7]].concat();
    let file = [
        section(),
        interface(197, &[]),
        interface(247, &[]),
        interface(247, &[]),
        interface(1, &[]),
        enhanced(0, 0, &erf(0x05)),
        enhanced(0, 0, &erf(0x06)),
        enhanced(1, 0, &[7; 20]),
        enhanced(2, 0, &[7; 20]),
        enhanced(3, 0, &[7; 20]),
    ]
    .concat();
    let (records, fault) = read(&file);
    assert_eq!(fault, None);
    let ports: Vec<Option<Layer>> = records.iter().map(|record| record.port).collect();
    assert_eq!(
        ports,
        [
            None,
            Some(Layer::Port(2)),
            Some(Layer::Interface(1)),
            Some(Layer::Interface(2)),
            None
        ]
    );
    let (records, _) = read(&pcap(247, &[(0, &[7; 20])]));
    assert_eq!(records[0].port, None);
}
