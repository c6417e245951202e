//! P_Keys of packets for QP0, QP1 and any other QP (`responder.md` section 1 step 7).
use super::bench::{attributes, on_both, port, Bench, UNTOUCHED};
use super::by_bits::sealed;
use hca_golden::event::DropReason;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{QpAttributes, QpState, Service, Status};

on_both!(behind super::four_p_keys();
    cf051_every_p_key_at_qp0,
    cf052_every_p_key_of_the_table_at_qp1,
    cf052_any_other_p_key_at_qp1,
    cf050_the_table_is_not_for_other_qps,
);

fn four_p_keys() -> PortConfig {
    PortConfig {
        p_keys: [0xFFFF, 0x9234, 0, 0x1235],
        ..port()
    }
}

/// A Send only of 4 bytes with this P_Key.
fn only(qpn: u8, psn: u8, p_key: u16) -> Vec<u8> {
    let [high, low] = p_key.to_be_bytes();
    sealed(vec![
        0, 2, 0, 2, 0, 7, 0, 1, 0x04, 0, high, low, 0, 0, 0, qpn, 0x80, 0, 0, psn, 7, 7, 7, 7,
    ])
}

/// An SMP of 256 bytes with this P_Key: VL 15, LNH 10, PktLen 72.
fn smp(qpn: u8, p_key: u16) -> Vec<u8> {
    let [high, low] = p_key.to_be_bytes();
    let headers = [
        0xF0, 2, 0, 2, 0, 72, 0, 1, 0x64, 0, high, low, 0, 0, 0, qpn, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    sealed([&headers[..], &[7; 256]].concat())
}

/// A MAD of 256 bytes for QP1 with this P_Key and its Q_Key 80010000h: VL 0, LNH 10, PktLen 72.
fn mad(p_key: u16) -> Vec<u8> {
    let [high, low] = p_key.to_be_bytes();
    let headers = [
        0, 2, 0, 2, 0, 72, 0, 1, 0x64, 0, high, low, 0, 0, 0, 1, 0, 0, 0, 9, 0x80, 1, 0, 0, 0, 0, 0, 1,
    ];
    sealed([&headers[..], &[7; 256]].concat())
}

/// Y's QP1 in RTS.
fn with_qp1(y: &mut Bench) {
    y.create(&QpAttributes {
        qpn: 1,
        service: Service::Ud,
        ..attributes(100)
    });
    y.enter_rts();
}

/// C9-41.
fn cf051_every_p_key_at_qp0(y: &mut Bench) {
    y.create(&QpAttributes {
        qpn: 0,
        service: Service::Ud,
        ..attributes(100)
    });
    y.enter_rts();
    for (n, p_key) in (0..).zip([0xFFFF, 0x9234, 0x1235, 0x4321, 0x8000, 0x0000]) {
        y.post_receive(n, 0, 296);
        y.receive(&[smp(0, p_key)]);
        assert_eq!(y.completions(), [(n, Status::Success, 296)], "{p_key:04X}h");
    }
    assert_eq!(y.buffer(39, 3), [UNTOUCHED, 7, 7]);
    y.receive(&[only(0x10, 105, 0xFFFF), only(1, 105, 0xFFFF)]);
    assert_eq!(y.drops(), [(DropReason::DestQp, 2)], "its row is its own");
}

/// C9-42: full and limited members of entries 0, 1 and 3, the last of which is a limited one.
fn cf052_every_p_key_of_the_table_at_qp1(y: &mut Bench) {
    with_qp1(y);
    let p_keys = [(0x9234, 1), (0xFFFF, 0), (0x9235, 3), (0x1234, 1), (0x7FFF, 0)];
    for (n, (p_key, index)) in (0..).zip(p_keys) {
        y.post_receive(n, 0, 296);
        y.receive(&[mad(p_key)]);
        assert_eq!(y.p_key_indices(), [(n, Some(index))], "{p_key:04X}h");
    }
    assert_eq!(y.drops(), []);
}

/// Two limited members, no entry's, and the empty entry's.
fn cf052_any_other_p_key_at_qp1(y: &mut Bench) {
    with_qp1(y);
    y.post_receive(9, 0, 296);
    // A bit apart from an entry, but where that is another.
    let near = |entry: u16| (0..15).map(move |bit| entry ^ 1 << bit);
    let apart = [0xFFFF, 0x9234, 0x9235].into_iter().flat_map(near);
    let apart = apart.filter(|p_key| ![0x9234, 0x9235].contains(p_key));
    for p_key in [0x1235, 0x9236, 0x8000, 0x0000].into_iter().chain(apart) {
        y.receive(&[mad(p_key)]);
        assert_eq!(y.drops(), [(DropReason::PKey, 1)], "{p_key:04X}h");
    }
    assert_eq!(y.buffer(0, 296), [UNTOUCHED; 296]);
    y.receive(&[mad(0x9234)]);
    assert_eq!(y.p_key_indices(), [(9, Some(1))]);
}

/// C9-43: the P_Key of QP 4 is FFFFh.
fn cf050_the_table_is_not_for_other_qps(y: &mut Bench) {
    y.create(&QpAttributes {
        qpn: 4,
        ..attributes(100)
    });
    for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
        y.modify(state);
    }
    y.post_receive(9, 0, 64);
    for p_key in [0x9234, 0x1234, 0x9235, 0x8000, 0x0000] {
        y.receive(&[only(4, 100, p_key)]);
        assert_eq!(y.drops(), [(DropReason::PKey, 1)], "{p_key:04X}h");
    }
    y.receive(&[only(4, 100, 0x7FFF)]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.p_key_indices(), [(9, None)]);
}
