//! CF287, CF288, CF289: frames of a UC queue pair over RoCEv2, every byte of them (`uc.md` sections 1 and 4).
use super::attributes;
use crate::bench::requester::{source_byte, work, IMMEDIATE, SEND, WRITE, WRITE_WITH_IMMEDIATE};
use crate::bench::{on_both, Bench};
use crate::wire_bench::bytes;
use hca_golden::port::{Link, PortConfig};
use hca_golden::verbs::{EthernetRoute, GlobalRoute, QpAttributes, SendOperation, SendRequest, Status};
use hca_testbench::device::port_on;
use hca_testbench::Side;

mod v4 {
    use super::*;

    on_both!(behind super::v4_port();
        cf287_cf288_cf289_frames_over_ipv4,
    );
}

mod v6 {
    use super::*;

    on_both!(behind super::v6_port();
        cf287_cf288_a_frame_over_ipv6,
    );
}

const PEER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
/// fd00::1 and fd00::2.
const PEER_V6: [u8; 16] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const OWN_V6: [u8; 16] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];

fn v4_port() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

fn v6_port() -> PortConfig {
    PortConfig {
        gid: OWN_V6,
        ..v4_port()
    }
}

/// Takes Y's QP to RTS, its peer at this address.
fn connect(y: &mut Bench, dgid: [u8; 16]) {
    y.create(&QpAttributes {
        dlid: 0,
        global: Some(GlobalRoute {
            dgid,
            flow_label: 0x1_2345,
            traffic_class: 0x5A,
            hop_limit: 0x3F,
        }),
        ethernet: Some(EthernetRoute {
            dest_mac: PEER_MAC,
            source_port: 0xC123,
        }),
        ..attributes()
    });
    y.enter_rts();
}

/// Posts the work and holds its frames against these headers, the message's bytes in pieces of the PMTU, and these pad
/// bytes with the ICRC.
fn frames(
    y: &mut Bench,
    operation: SendOperation,
    length: usize,
    solicited: bool,
    expected: &[(&str, &str)],
) {
    y.post(SendRequest {
        solicited,
        ..work(1, operation, length as u32)
    });
    y.settle();
    let message: Vec<u8> = (0..length).map(source_byte).collect();
    let mut pieces = message.chunks(256);
    let expected = expected.iter().map(|(header, end)| {
        [
            bytes(header),
            pieces.next().unwrap_or_default().to_vec(),
            bytes(end),
        ]
        .concat()
    });
    let expected: Vec<_> = expected.collect();
    assert_eq!(y.packets(), expected, "{operation:?} of {length} bytes");
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
}

/// A Write of two packets, with PSNs up to the last, and Sends behind them with the first two PSNs.
fn cf287_cf288_cf289_frames_over_ipv4(y: &mut Bench) {
    connect(y, port_on(Link::Roce, Side::X).gid);
    let first = "020000000001 020000000002 0800
        455a013c 00004000 3f112655 0a000002 0a000001 c12312b7 01280000
        2600ffff 00000a12 00fffffe 0000000000400000 5a5a5a5a 00000103";
    let last = "020000000001 020000000002 0800
        455a0034 00004000 3f11275d 0a000002 0a000001 c12312b7 00200000
        2990ffff 00000a12 00ffffff deadbeef";
    let write = [(first, "15acb6f4"), (last, "00 44c4593f")];
    frames(y, WRITE_WITH_IMMEDIATE, 259, true, &write);
    let with_immediate = "020000000001 020000000002 0800
        455a0038 00004000 3f112759 0a000002 0a000001 c12312b7 00240000
        25b0ffff 00000a12 00000000 deadbeef";
    let operation = SendOperation::SendWithImmediate { immediate: IMMEDIATE };
    frames(y, operation, 5, true, &[(with_immediate, "000000 1d25740a")]);
    let empty = "020000000001 020000000002 0800
        455a002c 00004000 3f112765 0a000002 0a000001 c12312b7 00180000
        2400ffff 00000a12 00000001";
    frames(y, SEND, 0, false, &[(empty, "199108c3")]);
}

/// A Write does not solicit, even if it is asked to.
fn cf287_cf288_a_frame_over_ipv6(y: &mut Bench) {
    connect(y, PEER_V6);
    let only = "020000000001 020000000002 86dd
        65a12345 002c113f fd000000000000000000000000000002 fd000000000000000000000000000001
        c12312b7 002c0000 2a10ffff 00000a12 00fffffe 0000000000400000 5a5a5a5a 00000003";
    frames(y, WRITE, 3, true, &[(only, "00 85c21ed2")]);
}
