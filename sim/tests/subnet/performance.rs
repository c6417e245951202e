//! The agent of performance management (`protocol/mad.md` section 7, `port_counters.csv`).
use crate::bench::{capabilities, GET, GET_RESP, SET};
use hca_sim::subnet::mad::{MadBytes, PerformanceMad};
use hca_sim::subnet::{performance, MemoryPorts, Record};

const CLASS_PORT_INFO: u16 = 0x0001;
const PORT_COUNTERS: u16 = 0x0012;
const EXTENDED: u16 = 0x001D;
const DATA: usize = 64;

fn mad(method: u8, attribute: u16, data: &[u8]) -> MadBytes {
    let mut mad = [0; 256];
    mad[..4].copy_from_slice(&[1, 4, 1, method]);
    mad[8..16].copy_from_slice(&[9, 8, 7, 6, 5, 4, 3, 2]);
    mad[16..18].copy_from_slice(&attribute.to_be_bytes());
    mad[DATA..DATA + data.len()].copy_from_slice(data);
    mad
}

fn ask(ports: &mut MemoryPorts, port: u8, mad: &MadBytes) -> Option<MadBytes> {
    let Ok(answer) = performance::answer(ports, port, &PerformanceMad::decode(mad));
    answer.map(|answer| answer.encode())
}

fn status(ports: &mut MemoryPorts, mad: &MadBytes) -> [u8; 2] {
    let answer = ask(ports, 2, mad).expect("an answer");
    assert_eq!(
        (answer[3], &answer[8..16]),
        (GET_RESP, &[9, 8, 7, 6, 5, 4, 3, 2][..])
    );
    [answer[4], answer[5]]
}

/// Port 2, each counter with a value of its own.
fn ports() -> MemoryPorts {
    let mut ports = MemoryPorts::new(&capabilities());
    let (counters, extended) = ports.counters_mut(2);
    counters.symbol_errors = 0x0101;
    counters.link_error_recovery = 0x02;
    counters.link_downed = 0x03;
    counters.rcv_errors = 0x0404;
    counters.rcv_remote_physical_errors = 0x0505;
    counters.rcv_switch_relay_errors = 0x0606;
    counters.xmit_discards = 0x0707;
    counters.xmit_constraint_errors = 0x08;
    counters.rcv_constraint_errors = 0x09;
    counters.local_link_integrity_errors = 0xA;
    counters.excessive_buffer_overrun_errors = 0xB;
    counters.vl15_dropped = 0x0C0C;
    counters.xmit_data = 0x0D0D_0D0D;
    counters.rcv_data = 0x0E0E_0E0E;
    counters.xmit_pkts = 0x0F0F_0F0F;
    counters.rcv_pkts = 0x1010_1010;
    counters.xmit_wait = 0x1111_1111;
    extended.xmit_data = 0x0101_0101_0101_0101;
    extended.rcv_data = 0x0202_0202_0202_0202;
    extended.xmit_pkts = 0x0303_0303_0303_0303;
    extended.rcv_pkts = 0x0404_0404_0404_0404;
    extended.unicast_xmit_pkts = 0x0505_0505_0505_0505;
    extended.unicast_rcv_pkts = 0x0606_0606_0606_0606;
    extended.multicast_xmit_pkts = 0x0707_0707_0707_0707;
    extended.multicast_rcv_pkts = 0x0808_0808_0808_0808;
    ports
}

/// PortCounters of [`ports`], from byte 4 on.
const COUNTERS: [u8; 40] = [
    0x01, 0x01, 0x02, 0x03, 0x04, 0x04, 0x05, 0x05, 0x06, 0x06, 0x07, 0x07, 0x08, 0x09, 0x00, 0xAB, 0x00,
    0x00, 0x0C, 0x0C, 0x0D, 0x0D, 0x0D, 0x0D, 0x0E, 0x0E, 0x0E, 0x0E, 0x0F, 0x0F, 0x0F, 0x0F, 0x10, 0x10,
    0x10, 0x10, 0x11, 0x11, 0x11, 0x11,
];

#[test]
fn port_counters_are_the_registers() {
    let mut ports = ports();
    let answer = ask(&mut ports, 2, &mad(GET, PORT_COUNTERS, &[0, 2, 0xFF, 0xFF])).unwrap();
    assert_eq!(answer[..6], [1, 4, 1, GET_RESP, 0, 0]);
    assert_eq!(answer[DATA..DATA + 4], [0, 2, 0xFF, 0xFF]);
    assert_eq!(answer[DATA + 4..DATA + 44], COUNTERS);
    assert_eq!(answer[DATA + 44..], [0; 148]);
}

#[test]
fn another_port_is_refused() {
    let mut ports = ports();
    for attribute in [PORT_COUNTERS, EXTENDED] {
        for select in [0, 1, 3, 0xFF] {
            for method in [GET, SET] {
                let request = mad(method, attribute, &[0, select, 0xFF, 0xFF]);
                assert_eq!(status(&mut ports, &request), [0x00, 0x1C]);
            }
        }
        let mut request = mad(SET, attribute, &[0, 2, 0xFF, 0xFF]);
        request[23] = 1;
        assert_eq!(
            status(&mut ports, &request),
            [0x00, 0x1C],
            "the modifier is not 0"
        );
    }
    assert_eq!(ports, self::ports());
}

#[test]
fn a_set_clears_the_selected_counters_alone() {
    // Bytes behind offset 4 that are 0 after a Set with this bit.
    let cleared: [(u16, std::ops::Range<usize>); 16] = [
        (0x0001, 0..2),
        (0x0002, 2..3),
        (0x0004, 3..4),
        (0x0008, 4..6),
        (0x0010, 6..8),
        (0x0020, 8..10),
        (0x0040, 10..12),
        (0x0080, 12..13),
        (0x0100, 13..14),
        (0x0200, 15..15),
        (0x0400, 15..15),
        (0x0800, 18..20),
        (0x1000, 20..24),
        (0x2000, 24..28),
        (0x4000, 28..32),
        (0x8000, 32..36),
    ];
    for (bit, range) in cleared {
        let mut ports = ports();
        let [high, low] = bit.to_be_bytes();
        let mut data = [0xEE; 44];
        data[..4].copy_from_slice(&[0, 2, high, low]);
        data[18] = 0;
        let answer = ask(&mut ports, 2, &mad(SET, PORT_COUNTERS, &data)).unwrap();
        let mut expected = COUNTERS;
        expected[range].fill(0);
        // The two counters of four bits share a byte.
        match bit {
            0x0200 => expected[15] = 0x0B,
            0x0400 => expected[15] = 0xA0,
            _ => {}
        }
        assert_eq!(answer[DATA + 4..DATA + 44], expected, "{bit:04X}h");
    }
    let mut data = [0; 44];
    (data[1], data[18]) = (2, 1);
    let answer = ask(&mut ports(), 2, &mad(SET, PORT_COUNTERS, &data)).unwrap();
    assert_eq!(answer[DATA + 40..DATA + 44], [0; 4], "PortXmitWait");
    assert_eq!(answer[DATA + 4..DATA + 18], COUNTERS[..14]);
}

#[test]
fn a_set_clears_the_selected_counters_of_64_bits_alone() {
    for bit in 0..8 {
        let mut ports = ports();
        let mut data = [0xEE; 72];
        data[..4].copy_from_slice(&[0, 2, 0xFF, 1 << bit]);
        let answer = ask(&mut ports, 2, &mad(SET, EXTENDED, &data)).unwrap();
        assert_eq!(answer[DATA..DATA + 8], [0, 2, 0xFF, 1 << bit, 0, 0, 0, 0]);
        for counter in 0..8 {
            let value = if counter == bit { 0 } else { counter as u8 + 1 };
            assert_eq!(answer[DATA + 8 + 8 * counter..][..8], [value; 8]);
        }
        // The counters of 32 bits are others.
        let answer = ask(&mut ports, 2, &mad(GET, PORT_COUNTERS, &[0, 2])).unwrap();
        assert_eq!(answer[DATA + 4..DATA + 18], COUNTERS[..14]);
    }
}

#[test]
fn class_port_info_says_what_the_agent_can_do() {
    let mut ports = ports();
    let answer = ask(&mut ports, 2, &mad(GET, CLASS_PORT_INFO, &[])).unwrap();
    assert_eq!(answer[DATA..DATA + 8], [1, 1, 0x12, 0x00, 0, 0, 0, 18]);
    assert_eq!(answer[DATA + 8..], [0; 184]);
    assert_eq!(status(&mut ports, &mad(SET, CLASS_PORT_INFO, &[])), [0x00, 0x0C]);
}

/// `mad.md` section 7 steps 1 to 3.
#[test]
fn what_the_agent_does_not_know_gets_its_status() {
    let mut ports = ports();
    for attribute in [0x0000, 0x0010, 0x0011, 0x0013, 0x0015, 0x001E, 0xFFFF] {
        assert_eq!(status(&mut ports, &mad(GET, attribute, &[0, 2])), [0x00, 0x0C]);
    }
    for method in [0x00, 0x03, 0x05, 0x07, 0x7F, 0x86] {
        assert_eq!(
            status(&mut ports, &mad(method, PORT_COUNTERS, &[0, 2])),
            [0x00, 0x08]
        );
    }
    for at in [0, 2] {
        let mut request = mad(GET, PORT_COUNTERS, &[0, 2]);
        request[at] = 2;
        assert_eq!(status(&mut ports, &request), [0x00, 0x04]);
    }
    assert_eq!(ask(&mut ports, 2, &mad(GET_RESP, PORT_COUNTERS, &[0, 2])), None);
}
