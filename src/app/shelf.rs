//! The recorded games as the window has them at hand.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::remembered::Remembered;
use crate::archive::{self, Archived, Unreadable};
use crate::library;

/// The recorded games, and what else is kept in the owner's data folder.
#[derive(Debug, Default)]
pub struct Shelf {
    /// The data folder; without one nothing is kept or listed.
    pub data: Option<PathBuf>,
    /// What the window remembers.
    pub remembered: Remembered,
    /// All games, the one that was played last first.
    pub games: Vec<Archived>,
    /// The records that cannot be read.
    pub unreadable: Vec<Unreadable>,
    /// The words by which games are sought.
    pub words: String,
    /// The record of the game that is looked at.
    pub chosen: Option<PathBuf>,
}

impl Shelf {
    /// The folder of the games.
    pub fn folder(&self) -> Option<PathBuf> {
        self.data.as_deref().map(library::games_in)
    }

    /// The games that the words leave.
    pub fn listed(&self) -> impl Iterator<Item = &Archived> {
        self.games.iter().filter(|game| game.matches(&self.words))
    }

    /// A game by its record.
    pub fn game(&self, file: &Path) -> Option<&Archived> {
        self.games.iter().find(|game| game.file == file)
    }

    /// The chosen game and its place among those that are listed.
    pub fn chosen(&self) -> Option<(usize, &Archived)> {
        self.listed().enumerate().find(|(_, game)| Some(&game.file) == self.chosen.as_ref())
    }

    /// Takes over what was found in the folder. The chosen game stays so while it is there.
    pub fn take(&mut self, found: (Vec<Archived>, Vec<Unreadable>)) {
        (self.games, self.unreadable) = found;
        self.choose_if_none();
    }

    /// Chooses the first that is listed where the chosen one is not.
    pub fn choose_if_none(&mut self) {
        if self.chosen().is_none() {
            let first = self.listed().next().map(|game| game.file.clone());
            self.chosen = first;
        }
    }

    /// Changes what is remembered, and keeps it.
    pub fn remember(&mut self, change: impl FnOnce(&mut Remembered)) {
        let before = self.remembered.clone();
        change(&mut self.remembered);
        if let Some(data) = self.data.as_deref().filter(|_| before != self.remembered) {
            self.remembered.keep(data);
        }
    }
}

/// Locks the shelf. Each field is set whole, so that a thread that panicked leaves nothing half
/// written.
pub fn shelf(shelf: &Mutex<Shelf>) -> MutexGuard<'_, Shelf> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the folder of the games, which takes a while where there are many.
pub fn read(shelf: &Arc<Mutex<Shelf>>) {
    let Some(folder) = self::shelf(shelf).folder() else { return };
    match archive::list(&folder) {
        Ok(found) => self::shelf(shelf).take(found),
        Err(error) => tracing::warn!("the recorded games are not listed: {error}"),
    }
}
