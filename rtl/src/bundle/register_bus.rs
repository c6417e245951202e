//! Writes and reads of the registers of software.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// Carries register writes and reads from [`crate::control::Registers`] to every block that has registers; each
    /// block knows its own addresses.
    RegisterBusSource to RegisterBusSink {
        /// High for one cycle for each register write, at any address; low while the state of the port changes.
        write: Out Bit,
        /// Byte address of the register that is written.
        write_address: Out Bits<20>,
        /// The value that is written.
        write_data: Out Bits<32>,
        /// Byte address of the register that is read, whether software reads or not.
        read_address: Out Bits<20>,
    }
);
