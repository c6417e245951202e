//! What a walk has to bring, written down plainly.
use hca_rtl::memory::walker::{FAULT_LIST, FAULT_NONE, FAULT_PROTECTION};

/// 2^`MB` regions, as in the small profile.
pub const MB: usize = 6;
pub const REGIONS: u32 = 1 << MB;

/// A memory region (`protocol/qp_cq.md` section 3), as the test knows it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Region {
    pub valid: bool,
    pub l_key: u32,
    pub r_key: u32,
    pub pd: u32,
    pub base: u64,
    pub length: u64,
    /// Local write, remote write, remote read, remote atomic.
    pub rights: [bool; 4],
    pub zero_based: bool,
}

impl Region {
    /// The 222 bits of a row, least significant byte first.
    pub fn to_bytes(self) -> [u8; 28] {
        let mut row = [0; 28];
        let mut at = 0;
        let mut put = |value: u64, width: usize| {
            for bit in 0..width {
                row[(at + bit) / 8] |= ((value >> bit & 1) as u8) << ((at + bit) % 8);
            }
            at += width;
        };
        put(self.valid.into(), 1);
        put(self.l_key.into(), 32);
        put(self.r_key.into(), 32);
        put(self.pd.into(), 24);
        put(self.base, 64);
        put(self.length, 64);
        for right in self.rights {
            put(right.into(), 1);
        }
        put(self.zero_based.into(), 1);
        row
    }
}

/// Address, length, key.
pub type Segment = (u64, u32, u32);

#[derive(Clone, Debug, Default)]
pub struct Request {
    pub segments: Vec<Segment>,
    pub count: u8,
    /// The list's address in host memory.
    pub indirect: Option<u64>,
    pub unchecked: bool,
    pub offset: u32,
    pub length: u32,
    pub entire: bool,
    pub right: u8,
    pub pd: u32,
}

impl Request {
    /// One SGE.
    pub fn one(segment: Segment, length: u32, right: u8, pd: u32) -> Request {
        Request {
            segments: vec![segment],
            count: 1,
            length,
            right,
            pd,
            ..Request::default()
        }
    }
}

/// Pieces of host memory and the fault, if any; pieces mean nothing beside a fault.
pub type Answer = (Vec<(u64, u64)>, usize);

/// Where an access lies in host memory, if it is allowed (responder.md section 1 steps 14 and 15).
fn access(regions: &[Region], (address, length, key): Segment, right: u8, pd: u32) -> Option<u64> {
    let region = regions[(key >> 8) as usize % regions.len()];
    let named = if right >= 2 { region.r_key } else { region.l_key };
    let entitled = match right {
        0 | 5 => true,
        right => region.rights[right as usize - 1],
    };
    if !region.valid || named != key || region.pd != pd || !entitled {
        return None;
    }
    let start = if region.zero_based { 0 } else { region.base };
    let end = u128::from(address) + u128::from(length);
    let inside = address >= start && end <= u128::from(start) + u128::from(region.length) && end <= 1 << 64;
    let real = if region.zero_based {
        address.wrapping_add(region.base)
    } else {
        address
    };
    (inside || right == 5).then_some(real)
}

/// What a request has to bring.
pub fn answer(regions: &[Region], request: &Request) -> Answer {
    let listed = usize::from(request.count);
    if listed > 16 || (request.indirect.is_none() && listed > 2) {
        return (Vec::new(), FAULT_LIST);
    }
    let (mut skip, mut left) = (request.offset, request.length);
    let mut pieces = Vec::new();
    let (mut forbidden, mut unread) = (false, false);
    for &(address, length, key) in &request.segments[..listed] {
        unread |= request.indirect.is_some() && left != 0 && length >= 3 << 30;
        let take = length.saturating_sub(skip).min(left);
        let checked = if request.entire { length } else { take };
        if checked != 0 {
            let address = address.wrapping_add(skip.into());
            let real = match request.unchecked {
                true => Some(address),
                false => access(regions, (address, checked, key), request.right, request.pd),
            };
            forbidden |= real.is_none();
            if let Some(real) = real.filter(|_| take != 0) {
                pieces.push((real, u64::from(take)));
            }
        }
        skip = skip.saturating_sub(length);
        left -= take;
        if left == 0 {
            break;
        }
    }
    let short = left != 0 || (request.entire && listed == 0);
    let fault = match (short || unread, forbidden) {
        (true, _) => FAULT_LIST,
        (false, true) => FAULT_PROTECTION,
        (false, false) => FAULT_NONE,
    };
    (pieces, fault)
}
