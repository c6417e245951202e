//! What a completion says of a datagram's source (`protocol/ud.md` section 3.3).
use crate::bench::{bits, library, Bench};
use hca_rtl::responder::RequestCompletion;

/// Lowest bits and widths in the completion: SLID, SL, source QPN, sender, path bits, port.
const SOURCE: [(usize, usize); 6] = [(161, 16), (177, 4), (181, 24), (205, 48), (253, 7), (260, 1)];
/// Bit of the verdict that is high for a packet that is refused.
const REFUSE: usize = 9;
const PORT_LID: u64 = 0x1234;

/// The `SOURCE` fields of the completion of a datagram whose header is all ones.
fn source(flushes: bool, refuses: bool) -> [u64; 6] {
    let mut bench = Bench::without_clock(&library::<RequestCompletion>("request_completion"), 1);
    for port in ["arrival", "settings", "flags"] {
        let ones = vec![0xFF; bench.bytes(port).len()];
        bench.set_bytes(port, &ones);
    }
    let mut verdict = vec![0; bench.bytes("verdict").len()];
    verdict[REFUSE / 8] = u8::from(refuses) << (REFUSE % 8);
    bench.set_bytes("verdict", &verdict);
    bench.set("flushes", flushes.into());
    bench.set("port_lid", PORT_LID);
    bench.follow();
    let completion = bench.bytes("completion");
    SOURCE.map(|(low, width)| bits(&completion, low, width))
}

#[test]
fn only_a_message_that_was_received_has_a_source() {
    // A permissive DLID has no path bits: the base LID counts.
    let received = [0xFFFF, 0xF, 0xFF_FFFF, PORT_LID << 32, 0, 1];
    assert_eq!(source(false, false), received);
    for (flushes, refuses) in [(true, false), (false, true), (true, true)] {
        assert_eq!(
            source(flushes, refuses),
            [0; 6],
            "flushes {flushes}, refuses {refuses}"
        );
    }
}
