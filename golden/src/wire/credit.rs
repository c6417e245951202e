//! Credit codes of an AETH (`aeth.md` section 3, `credit_table.csv`).

/// Credit code of an AETH without credits.
pub const NO_CREDITS: u8 = 0x1F;

/// Number of receive WQEs for each code.
const CREDITS: [u16; NO_CREDITS as usize] = [
    0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
    4096, 6144, 8192, 12288, 16384, 24576, 32768,
];

/// Returns the code for this many receive WQEs, rounded down to the table (CF145).
pub fn encode(count: u16) -> u8 {
    CREDITS.partition_point(|credits| *credits <= count) as u8 - 1
}

/// Returns the number of receive WQEs for a code of 5 bits; `None` for 31, which carries no number (CF146).
pub fn decode(code: u8) -> Option<u16> {
    CREDITS.get(usize::from(code)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `credit_table.csv`: code, credits, and the largest number of receive WQEs for the code.
    const TABLE: [(u8, u16, u16); 31] = [
        (0, 0, 0),
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
        (4, 4, 5),
        (5, 6, 7),
        (6, 8, 11),
        (7, 12, 15),
        (8, 16, 23),
        (9, 24, 31),
        (10, 32, 47),
        (11, 48, 63),
        (12, 64, 95),
        (13, 96, 127),
        (14, 128, 191),
        (15, 192, 255),
        (16, 256, 383),
        (17, 384, 511),
        (18, 512, 767),
        (19, 768, 1023),
        (20, 1024, 1535),
        (21, 1536, 2047),
        (22, 2048, 3071),
        (23, 3072, 4095),
        (24, 4096, 6143),
        (25, 6144, 8191),
        (26, 8192, 12287),
        (27, 12288, 16383),
        (28, 16384, 24575),
        (29, 24576, 32767),
        (30, 32768, u16::MAX),
    ];

    #[test]
    fn every_count_has_the_code_of_its_row() {
        let mut least = 0;
        for (code, credits, most) in TABLE {
            assert_eq!(least, credits, "rows leave no count out");
            for count in credits..=most {
                assert_eq!(encode(count), code, "{count}");
            }
            least = most.wrapping_add(1);
        }
        assert_eq!(least, 0, "up to 65535");
    }

    #[test]
    fn every_code_stands_for_the_credits_of_its_row() {
        for (code, credits, _) in TABLE {
            assert_eq!(decode(code), Some(credits), "{code}");
        }
        for code in NO_CREDITS..=u8::MAX {
            assert_eq!(decode(code), None, "{code}");
        }
    }

    #[test]
    fn no_code_promises_more_than_there_is() {
        for count in 0..=u16::MAX {
            let decoded = decode(encode(count)).unwrap();
            assert!(decoded <= count);
            let next = decode(encode(count) + 1);
            assert!(next.is_none_or(|next| next > count));
        }
    }
}
