//! The transport services.
use hca_hdl::prelude::*;
use hca_host::command;

constants!(
    /// Transport services as the hardware numbers them (`host::command::SERVICE_*`).
    pub struct Services: 3 {
        rc = command::SERVICE_RC,
        uc = command::SERVICE_UC,
        ud = command::SERVICE_UD,
    }
);
