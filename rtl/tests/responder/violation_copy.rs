//! The fields of a packet that a trap needs, from its header.
use crate::bench::{library, Bench};
use crate::packet::Fields;
use hca_rtl::receive::ViolationCopy;

const SGID: u128 = 0xFE80_0000_0000_0001_1122_3344_5566_7788;
const DGID: u128 = 0xFE80_0000_0000_0002_99AA_BBCC_DDEE_FF01;

struct Packet {
    has_grh: bool,
    dest_qp: u32,
    source_qp: u32,
    general: bool,
    port: bool,
    sgid: u128,
    dgid: u128,
}

impl Packet {
    /// `RxHeader`, 1019 bits.
    fn header(&self) -> Vec<u8> {
        Fields::default()
            .put(0, 32)
            .put(0x1234, 16)
            .put(0x5678, 16)
            .put(9, 4)
            .put(self.has_grh.into(), 1)
            .put(0, 1 + 8 + 20 + 8)
            .put(self.sgid, 128)
            .put(self.dgid, 128)
            .put(0, 48 + 16 + 8 + 4)
            .put(0xABCD, 16)
            .put(self.dest_qp.into(), 24)
            .put(0, 1 + 24 + 24)
            .put(0x8001_0203, 32)
            .put(self.source_qp.into(), 24)
            .put(0, 64 + 32 + 32 + 64 + 64 + 8 + 24 + 64 + 32 + 13)
            .put(0, 33 + 1 + 1 + 1)
            .put(self.port.into(), 1)
            .put(0, 1)
            .put(self.general.into(), 1)
            .bytes()
    }
}

/// The words in the order of their places, each with the port.
fn copied(bench: &mut Bench, packet: &Packet, q_key: bool) -> Vec<(u64, u64)> {
    bench.set_bytes("header", &packet.header());
    bench.set("q_key", q_key.into());
    bench.set("runs", 1);
    let mut words = Vec::new();
    let mut done = false;
    for _ in 0..20 {
        bench.settle();
        if bench.is_set("word_valid") {
            assert_eq!(bench.get("word_place"), words.len() as u64);
            words.push((bench.get("word_data"), bench.get("word_port")));
        }
        let ends = bench.is_set("done");
        assert!(!(done && ends), "it is done once");
        bench.tick();
        if ends {
            bench.set("runs", 0);
            // From here on the header is another.
            done = true;
            bench.set_bytes("header", &[0xFF; 128]);
        }
    }
    assert!(done);
    words
}

#[test]
fn words_stand_where_the_registers_say() {
    let mut bench = Bench::new(&library::<ViolationCopy>("violation_copy"), 1);
    bench.set("runs", 0);
    let keys = [(false, 0xABCD), (true, 0x8001_0203)];
    let cases = keys.map(|key| [(key, SGID, DGID), (key, !SGID, !DGID)]);
    for ((q_key, key), sgid, dgid) in cases.into_iter().flatten() {
        let gids = [sgid, dgid].map(|gid| [96, 64, 32, 0].map(|at| (gid >> at) as u64 & 0xFFFF_FFFF));
        let mut packet = Packet {
            has_grh: true,
            dest_qp: 0xA1_A2A3,
            source_qp: 0xB1_B2B3,
            general: false,
            port: q_key,
            sgid,
            dgid,
        };
        let first = [0x1234_5678, key, 0x90B1_B2B3, 0xA1_A2A3];
        let port = u64::from(q_key);
        let expected: Vec<_> = first
            .iter()
            .chain(gids.as_flattened())
            .map(|&word| (word, port))
            .collect();
        assert_eq!(copied(&mut bench, &packet, q_key), expected);
        packet.has_grh = false;
        let expected: Vec<_> = first.iter().chain(&[0; 8]).map(|&word| (word, port)).collect();
        assert_eq!(copied(&mut bench, &packet, q_key), expected);
        // QP1 of port 2 is QPN 3 inside.
        (packet.dest_qp, packet.general) = (3, true);
        assert_eq!(copied(&mut bench, &packet, q_key)[3], (1, port));
    }
}
