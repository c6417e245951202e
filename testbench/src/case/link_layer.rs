//! The link layer of a case: the virtual lanes that packets are on, and credits that come slowly.
use super::beyond::Beyond;
use crate::Side;
use hca_golden::port::SLS;
use serde::{Deserialize, Serialize};

/// Largest number of a VL.
const MAX_VL: u8 = 15;
/// Largest number of blocks that a flow-control packet may add.
const MAX_BLOCKS: u16 = 2048;
/// Largest number of clock cycles from one such packet to the next. No run takes such a wait for a hang.
const MAX_PAUSE: u16 = 15_000;

/// How the ports of a link with flow control are set up. Software of such a case also changes their states and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkLayer {
    /// VL of each SL on all ports at the start.
    pub sl_to_vl: [u8; SLS],
    /// The VL whose credits come slowly; `None`: those of all VLs come at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow: Option<SlowVl>,
}

/// A data VL of the link of the first ports whose credits come to one side late, or few at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowVl {
    /// The side that waits for the credits.
    pub to: Side,
    pub vl: u8,
    /// Number of blocks that a flow-control packet adds at most.
    pub blocks: u16,
    /// Clock cycles from one such packet to the next.
    pub every: u16,
}

impl LinkLayer {
    /// Checks that no VL is named that no packet can have, and that the slow credits come in the end.
    pub(super) fn check(&self) -> Result<(), Beyond> {
        for (sl, vl) in self.sl_to_vl.iter().enumerate() {
            Beyond::unless_within(&format!("link_layer.sl_to_vl[{sl}]"), *vl, 0..=MAX_VL)?;
        }
        self.slow.iter().try_for_each(|slow| {
            Beyond::unless_within("link_layer.slow.vl", slow.vl, 0..=MAX_VL - 1)?;
            Beyond::unless_within("link_layer.slow.blocks", slow.blocks, 1..=MAX_BLOCKS)?;
            Beyond::unless_within("link_layer.slow.every", slow.every, 1..=MAX_PAUSE)
        })
    }
}
