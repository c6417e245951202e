//! Numbers as people write queue pairs: `17`, `0x11`, `11h`.

/// Parses a number of at most 24 bits.
pub fn queue_pair(text: &str) -> Result<u32, String> {
    let (digits, radix) = match (text.strip_prefix("0x"), text.strip_suffix(['h', 'H'])) {
        (Some(digits), _) | (None, Some(digits)) => (digits, 16),
        (None, None) => (text, 10),
    };
    match u32::from_str_radix(digits, radix) {
        Ok(number) if number < 1 << 24 => Ok(number),
        Ok(_) => Err("queue pairs have 24 bits".to_owned()),
        Err(_) => Err("write 17, 0x11 or 11h".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::queue_pair;

    #[test]
    fn all_three_ways_to_write_a_number() {
        for text in ["17", "0x11", "11h", "11H", "000011h"] {
            assert_eq!(queue_pair(text), Ok(17), "{text}");
        }
        for text in ["", "h", "0x", "-1", "1000000h", "16777216", "11"] {
            assert_ne!(queue_pair(text), Ok(17), "{text}");
        }
    }
}
