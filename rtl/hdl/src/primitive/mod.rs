//! The building blocks of kernels: registers, memories, queues and fixed wiring.
//!
//! Only these blocks may hold Verilog text. The `update()` of each agrees with its Verilog cycle by cycle. `T` is the
//! type of a word; widths are const generics: `D` data bits, `A` address bits, `W` vector bits.
mod block_fifo;
mod block_ram;
mod byte_ram;
mod byte_reverse;
mod concat;
mod constant;
mod crc_advance;
mod crc_step;
mod fifo;
mod held_ram;
mod lut_ram;
mod module_name;
mod passage;
mod register;
mod rom;
mod wiring;

pub use block_fifo::BlockFifo;
pub use block_ram::BlockRam;
pub use byte_ram::ByteRam;
pub use byte_reverse::ByteReverse;
pub use concat::Concat;
pub use constant::{constant, provided};
pub use crc_advance::CrcAdvance;
pub use crc_step::CrcStep;
pub use fifo::Fifo;
pub use held_ram::HeldRam;
pub use lut_ram::LutRam;
pub use passage::Passage;
pub use register::{bits_cleared, Register};
pub use rom::Rom;

pub use crate::{clock, comment, dff_setup};
pub use hca_hdl_macros::kernel;
pub(crate) use module_name::MODULE_MARKER;
pub(crate) use register::REGISTER;
