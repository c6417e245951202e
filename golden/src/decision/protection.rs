//! Memory protection: whether a key permits an access to these bytes (`responder.md` section 1 step 14, `requester.md`
//! section 8).
use crate::verbs::{MemoryAccess, MemoryRegion};

/// A memory region as the table holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub attributes: MemoryRegion,
    /// False once the region has been invalidated.
    pub valid: bool,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    LocalRead,
    LocalWrite,
    RemoteWrite,
    RemoteRead,
    RemoteAtomic,
}

/// An access to memory. It needs permission unless its length is 0 (CF089).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The L_Key for a local access, or the R_Key for a remote one.
    pub key: u32,
    pub va: u64,
    /// Length in bytes.
    pub length: u64,
    pub right: Right,
}

/// Why an access is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    UnknownKey,
    Invalidated,
    ProtectionDomain,
    Right,
    Bounds,
}

struct Check {
    fault: Fault,
    citation: &'static str,
    fails: fn(&Region, u32, &Access) -> bool,
}

const CHECKS: [Check; 4] = [
    Check {
        fault: Fault::Invalidated,
        citation: "responder.md section 1 step 14, CF085",
        fails: |region, _, _| !region.valid,
    },
    Check {
        fault: Fault::ProtectionDomain,
        citation: "responder.md section 1 step 14, CF088",
        fails: |region, pd, _| region.attributes.pd != pd,
    },
    Check {
        fault: Fault::Right,
        citation: "responder.md section 1 step 14, CF086; qp_cq.md section 3",
        fails: |region, _, access| !grants(region.attributes.access, access.right),
    },
    Check {
        fault: Fault::Bounds,
        citation: "responder.md section 1 step 14, CF087",
        fails: |region, _, access| !holds(&region.attributes, access),
    },
];

impl Right {
    /// Returns true if the right needs an R_Key, false if it needs an L_Key.
    pub fn is_remote(self) -> bool {
        !matches!(self, Right::LocalRead | Right::LocalWrite)
    }
}

/// Returns the address of the first byte of an access by a QP of protection domain `pd`, or why the access is refused.
/// `region` is the region of the access's key.
pub fn judge(region: Option<&Region>, pd: u32, access: &Access) -> Result<u64, (Fault, &'static str)> {
    let Some(region) = region else {
        return Err((Fault::UnknownKey, "responder.md section 1 step 14, CF085"));
    };
    match CHECKS.iter().find(|c| (c.fails)(region, pd, access)) {
        Some(check) => Err((check.fault, check.citation)),
        None if region.attributes.zero_based => Ok(region.attributes.base.wrapping_add(access.va)),
        None => Ok(access.va),
    }
}

fn grants(granted: MemoryAccess, right: Right) -> bool {
    match right {
        Right::LocalRead => true,
        Right::LocalWrite => granted.local_write,
        Right::RemoteWrite => granted.remote_write,
        Right::RemoteRead => granted.remote_read,
        Right::RemoteAtomic => granted.remote_atomic,
    }
}

/// Returns true if the access lies in the region. Neither the end of the access nor that of the region may wrap around
/// (FB20).
fn holds(region: &MemoryRegion, access: &Access) -> bool {
    let first = if region.zero_based { 0 } else { region.base };
    let end = |at: u64, length: u64| u128::from(at) + u128::from(length);
    first <= access.va && end(access.va, access.length) <= end(first, region.length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(base: u64, length: u64, zero_based: bool) -> Region {
        let access = MemoryAccess {
            remote_read: true,
            ..MemoryAccess::default()
        };
        let (l_key, r_key, pd) = (1, 2, 3);
        Region {
            attributes: MemoryRegion {
                l_key,
                r_key,
                pd,
                base,
                length,
                access,
                zero_based,
            },
            valid: true,
        }
    }

    fn read(region: &Region, va: u64, length: u64) -> Result<u64, Fault> {
        let access = Access {
            key: 2,
            va,
            length,
            right: Right::RemoteRead,
        };
        judge(Some(region), 3, &access).map_err(|(fault, _)| fault)
    }

    #[test]
    fn bounds() {
        let r = region(0x1000, 16, false);
        assert_eq!(read(&r, 0x1000, 16), Ok(0x1000));
        assert_eq!(read(&r, 0x100F, 1), Ok(0x100F));
        for (va, length) in [(0xFFF, 1), (0x1000, 17), (0x1010, 1), (0, 16)] {
            assert_eq!(read(&r, va, length), Err(Fault::Bounds), "{va:X}h, {length}");
        }
    }

    /// FB20.
    #[test]
    fn an_access_does_not_wrap_into_the_region() {
        let top = region(u64::MAX - 15, 16, false);
        assert_eq!(read(&top, u64::MAX - 15, 16), Ok(u64::MAX - 15));
        assert_eq!(read(&top, u64::MAX - 15, 17), Err(Fault::Bounds));
        assert_eq!(read(&top, u64::MAX, 2), Err(Fault::Bounds));
        let bottom = region(0, 16, false);
        assert_eq!(read(&bottom, u64::MAX, 2), Err(Fault::Bounds));
        assert_eq!(read(&bottom, 8, u64::MAX - 4), Err(Fault::Bounds));
    }

    #[test]
    fn zero_based_addresses_are_offsets() {
        let r = region(0x1000, 16, true);
        assert_eq!(read(&r, 0, 16), Ok(0x1000));
        assert_eq!(read(&r, 15, 1), Ok(0x100F));
        assert_eq!(read(&r, 0x1000, 1), Err(Fault::Bounds));
    }

    #[test]
    fn rights_domains_and_keys() {
        let mut r = region(0, 8, false);
        let access = |right| Access {
            key: 2,
            va: 0,
            length: 8,
            right,
        };
        let fault = |r: &Region, pd, right| judge(Some(r), pd, &access(right)).unwrap_err().0;
        for right in [Right::LocalWrite, Right::RemoteWrite, Right::RemoteAtomic] {
            assert_eq!(fault(&r, 3, right), Fault::Right);
        }
        assert_eq!(judge(Some(&r), 3, &access(Right::LocalRead)), Ok(0));
        assert_eq!(fault(&r, 4, Right::RemoteRead), Fault::ProtectionDomain);
        r.valid = false;
        assert_eq!(fault(&r, 3, Right::RemoteRead), Fault::Invalidated);
        let unknown = judge(None, 3, &access(Right::RemoteRead)).unwrap_err().0;
        assert_eq!(unknown, Fault::UnknownKey);
    }
}
