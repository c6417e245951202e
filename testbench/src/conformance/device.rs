//! Cases: tests named after the rows that they cover, `resp::hardware::cf059_cf061_a_gap`.

/// The subject of a case: model or hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Device {
    Model,
    Hardware,
}

/// A module `hardware` holds the cases of the hardware; all others are cases of the model.
pub fn device_of(case: &str) -> Device {
    match case.split("::").any(|module| module == "hardware") {
        true => Device::Hardware,
        false => Device::Model,
    }
}

/// Why a case that needs two ports is passed over on a device with one, and has no case there.
pub const ONE_PORT: &str = "the adapter has one port";

/// A module `two_ports` holds the cases of a device with two ports; a device with one passes them over.
pub fn needs_two_ports(case: &str) -> bool {
    case.split("::").any(|module| module == "two_ports")
}

/// The rows at the start of a case's name.
pub fn rows_of(case: &str) -> impl Iterator<Item = String> + '_ {
    let name = case.rsplit("::").next().unwrap_or(case);
    let is_row = |word: &&str| {
        let digits = word.strip_prefix("cf").unwrap_or_default();
        digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit())
    };
    name.split('_').take_while(is_row).map(str::to_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_rows_and_device() {
        let case = "rc::resp::hardware::cf059_cf061_a_gap_of_cf7";
        assert_eq!(rows_of(case).collect::<Vec<_>>(), ["CF059", "CF061"]);
        assert_eq!(device_of(case), Device::Hardware);
        let case = "hardware_of_a_kind::a_gap_cf059";
        assert_eq!(rows_of(case).count(), 0);
        assert_eq!(device_of(case), Device::Model);
        assert!(needs_two_ports("two_ports::tables::model::cf463_x"));
        assert!(!needs_two_ports("port::model::cf462_two_ports"));
    }
}
