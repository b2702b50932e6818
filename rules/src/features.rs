//! Features: segments of neighbouring tiles grown together, kept up to date
//! tile by tile and undone step by step.

use super::attributes::Attributes;
use super::kind::Kind;

/// A set of places (tiles by the number of their cell, or of their turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlaceSet<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> PlaceSet<WORDS> {
    /// No place.
    pub const EMPTY: PlaceSet<WORDS> = PlaceSet([0; WORDS]);
    /// How many places there can be: 0 to this, exclusive.
    pub const CAPACITY: usize = WORDS * 64;

    /// The set with a place in it; places past the capacity are dropped.
    #[must_use]
    pub const fn with(mut self, place: usize) -> Self {
        if place < Self::CAPACITY {
            self.0[place / 64] |= 1 << (place % 64);
        }
        self
    }

    /// The set without a place.
    #[must_use]
    pub const fn without(mut self, place: usize) -> Self {
        if place < Self::CAPACITY {
            self.0[place / 64] &= !(1 << (place % 64));
        }
        self
    }

    /// Whether a place is in the set.
    pub const fn contains(&self, place: usize) -> bool {
        place < Self::CAPACITY && self.0[place / 64] >> (place % 64) & 1 == 1
    }

    /// All that is in either.
    #[must_use]
    pub const fn union(mut self, other: Self) -> Self {
        let mut i = 0;
        while i < WORDS {
            self.0[i] |= other.0[i];
            i += 1;
        }
        self
    }

    /// All that is in both.
    #[must_use]
    pub const fn intersection(mut self, other: Self) -> Self {
        let mut i = 0;
        while i < WORDS {
            self.0[i] &= other.0[i];
            i += 1;
        }
        self
    }

    /// How many places.
    pub const fn len(&self) -> u32 {
        let mut n = 0;
        let mut i = 0;
        while i < WORDS {
            n += self.0[i].count_ones();
            i += 1;
        }
        n
    }

    /// Whether nothing is in it.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The places, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<WORDS> {
        let words = self.0;
        (0..WORDS).flat_map(move |i| {
            let mut word = words[i];
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as usize;
                    word &= word - 1;
                    i * 64 + bit
                })
            })
        })
    }
}

/// What is known of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature<const PLAYERS: usize, const WORDS: usize> {
    /// Its kind.
    pub kind: Kind,
    /// How many of its ports face an empty cell; 0: it is closed.
    pub open: u16,
    /// What is printed on it, added up.
    pub attributes: Attributes,
    /// Where its tiles lie; each counts once, however many segments it adds.
    pub places: PlaceSet<WORDS>,
    /// What each player's figures on it weigh in a majority
    /// ([`FigureKind::weight`](crate::FigureKind::weight)); 0 of who claims nothing on it.
    pub weights: [u8; PLAYERS],
}

impl<const PLAYERS: usize, const WORDS: usize> Feature<PLAYERS, WORDS> {
    /// Whether anyone has a figure on it that claims it.
    pub fn is_claimed(&self) -> bool {
        self.weights.iter().any(|n| *n > 0)
    }

    /// The players whose figures on it weigh most, in order; nobody without figures.
    /// What a tie means is the game's: all of them score, or nobody.
    pub fn leaders(&self) -> impl Iterator<Item = usize> + use<'_, PLAYERS, WORDS> {
        let most = self.weights.iter().copied().max().unwrap_or(0);
        (0..PLAYERS).filter(move |p| most > 0 && self.weights[*p] == most)
    }

    /// The one player whose figures on it weigh more than any other's.
    pub fn majority(&self) -> Option<usize> {
        let mut leaders = self.leaders();
        leaders.next().filter(|_| leaders.next().is_none())
    }
}

/// The name of a segment on the board, given out by [`Features::add`].
pub type Node = u16;

/// How far to undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    nodes: usize,
    changes: usize,
}

#[derive(Clone, Copy, Debug)]
enum Change<const PLAYERS: usize> {
    /// What the root was before stands in a list of its own.
    Joined {
        child: Node,
        root: Node,
    },
    Opened {
        root: Node,
    },
    Closed {
        root: Node,
    },
    Weighed {
        root: Node,
        before: [u8; PLAYERS],
    },
}

/// All features of a board: disjoint sets of segments, joined by size and
/// without path compression, so that every step can be undone.
#[derive(Clone, Debug, Default)]
pub struct Features<const PLAYERS: usize, const WORDS: usize> {
    parents: Vec<Node>,
    features: Vec<Feature<PLAYERS, WORDS>>,
    sizes: Vec<u16>,
    changes: Vec<Change<PLAYERS>>,
    /// What roots were before others joined them.
    joined: Vec<Feature<PLAYERS, WORDS>>,
}

impl<const PLAYERS: usize, const WORDS: usize> Features<PLAYERS, WORDS> {
    /// No segment yet, and room for so many.
    pub fn with_capacity(nodes: usize) -> Self {
        Features {
            parents: Vec::with_capacity(nodes),
            features: Vec::with_capacity(nodes),
            sizes: Vec::with_capacity(nodes),
            changes: Vec::with_capacity(2 * nodes),
            joined: Vec::with_capacity(nodes),
        }
    }

    /// Makes room for so many segments more.
    pub fn reserve(&mut self, nodes: usize) {
        self.parents.reserve(nodes);
        self.features.reserve(nodes);
        self.sizes.reserve(nodes);
        self.changes.reserve(2 * nodes);
        self.joined.reserve(nodes);
    }

    /// How many segments there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no segment.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// A new segment, a feature of its own.
    pub fn add(&mut self, feature: Feature<PLAYERS, WORDS>) -> Node {
        let node = self.parents.len() as Node;
        self.parents.push(node);
        self.features.push(feature);
        self.sizes.push(1);
        node
    }

    /// The segment that stands for the whole feature.
    pub fn root(&self, mut node: Node) -> Node {
        loop {
            let parent = self.parents[node as usize];
            if parent == node {
                return node;
            }
            node = parent;
        }
    }

    /// The feature that a segment is part of.
    pub fn of(&self, node: Node) -> &Feature<PLAYERS, WORDS> {
        &self.features[self.root(node) as usize]
    }

    /// The features, each once, by their standing segment.
    pub fn roots(&self) -> impl Iterator<Item = (Node, &Feature<PLAYERS, WORDS>)> {
        (0..self.parents.len())
            .filter(|i| self.parents[*i] as usize == *i)
            .map(|i| (i as Node, &self.features[i]))
    }

    /// One more port of the feature of this segment faces an empty cell.
    pub fn open_port(&mut self, node: Node) {
        let root = self.root(node);
        self.changes.push(Change::Opened { root });
        self.features[root as usize].open += 1;
    }

    /// One port of the feature of this segment no longer faces an empty cell.
    pub fn close_port(&mut self, node: Node) {
        let root = self.root(node);
        self.changes.push(Change::Closed { root });
        self.features[root as usize].open -= 1;
    }

    /// Two segments grow together.
    pub fn join(&mut self, a: Node, b: Node) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (root, child) = if self.sizes[a as usize] < self.sizes[b as usize] { (b, a) } else { (a, b) };
        let other = self.features[child as usize];
        self.joined.push(self.features[root as usize]);
        self.changes.push(Change::Joined { child, root });
        self.parents[child as usize] = root;
        self.sizes[root as usize] += self.sizes[child as usize];
        let joined = &mut self.features[root as usize];
        joined.open += other.open;
        joined.attributes = joined.attributes.joined(other.attributes);
        joined.places = joined.places.union(other.places);
        for (n, m) in joined.weights.iter_mut().zip(other.weights) {
            *n += m;
        }
    }

    /// Sets what each player's figures on the feature of this segment weigh.
    pub fn set_weights(&mut self, node: Node, weights: [u8; PLAYERS]) {
        let root = self.root(node);
        let before = self.features[root as usize].weights;
        self.changes.push(Change::Weighed { root, before });
        self.features[root as usize].weights = weights;
    }

    /// Where things stand, for [`Features::undo`].
    pub fn mark(&self) -> Mark {
        Mark { nodes: self.parents.len(), changes: self.changes.len() }
    }

    /// Takes back all that came after a mark.
    pub fn undo(&mut self, mark: Mark) {
        while self.changes.len() > mark.changes {
            match self.changes.pop() {
                Some(Change::Joined { child, root }) => {
                    self.parents[child as usize] = child;
                    self.sizes[root as usize] -= self.sizes[child as usize];
                    if let Some(before) = self.joined.pop() {
                        self.features[root as usize] = before;
                    }
                }
                Some(Change::Opened { root }) => self.features[root as usize].open -= 1,
                Some(Change::Closed { root }) => self.features[root as usize].open += 1,
                Some(Change::Weighed { root, before }) => {
                    self.features[root as usize].weights = before;
                }
                None => {}
            }
        }
        self.parents.truncate(mark.nodes);
        self.features.truncate(mark.nodes);
        self.sizes.truncate(mark.nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(place: usize, open: u16) -> Feature<2, 2> {
        Feature {
            kind: Kind::ALL[0],
            open,
            attributes: Attributes::default(),
            places: PlaceSet::EMPTY.with(place),
            weights: [0, 0],
        }
    }

    #[test]
    fn joining_counts_a_place_once_and_undoes() {
        let mut features = Features::<2, 2>::with_capacity(8);
        let a = features.add(segment(1, 2));
        let b = features.add(segment(1, 1));
        let c = features.add(segment(70, 3));
        features.set_weights(a, [1, 0]);
        let mark = features.mark();
        features.join(a, c);
        features.join(b, c);
        features.close_port(b);
        assert_eq!(features.of(a).places.len(), 2);
        assert_eq!(features.of(b).open, 5);
        assert_eq!(features.of(c).majority(), Some(0));
        assert_eq!(features.of(c).places.iter().collect::<Vec<_>>(), [1, 70]);
        features.undo(mark);
        assert_eq!(features.of(a), &Feature { weights: [1, 0], ..segment(1, 2) });
        assert_eq!(features.of(b), &segment(1, 1));
        assert_eq!(features.of(c), &segment(70, 3));
    }

    #[test]
    fn a_tie_or_nobody_is_no_majority() {
        let of = |weights| Feature::<2, 2> { weights, ..segment(0, 0) }.majority();
        assert_eq!(of([0, 0]), None);
        assert_eq!(of([1, 1]), None);
        assert_eq!(of([1, 2]), Some(1));
    }
}
