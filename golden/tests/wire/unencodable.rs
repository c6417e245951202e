//! Fields that the wire has no room for are refused by name, never cut.
use super::formats::packet;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::header::{HeaderFormat, Unencodable};
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::raw::{Raw, RawHeader};
use hca_golden::wire::rdeth::Rdeth;
use hca_golden::wire::roce::{Endpoint, Roce};
use hca_golden::wire::rwh::Rwh;
use hca_golden::wire::xrceth::Xrceth;

/// A packet whose fields are all as large as they can be, but for one that this makes.
fn refused(field: &str, change: impl FnOnce(&mut Packet)) {
    let mut packet = packet(0x04, &[], &[]);
    change(&mut packet);
    let error = packet.encode().unwrap_err().to_string();
    assert!(error.contains(&format!("; {field}: ")), "{field}: {error}");
}

fn refused_lrh(field: &str, lrh: Lrh) {
    refused(field, |p| p.route = Route::Local(lrh));
}

#[test]
fn lrh_fields() {
    let lrh = Lrh {
        vl: 15,
        lver: 15,
        sl: 15,
        resv2: 3,
        resv5: 31,
        ..Lrh::default()
    };
    let mut widest = packet(0x04, &[], &[]);
    widest.route = Route::Local(lrh);
    assert!(widest.encode().is_ok());
    refused_lrh("Lrh.vl", Lrh { vl: 16, ..lrh });
    refused_lrh("Lrh.lver", Lrh { lver: 16, ..lrh });
    refused_lrh("Lrh.sl", Lrh { sl: 16, ..lrh });
    refused_lrh("Lrh.resv2", Lrh { resv2: 4, ..lrh });
    refused_lrh("Lrh.resv5", Lrh { resv5: 32, ..lrh });
    // Those that a packet sets itself.
    let alone = |lrh: Lrh| lrh.emit(&mut Vec::new());
    assert!(alone(Lrh { lnh: 4, ..lrh }).is_err());
    assert!(alone(Lrh {
        pkt_len: 1 << 11,
        ..lrh
    })
    .is_err());
}

#[test]
fn grh_and_bth_fields() {
    let flow_label = |flow_label| {
        Route::Global(
            Lrh::default(),
            Grh {
                flow_label,
                ..Grh::default()
            },
        )
    };
    let mut widest = packet(0x04, &[], &[]);
    widest.route = flow_label(0xF_FFFF);
    (widest.bth.tver, widest.bth.resv6, widest.bth.resv7) = (15, 0x3F, 0x7F);
    (widest.bth.dest_qp, widest.bth.psn) = (0xFF_FFFF, 0xFF_FFFF);
    assert!(widest.encode().is_ok());
    refused("Grh.flow_label", |p| p.route = flow_label(1 << 20));
    refused("Bth.tver", |p| p.bth.tver = 16);
    refused("Bth.resv6", |p| p.bth.resv6 = 64);
    refused("Bth.resv7", |p| p.bth.resv7 = 128);
    refused("Bth.dest_qp", |p| p.bth.dest_qp = 1 << 24);
    refused("Bth.psn", |p| p.bth.psn = 1 << 24);
}

#[test]
fn fields_of_extended_headers() {
    let with = |header: Extension| packet(0x04, &[header], &[]).encode();
    let rdeth = |ee_context| Extension::Rdeth(Rdeth { resv8: 0, ee_context });
    let deth = |src_qp| {
        Extension::Deth(Deth {
            src_qp,
            ..Deth::default()
        })
    };
    let aeth = |msn| Extension::Aeth(Aeth { syndrome: 0, msn });
    for header in [rdeth, deth, aeth] as [fn(u32) -> Extension; 3] {
        assert!(with(header(0xFF_FFFF)).is_ok());
        assert!(matches!(with(header(1 << 24)), Err(Unencodable::Field { .. })));
    }
    let xrcsrq = |xrcsrq| Xrceth { resv8: 0, xrcsrq }.emit(&mut Vec::new());
    assert!(xrcsrq(0xFF_FFFF).is_ok() && xrcsrq(1 << 24).is_err());
}

#[test]
fn an_ipv6_flow_label() {
    let [source, destination] = [1, 2].map(|n| Endpoint {
        mac: [n; 6],
        gid: [n; 16],
    });
    let mut roce = Roce::between(source, destination, 0xC000);
    assert!(roce.network.set_flow_label(0xF_FFFF).is_ok());
    assert!(roce.network.set_flow_label(1 << 20).is_err());
    assert_eq!(roce.network.flow_label(), 0xF_FFFF);
}

/// 2047 words are the most that PktLen says; UDP and PayLen say 65535 bytes.
#[test]
fn lengths() {
    let of = |route: Route, payload: usize| {
        let packet = Packet {
            route,
            ..packet(0x04, &[], &vec![0; payload])
        };
        packet.encode().map(|bytes| bytes.len())
    };
    let local = || Route::Local(Lrh::default());
    assert_eq!(of(local(), 8188 - 24), Ok(8190));
    assert_eq!(of(local(), 8192 - 24), Err(Unencodable::Length(8194, "PktLen")));
    for gid in [[1; 16], 0xFFFF_0A00_0001_u128.to_be_bytes()] {
        let end = Endpoint { mac: [0; 6], gid };
        let roce = || Route::Roce(Roce::between(end, end, 0));
        assert!(of(roce(), 65_480).is_ok());
        assert!(matches!(of(roce(), 65_536), Err(Unencodable::Length(..))));
    }
}

#[test]
fn raw_payload_is_whole_words() {
    for length in 8..13 {
        let raw = Raw {
            lrh: Lrh::default(),
            header: RawHeader::EtherType(Rwh::default()),
            payload: vec![0; length],
        };
        let expected = match length {
            8 | 12 => Ok(8 + 4 + length + 2),
            _ => Err(Unencodable::RawPayload(length)),
        };
        assert_eq!(raw.encode().map(|bytes| bytes.len()), expected);
    }
}
