//! CF316, CF317, CF342: LIDs and GRH of datagrams (`ud.md` sections 2 and 3.3).
use super::{packet, peer, send, success, HANDLE};
use crate::bench::{on_both, port, Bench, PEER_QPN};
use crate::wire_bench::bytes;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{AddressHandle, DatagramSource, GlobalRoute};

on_both!(
    cf316_one_lid_has_no_path_bits,
    cf317_the_route_is_that_of_the_handle,
);

mod lmc_3 {
    use super::*;

    on_both!(behind super::super::eight_lids();
        cf316_the_path_bits_choose_one_of_eight_lids,
        cf342_the_completion_names_the_lid_by_which_it_came,
    );
}

mod without_a_lid {
    use super::*;

    on_both!(behind super::super::no_lid(); cf316_a_port_without_a_lid_sends_from_the_permissive_one);
}

mod with_a_gid {
    use super::*;

    on_both!(behind super::super::with_gid(); cf317_the_grh_is_that_of_the_handle);
}

fn eight_lids() -> PortConfig {
    PortConfig {
        lid: 0x28,
        lmc: 3,
        ..port()
    }
}

fn no_lid() -> PortConfig {
    PortConfig { lid: 0, ..port() }
}

pub fn with_gid() -> PortConfig {
    PortConfig {
        gid: [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, 2],
        ..port()
    }
}

/// SLIDs of Sends by handles with these path bits.
fn slids(y: &mut Bench, path_bits: &[u8]) -> Vec<u16> {
    y.datagrams();
    let mut slids = Vec::new();
    for (handle, &source_path_bits) in (HANDLE + 1..).zip(path_bits) {
        y.address(
            handle,
            AddressHandle {
                source_path_bits,
                ..peer()
            },
        );
        let mut request = send(1, 4);
        request.datagram.as_mut().unwrap().handle = handle;
        y.post(request);
        slids.extend(y.sent().iter().map(|p| p.lrh().unwrap().slid));
        assert_eq!(y.completions(), [success(1, 0)]);
    }
    slids
}

fn cf316_one_lid_has_no_path_bits(y: &mut Bench) {
    assert_eq!(slids(y, &[0, 1, 0x7F]), [2, 2, 2]);
}

fn cf316_the_path_bits_choose_one_of_eight_lids(y: &mut Bench) {
    assert_eq!(slids(y, &[0, 5, 8, 0x7F]), [0x28, 0x2D, 0x28, 0x2F]);
}

fn cf316_a_port_without_a_lid_sends_from_the_permissive_one(y: &mut Bench) {
    assert_eq!(slids(y, &[0, 1]), [0xFFFF, 0xFFFF]);
}

fn cf317_the_route_is_that_of_the_handle(y: &mut Bench) {
    y.datagrams_to(AddressHandle {
        dlid: 0xA5C3,
        sl: 11,
        static_rate: 4,
        ..peer()
    });
    y.post(send(1, 0));
    let packets = y.packets_after();
    assert_eq!(packets[0][..8], bytes("00b2a5c300080002"));
    assert_eq!(y.completions(), [success(1, 0)]);
}

fn cf317_the_grh_is_that_of_the_handle(y: &mut Bench) {
    y.datagrams_to(AddressHandle {
        dlid: 0x0103,
        sl: 3,
        global: Some(GlobalRoute {
            dgid: [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xAB, 0xCD],
            flow_label: 0xF_EDCB,
            traffic_class: 0xA7,
            hop_limit: 0xFE,
        }),
        ..peer()
    });
    y.post(send(1, 4));
    let expected = "0033010300130002
        6a7fedcb001c1bfe fe800000000000000002c90300000002 20010db800000000000000000000abcd
        6400ffff00000a1200fffffe 0055667700000b23 00070e15";
    let packets = y.packets_after();
    assert_eq!(packets[0][..packets[0].len() - 6], bytes(expected));
    assert_eq!(y.completions(), [success(1, 0)]);
}

/// DLID 28h to 2Fh.
fn cf342_the_completion_names_the_lid_by_which_it_came(y: &mut Bench) {
    y.datagrams();
    for n in 0..8 {
        y.post_receive(70, 0, 64);
        let mut packet = packet(0x64, 7, &[1; 4]);
        let lrh = packet.lrh_mut().unwrap();
        (lrh.dlid, lrh.slid, lrh.sl) = (0x28 + n, 0x0900 + n, n as u8 + 8);
        y.take(&[packet]);
        let from: Vec<_> = y.taken().iter().map(|c| c.datagram).collect();
        let expected = DatagramSource {
            port: 1,
            qpn: PEER_QPN,
            slid: 0x0900 + n,
            sl: n as u8 + 8,
            lid: 0x28 + n,
            path_bits: n as u8,
            grh: false,
            source_mac: None,
        };
        assert_eq!(from, [Some(expected)]);
    }
}
