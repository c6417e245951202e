//! The completer under Verilator: what a response completes, whatever is sent meanwhile.
#[allow(dead_code)]
mod bench;

use bench::Bench;
use hca_rtl::send::Completer;

/// Runs so many clocks with one pulse of `sent_valid` in clock `sent_at`; the completions handed out.
fn completions(bench: &mut Bench, clocks: u32, sent_at: Option<u32>) -> u32 {
    let mut count = 0;
    for clock in 0..clocks {
        bench.set("sent_valid", u64::from(Some(clock) == sent_at));
        bench.settle();
        count += u32::from(bench.is_set("completion_valid"));
        bench.tick();
        bench.set("response_valid", 0);
    }
    count
}

/// CF168, CF169: an ack of PSN 99 completes nothing of a message that ends at PSN 200, in whichever clock its last
/// packet is sent; the ack of PSN 200 then completes it once.
#[test]
fn a_message_completes_by_its_last_psn_only() {
    let library = bench::library::<Completer<4, 10>>("completer");
    for sent_at in 0..12 {
        let mut bench = Bench::new(&library, 1);
        for input in ["modify_valid", "sent_index", "response_index"] {
            bench.set(input, 0);
        }
        bench.set("completion_ready", 1);
        bench.set("sent_wqe", 0);
        bench.set("sent_psn", 200);
        bench.set("sent_signaled", 1);
        bench.set("response_valid", 1);
        bench.set("response_psn", 99);
        bench.set("response_syndrome", 0x1F);
        assert_eq!(
            completions(&mut bench, 20, Some(sent_at)),
            0,
            "sent in clock {sent_at}"
        );
        bench.set("response_valid", 1);
        bench.set("response_psn", 200);
        assert_eq!(completions(&mut bench, 20, None), 1, "sent in clock {sent_at}");
    }
}
