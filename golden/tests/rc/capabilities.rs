//! What the model of a device of Sends alone refuses.
use super::pair::*;
use hca_golden::capabilities::Capabilities;
use hca_golden::event::DropReason;
use hca_golden::hca::Hca;
use hca_golden::verbs::*;

fn state(y: &Hca) -> QpState {
    y.query(Y_QPN).unwrap().state
}

#[test]
fn opcodes_that_are_not_supported() {
    for opcode in [0x06, 0x0A, 0x0B, 0x0C, 0x13, 0x14, 0x17] {
        let mut y = connected_with(Y_LID, &y_attributes(), Capabilities::SENDS);
        y.post_receive(Y_QPN, receive(70, &[sge(BUFFER_AT, 5120)]))
            .unwrap();
        refused_with_61h(&mut y, opcode);
    }
}

fn refused_with_61h(y: &mut Hca, opcode: u8) {
    let wrong = request(opcode, 100, &[1; 16]);
    assert_eq!(
        answers(y, std::slice::from_ref(&wrong)),
        [(100, 0x61, 0)],
        "{opcode:02X}h"
    );
    let completed = completions(y);
    assert!(
        completed.iter().all(|c| c.1 == Status::WrFlushErr),
        "{opcode:02X}h"
    );
    assert_eq!(state(y), QpState::Error, "{opcode:02X}h");
    assert_eq!(drop_reason(y, &wrong.encode().unwrap()), DropReason::QpState);
}
