//! Every case of `testbench/corpus/` holds: those that failed once, and those that reach far. On the hardware that a
//! case names, and on two models.
use hca_rtl::export::DESIGNS;
use hca_testbench::case::frame;
use hca_testbench::case::{all_in, Case};
use hca_testbench::cli::fuzz::devices::Devices;
use hca_testbench::fabric::Unwatched;
use hca_testbench::fuzz::{differed, run_case};
use std::path::Path;

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let named = |path: &Path| {
        let case = Case::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path.file_stem().unwrap().to_string_lossy().into_owned(), case)
    };
    let cases: Vec<_> = all_in(&folder).unwrap().iter().map(|p| named(p)).collect();
    assert!(!cases.is_empty());
    cases
}

fn hold(devices: frame::Devices) {
    let mut all = Devices::new(DESIGNS, None, 0, false);
    for (name, mut case) in cases() {
        case.frame.devices = devices;
        let fresh = all.of(&case.frame, None).unwrap();
        let run = run_case(&case, fresh, &mut Unwatched).unwrap();
        if let Some(failure) = run.failure {
            panic!("{name}: {}", differed(&failure));
        }
    }
}

#[test]
fn the_corpus_holds_on_the_hardware() {
    hold(frame::Devices::Hardware);
}

#[test]
fn the_corpus_holds_on_two_models() {
    hold(frame::Devices::Models);
}

#[test]
fn a_case_is_read_as_it_was_written() {
    for (name, case) in cases() {
        let text = case.text().unwrap();
        assert_eq!(Case::parse(&text).unwrap(), case, "{name}");
    }
}
