//! Decodes bytes to a frame, or to the reason why they are no frame.
use super::check;
use super::frame::Frame;
use super::malformed::Malformed;
use crate::port::Link;

impl Frame {
    /// Decodes a frame for any port. An Ethernet frame of 60 bytes may be longer than its IP datagram. Returns `Err`
    /// with the first check that the frame fails.
    pub fn decode(link: Link, bytes: &[u8]) -> Result<Frame, Malformed> {
        match link {
            Link::InfiniBand => check::native::decode(bytes),
            Link::Roce => check::roce::judge(bytes, None, false).map(Frame::Iba),
        }
    }
}
