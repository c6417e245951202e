//! The summary below the findings: how much was judged, how much was not, and the reasons.
use super::running::Running;
use crate::capture::fault::Fault;
use crate::check::Counts;

/// Returns the lines of the summary.
pub fn lines(running: &Running<'_>, fault: Option<&Fault>) -> Vec<String> {
    let mut lines = Vec::new();
    if running.zero > 0 {
        let zero = match running.zero {
            1 => "1 ICRC is".to_owned(),
            n => format!("{n} ICRCs are"),
        };
        lines.push(format!(
            "{zero} 0: if the capture was made before the ICRC is, `--zero-icrc` judges the packets all the same"
        ));
    }
    let counts = running.counts();
    let rest = rest(running);
    if !running.is_judged() {
        let why = match counts.packets {
            0 => "no packet of RC, UC or UD".to_owned(),
            1 => "of 1 packet of RC nothing can be held to a rule".to_owned(),
            n => format!("of {n} packets of RC none can be held to a rule"),
        };
        if fault.is_none() {
            lines.push(format!("nothing was judged: {why}{rest}"));
        }
        return lines;
    }
    let found = match (running.findings(), fault) {
        (0, None) => "no rule is broken".to_owned(),
        (0, Some(_)) => "no rule is broken before the file's fault".to_owned(),
        (1, _) => "1 finding".to_owned(),
        (n, _) => format!("{n} findings"),
    };
    lines.push(format!("{}: {found}{rest}", judged(running, &counts)));
    lines
}

/// Describes the packets that were judged.
fn judged(running: &Running<'_>, counts: &Counts) -> String {
    let several = |n: u64, one: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    };
    let mut parts = Vec::new();
    if counts.packets > 0 || counts.unreliable + counts.datagrams + running.link_packets == 0 {
        parts.push(format!("{} of RC", several(counts.packets, "packet")));
        parts.push(format!(
            "requests of {}",
            several(counts.directions as u64, "direction")
        ));
    }
    if counts.unreliable > 0 {
        parts.push(format!("{} of UC", several(counts.unreliable, "packet")));
    }
    if counts.datagrams > 0 {
        parts.push(several(counts.datagrams, "datagram"));
    }
    if running.link_packets > 0 {
        parts.push(several(running.link_packets, "link packet"));
    }
    parts.join(", ")
}

/// Describes the packets that were not judged, and those that were judged in another order or form than in the file.
fn rest(running: &Running<'_>) -> String {
    let counts = running.counts();
    let links = running.other_links.iter();
    [
        clause(
            counts.unasked - counts.elsewhere,
            "answer to a request that the capture does not hold: not judged",
            "answers to requests that the capture does not hold: not judged",
        ),
        clause(
            counts.elsewhere,
            "answer in another VLAN or network than the requests: not judged",
            "answers in another VLAN or network than the requests: not judged",
        ),
        clause(
            counts.held,
            "answer that may be of a queue pair made anew with another partner: not judged",
            "answers that may be of queue pairs made anew with other partners: not judged",
        ),
        clause(
            counts.alike,
            "packet of connections that are too many alike to be told apart: not judged",
            "packets of connections that are too many alike to be told apart: not judged",
        ),
        clause(
            running.cut(),
            "packet cut short within its headers: not judged",
            "packets cut short within their headers: not judged",
        ),
        clause(
            counts.others,
            "packet of another service: not judged",
            "packets of other services: not judged",
        ),
        clause(
            counts.newer,
            "packet of a newer opcode (FLUSH, ATOMIC WRITE): not judged",
            "packets of newer opcodes (FLUSH, ATOMIC WRITE): not judged",
        ),
        clause(
            running.left_out + counts.left_out,
            "packet that was not asked for",
            "packets that were not asked for",
        ),
        clause(
            running.not_rdma,
            "packet that is not RDMA",
            "packets that are not RDMA",
        ),
        links
            .map(|(link, n)| {
                clause(
                    *n,
                    &format!("packet of link type {link}, which is not read"),
                    &format!("packets of link type {link}, which is not read"),
                )
            })
            .collect(),
        clause(
            running.twice(),
            "packet that came twice, byte for byte: judged once",
            "packets that came twice, byte for byte: judged once",
        ),
        clause(
            counts.lacks,
            "PSN that was acknowledged, and whose request the capture lacks",
            "PSNs that were acknowledged, and whose requests the capture lacks",
        ),
        clause(
            counts.lost,
            "PSN of UC that did not come: lost, before the capture or in it",
            "PSNs of UC that did not come: lost, before the capture or in it",
        ),
        unreliable(&counts),
        clause(
            counts.unanswered,
            "direction whose requests were sent again and again and never answered, as far as the capture shows",
            "directions whose requests were sent again and again and never answered, as far as the capture shows",
        ),
        mads(&counts),
        clause(
            counts.overtaken,
            "ack behind a newer one, right for its place: in order, for all that the capture shows",
            "acks behind newer ones, right for their place: in order, for all that the capture shows",
        ),
        clause(
            running.unprotected,
            "packet whose ICRC is 0: judged without it",
            "packets whose ICRC is 0: judged without it",
        ),
    ]
    .concat()
}

/// Describes the messages of UC and the Q_Keys that could not be judged.
fn unreliable(counts: &Counts) -> String {
    [
        clause(
            counts.headless,
            "message of UC that began before the capture: its length not judged",
            "messages of UC that began before the capture: their lengths not judged",
        ),
        clause(
            counts.broken,
            "message of UC with a loss or in another order: its length not judged",
            "messages of UC with losses or in another order: their lengths not judged",
        ),
        clause(
            counts.unfinished,
            "message of UC that had not ended: its length not judged",
            "messages of UC that had not ended: their lengths not judged",
        ),
        clause(
            counts.q_keys_unknown,
            "datagram to a queue pair whose Q_Key the capture does not show: the Q_Key not judged",
            "datagrams to queue pairs whose Q_Keys the capture does not show: the Q_Keys not judged",
        ),
        clause(
            counts.q_keys_differing,
            "of them whose Q_Key differs from the one before to the same queue pair",
            "of them whose Q_Keys differ from the ones before to the same queue pairs",
        ),
        clause(
            counts.q_keys_refused,
            "datagram with another Q_Key than its queue pair has shown: dropped there, unless a verb changed it",
            "datagrams with other Q_Keys than their queue pairs have shown: dropped there, unless verbs changed them",
        ),
        clause(
            counts.q_keys_changed,
            "own Q_Key, with bit 31 set, that differs from the one that its queue pair sent before: not judged",
            "own Q_Keys, with bit 31 set, that differ from the ones that their queue pairs sent before: not judged",
        ),
    ]
    .concat()
}

/// Describes the MADs by name.
fn mads(counts: &Counts) -> String {
    let named = counts.mads.iter().map(|(mad, n)| format!("{n} {}", mad.name()));
    let named: Vec<String> = named.collect();
    match named.is_empty() {
        true => String::new(),
        false => format!("; MADs: {}", named.join(", ")),
    }
}

/// Returns a count with its noun; an empty text if the count is 0.
fn clause(n: u64, one: &str, many: &str) -> String {
    match n {
        0 => String::new(),
        1 => format!("; 1 {one}"),
        n => format!("; {n} {many}"),
    }
}
