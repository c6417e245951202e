//! The rows of `opcodes.csv` for RC, UC, RD and UD. Opcodes that are out of scope there (FLUSH, ATOMIC WRITE) are
//! reserved here.
use super::row::Header::*;
use super::row::Operation::*;
use super::row::Position::*;
use super::row::{Header, Opcode, Operation, Position};

const fn row(
    value: u8,
    name: &'static str,
    operation: Operation,
    position: Position,
    headers: &'static [Header],
) -> Opcode {
    Opcode {
        value,
        name,
        operation,
        position,
        headers,
    }
}

/// By ascending value.
#[rustfmt::skip]
pub(super) static TABLE: [Opcode; 59] = [
    row(0x00, "RC_SEND_FIRST", Send, First, &[]),
    row(0x01, "RC_SEND_MIDDLE", Send, Middle, &[]),
    row(0x02, "RC_SEND_LAST", Send, Last, &[]),
    row(0x03, "RC_SEND_LAST_WITH_IMMEDIATE", Send, Last, &[ImmDt]),
    row(0x04, "RC_SEND_ONLY", Send, Only, &[]),
    row(0x05, "RC_SEND_ONLY_WITH_IMMEDIATE", Send, Only, &[ImmDt]),
    row(0x06, "RC_RDMA_WRITE_FIRST", Write, First, &[Reth]),
    row(0x07, "RC_RDMA_WRITE_MIDDLE", Write, Middle, &[]),
    row(0x08, "RC_RDMA_WRITE_LAST", Write, Last, &[]),
    row(0x09, "RC_RDMA_WRITE_LAST_WITH_IMMEDIATE", Write, Last, &[ImmDt]),
    row(0x0A, "RC_RDMA_WRITE_ONLY", Write, Only, &[Reth]),
    row(0x0B, "RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", Write, Only, &[Reth, ImmDt]),
    row(0x0C, "RC_RDMA_READ_REQUEST", Read, Only, &[Reth]),
    row(0x0D, "RC_RDMA_READ_RESPONSE_FIRST", ReadResponse, First, &[Aeth]),
    row(0x0E, "RC_RDMA_READ_RESPONSE_MIDDLE", ReadResponse, Middle, &[]),
    row(0x0F, "RC_RDMA_READ_RESPONSE_LAST", ReadResponse, Last, &[Aeth]),
    row(0x10, "RC_RDMA_READ_RESPONSE_ONLY", ReadResponse, Only, &[Aeth]),
    row(0x11, "RC_ACKNOWLEDGE", Acknowledge, Only, &[Aeth]),
    row(0x12, "RC_ATOMIC_ACKNOWLEDGE", AtomicAcknowledge, Only, &[Aeth, AtomicAckEth]),
    row(0x13, "RC_COMPARE_SWAP", CompareSwap, Only, &[AtomicEth]),
    row(0x14, "RC_FETCH_ADD", FetchAdd, Only, &[AtomicEth]),
    row(0x16, "RC_SEND_LAST_WITH_INVALIDATE", Send, Last, &[Ieth]),
    row(0x17, "RC_SEND_ONLY_WITH_INVALIDATE", Send, Only, &[Ieth]),
    row(0x20, "UC_SEND_FIRST", Send, First, &[]),
    row(0x21, "UC_SEND_MIDDLE", Send, Middle, &[]),
    row(0x22, "UC_SEND_LAST", Send, Last, &[]),
    row(0x23, "UC_SEND_LAST_WITH_IMMEDIATE", Send, Last, &[ImmDt]),
    row(0x24, "UC_SEND_ONLY", Send, Only, &[]),
    row(0x25, "UC_SEND_ONLY_WITH_IMMEDIATE", Send, Only, &[ImmDt]),
    row(0x26, "UC_RDMA_WRITE_FIRST", Write, First, &[Reth]),
    row(0x27, "UC_RDMA_WRITE_MIDDLE", Write, Middle, &[]),
    row(0x28, "UC_RDMA_WRITE_LAST", Write, Last, &[]),
    row(0x29, "UC_RDMA_WRITE_LAST_WITH_IMMEDIATE", Write, Last, &[ImmDt]),
    row(0x2A, "UC_RDMA_WRITE_ONLY", Write, Only, &[Reth]),
    row(0x2B, "UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", Write, Only, &[Reth, ImmDt]),
    row(0x40, "RD_SEND_FIRST", Send, First, &[Rdeth, Deth]),
    row(0x41, "RD_SEND_MIDDLE", Send, Middle, &[Rdeth, Deth]),
    row(0x42, "RD_SEND_LAST", Send, Last, &[Rdeth, Deth]),
    row(0x43, "RD_SEND_LAST_WITH_IMMEDIATE", Send, Last, &[Rdeth, Deth, ImmDt]),
    row(0x44, "RD_SEND_ONLY", Send, Only, &[Rdeth, Deth]),
    row(0x45, "RD_SEND_ONLY_WITH_IMMEDIATE", Send, Only, &[Rdeth, Deth, ImmDt]),
    row(0x46, "RD_RDMA_WRITE_FIRST", Write, First, &[Rdeth, Deth, Reth]),
    row(0x47, "RD_RDMA_WRITE_MIDDLE", Write, Middle, &[Rdeth, Deth]),
    row(0x48, "RD_RDMA_WRITE_LAST", Write, Last, &[Rdeth, Deth]),
    row(0x49, "RD_RDMA_WRITE_LAST_WITH_IMMEDIATE", Write, Last, &[Rdeth, Deth, ImmDt]),
    row(0x4A, "RD_RDMA_WRITE_ONLY", Write, Only, &[Rdeth, Deth, Reth]),
    row(0x4B, "RD_RDMA_WRITE_ONLY_WITH_IMMEDIATE", Write, Only, &[Rdeth, Deth, Reth, ImmDt]),
    row(0x4C, "RD_RDMA_READ_REQUEST", Read, Only, &[Rdeth, Deth, Reth]),
    row(0x4D, "RD_RDMA_READ_RESPONSE_FIRST", ReadResponse, First, &[Rdeth, Aeth]),
    row(0x4E, "RD_RDMA_READ_RESPONSE_MIDDLE", ReadResponse, Middle, &[Rdeth]),
    row(0x4F, "RD_RDMA_READ_RESPONSE_LAST", ReadResponse, Last, &[Rdeth, Aeth]),
    row(0x50, "RD_RDMA_READ_RESPONSE_ONLY", ReadResponse, Only, &[Rdeth, Aeth]),
    row(0x51, "RD_ACKNOWLEDGE", Acknowledge, Only, &[Rdeth, Aeth]),
    row(0x52, "RD_ATOMIC_ACKNOWLEDGE", AtomicAcknowledge, Only, &[Rdeth, Aeth, AtomicAckEth]),
    row(0x53, "RD_COMPARE_SWAP", CompareSwap, Only, &[Rdeth, Deth, AtomicEth]),
    row(0x54, "RD_FETCH_ADD", FetchAdd, Only, &[Rdeth, Deth, AtomicEth]),
    row(0x55, "RD_RESYNC", Resync, Only, &[Rdeth, Deth]),
    row(0x64, "UD_SEND_ONLY", Send, Only, &[Deth]),
    row(0x65, "UD_SEND_ONLY_WITH_IMMEDIATE", Send, Only, &[Deth, ImmDt]),
];
