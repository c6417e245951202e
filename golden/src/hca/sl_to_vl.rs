//! What the model knows of changes of the VLs of SLs.
use std::collections::VecDeque;

/// Parts of the table that software has written and the device does not use yet: their first SL, and their VLs as in
/// [`Event::SlToVlSet`](crate::event::Event::SlToVlSet).
#[derive(Clone, Debug, Default)]
pub(super) struct SlToVl {
    pub asked: VecDeque<(u8, u32)>,
}
