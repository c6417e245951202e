//! Cases that somebody edited: what means nothing is refused with its reason, and nothing else ends a run.
use assert_cmd::Command;
use hca_rtl::export::DESIGNS;
use hca_testbench::case::frame;
use hca_testbench::case::{all_in, Case};
use hca_testbench::cli::fuzz::devices::Devices;
use hca_testbench::fabric::Unwatched;
use hca_testbench::fuzz::{draw, run_case};
use hca_testbench::life::Area;
use predicates::str::contains;
use proptest::prelude::*;
use proptest::sample::Index;
use std::path::Path;

/// The corpus, as text.
fn corpus() -> Vec<String> {
    let paths = all_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/corpus")).unwrap();
    paths
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

/// Where numbers stand in a case: what follows `= ` or, in a list, `[`, `, `.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(|c: char| c.is_ascii_digit()) {
        let start = from + start;
        let end = text[start..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(text.len(), |n| start + n);
        let before = text[..start].chars().next_back();
        if matches!(before, Some(' ' | '[' | '-')) {
            all.push(start..end);
        }
        from = end;
    }
    all
}

fn edited(text: &str, edits: &[(Index, i64)]) -> String {
    let mut text = text.to_owned();
    for (place, number) in edits {
        let all = numbers(&text);
        text.replace_range(place.get(&all).clone(), &number.to_string());
    }
    text
}

/// Runs it on models, if it is a case; what comes of it is of no interest.
fn lived(text: &str) {
    let Ok(mut case) = Case::parse(text) else {
        return;
    };
    case.frame.devices = frame::Devices::Models;
    if let Ok(fresh) = Devices::new(DESIGNS, None, 0, false).of(&case.frame, None) {
        run_case(&case, fresh, &mut Unwatched).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_number_ends_a_run(
        case in any::<Index>(),
        edits in prop::collection::vec((any::<Index>(), prop_oneof![
            4 => 0i64..=20,
            2 => -3i64..=300,
            1 => prop::sample::select(&[255i64, 1000, 4096, 20_000, 32_768, 65_535, 1 << 31, u32::MAX as i64][..]),
        ]), 1..=3),
    ) {
        let corpus = corpus();
        let text: &String = case.get(&corpus);
        lived(&edited(text, &edits));
    }
}

#[test]
fn every_drawn_case_is_permitted() {
    use Area::{All, Datagrams, Faults, Host, Hostile, Verbs};
    for area in [All, Hostile, Verbs, Faults, Host, Datagrams] {
        for index in 0..60 {
            let case = draw(5, index, area).case();
            assert_eq!(Case::parse(&case.text().unwrap()).unwrap(), case);
        }
    }
}

#[test]
fn what_means_nothing_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("case.toml");
    let case = |faults: &str, latency: &str, steps: &str| {
        format!(
            "version = 1\nseed = 1\nindex = 0\n[frame]\ndevices = \"models\"\nprofile = \"small\"\nlink = \"ib\"\nseed = 1\n\
             [frame.faults]\n{faults}\n[frame.timing]\nmemory_latency = {latency}\nmemory_pauses = 0\nstream_gaps = 0\n\
             stream_stalls = 0\nregister_pauses = 0\n{steps}"
        )
    };
    let step = |words: &str| {
        let steps =
            format!("[life]\nsteps = [\n{{ side = \"X\", act = \"wait\", cycles = 1 }},\n{words},\n]\n");
        case("lost = 0", "[4, 40]", &steps)
    };
    let send = "act = \"post_send\", qp = 0, work = { length = 1, sges = 1";
    for (text, message) in [
        (
            step("{ side = \"X\", act = \"connect\", qp = 99, cq = 0 }"),
            "step 2 (connect): `qp` is 99; it may be 0 to 2",
        ),
        (
            step("{ side = \"X\", act = \"reg_mr\", region = 77 }"),
            "step 2 (reg_mr): `region` is 77; it may be 0 to 2",
        ),
        (
            step(&format!("{{ side = \"X\", {send}, region = 77 }} }}")),
            "step 2 (post_send): `work.region` is 77; it may be 0 to 2",
        ),
        (
            step("{ side = \"X\", act = \"wait\", cycles = 1, foo = 3 }"),
            "unknown field `foo`",
        ),
        (
            step(&format!("{{ side = \"X\", {send}, foo = 3 }} }}")),
            "unknown field `foo`",
        ),
        (
            case("lost = 5000", "[4, 40]", "[life]\nsteps = []\n"),
            "frame: `faults.lost` is 5000; it may be 0 to 1000",
        ),
        (
            case("lost = 0", "[40, 4]", "[life]\nsteps = []\n"),
            "frame: `timing.memory_latency[0]` is 40; it may be 1 to 4",
        ),
        (case("lost = 0", "[4, 40]", ""), "missing field `life`"),
    ] {
        std::fs::write(&file, text).unwrap();
        let mut replay = Command::cargo_bin("hca").unwrap();
        replay
            .arg("replay")
            .arg(&file)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message));
    }
}
