//! The page for other screens, told a game as it stands.

use std::sync::{Arc, Mutex, PoisonError};

use super::board_picture::{BoardPainter, Lighting};
use crate::page::{Page, PageError, Told, Words};
use crate::table::{CellView, GameView, NamedPlaceView};

/// The sides of the picture of the board, in pixels.
const BOARD_PX: u32 = 1100;

/// A page that is shown, with what it was told last.
#[derive(Debug)]
pub struct ShownPage {
    page: Page,
    painter: Option<Arc<Mutex<BoardPainter>>>,
    told: Option<(Told, Vec<CellView>, Vec<NamedPlaceView>)>,
}

impl ShownPage {
    /// Shows an empty page.
    ///
    /// # Errors
    /// [`PageError`].
    pub fn open() -> Result<ShownPage, PageError> {
        Ok(ShownPage { page: Page::open()?, painter: None, told: None })
    }

    /// Where it is seen.
    pub fn addresses(&self) -> Vec<String> {
        self.page.addresses()
    }

    /// Tells it how a game stands, where that is something else than before; `painter` draws its board.
    pub fn show(&mut self, view: &GameView, words: &dyn Words, painter: Option<&BoardPainter>) {
        let told = (Told::of(view, words), view.cells.clone(), view.places.clone());
        let same_boards = match (&self.painter, painter) {
            (Some(known), Some(now)) => now.draws_as(&known.lock().unwrap_or_else(PoisonError::into_inner)),
            (None, None) => true,
            _ => false,
        };
        if same_boards && self.told.as_ref() == Some(&told) {
            return;
        }
        if !same_boards {
            self.painter = painter.map(|painter| Arc::new(Mutex::new(painter.another())));
        }
        let (board, view, lit) = (self.painter.clone(), view.clone(), Lighting::of_newest(view));
        self.page.show(&told.0, move || {
            let painted = board.as_ref().and_then(|painter| {
                let mut painter = painter.lock().unwrap_or_else(PoisonError::into_inner);
                painter.paint(&view, &lit, BOARD_PX, BOARD_PX, false)
            });
            painted.and_then(|board| board.encode_png().ok()).unwrap_or_default()
        });
        self.told = Some(told);
    }
}
