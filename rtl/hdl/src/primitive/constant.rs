//! Numbers and conditions that follow from the generics of a block, evaluated when it is elaborated.
use rust_hdl_core::prelude::*;

/// Returns a constant of `N` bits.
///
/// # Panics
/// If the value has more bits, because the design would be wrong.
pub fn constant<const N: usize>(value: impl TryInto<u128>) -> Constant<Bits<N>> {
    let value = value.try_into().ok();
    let fits = |value: &u128| N >= 128 || value >> N == 0;
    match value.filter(fits) {
        Some(value) => Constant::new(value.to_bits()),
        None => panic!("a constant does not fit into {N} bits"),
    }
}

/// Returns the default value of a block whose generics fit each other.
///
/// # Panics
/// With `why`, if they do not fit.
pub fn provided<T: Default>(fits: bool, why: &str) -> T {
    assert!(fits, "the generics of a block contradict each other: {why}");
    T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_holds_its_value() {
        assert_eq!(constant::<3>(7).val(), Bits::from(7));
        assert_eq!(constant::<64>(u64::MAX).val(), Bits::from(u64::MAX));
    }

    #[test]
    #[should_panic(expected = "does not fit into 3 bits")]
    fn a_constant_that_is_too_large() {
        constant::<3>(8);
    }

    #[test]
    #[should_panic(expected = "contradict each other: N == 2")]
    fn generics_that_contradict_each_other() {
        provided::<u8>(false, "N == 2");
    }
}
