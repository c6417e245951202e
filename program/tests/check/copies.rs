//! The same bytes more than once, and what only looks like it; each capture is made for its situation.
use super::*;

fn field(name: &str) -> PathBuf {
    capture("field").join(name)
}

/// Two tenants send the same datagrams at the same time: none is the copy of another.
#[test]
fn tenants_in_lockstep() {
    check(&field("tenants_lockstep.pcap")).code(0).stdout(contains(
        "19 packets of RC, requests of 2 directions: no rule is broken",
    ));
}

#[test]
fn tenants_of_nvgre() {
    check(&field("nvgre.pcap")).code(0).stdout(contains(
        "14 packets of RC, requests of 2 directions: no rule is broken",
    ));
}

/// A retry that is the same byte for byte calls for an RNR NAK of its own.
#[test]
fn a_retry_is_no_copy() {
    check(&field("retry_two_rnr.pcap"))
        .code(0)
        .stdout(contains("12 packets of RC").and(contains("byte for byte").not()));
}

/// One retry does not make a mirror of the capture: the NAK that comes twice is found.
#[test]
fn a_retry_hides_no_second_nak() {
    check(&field("nak_twice_hidden.pcap"))
        .code(1)
        .stdout(contains("  CF061  ").and(contains(": 1 finding")));
}

/// The MAC address of a pseudowire's frame begins with 6, as IPv6 does.
#[test]
fn a_frame_behind_labels_that_looks_like_ip() {
    check(&field("pw6c.pcap"))
        .code(0)
        .stdout(contains("2 packets of RC"));
}

/// A record of 36 bytes that claims 4 GiB is not given them.
#[test]
fn a_length_that_nothing_bears_out() {
    check(&field("claims_4_gib.pcap"))
        .code(3)
        .stdout(contains("nothing was judged"));
}
