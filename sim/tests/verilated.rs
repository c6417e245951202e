//! Building and running small designs.
use hca_sim::verilated::{Build, Direction, Error, Evaluation, Library, Lints, Model, Source};
use std::fs;
use std::path::Path;

const COUNTER: &str = include_str!("verilog/counter.v");
const STRICT: Build = Build {
    lints: Lints::Strict,
    trace: false,
    evaluation: Evaluation::Gated,
};
const LENIENT: Build = Build {
    lints: Lints::Lenient,
    trace: false,
    evaluation: Evaluation::Gated,
};

fn counter(build: Build) -> Library {
    build
        .library(&Source::from_texts("counter", [("counter.v", COUNTER)]))
        .unwrap()
}

/// Clocks a counter `cycles` times with this step, after a reset.
fn count(model: &mut Model, step: u32, cycles: u64) -> u64 {
    let library = model.library().clone();
    let port = |name| library.port(name).unwrap();
    let (clock, reset) = (port("clock"), port("reset"));
    model.set(port("step"), step);
    for cycle in 0..=cycles {
        model.set(reset, cycle == 0);
        for level in [false, true] {
            model.set(clock, level);
            model.eval().unwrap();
            model.trace_dump(2 * cycle + u64::from(level));
        }
    }
    model.get(port("count"))
}

#[test]
fn ports_of_every_width_carry_values() {
    let library = counter(STRICT);
    let mut model = Model::new(&library, 1).unwrap();
    assert_eq!(count(&mut model, 5, 7), 35);
    // Cut to the port's 12 bits.
    assert_eq!(count(&mut model, 0xF001, 3), 3);

    let port = |name| library.port(name).unwrap();
    model.set(port("add"), 0xFF_FFFF_FFFEu64);
    model.set_bytes(port("wide_in"), &[0xFF; 20]);
    model.eval().unwrap();
    assert_eq!(model.get(port("sum")), 0xFF_FFFF_FFFF);
    assert_eq!(model.bytes(port("wide_in"))[12], 0x0F);
    assert_eq!(model.bytes(port("wide_out")), [0; 13]);
    model.set(port("wide_in"), 1u64);
    model.eval().unwrap();
    let mut expected = [0xFF; 13];
    expected[0] = 0xFE;
    expected[12] = 0x0F;
    assert_eq!(model.bytes(port("wide_out")), expected);
    assert_eq!(model.get(port("wide_out")), u64::MAX - 1);
}

#[test]
fn ports_are_checked_by_name_direction_and_width() {
    let library = counter(STRICT);
    let named: Vec<_> = library.ports().iter().map(|p| p.name.as_str()).collect();
    for name in [
        "clock", "reset", "step", "add", "wide_in", "count", "forgotten", "sum", "wide_out",
    ] {
        assert!(named.contains(&name), "{name}");
    }
    assert!(library.expect("sum", Direction::Out, 40).is_ok());
    let error = library.expect("sum", Direction::Out, 41).unwrap_err().to_string();
    assert!(
        error.contains("`sum`") && error.contains("40 bits") && error.contains("41 bits"),
        "{error}"
    );
    let error = library.expect("sum", Direction::In, 40).unwrap_err();
    assert!(matches!(error, Error::PortShape { .. }));
    let error = library.port("total").unwrap_err().to_string();
    assert!(
        error.contains("`counter`") && error.contains("`total`"),
        "{error}"
    );
}

#[test]
fn the_same_input_is_built_once() {
    let first = counter(STRICT).path().to_owned();
    let built = fs::metadata(&first).unwrap().modified().unwrap();
    let second = counter(STRICT).path().to_owned();
    assert_eq!(first, second);
    assert_eq!(fs::metadata(&second).unwrap().modified().unwrap(), built);

    let edited = COUNTER.replace("40'd1", "40'd2");
    let other = STRICT
        .library(&Source::from_texts("counter", [("counter.v", edited)]))
        .unwrap();
    assert_ne!(other.path(), first);
    let mut model = Model::new(&other, 1).unwrap();
    model.set(other.port("add").unwrap(), 5u64);
    model.eval().unwrap();
    assert_eq!(model.get(other.port("sum").unwrap()), 7);
}

#[test]
fn instances_are_independent_and_freed_in_any_order() {
    let library = counter(STRICT);
    let mut a = Model::new(&library, 1).unwrap();
    let mut b = Model::new(&library, 2).unwrap();
    let c = Model::new(&library, 3).unwrap();
    assert_eq!(count(&mut a, 1, 10), 10);
    drop(c);
    assert_eq!(count(&mut b, 2, 10), 20);
    assert_eq!(a.get(library.port("count").unwrap()), 10);
    drop(a);
    drop(library);
    assert_eq!(count(&mut b, 3, 10), 30);
}

#[test]
fn the_seed_fills_what_no_reset_sets() {
    let library = counter(STRICT);
    let forgotten = library.port("forgotten").unwrap();
    let after = |seed| {
        let mut model = Model::new(&library, seed).unwrap();
        count(&mut model, 1, 3);
        model.get(forgotten)
    };
    assert_eq!(after(7), after(7));
    assert_ne!(after(7), after(8));
    assert_ne!(after(7), 0);
}

#[test]
fn warnings_matter_only_when_strict() {
    let sloppy = "module sloppy (input [3:0] a, output [7:0] b); assign b = a; endmodule";
    let source = Source::from_texts("sloppy", [("sloppy.v", sloppy)]);
    let error = STRICT.library(&source).err().unwrap().to_string();
    assert!(error.contains("WIDTH") && error.contains("sloppy.v:1"), "{error}");
    let library = LENIENT.library(&source).unwrap();
    let mut model = Model::new(&library, 1).unwrap();
    model.set(library.port("a").unwrap(), 9u64);
    model.eval().unwrap();
    assert_eq!(model.get(library.port("b").unwrap()), 9);
}

#[test]
fn bad_designs_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = Source::from_dir(dir.path(), "hca").unwrap_err();
    assert!(matches!(error, Error::NoVerilog(_)), "{error}");
    let error = Source::from_dir(Path::new("/nonexistent/dut"), "hca")
        .unwrap_err()
        .to_string();
    assert!(error.contains("/nonexistent/dut"), "{error}");

    fs::write(dir.path().join("counter.v"), COUNTER).unwrap();
    let error = LENIENT
        .library(&Source::from_dir(dir.path(), "hca").unwrap())
        .err()
        .unwrap();
    assert!(matches!(error, Error::NoTop { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("`hca`") && text.contains(dir.path().to_str().unwrap()),
        "{text}"
    );

    fs::write(dir.path().join("counter.v"), "module counter (input a; endmodule").unwrap();
    let source = Source::from_dir(dir.path(), "counter").unwrap();
    let error = LENIENT.library(&source).err().unwrap();
    assert!(matches!(error, Error::Refused { .. }), "{error}");
    assert!(error.to_string().contains("counter.v:1"), "{error}");
}

#[test]
fn a_folder_is_read_by_its_list() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("rtl")).unwrap();
    fs::write(dir.path().join("rtl/counter.v"), COUNTER).unwrap();
    fs::write(dir.path().join("stray.v"), "not Verilog").unwrap();
    fs::write(dir.path().join("files.f"), "// children first\nrtl/counter.v\n").unwrap();
    let source = Source::from_dir(dir.path(), "counter").unwrap();
    let library = LENIENT.library(&source).unwrap();
    assert_eq!(count(&mut Model::new(&library, 1).unwrap(), 1, 4), 4);
}

#[test]
fn a_design_that_stops_is_an_error() {
    let ring = "module ring (input a, output b); wire c; assign c = ~(b & a); assign b = c; endmodule";
    let library = LENIENT
        .library(&Source::from_texts("ring", [("ring.v", ring)]))
        .unwrap();
    let mut model = Model::new(&library, 1).unwrap();
    model.set(library.port("a").unwrap(), 1u64);
    let error = model.eval().unwrap_err();
    assert!(matches!(error, Error::Stopped(_)));
    assert!(error.to_string().contains("converge"), "{error}");
}

#[test]
fn waves_get_their_name_when_complete() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("counter.fst");
    let library = counter(Build {
        trace: true,
        evaluation: Evaluation::Gated,
        ..STRICT
    });
    let mut model = Model::new(&library, 1).unwrap();
    model.trace_to(&path).unwrap();
    assert_eq!(count(&mut model, 1, 100), 100);
    assert!(!path.exists());
    model.finish_trace().unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 300);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);

    let mut abandoned = Model::new(&library, 1).unwrap();
    abandoned.trace_to(&dir.path().join("abandoned.fst")).unwrap();
    count(&mut abandoned, 1, 10);
    drop(abandoned);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);

    let error = Model::new(&library, 1)
        .unwrap()
        .trace_to(Path::new("/nonexistent/a.fst"))
        .unwrap_err();
    assert!(error.to_string().contains("/nonexistent/a.fst"), "{error}");
    let error = Model::new(&counter(STRICT), 1)
        .unwrap()
        .trace_to(&path)
        .unwrap_err();
    assert!(matches!(error, Error::NoTrace));
}

#[test]
fn waves_on_a_full_disk_are_refused() {
    // A disk that fills up loses the file's end.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("counter.fst");
    let library = counter(Build {
        trace: true,
        evaluation: Evaluation::Gated,
        ..STRICT
    });
    let mut model = Model::new(&library, 1).unwrap();
    model.trace_to(&path).unwrap();
    count(&mut model, 1, 10);
    // Opened for writing already: the writer goes on in a file without a name, the cut one takes its place.
    // The writer keeps its scopes in a second file meanwhile, and a folder has no order.
    let entries = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut waves = entries.filter(|path| path.extension().is_none_or(|extension| extension != "hier"));
    let written = waves.next().unwrap();
    assert_eq!(waves.next(), None);
    fs::remove_file(&written).unwrap();
    fs::write(&written, [0; 40]).unwrap();
    let error = model.finish_trace().unwrap_err();
    assert!(matches!(error, Error::TraceIncomplete(_)), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
