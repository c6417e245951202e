//! A work queue: entries are posted, announced by doorbells, taken in order, and retired in order
//! (`protocol/requester.md` section 2).
use std::collections::VecDeque;

/// Largest number of work requests that a queue holds, so that indices modulo 2^16 stay unambiguous.
pub const CAPACITY: usize = 1 << 15;

/// The work requests of one side of a QP. Indices are counted modulo 2^16, as in the ring that a device reads.
#[derive(Clone, Debug)]
pub struct WorkQueue<T> {
    entries: VecDeque<T>,
    /// Number of work requests that the queue has room for.
    capacity: usize,
    /// Index up to which completions have freed room.
    completed: u16,
    /// Index of the oldest entry.
    first: u16,
    /// Number of entries that doorbells have announced.
    announced: usize,
    /// Number of entries that the device has taken.
    taken: usize,
}

impl<T> Default for WorkQueue<T> {
    fn default() -> Self {
        WorkQueue::of(CAPACITY)
    }
}

impl<T> WorkQueue<T> {
    /// Makes an empty queue with room for this many work requests, at most [`CAPACITY`].
    pub fn of(capacity: usize) -> Self {
        WorkQueue {
            entries: VecDeque::new(),
            capacity: capacity.min(CAPACITY),
            completed: 0,
            first: 0,
            announced: 0,
            taken: 0,
        }
    }

    /// Returns the number of work requests that the queue has room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns true if all room is in use. An entry takes room until a completion frees it, whether it is done or not
    /// (`requester.md` section 8).
    pub fn is_full(&self) -> bool {
        usize::from(self.posted().wrapping_sub(self.completed)) >= self.capacity
    }

    /// Frees the room of this entry, and that of all before it.
    pub fn complete(&mut self, index: u16) {
        self.completed = index.wrapping_add(1);
    }

    /// Returns true if a completion has freed this entry or a later one.
    pub fn is_complete(&self, index: u16) -> bool {
        self.completed.wrapping_sub(index) as i16 > 0
    }

    /// Appends an entry and returns its index.
    pub fn post(&mut self, entry: T) -> u16 {
        let index = self.posted();
        self.entries.push_back(entry);
        index
    }

    /// Returns the index of the oldest entry that is not retired.
    pub fn first(&self) -> u16 {
        self.first
    }

    /// Returns the entry with this index, taken or not.
    pub fn get(&self, index: u16) -> Option<&T> {
        self.entries.get(index.wrapping_sub(self.first).into())
    }

    /// Returns all entries that are not retired, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter()
    }

    /// Returns the index after the newest entry, which a doorbell carries.
    pub fn posted(&self) -> u16 {
        self.first.wrapping_add(self.entries.len() as u16)
    }

    /// Returns the index up to which doorbells were received.
    pub fn announced(&self) -> u16 {
        self.first.wrapping_add(self.announced as u16)
    }

    /// Takes a doorbell. Returns false if it announces entries that were never posted, or fewer than before.
    pub fn announce(&mut self, producer: u16) -> bool {
        let step = producer.wrapping_sub(self.announced()) as usize;
        let legal = self.announced + step <= self.entries.len();
        if legal {
            self.announced += step;
        }
        legal
    }

    /// Returns the number of entries that are announced and not taken.
    pub fn available(&self) -> usize {
        self.announced - self.taken
    }

    /// Returns the index of the next entry to take, if one is announced.
    pub fn next(&self) -> Option<u16> {
        (self.taken < self.announced).then(|| self.first.wrapping_add(self.taken as u16))
    }

    /// Returns the entry that [`next`](Self::next) names.
    pub fn upcoming(&self) -> Option<&T> {
        self.next().and_then(|_| self.entries.get(self.taken))
    }

    /// Takes the entry that [`next`](Self::next) names.
    pub fn take(&mut self) -> Option<u16> {
        let index = self.next()?;
        self.taken += 1;
        Some(index)
    }

    /// Returns the taken entry with this index.
    pub fn taken(&self, index: u16) -> Option<&T> {
        let place = index.wrapping_sub(self.first) as usize;
        self.entries.get(place).filter(|_| place < self.taken)
    }

    /// Removes and returns the oldest entry, which must be taken.
    pub fn retire(&mut self) -> Option<T> {
        self.taken = self.taken.checked_sub(1)?;
        self.announced -= 1;
        self.first = self.first.wrapping_add(1);
        self.entries.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_count_only_when_announced() {
        let mut q = WorkQueue::default();
        assert_eq!((q.post('a'), q.post('b')), (0, 1));
        assert_eq!(q.next(), None);
        assert!(q.announce(1));
        assert_eq!((q.take(), q.take()), (Some(0), None));
        assert_eq!((q.taken(0), q.taken(1)), (Some(&'a'), None));
        assert_eq!(q.retire(), Some('a'));
        assert_eq!(q.retire(), None);
    }

    #[test]
    fn a_doorbell_names_nothing_unposted_and_never_goes_back() {
        let mut q = WorkQueue::default();
        q.post(());
        assert!(!q.announce(2));
        assert!(q.announce(1));
        assert!(!q.announce(0));
        assert!(q.announce(1));
    }

    #[test]
    fn a_completion_gives_back_the_room_of_all_before_it() {
        let mut q = WorkQueue::of(2);
        assert_eq!((q.post('a'), q.post('b')), (0, 1));
        assert!(q.is_full() && q.announce(2));
        assert_eq!((q.take(), q.take()), (Some(0), Some(1)));
        assert_eq!((q.retire(), q.retire()), (Some('a'), Some('b')));
        assert!(q.is_full(), "done, but not reported");
        q.complete(1);
        assert!(!q.is_full());
        assert_eq!((q.post('c'), q.is_full()), (2, false));
        assert_eq!((q.post('d'), q.is_full()), (3, true));
    }

    #[test]
    fn indices_wrap_at_2_to_16() {
        let mut q = WorkQueue::default();
        for n in 0..70_000_u32 {
            assert_eq!(q.post(n), n as u16);
            assert!(q.announce(q.posted()));
            let index = q.take().unwrap();
            assert_eq!(q.taken(index), Some(&n));
            assert_eq!(q.retire(), Some(n));
        }
    }
}
