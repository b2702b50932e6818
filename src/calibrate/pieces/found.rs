//! A piece in a photo.

/// Which of a player's three pieces one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A follower that stands.
    Standing,
    /// A follower that lies.
    Lying,
    /// The keep.
    Keep,
}

/// A piece that was found in a photo.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Whose, by the place of the colour's word.
    pub player: usize,
    /// Which of the three.
    pub kind: Kind,
    /// What it hides of the table, as a hull in the photo, pixels.
    pub outline: Vec<(f32, f32)>,
}
