//! The page for other screens in the window: opened and closed as the players wish.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image};

use super::qr::code;
use super::shown::{Shown, lock};
use super::shown_page::ShownPage;
use super::terms::Terms;
use super::ui;
use crate::page::Words;
use crate::rules::Sentence;
use crate::table::{GameView, ScoreView};

impl Words for Terms<'_> {
    fn language(&self) -> String {
        self.code().to_owned()
    }

    fn sentence(&self, sentence: &Sentence) -> String {
        Terms::sentence(self, sentence)
    }

    fn word(&self, english: &str) -> String {
        Terms::word(self, english)
    }

    fn change(&self, english: &str) -> String {
        Terms::change(self, english)
    }

    fn reason(&self, view: &GameView, score: &ScoreView) -> String {
        Terms::reason(self, view, score)
    }
}

/// Opens the page where the players wish it and it is not open yet, or closes it.
pub fn open(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::AidsAdapter>();
    let mut shown = lock(shown);
    if adapter.get_page() == shown.page.is_some() {
        return;
    }
    shown.page = None;
    adapter.set_page_address("".into());
    adapter.set_page_code(Image::default());
    adapter.set_page_problem("".into());
    if !adapter.get_page() {
        return;
    }
    match ShownPage::open() {
        Ok(page) => {
            let addresses = page.addresses();
            adapter.set_page_code(addresses.first().map_or_else(Image::default, |first| code(first)));
            adapter.set_page_address(addresses.join("\n").into());
            shown.page = Some(page);
            show(window, &mut shown);
        }
        Err(error) => {
            let words = Terms::of(window).sentence(&Sentence::from(&error));
            adapter.set_page_problem(words.into());
        }
    }
}

/// Tells the page what is shown.
pub fn show(window: &ui::AppWindow, shown: &mut Shown) {
    let Shown { page: Some(page), view, painter, .. } = shown else { return };
    page.show(view, &Terms::of(window), painter.as_ref());
}
