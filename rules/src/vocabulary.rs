//! Words that are open: each game lists its own, and all lists together are one.
//!
//! A game's words stand in its folder, as a [`Vocabulary`]; `games.rs` lists the
//! vocabularies. A word's constant is declared beside its facts, by its name:
//! `impl Kind { pub const TOWER: Kind = Kind::declared("tower"); }`. A name that no
//! vocabulary has, or that two have, is an error when the crate is built.

use super::attributes::AttributeFacts;
use super::figure::{FigureFacts, FigureKind};
use super::kind::KindFacts;
use super::role::{Role, RoleFacts};
use super::token::TokenFacts;

/// The words that a game, or a module of one, brings.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary {
    /// What the segments of its tiles are.
    pub kinds: &'static [KindFacts],
    /// What followers are on them.
    pub roles: &'static [RoleFacts],
    /// What its players put on tiles.
    pub figures: &'static [FigureFacts],
    /// What is printed on its tiles' segments.
    pub attributes: &'static [AttributeFacts],
    /// What its players take beside the board.
    pub tokens: &'static [TokenFacts],
}

impl Vocabulary {
    /// No word, to list only what there is.
    pub const NONE: Vocabulary =
        Vocabulary { kinds: &[], roles: &[], figures: &[], attributes: &[], tokens: &[] };
}

/// The words that more than one game has.
pub(crate) const SHARED: Vocabulary = Vocabulary {
    roles: &[RoleFacts { name: "knight", lies: false }],
    figures: &[FigureFacts { name: "follower", word: "follower", weight: 1, size: 100, on: &[] }],
    ..Vocabulary::NONE
};

impl Role {
    /// On a tower, or in a city.
    pub const KNIGHT: Role = Role::declared("knight");
}

impl FigureKind {
    /// A follower.
    pub const FOLLOWER: FigureKind = FigureKind::declared("follower");
}

/// How many facts these lists have together.
pub(crate) const fn total<T>(lists: &[&[T]]) -> usize {
    let (mut sum, mut list) = (0, 0);
    while list < lists.len() {
        sum += lists[list].len();
        list += 1;
    }
    sum
}

/// These lists as one, `N` facts in their order. For constants: it does not build when
/// `N` is not their total or is 0.
pub(crate) const fn joined<T: Copy, const N: usize>(lists: &[&[T]]) -> [T; N] {
    let mut first = 0;
    while lists[first].is_empty() {
        first += 1;
    }
    let mut all = [lists[first][0]; N];
    let (mut to, mut list) = (0, 0);
    while list < lists.len() {
        let mut from = 0;
        while from < lists[list].len() {
            all[to] = lists[list][from];
            to += 1;
            from += 1;
        }
        list += 1;
    }
    assert!(to == N);
    all
}

/// Whether two words are the same.
pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// A type of open words: its values are the entries of one list of all vocabularies,
/// numbered in their order. It is written as its name.
macro_rules! open_words {
    ($(#[$doc:meta])* $Word:ident, $Facts:ident, $list:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $Word(u8);

        const LISTS: [&[$Facts]; $crate::games::VOCABULARIES.len()] = {
            let mut lists: [&[$Facts]; $crate::games::VOCABULARIES.len()] =
                [&[]; $crate::games::VOCABULARIES.len()];
            let mut i = 0;
            while i < lists.len() {
                lists[i] = $crate::games::VOCABULARIES[i].$list;
                i += 1;
            }
            lists
        };

        static FACTS: [$Facts; $crate::vocabulary::total(&LISTS)] = $crate::vocabulary::joined(&LISTS);

        static NAMES: [&str; FACTS.len()] = {
            let mut names = [""; FACTS.len()];
            let mut i = 0;
            while i < names.len() {
                names[i] = FACTS[i].name;
                i += 1;
            }
            names
        };

        impl $Word {
            /// All, in the order of the games' lists.
            pub const ALL: [$Word; FACTS.len()] = {
                let mut all = [$Word(0); FACTS.len()];
                let mut i = 0;
                while i < all.len() {
                    assert!(i <= u8::MAX as usize, "too many words of a type");
                    all[i] = $Word(i as u8);
                    i += 1;
                }
                all
            };

            /// The one that a vocabulary has under this name. For constants only: where
            /// no vocabulary has it, or two have, the constant does not build.
            pub(crate) const fn declared(name: &str) -> $Word {
                let (mut found, mut i) = (None, 0);
                while i < FACTS.len() {
                    if $crate::vocabulary::same(FACTS[i].name, name) {
                        assert!(found.is_none(), "two vocabularies have this word");
                        found = Some($Word(i as u8));
                    }
                    i += 1;
                }
                found.expect("no vocabulary has this word")
            }

            /// The one with this name, as it is written.
            pub fn named(name: &str) -> Option<$Word> {
                $Word::ALL.into_iter().find(|word| word.facts().name == name)
            }

            /// Its number in [`Self::ALL`].
            #[allow(dead_code, reason = "not every type of words is counted by number")]
            #[inline]
            pub(crate) const fn index(self) -> usize {
                self.0 as usize
            }

            #[inline]
            const fn facts(self) -> &'static $Facts {
                &FACTS[self.0 as usize]
            }
        }

        impl std::fmt::Debug for $Word {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.facts().name)
            }
        }

        impl serde::Serialize for $Word {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.facts().name)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Word {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$Word, D::Error> {
                struct Visitor;

                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $Word;

                    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                        f.write_str($what)
                    }

                    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<$Word, E> {
                        $Word::named(name).ok_or_else(|| E::unknown_variant(name, &NAMES))
                    }
                }

                deserializer.deserialize_str(Visitor)
            }
        }
    };
}
pub(crate) use open_words;
