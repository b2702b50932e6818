//! Whole histories, weighed by all that was seen: which are the likeliest, what is settled
//! and what is doubted.

mod aside;
pub(super) mod evidence;
pub(super) mod faces;
pub(super) mod follow;
pub(super) mod line;
pub(super) mod marked;
pub(super) mod order;
pub(super) mod recorded;
pub(super) mod search;
mod shifted;
pub(super) mod sight;
pub(super) mod state;
mod void;
pub(super) mod weights;
