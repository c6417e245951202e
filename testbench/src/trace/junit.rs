//! Results as JUnit XML, for continuous integration.
use super::results::RunResult;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};

/// Writes one test case for each scenario.
pub fn write(runs: &[RunResult], out: &mut impl Write) -> io::Result<()> {
    let mut suite = TestSuite::new("hca cosim");
    for run in runs {
        let status = match &run.failure {
            None => TestCaseStatus::success(),
            Some(failure) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(failure.field.clone());
                status.set_description(failure.report.clone());
                status
            }
        };
        suite.add_test_case(TestCase::new(
            format!("{} seed {}", run.scenario, run.seed),
            status,
        ));
    }
    let mut report = Report::new("hca");
    report.add_test_suite(suite);
    report.serialize(out).map_err(io::Error::other)
}
