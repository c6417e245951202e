//! A response of a responder, with the fields that it will have on the wire.
use super::credit_codes::CreditCodes;
use crate::decision::protection::{Access, Right};
use crate::psn;
use crate::wire::aeth::{NAK_SEQUENCE, RNR_NAK};
use crate::wire::length;
use crate::wire::lrh::Lrh;
use crate::wire::reth::Reth;
use std::collections::VecDeque;

/// A scheduled response; for a Read, all of its remaining packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Response {
    /// PSN of the next packet; 24 bits.
    pub psn: u32,
    /// MSN at the decision about the request; 24 bits.
    pub msn: u32,
    /// Route back to the sender of the request: LIDs swapped, SL copied (CF129).
    pub lrh: Lrh,
    pub body: Body,
    /// Credit codes that a positive response may carry.
    pub codes: CreditCodes,
    /// The response is permitted, but the model itself never sends it.
    pub spare: bool,
}

/// Kind of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// `required` is false if an ack is permitted but not requested. The syndrome of a positive one gives only its
    /// type, not its credits.
    Acknowledge {
        syndrome: u8,
        required: bool,
    },
    Data(Data),
    Original {
        original: u64,
        required: bool,
        saved: Saved,
    },
}

/// Where the original value of an atomic ack comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saved {
    /// The atomic itself has just read the value; it is not stored.
    Not,
    /// The stored operation, for a duplicate (`responder.md` section 6).
    Kept,
    /// The stored operation of a duplicate, whose resource a newer atomic has taken since.
    Superseded,
}

/// The responses to a Read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Data {
    /// Address, key and length of all requested bytes.
    target: Reth,
    pmtu: usize,
    /// Number of packets sent.
    sent: u32,
    /// Data that was read from memory for the next packets.
    pub fetched: VecDeque<Vec<u8>>,
    /// The Read ends with the fetched packets; a NAK replaces the next one.
    pub cut: bool,
    pub required: bool,
}

impl Data {
    /// Makes the responses to a Read, none sent yet.
    pub fn new(target: Reth, pmtu: usize) -> Data {
        Data {
            target,
            pmtu,
            sent: 0,
            fetched: VecDeque::new(),
            cut: false,
            required: true,
        }
    }

    fn packets(&self) -> u32 {
        length::packets(self.target.dma_len.into(), self.pmtu)
    }

    /// Returns the access of the packet that is `ahead` packets after the next one.
    pub fn access(&self, ahead: usize) -> Access {
        let offset = (u64::from(self.sent) + ahead as u64) * self.pmtu as u64;
        let left = u64::from(self.target.dma_len).saturating_sub(offset);
        Access {
            key: self.target.r_key,
            va: self.target.va.wrapping_add(offset),
            length: left.min(self.pmtu as u64),
            right: Right::RemoteRead,
        }
    }

    /// Returns true if the data of some packet is not fetched.
    pub fn has_unfetched(&self) -> bool {
        !self.cut && u64::from(self.sent) + (self.fetched.len() as u64) < self.packets().into()
    }

    /// Returns whether the next packet is the first one, and whether it is the last one (section 9, CF139).
    pub fn place(&self) -> (bool, bool) {
        (self.sent == 0, self.sent + 1 == self.packets())
    }

    /// Notes that the next packet is sent; returns true if it was the last.
    pub fn advance(&mut self) -> bool {
        self.sent += 1;
        self.fetched.pop_front();
        self.sent == self.packets() || self.cut && self.fetched.is_empty()
    }
}

impl Response {
    /// Returns the syndrome of an ack or NAK; for a positive ack only its type counts.
    pub fn syndrome(&self) -> Option<u8> {
        match self.body {
            Body::Acknowledge { syndrome, .. } => Some(syndrome),
            _ => None,
        }
    }

    /// Returns the syndrome that the model itself sends; 0 for a read response that has none.
    pub fn own_syndrome(&self) -> u8 {
        match self.body {
            Body::Acknowledge { syndrome, .. } if self.is_nak() => syndrome,
            Body::Data(ref data) if data.place() == (false, false) => 0,
            _ => self.codes.newest(),
        }
    }

    /// Returns true if the next packet may carry this syndrome.
    pub fn may_say(&self, said: u8) -> bool {
        match self.body {
            Body::Acknowledge { syndrome, .. } if self.is_nak() => syndrome == said,
            Body::Data(ref data) if data.place() == (false, false) => said == 0,
            _ => self.codes.contains(said),
        }
    }

    /// Returns true if this is an ack or NAK of this PSN that may carry this syndrome.
    pub fn is_ack_of(&self, psn: u32, syndrome: u8) -> bool {
        self.psn == psn && self.syndrome().is_some() && self.may_say(syndrome)
    }

    pub fn is_nak(&self) -> bool {
        self.syndrome().is_some_and(|s| s >> 5 != 0)
    }

    /// Returns true for a NAK that requests the expected PSN again and does not end the QP: RNR or sequence.
    pub fn asks_again(&self) -> bool {
        let again = |s: u8| s >> 5 == RNR_NAK >> 5 || s == NAK_SEQUENCE;
        self.syndrome().is_some_and(again)
    }

    /// Returns true if the response must leave, unless another one covers it.
    pub fn required(&self) -> bool {
        match &self.body {
            Body::Acknowledge { required, .. } | Body::Original { required, .. } => *required,
            Body::Data(data) => data.required,
        }
    }

    /// Notes that the response need not leave.
    pub fn release(&mut self) {
        match &mut self.body {
            Body::Acknowledge { required, .. } | Body::Original { required, .. } => *required = false,
            Body::Data(data) => data.required = false,
        }
    }

    /// Returns the PSN of the last packet.
    pub fn last_psn(&self) -> u32 {
        match &self.body {
            Body::Data(data) => psn::add(self.psn, data.packets() - data.sent - 1),
            _ => self.psn,
        }
    }

    /// Returns true if this response answers the same request as `earlier` again. `earlier` then need not continue,
    /// because the peer requests the responses from here on.
    pub fn repeats(&self, earlier: &Response) -> bool {
        let same_kind = std::mem::discriminant(&self.body) == std::mem::discriminant(&earlier.body);
        same_kind && self.syndrome().is_none() && self.last_psn() == earlier.last_psn()
    }
}
