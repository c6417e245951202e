//! CF354, CF357, CF358, CF361: groups over RoCEv2 (`ud.md` section 4).
use super::{another, to_the_group, SECOND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, QPN};
use crate::ud::{attributes, packet, success, HANDLE};
use hca_golden::event::DropReason;
use hca_golden::port::{Link, PortConfig};
use hca_golden::verbs::{AddressHandle, GlobalRoute};
use hca_golden::wire::packet::Route;
use hca_golden::wire::roce::{Endpoint, Roce};
use hca_testbench::device::{port_on, Reason, Verb};
use hca_testbench::Side;

on_both!(behind super::roce_port();
    cf361_a_group_of_ipv4_is_known_by_its_address,
    cf354_one_queue_pair_is_no_group,
    cf357_cf358_over_roce,
);

const GROUP_MAC: [u8; 6] = [0x01, 0x00, 0x5E, 0x01, 2, 3];

fn roce_port() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

/// 224.1.2.3 and its MAC address, and another of the same MAC address.
fn ipv4(first: u8, second: u8) -> [u8; 16] {
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, first, second, 2, 3]
}

/// From X, or from Y itself.
fn over_ip(from: Side, mac: [u8; 6], gid: [u8; 16]) -> Vec<u8> {
    let mut sent = packet(0x64, 0, &[7; 4]);
    sent.bth.dest_qp = 0xFF_FFFF;
    sent.route = route(from, mac, gid);
    sent.encode().unwrap()
}

fn route(from: Side, mac: [u8; 6], gid: [u8; 16]) -> Route {
    let source = port_on(Link::Roce, from);
    let source = Endpoint {
        mac: source.mac,
        gid: source.gid,
    };
    Route::Roce(Roce::between(source, Endpoint { mac, gid }, 0xC000))
}

fn cf361_a_group_of_ipv4_is_known_by_its_address(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post_receive(1, 0, 64);
    let packet = over_ip(Side::X, GROUP_MAC, ipv4(224, 1));
    // Nobody is attached: a foreign MAC address.
    y.receive(std::slice::from_ref(&packet));
    assert_eq!(y.drops(), [(DropReason::Dlid, 1)]);
    // Behind the checks of the link: the packet's last byte is one of the ICRC.
    let mut corrupt = packet.clone();
    *corrupt.last_mut().unwrap() ^= 1;
    y.receive(&[corrupt]);
    assert_eq!(y.drops(), [(DropReason::Icrc, 1)]);
    let attach = |mgid| Verb::Attach {
        qpn: QPN,
        mgid,
        mlid: 0,
    };
    assert_eq!(y.refusal_of(attach(ipv4(223, 1))), Reason::BadAttribute);
    assert_eq!(y.attempt(attach(ipv4(224, 1))), DONE);
    y.receive(&[packet]);
    let completed: Vec<_> = y.taken().iter().map(|c| (c.wr_id, c.byte_count)).collect();
    assert_eq!(completed, [(1, 44)]);
    assert_eq!(y.buffer(36, 8), [224, 1, 2, 3, 7, 7, 7, 7]);
    for (mac, gid, reason) in [
        // 225.129.2.3 has the same MAC address.
        (GROUP_MAC, ipv4(225, 129), DropReason::MulticastAddress),
        (GROUP_MAC, roce_port().gid, DropReason::MulticastAddress),
        (GROUP_MAC, ipv4(10, 1), DropReason::MulticastAddress),
        (roce_port().mac, roce_port().gid, DropReason::MulticastAddress),
        (roce_port().mac, ipv4(224, 1), DropReason::Dgid),
    ] {
        y.receive(&[over_ip(Side::X, mac, gid)]);
        assert_eq!(y.drops(), [(reason, 1)], "{mac:02X?} {gid:?}");
    }
    assert_eq!(y.completions(), []);
}

/// The MAC address of a group that there is, and a destination QP.
fn cf354_one_queue_pair_is_no_group(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post_receive(1, 0, 64);
    let (qpn, mgid) = (QPN, ipv4(224, 1));
    assert_eq!(y.attempt(Verb::Attach { qpn, mgid, mlid: 0 }), DONE);
    for gid in [roce_port().gid, mgid] {
        let mut packet = packet(0x64, 0, &[7; 4]);
        packet.route = route(Side::X, GROUP_MAC, gid);
        y.receive(&[packet.encode().unwrap()]);
        assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)], "{gid:?}");
    }
    assert_eq!(y.completions(), []);
}

fn cf357_cf358_over_roce(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    another(y, SECOND);
    y.post_receive(1, 0, 64);
    for qpn in [QPN, SECOND] {
        let mgid = ipv4(224, 1);
        assert_eq!(y.attempt(Verb::Attach { qpn, mgid, mlid: 0 }), DONE);
    }
    y.turn_to(QPN);
    let address = AddressHandle {
        port: 1,
        global: Some(GlobalRoute {
            dgid: ipv4(224, 1),
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 1,
        }),
        dest_mac: Some(GROUP_MAC),
        ..AddressHandle::default()
    };
    y.address(HANDLE, address);
    y.post(to_the_group(9, HANDLE));
    let sent = y.packets_after();
    assert_eq!((sent.len(), &sent[0][..6]), (1, &GROUP_MAC[..]));
    y.receive(&sent);
    assert_eq!(y.drops(), [(DropReason::SelfMulticast, 1)]);
    assert_eq!(y.completions(), [success(9, 0)]);
    y.turn_to(SECOND);
    assert_eq!(y.completions(), [success(1, 44)]);
    y.receive(&[over_ip(Side::Y, GROUP_MAC, ipv4(224, 1))]);
    assert_eq!(y.drops(), [(DropReason::SelfMulticast, 1)]);
    // To MAC addresses that the group does not map to: those of no group, of everybody and of one port.
    for (n, mac) in (1..).zip([[0x01, 0x00, 0x5E, 0x02, 2, 3], [0xFF; 6], [2, 0, 0, 0, 0, 1]]) {
        let dest_mac = Some(mac);
        y.address(HANDLE + n, AddressHandle { dest_mac, ..address });
        y.turn_to(QPN);
        y.post(to_the_group(9, HANDLE + n));
        assert_eq!(y.packets_after().len(), 1);
        assert_eq!(
            (y.completions(), y.drops()),
            (vec![success(9, 0)], vec![]),
            "{mac:02X?}"
        );
    }
}
