//! Every row of `crc_vectors.csv`.
use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
        .collect()
}

/// ICRC and VCRC of a native packet, as the wire shows them.
fn native(covered: &str, icrc_wire: &str, vcrc_wire: &str) {
    let mut packet = bytes(covered);
    assert_eq!(icrc(&packet)[..], bytes(icrc_wire));
    packet.extend(bytes(icrc_wire));
    assert_eq!(vcrc(&packet)[..], bytes(vcrc_wire));
}

fn roce_v1(covered: &str, icrc_wire: &str) {
    assert_eq!(icrc_roce_v1(&bytes(covered))[..], bytes(icrc_wire));
}

fn roce_v2(covered: &str, icrc_wire: &str) {
    assert_eq!(icrc_roce_v2(&bytes(covered))[..], bytes(icrc_wire));
}

/// V1: IB local (CF023, CF030).
#[test]
fn vector_v1() {
    native(
        "7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85\
         fd5cfba4728bc0690ed40000",
        "9625b75a",
        "45fa",
    );
}

/// V2: IB global (CF024, CF030).
#[test]
fn vector_v2() {
    native(
        "7013375c001817d26000000000320010000000000000012500000000000000260000000000000117\
         00000000000000960a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85\
         fd5cfba4728bc0690ed40000",
        "1493ec46",
        "7c44",
    );
}

/// V3: IB local, VL changed 7->3 (CF031).
#[test]
fn vector_v3() {
    native(
        "3012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85\
         fd5cfba4728bc0690ed40000",
        "9625b75a",
        "7797",
    );
}

/// V4: IB global, VL/SL/TClass/FlowLabel/HopLmt/Resv8a changed (CF032).
#[test]
fn vector_v4() {
    native(
        "2043375c001817d26abcdef100320005000000000000012500000000000000260000000000000117\
         00000000000000960a202487c087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85\
         fd5cfba4728bc0690ed40000",
        "1493ec46",
        "f5dc",
    );
}

/// V5: raw EtherType (LNH 00) (CF030).
#[test]
fn vector_v5() {
    let packet = bytes("2000000400050003000008000001020304050607");
    assert_eq!(vcrc(&packet)[..], bytes("27ca"));
}

/// V6: RoCEv1 (GRH..pad) (CF025).
#[test]
fn vector_v6() {
    roce_v1(
        "6020000000281b4000000000000000000000ffff0f00000200000000000000000000ffff0f000002\
         0a70ffff0000010a80a788bc000055d4c0726000000047b3000000050000000001000000",
        "e3d856bb",
    );
}

/// V7: RoCEv1 (GRH..AETH) (CF026).
#[test]
fn vector_v7() {
    roce_v1(
        "6020000000141b4000000000000000000000ffff0f00000200000000000000000000ffff0f000002\
         1140ffff0000010900a788c000000005",
        "25f0c038",
    );
}

/// V8: RoCEv2 IPv4 (IP..payload) (CF027).
#[test]
fn vector_v8() {
    roce_v2(
        "45c2003c718c4000401191610a0011010a001201000012b7002800008100ffff4000011800000000\
         00000000000000000000000000000000",
        "82fd002a",
    );
}

/// V9: RoCEv2 IPv4 (IP..pad) (CF028).
#[test]
fn vector_v9() {
    roce_v2(
        "45010040047840004011b4d5c0a80007c0a80007c00012b7002caca22460ffff000000d300cf1710\
         4630818be28935d90e9a95505401be885e500000",
        "78f353f3",
    );
}

/// V10: RoCEv2 IPv6 (IPv6..pad) (CF029).
#[test]
fn vector_v10() {
    roce_v2(
        "6e21face002c11ff2022000000000000000000000000102320230000000000000000000000001024\
         c00012b7002ce7c52460ffff000000d300cf17104630818be28935d90e9a95505401be885e500000",
        "3e5b743b",
    );
}

/// crc.md section 2.
#[test]
fn vcrc_of_the_check_string() {
    assert_eq!(vcrc(b"123456789"), [0x3D, 0x0A]);
}

/// CF033: a local packet's ICRC covers SL and DLID.
#[test]
fn icrc_covers_sl_and_dlid_of_a_local_packet() {
    let packet = bytes("7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a05");
    for at in [1, 2, 3] {
        let mut changed = packet.clone();
        changed[at] ^= 0x10;
        assert_ne!(icrc(&changed), icrc(&packet), "byte {at}");
    }
}
