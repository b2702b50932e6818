//! The newest item of a thread that never stops producing: what nobody asked
//! for in time is left out, and a thread that falls silent is noticed.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// What the producer left.
#[derive(Debug)]
enum Slot<T, E> {
    Empty,
    Item(T),
    Failed(E),
    Closed,
}

struct Shared<T, E> {
    slot: Mutex<Slot<T, E>>,
    changed: Condvar,
}

/// The producer's end.
pub(super) struct Producer<T, E>(Arc<Shared<T, E>>);

/// The consumer's end; when it is dropped the producer is told to stop.
pub(super) struct Newest<T, E>(Arc<Shared<T, E>>);

/// What the consumer got.
pub(super) enum Got<T, E> {
    /// The newest item.
    Item(T),
    /// The producer failed and is gone.
    Failed(E),
    /// Nothing came in time.
    Silent,
    /// The producer ended.
    Closed,
}

/// A slot between two threads.
pub(super) fn newest<T, E>() -> (Producer<T, E>, Newest<T, E>) {
    let shared = Arc::new(Shared { slot: Mutex::new(Slot::Empty), changed: Condvar::new() });
    (Producer(Arc::clone(&shared)), Newest(shared))
}

impl<T, E> Producer<T, E> {
    /// Leaves an item, in place of one that was not fetched; `false` when nobody
    /// will fetch any more.
    pub(super) fn put(&self, item: T) -> bool {
        if Arc::strong_count(&self.0) < 2 {
            return false;
        }
        *self.0.slot.lock().unwrap_or_else(PoisonError::into_inner) = Slot::Item(item);
        self.0.changed.notify_one();
        true
    }

    /// Ends with an error.
    pub(super) fn fail(self, error: E) {
        *self.0.slot.lock().unwrap_or_else(PoisonError::into_inner) = Slot::Failed(error);
        self.0.changed.notify_one();
    }
}

impl<T, E> Drop for Producer<T, E> {
    fn drop(&mut self) {
        let mut slot = self.0.slot.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*slot, Slot::Empty) {
            *slot = Slot::Closed;
        }
        drop(slot);
        self.0.changed.notify_one();
    }
}

impl<T, E> Newest<T, E> {
    /// Waits for the newest item, at most so long.
    pub(super) fn wait(&self, longest: Duration) -> Got<T, E> {
        let slot = self.0.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut slot, _) = self
            .0
            .changed
            .wait_timeout_while(slot, longest, |s| matches!(s, Slot::Empty))
            .unwrap_or_else(PoisonError::into_inner);
        let alone = Arc::strong_count(&self.0) < 2;
        let next = if alone { Slot::Closed } else { Slot::Empty };
        match std::mem::replace(&mut *slot, next) {
            Slot::Item(item) => Got::Item(item),
            Slot::Failed(error) => Got::Failed(error),
            Slot::Closed => {
                *slot = Slot::Closed;
                Got::Closed
            }
            Slot::Empty if alone => Got::Closed,
            Slot::Empty => Got::Silent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn only_the_newest_item_is_kept_and_the_end_is_told() {
        let (producer, consumer) = newest::<u32, &str>();
        assert!(matches!(consumer.wait(SHORT), Got::Silent));
        assert!(producer.put(1) && producer.put(2));
        assert!(matches!(consumer.wait(LONG), Got::Item(2)));
        producer.put(3);
        drop(producer);
        assert!(matches!(consumer.wait(LONG), Got::Item(3)));
        assert!(matches!(consumer.wait(LONG), Got::Closed));
        assert!(matches!(consumer.wait(LONG), Got::Closed));
    }

    #[test]
    fn an_error_reaches_the_consumer_and_its_end_reaches_the_producer() {
        let (producer, consumer) = newest::<u32, &str>();
        producer.fail("gone");
        assert!(matches!(consumer.wait(LONG), Got::Failed("gone")));
        assert!(matches!(consumer.wait(LONG), Got::Closed));
        let (producer, consumer) = newest::<u32, &str>();
        drop(consumer);
        assert!(!producer.put(1));
    }
}
