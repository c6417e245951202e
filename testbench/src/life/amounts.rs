//! The amounts of a step: bytes, clock cycles and counts. They may be reduced without changing its meaning.
use crate::case::Forged;
use crate::case::{Act, Step, Volley, Work};

impl Step {
    /// Returns its amounts, in the order of the fields.
    pub fn amounts(&self) -> Vec<u32> {
        let mut all = Vec::new();
        self.clone().visit(&mut |amount| all.push(*amount));
        all
    }

    /// Returns the step with another amount at a place of [`Step::amounts`]. The amount must not be larger than before.
    pub fn with_amount(&self, place: usize, value: u32) -> Step {
        let mut step = self.clone();
        let mut n = 0;
        step.visit(&mut |amount| {
            if n == place {
                *amount = value.min(*amount);
            }
            n += 1;
        });
        step
    }

    fn visit(&mut self, f: &mut dyn FnMut(&mut u32)) {
        match &mut self.act {
            Act::PostSend { work, .. } | Act::PostReceive { work, .. } => work.visit(f),
            Act::Burst {
                count,
                work,
                others,
                receives,
                armed,
                again,
                met,
                ..
            } => {
                byte(count, f);
                work.visit(f);
                others.iter_mut().for_each(|work| work.visit(f));
                if let Some(receives) = receives {
                    byte(&mut receives.count, f);
                    half(&mut receives.late, f);
                }
                armed.iter_mut().for_each(|late| half(late, f));
                again.iter_mut().for_each(|late| half(late, f));
                met.iter_mut().for_each(|volley| volley.visit(f));
            }
            Act::Forge { packet, others, .. } => {
                packet.visit(f);
                others.iter_mut().for_each(|volley| volley.visit(f));
            }
            Act::RequestNotify { late, .. } => half(late, f),
            Act::Wait { cycles } => half(cycles, f),
            Act::CreateCq { .. }
            | Act::QueryCq { .. }
            | Act::ResizeCq { .. }
            | Act::DestroyCq { .. }
            | Act::CreateQp { .. }
            | Act::Connect { .. }
            | Act::ModifyQp { .. }
            | Act::QueryQp { .. }
            | Act::DestroyQp { .. }
            | Act::RegMr { .. }
            | Act::DeregMr { .. }
            | Act::Invalidate { .. }
            | Act::SetPortState { .. }
            | Act::DisablePort
            | Act::SetCable { .. }
            | Act::RaisePort
            | Act::SetSlToVl { .. }
            | Act::SetDataVls { .. }
            | Act::SetLanes { .. }
            | Act::SetPKey { .. }
            | Act::CreateAh { .. }
            | Act::ModifyAh { .. }
            | Act::QueryAh { .. }
            | Act::DestroyAh { .. }
            | Act::Attach { .. }
            | Act::Detach { .. }
            | Act::ForgeLink { .. }
            | Act::Ring { .. } => {}
        }
    }
}

impl Work {
    fn visit(&mut self, f: &mut dyn FnMut(&mut u32)) {
        f(&mut self.length);
    }
}

impl Volley {
    fn visit(&mut self, f: &mut dyn FnMut(&mut u32)) {
        half(&mut self.late, f);
        self.packets.iter_mut().for_each(|packet| packet.visit(f));
    }
}

impl Forged {
    fn visit(&mut self, f: &mut dyn FnMut(&mut u32)) {
        half(&mut self.payload, f);
    }
}

fn byte(value: &mut u8, f: &mut dyn FnMut(&mut u32)) {
    let mut amount = u32::from(*value);
    f(&mut amount);
    // The amount has not grown, so it fits.
    *value = amount as u8;
}

fn half(value: &mut u16, f: &mut dyn FnMut(&mut u32)) {
    let mut amount = u32::from(*value);
    f(&mut amount);
    *value = amount as u16;
}
