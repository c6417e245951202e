//! A completion as the engines hand it in and as software reads it.

/// Fields of a record that the test tells apart; the others come from `salt`.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    pub cqn: u16,
    /// Packets of its side whose writes come before it.
    pub fence: u16,
    pub salt: u64,
}

impl Completion {
    pub fn random(rng: &mut fastrand::Rng, fence: u16) -> Completion {
        Completion {
            cqn: rng.u16(..16),
            fence,
            salt: rng.u64(..),
        }
    }

    pub fn qpn(&self) -> u64 {
        self.salt & 0xFF_FFFF
    }

    pub fn wqe(&self) -> u64 {
        self.salt >> 24 & 0xFFFF
    }

    pub fn status(&self) -> u64 {
        // Success and flushed among them often.
        [0, 5, self.salt >> 40 & 0x0F][(self.salt >> 50) as usize % 3]
    }

    pub fn operation(&self) -> u64 {
        self.salt >> 44 & 0xFF
    }

    pub fn bytes(&self) -> u64 {
        self.salt >> 8 & 0xFFFF_FFFF
    }

    pub fn immediate(&self) -> u64 {
        self.salt >> 16 & 0xFFFF_FFFF
    }

    /// Invalidated, P_Key index and immediate valid.
    pub fn has(&self) -> [u64; 3] {
        [self.salt >> 61 & 1, self.salt >> 62 & 1, self.salt >> 63]
    }

    /// The last packet of its message had SE.
    pub fn has_event(&self) -> bool {
        self.salt >> 60 & 1 != 0
    }

    /// Of a datagram that was received: GRH, SLID, SL, source QPN, sender, path bits, port; all 0 of other completions.
    fn source(&self, receive: bool) -> (bool, [u64; 7]) {
        let mixed = self.salt.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let sender = mixed.rotate_left(23).wrapping_mul(0xD1B5_4A32_D192_ED03) >> 16;
        let (is_datagram, of) = (receive && mixed >> 63 != 0, |at: u32, width: u32| {
            mixed >> at & ((1 << width) - 1)
        });
        let fields = [
            of(62, 1),
            of(0, 16),
            of(16, 4),
            of(20, 24),
            sender,
            of(44, 7),
            of(51, 1),
        ];
        (is_datagram, if is_datagram { fields } else { [0; 7] })
    }

    /// The port's vector, least significant byte first.
    pub fn record(&self, receive: bool) -> Vec<u8> {
        let [invalidated, p_key, immediate] = self.has();
        let (is_datagram, [grh, slid, sl, source_qpn, sender, path_bits, port]) = self.source(receive);
        let fields = [
            (u64::from(self.cqn), 16),
            (self.qpn(), 24),
            (self.wqe(), 16),
            (self.status(), 8),
            (u64::from(receive), 1),
            (self.operation(), 8),
            (self.bytes(), 32),
            (immediate, 1),
            (self.immediate(), 32),
            (p_key, 1),
            (self.salt & 3, 2),
            (u64::from(self.fence), 16),
            (invalidated, 1),
            (u64::from(self.has_event()), 1),
            (is_datagram.into(), 1),
            (grh, 1),
            (slid, 16),
            (sl, 4),
            (source_qpn, 24),
            (sender, 48),
            (path_bits, 7),
            (port, 1),
        ];
        let mut vector = vec![0; 33];
        let mut at = 0;
        for (value, width) in fields {
            for bit in (0..width).filter(|bit| value >> bit & 1 == 1) {
                vector[(at + bit) / 8] |= 1 << ((at + bit) % 8);
            }
            at += width;
        }
        vector
    }

    /// Host memory has failed its QP, and so this completion: nothing else of it is defined.
    pub fn fails(&self, receive: bool, broken: u64, takes_fault: u64) -> bool {
        let of = |queue_pairs: u64| queue_pairs >> (self.qpn() & 0xF) & 1 == 1;
        match self.status() {
            0 => of(broken),
            5 => !receive && of(takes_fault),
            _ => false,
        }
    }

    /// A completion in error as of a QP that host memory has failed.
    pub fn failed(self, receive: bool, phase: bool) -> [u8; 32] {
        let mut cqe = [0; 32];
        let whole = self.cqe(receive, phase);
        cqe[..8].copy_from_slice(&whole[..8]);
        cqe[2] = 2;
        cqe[3] = u8::from(receive);
        cqe[31] = whole[31];
        cqe
    }

    pub fn cqe(&self, receive: bool, phase: bool) -> [u8; 32] {
        let [invalidated, p_key, immediate] = self.has();
        let (is_datagram, [grh, slid, sl, source_qpn, sender, path_bits, port]) = self.source(receive);
        let mut cqe = [0; 32];
        cqe[0..2].copy_from_slice(&(self.wqe() as u16).to_be_bytes());
        cqe[2] = self.status() as u8;
        cqe[3] = (u64::from(receive) | immediate << 1 | p_key << 2 | invalidated << 3) as u8;
        cqe[4] = self.operation() as u8;
        cqe[5..8].copy_from_slice(&(self.qpn() as u32).to_be_bytes()[1..]);
        cqe[8..12].copy_from_slice(&(self.bytes() as u32).to_be_bytes());
        cqe[12..16].copy_from_slice(&(self.immediate() as u32).to_be_bytes());
        cqe[3] |= (grh << 4) as u8 | u8::from(is_datagram) << 5;
        cqe[17] = (self.salt & 3) as u8;
        cqe[18..20].copy_from_slice(&(slid as u16).to_be_bytes());
        cqe[20] = sl as u8;
        cqe[21..24].copy_from_slice(&(source_qpn as u32).to_be_bytes()[1..]);
        cqe[24..30].copy_from_slice(&sender.to_be_bytes()[2..]);
        cqe[30] = (port << 7 | path_bits) as u8;
        cqe[31] = 2 | phase as u8;
        cqe
    }
}
