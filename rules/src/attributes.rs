//! What is printed on a segment besides its kind.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::vocabulary::open_words;

/// What several of an attribute on one feature are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Several {
    /// So many: they are counted.
    Counted,
    /// No more than one: there are some or none.
    AsOne,
}

/// What is known of an attribute.
#[derive(Clone, Copy)]
pub(crate) struct AttributeFacts {
    /// Its word in face texts.
    pub name: &'static str,
    /// What several of it on one feature are.
    pub several: Several,
}

open_words! {
    /// Something that is printed on a segment, such as a pennant. Each game lists those of
    /// its tiles.
    Attribute, AttributeFacts, attributes, "the name of an attribute"
}

/// The most of each attribute that a feature can have.
static MOST: [u8; WIDTH] = {
    let mut most = [u8::MAX; WIDTH];
    let mut i = 0;
    while i < FACTS.len() {
        if matches!(FACTS[i].several, Several::AsOne) {
            most[i] = 1;
        }
        i += 1;
    }
    most
};

impl Attribute {
    /// Whether a feature can have several, which are counted; else it has it or not.
    pub const fn is_counted(self) -> bool {
        matches!(self.facts().several, Several::Counted)
    }

    /// The word in face texts and on the screen.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }
}

/// Numbers that counts take up: some more than there are attributes, so that they are added
/// several at once.
const WIDTH: usize = Attribute::ALL.len().next_multiple_of(4);

/// What is printed on a segment, or on all segments of a feature: how many of each
/// attribute. It is written as a map from the names to the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "BTreeMap<Attribute, u8>", into = "BTreeMap<Attribute, u8>")]
pub struct Attributes([u8; WIDTH]);

impl Attributes {
    /// Nothing.
    pub const NONE: Attributes = Attributes([0; WIDTH]);

    /// How many of an attribute there are; at most 1 where it is not counted.
    #[inline]
    pub const fn count(self, attribute: Attribute) -> u8 {
        self.0[attribute.0 as usize]
    }

    /// Whether there is any of an attribute.
    #[inline]
    pub const fn has(self, attribute: Attribute) -> bool {
        self.count(attribute) > 0
    }

    /// The same with so many of an attribute; of one that is not counted, 1 for any number
    /// but 0.
    #[must_use]
    pub const fn with(mut self, attribute: Attribute, count: u8) -> Attributes {
        let most = MOST[attribute.0 as usize];
        self.0[attribute.0 as usize] = if count < most { count } else { most };
        self
    }

    /// What is printed on two segments that have grown together.
    #[must_use]
    pub const fn joined(mut self, other: Attributes) -> Attributes {
        let mut i = 0;
        while i < self.0.len() {
            let sum = self.0[i].saturating_add(other.0[i]);
            self.0[i] = if sum < MOST[i] { sum } else { MOST[i] };
            i += 1;
        }
        self
    }

    /// Whether nothing is printed.
    pub fn is_empty(&self) -> bool {
        *self == Attributes::NONE
    }

    /// The attributes that there are, with how many of each, in the order of
    /// [`Attribute::ALL`].
    pub fn iter(self) -> impl Iterator<Item = (Attribute, u8)> {
        Attribute::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }
}

impl From<BTreeMap<Attribute, u8>> for Attributes {
    fn from(counts: BTreeMap<Attribute, u8>) -> Attributes {
        counts.into_iter().fold(Attributes::NONE, |all, (attribute, count)| all.with(attribute, count))
    }
}

impl From<Attributes> for BTreeMap<Attribute, u8> {
    fn from(attributes: Attributes) -> BTreeMap<Attribute, u8> {
        attributes.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &str) -> Attribute {
        Attribute::named(name).unwrap()
    }

    #[test]
    fn the_attributes_are_those_of_the_games_in_their_order() {
        let names = "market fountain square pennant city spring inn cathedral cloth grain wine besieged";
        assert_eq!(Attribute::ALL.map(Attribute::name).join(" "), names);
        let counted: Vec<&str> =
            Attribute::ALL.into_iter().filter(|a| a.is_counted()).map(Attribute::name).collect();
        assert_eq!(counted, ["market", "pennant", "cloth", "grain", "wine"]);
    }

    #[test]
    fn what_is_counted_adds_up_and_the_rest_is_there_or_not() {
        let one = Attributes::NONE.with(called("market"), 2).with(called("fountain"), 7);
        assert_eq!((one.count(called("market")), one.count(called("fountain"))), (2, 1));
        let both = one.joined(one.with(called("square"), 1));
        let counts: Vec<(&str, u8)> = both.iter().map(|(a, n)| (a.name(), n)).collect();
        assert_eq!(counts, [("market", 4), ("fountain", 1), ("square", 1)]);
        let most = Attributes::NONE.with(called("pennant"), 200);
        assert_eq!(most.joined(most).count(called("pennant")), u8::MAX);
        assert!(Attributes::NONE < most && most < one && both.has(called("square")));
        assert!(Attributes::NONE.is_empty() && !one.is_empty());
    }

    #[test]
    fn they_are_written_as_a_map() {
        let some = Attributes::NONE.with(called("pennant"), 2).with(called("square"), 1);
        let text = serde_json::to_string(&some).unwrap();
        assert_eq!(text, r#"{"square":1,"pennant":2}"#);
        assert_eq!(serde_json::from_str::<Attributes>(&text).unwrap(), some);
        assert_eq!(serde_json::from_str::<Attributes>("{}").unwrap(), Attributes::NONE);
        assert!(serde_json::from_str::<Attributes>(r#"{"wall":1}"#).is_err());
    }
}
