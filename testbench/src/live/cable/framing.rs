//! Frames on the socket of QEMU's `-netdev stream`: four bytes of length, most significant first, before each frame.
use std::collections::VecDeque;

/// Number of bytes of a length.
const PREFIX: usize = 4;
/// Length of the largest frame that QEMU sends (`NET_BUFSIZE`), in bytes. A larger one shows that the stream is
/// something else.
pub const LARGEST: usize = 4096 + 65536;

/// The received bytes are not frames of `-netdev stream`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame of {length} bytes is announced, and QEMU sends at most {LARGEST}: its end is no `-netdev stream`")]
pub struct NoFrame {
    pub length: usize,
}

/// Appends a frame in the form in which it goes through the socket.
///
/// # Panics
/// If the frame has more than [`LARGEST`] bytes.
pub fn put(frame: &[u8], stream: &mut Vec<u8>) {
    assert!(frame.len() <= LARGEST, "a frame of {} bytes", frame.len());
    stream.extend((frame.len() as u32).to_be_bytes());
    stream.extend(frame);
}

/// Splits the bytes that come through the socket into frames, however its reads divide them.
#[derive(Debug, Default)]
pub struct Cutter {
    begun: Vec<u8>,
    frames: VecDeque<Vec<u8>>,
}

impl Cutter {
    /// Takes the bytes of a read. After an error, bytes that follow have no meaning.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), NoFrame> {
        self.begun.extend(bytes);
        let mut rest = &self.begun[..];
        while let Some((prefix, after)) = rest.split_first_chunk::<PREFIX>() {
            let length = u32::from_be_bytes(*prefix) as usize;
            if length > LARGEST {
                return Err(NoFrame { length });
            }
            let Some((frame, after)) = after.split_at_checked(length) else {
                break;
            };
            self.frames.push_back(frame.to_vec());
            rest = after;
        }
        self.begun = rest.to_vec();
        Ok(())
    }

    /// Takes the next whole frame.
    pub fn frame(&mut self) -> Option<Vec<u8>> {
        self.frames.pop_front()
    }

    /// Returns true if a frame has begun and is not complete.
    pub fn is_cut(&self) -> bool {
        !self.begun.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(reads: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut cutter = Cutter::default();
        reads.iter().for_each(|read| cutter.take(read).unwrap());
        assert!(!cutter.is_cut());
        std::iter::from_fn(|| cutter.frame()).collect()
    }

    #[test]
    fn a_frame_has_its_length_before_it() {
        let mut stream = Vec::new();
        put(&[0xAA; 3], &mut stream);
        put(&[0xBB; 258], &mut stream);
        assert_eq!(stream[..8], [0, 0, 0, 3, 0xAA, 0xAA, 0xAA, 0]);
        assert_eq!(stream[7..12], [0, 0, 1, 2, 0xBB]);
    }

    #[test]
    fn the_prefix_may_be_split_over_reads() {
        let reads: [&[u8]; 5] = [&[0], &[0, 0], &[2, 1], &[2, 0, 0, 0, 1], &[3]];
        assert_eq!(cut(&reads), [vec![1, 2], vec![3]]);
    }

    #[test]
    fn a_jumbo_frame_and_an_empty_one_pass() {
        let jumbo = vec![7; 9018];
        let mut stream = Vec::new();
        put(&jumbo, &mut stream);
        put(&[], &mut stream);
        assert_eq!(cut(&[&stream]), [jumbo, vec![]]);
    }

    #[test]
    fn what_announces_more_than_a_frame_is_refused() {
        let mut cutter = Cutter::default();
        assert_eq!(cutter.take(b"HTTP"), Err(NoFrame { length: 0x4854_5450 }));
        let mut cutter = Cutter::default();
        assert_eq!(
            cutter.take(&[0, 1, 0x10, 0]),
            Ok(()),
            "65536 and 4096 are still a frame"
        );
        let mut cutter = Cutter::default();
        assert_eq!(cutter.take(&[0, 1, 0x10, 1]), Err(NoFrame { length: 69633 }));
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_frames(
            frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..20),
            sizes in prop::collection::vec(1usize..50, 1..40),
        ) {
            let mut stream = Vec::new();
            frames.iter().for_each(|frame| put(frame, &mut stream));
            let mut sizes = sizes.iter().cycle();
            let (mut reads, mut rest) = (Vec::new(), &stream[..]);
            while !rest.is_empty() {
                let (read, after) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
                reads.push(read);
                rest = after;
            }
            prop_assert_eq!(cut(&reads), frames);
        }

        #[test]
        fn any_bytes_are_frames_or_refused(reads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..32)) {
            let mut cutter = Cutter::default();
            let taken = reads.iter().try_for_each(|read| cutter.take(read));
            let bytes: usize = std::iter::from_fn(|| cutter.frame()).map(|frame| frame.len() + PREFIX).sum();
            let all: usize = reads.iter().map(Vec::len).sum();
            prop_assert!(bytes <= all);
            prop_assert!(taken.is_err() || bytes + LARGEST + PREFIX > all, "a whole frame is handed out");
        }
    }
}
