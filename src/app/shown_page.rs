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
    boards: Option<Boards>,
    told: Option<(Told, Vec<CellView>, Vec<NamedPlaceView>)>,
}

/// What draws the boards of a game.
#[derive(Debug)]
struct Boards {
    /// Tells it from others: what draws may be at work for somebody who looks, and is not waited for.
    like: BoardPainter,
    painter: Arc<Mutex<BoardPainter>>,
}

impl Boards {
    fn of(painter: &BoardPainter) -> Boards {
        Boards { like: painter.another(), painter: Arc::new(Mutex::new(painter.another())) }
    }
}

impl ShownPage {
    /// Shows an empty page.
    ///
    /// # Errors
    /// [`PageError`].
    pub fn open() -> Result<ShownPage, PageError> {
        Ok(ShownPage { page: Page::open()?, boards: None, told: None })
    }

    /// Where it is seen.
    pub fn addresses(&self) -> Vec<String> {
        self.page.addresses()
    }

    /// Tells it how a game stands, where that is something else than before; `painter` draws its board.
    pub fn show(&mut self, view: &GameView, words: &dyn Words, painter: Option<&BoardPainter>) {
        let told = (Told::of(view, words), view.cells.clone(), view.places.clone());
        let same_boards = match (&self.boards, painter) {
            (Some(known), Some(now)) => now.draws_as(&known.like),
            (None, None) => true,
            _ => false,
        };
        if same_boards && self.told.as_ref() == Some(&told) {
            return;
        }
        if !same_boards {
            self.boards = painter.map(Boards::of);
        }
        let board = self.boards.as_ref().map(|boards| Arc::clone(&boards.painter));
        let (view, lit) = (view.clone(), Lighting::of_newest(view));
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
