//! The faces of an own copy while they are looked over: which one, and where on it.

use crate::calibrate::faces::edit::{Spot, attributes, kinds};
use crate::calibrate::own_copy::{OwnCopy, OwnCopyError, Place, Printed};
use crate::rules::{Attribute, Kind, Port};

/// The faces that are looked over.
#[derive(Debug)]
pub struct FacesPage {
    /// The faces.
    pub printed: Printed,
    /// All that have a face.
    pub places: Vec<Place>,
    /// Which of them is looked at.
    pub at: usize,
    /// Which of its spots is pointed at.
    pub spot: usize,
    /// The port that the next spot is joined to.
    pub joining: Option<Port>,
    /// Whether the next digit says which kind the one at the spot is exchanged with, on all tiles.
    pub exchanging: bool,
}

/// What a digit does at a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Another kind is printed there, or nothing.
    Kind(Option<Kind>),
    /// One more of this is printed, or none.
    Attribute(Attribute),
    /// What is of one kind is of the other, on all tiles.
    Exchange(Kind, Kind),
}

impl FacesPage {
    /// The faces of a copy; the first that the owner has to look at is shown.
    ///
    /// # Errors
    /// [`OwnCopyError`] where its deck cannot be read.
    pub fn open(copy: OwnCopy) -> Result<FacesPage, OwnCopyError> {
        let printed = Printed::open(copy)?;
        let places = printed.places();
        let mut page = FacesPage { printed, places, at: 0, spot: 0, joining: None, exchanging: false };
        page.next_open(0);
        Ok(page)
    }

    /// What is looked at.
    pub fn place(&self) -> Option<Place> {
        self.places.get(self.at).copied()
    }

    /// The spots of its face.
    pub fn spots(&self) -> Vec<Spot> {
        self.place().map(|place| self.printed.spots(place)).unwrap_or_default()
    }

    /// The spot that is pointed at.
    pub fn spot(&self) -> Option<Spot> {
        self.spots().get(self.spot).copied()
    }

    /// Looks at the first that is open from one on.
    pub fn next_open(&mut self, from: usize) {
        let count = self.places.len();
        let next = (0..count).map(|i| (from + i) % count.max(1));
        let open = next.into_iter().find(|i| self.printed.is_open(self.places[*i]));
        self.show(open.unwrap_or(self.at));
    }

    /// Looks at one of them; the spot is its first doubt.
    pub fn show(&mut self, at: usize) {
        self.at = at.min(self.places.len().saturating_sub(1));
        (self.joining, self.exchanging) = (None, false);
        let doubt = self.place().and_then(|place| self.printed.doubts(place).first().copied());
        let at = doubt.and_then(|port| self.spots().iter().position(|spot| *spot == Spot::Port(port)));
        self.spot = at.unwrap_or(0);
    }

    /// The kinds that the one at the spot can be exchanged with, on all tiles.
    pub fn exchanges(&self) -> Vec<Choice> {
        let area = self.spot().filter(|spot| matches!(spot, Spot::Port(port) if !port.is_middle()));
        let kind = area.zip(self.place()).and_then(|(spot, place)| {
            let face = self.printed.face(place)?;
            Some((spot, face.segments().get(spot.segment(face)?)?.kind))
        });
        let Some((spot, kind)) = kind else { return Vec::new() };
        let others = kinds(self.printed.copy().game(), spot).iter().filter(|other| **other != kind);
        others.map(|other| Choice::Exchange(kind, *other)).collect()
    }

    /// What the digits from 1 on do at the spot.
    pub fn choices(&self) -> Vec<Choice> {
        let (Some(place), Some(spot)) = (self.place(), self.spot()) else { return Vec::new() };
        if self.exchanging {
            return self.exchanges();
        }
        let game = self.printed.copy().game();
        let mut all: Vec<Choice> = kinds(game, spot).iter().map(|kind| Choice::Kind(Some(*kind))).collect();
        if may_be_none(spot) {
            all.push(Choice::Kind(None));
        }
        let face = self.printed.face(place);
        let kind = face.and_then(|face| Some(face.segments().get(spot.segment(face)?)?.kind));
        all.extend(kind.map_or(&[][..], attributes).iter().map(|a| Choice::Attribute(*a)));
        all
    }

    /// Does what was chosen at the spot.
    ///
    /// # Errors
    /// [`OwnCopyError`] where it cannot be, or not be written.
    pub fn act(&mut self, choice: Choice) -> Result<(), OwnCopyError> {
        let (Some(place), Some(spot)) = (self.place(), self.spot()) else { return Ok(()) };
        match choice {
            Choice::Kind(kind) => self.printed.set(place, spot, kind),
            Choice::Attribute(attribute) => self.printed.step(place, spot, attribute),
            Choice::Exchange(a, b) => {
                self.exchanging = false;
                self.printed.exchange(a, b)
            }
        }
    }

    /// Points at a spot; one that is joined is made one part with it.
    ///
    /// # Errors
    /// As [`FacesPage::act`].
    pub fn point(&mut self, spot: Spot) -> Result<(), OwnCopyError> {
        let Some(at) = self.spots().iter().position(|s| *s == spot) else { return Ok(()) };
        (self.spot, self.exchanging) = (at, false);
        if let (Some(place), Some(from), Spot::Port(to)) = (self.place(), self.joining, spot)
            && from != to
        {
            self.joining = None;
            self.printed.join(place, from, to)?;
        }
        Ok(())
    }
}

const fn may_be_none(spot: Spot) -> bool {
    match spot {
        Spot::Port(port) => port.is_middle(),
        Spot::Within => true,
    }
}
