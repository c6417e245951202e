//! No file makes the reader panic, and it never holds more than the file.
use crate::files::{enhanced, interface, pcap, section};
use hca_testbench::capture::Capture;
use proptest::collection::vec;
use proptest::prelude::*;

/// Reads to the end or the fault; what came out cannot be more than what went in.
fn drain(file: &[u8]) {
    let Ok(capture) = Capture::new(file) else {
        return;
    };
    let mut bytes = 0;
    let mut faults = 0;
    for record in capture {
        match record {
            Ok(record) => bytes += record.bytes.len(),
            Err(fault) => {
                assert!(fault.offset <= file.len() as u64, "{fault}");
                faults += 1;
            }
        }
    }
    assert!(bytes <= file.len() && faults <= 1);
}

fn whole() -> impl Strategy<Value = Vec<u8>> {
    // Some begin as an ERF record of a link packet.
    let begin = prop_oneof![
        Just(vec![]),
        any::<[u8; 7]>().prop_map(|rest| [&[0; 8][..], &[25], &rest].concat()),
    ];
    let packet = (begin, vec(any::<u8>(), 1..100)).prop_map(|(begin, rest)| [begin, rest].concat());
    (any::<bool>(), any::<bool>(), vec(packet, 0..5)).prop_map(|(pcapng, ethernet, packets)| {
        let link = if ethernet { 1u8 } else { 197 };
        match pcapng {
            false => {
                let packets: Vec<(u32, &[u8])> = packets.iter().map(|p| (7, &p[..])).collect();
                pcap(link.into(), &packets)
            }
            true => {
                let mut file = [section(), interface(link.into(), &[(9, &[6]), (2, b"eth0")])].concat();
                for packet in &packets {
                    file.extend(enhanced(0, 1 << 40, packet));
                }
                file
            }
        }
    })
}

proptest! {
    #[test]
    fn any_bytes(file in vec(any::<u8>(), 0..200)) {
        drain(&file);
    }

    #[test]
    fn a_capture_with_bytes_changed_and_cut(
        mut file in whole(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        for (at, value) in changes {
            let at = at.index(file.len());
            file[at] = value;
        }
        drain(&file);
        drain(&file[..cut.index(file.len())]);
    }
}
