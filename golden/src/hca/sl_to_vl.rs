//! What the model knows about changes of the SL-to-VL table.
use std::collections::VecDeque;

/// Parts of the table that software has written and the device does not use yet: the first SL of each part, and its VLs
/// as in [`Event::SlToVlSet`](crate::event::Event::SlToVlSet).
#[derive(Clone, Debug, Default)]
pub(super) struct SlToVl {
    pub asked: VecDeque<(u8, u32)>,
}
