//! P_Keys of packets for QP0, QP1 and any other QP (`special_qps.md` section 1). The special QPs are of UD; that they are
//! of RC here changes nothing about their P_Keys.
use super::pair::*;
use hca_golden::event::DropReason;
use hca_golden::hca::Hca;
use hca_golden::port::PortConfig;
use hca_golden::verbs::*;
use hca_golden::wire::packet::Packet;

/// A port whose table is FFFFh, 9234h, an empty entry, 1235h.
fn device(qpn: u32) -> Hca {
    let mut y = Hca::new(PortConfig {
        lid: Y_LID,
        p_keys: [0xFFFF, 0x9234, 0, 0x1235],
        ..PortConfig::default()
    });
    let attributes = QpAttributes {
        qpn,
        ..y_attributes()
    };
    y.create_cq(CQN, 64).unwrap();
    y.reg_mr(all_memory()).unwrap();
    y.create_qp(&attributes).unwrap();
    for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
        y.move_qp(&attributes, state).unwrap();
    }
    for wr_id in 0..8 {
        y.post_receive(qpn, receive(wr_id, &[sge(BUFFER_AT, 64)]))
            .unwrap();
    }
    settle(&mut y);
    y
}

fn only(qpn: u32, psn: u32, p_key: u16) -> Packet {
    let mut packet = request(0x04, psn, &[7; 4]);
    (packet.bth.dest_qp, packet.bth.p_key) = (qpn, p_key);
    packet
}

/// P_Key indices of the completions that these P_Keys bring about, each in a Send of its own.
fn indices(qpn: u32, p_keys: &[u16]) -> Vec<Option<u16>> {
    let mut y = device(qpn);
    let packets: Vec<Packet> = (100..).zip(p_keys).map(|(psn, &p)| only(qpn, psn, p)).collect();
    assert_eq!(answers(&mut y, &packets).len(), p_keys.len());
    std::iter::from_fn(|| y.poll_cq(CQN))
        .map(|c| c.p_key_index)
        .collect()
}

fn dropped(qpn: u32, p_key: u16) {
    let mut y = device(qpn);
    let bytes = only(qpn, 100, p_key).encode().unwrap();
    assert_eq!(drop_reason(&mut y, &bytes), DropReason::PKey, "{p_key:04X}h");
    assert_eq!(y.poll_cq(CQN), None);
}

#[test]
fn cf050_any_other_qp_takes_its_own_p_key_only() {
    assert_eq!(indices(2, &[0xFFFF, 0x7FFF]), [None, None]);
    for p_key in [0x9234, 0x1234, 0x9235, 0x8000, 0] {
        dropped(2, p_key);
    }
}

#[test]
fn cf051_qp0_takes_every_p_key() {
    let p_keys = [0xFFFF, 0x9234, 0x1235, 0x4321, 0x8000, 0];
    assert_eq!(indices(0, &p_keys), [None; 6]);
}

#[test]
fn cf052_qp1_takes_every_p_key_of_the_table_and_tells_which() {
    let p_keys = [0x9234, 0x1234, 0xFFFF, 0x7FFF, 0x9235];
    assert_eq!(indices(1, &p_keys), [1, 1, 0, 0, 3].map(Some));
    for p_key in [0x1235, 0x9236, 0x8000, 0] {
        dropped(1, p_key);
    }
}
