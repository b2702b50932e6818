//! The languages of the window. What its own files say is bundled with it; sentences that the
//! program makes are in the catalogues (`catalogue.rs`), scores are put together from what was
//! counted (`terms.rs`). Accounts and errors are English.

use slint::{ComponentHandle, ModelRc, SharedString, VecModel};

use super::ui;

/// The languages: how each is called in catalogues, and by those who speak it.
pub const LANGUAGES: [(&str, &str); 9] = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("nl", "Nederlands"),
    ("fr", "Français"),
    ("es", "Español"),
    ("pl", "Polski"),
    ("cs", "Čeština"),
    ("ro", "Română"),
    ("eo", "Esperanto"),
];

/// The language that the system asks for; English where the window does not have that.
pub fn of_system() -> &'static str {
    let said = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| {
        let said = std::env::var(name).ok()?;
        (!said.is_empty()).then_some(said)
    });
    let said = said.unwrap_or_default();
    let code = said.split(['_', '.', '-', '@']).next().unwrap_or_default();
    LANGUAGES.iter().map(|(known, _)| *known).find(|known| *known == code).unwrap_or("en")
}

/// Has the window speak a language; one that it does not have is English.
pub fn speak(window: &ui::AppWindow, code: &str) {
    let (code, name) = LANGUAGES.iter().find(|(known, _)| *known == code).unwrap_or(&LANGUAGES[0]);
    if let Err(error) = slint::select_bundled_translation(code) {
        tracing::warn!("the window does not speak {name}: {error}");
    }
    let adapter = window.global::<ui::StartAdapter>();
    adapter.set_language((*name).into());
}

/// Offers the languages; calls `spoken` with the one that is chosen, once the window speaks it.
pub fn connect(window: &ui::AppWindow, spoken: impl Fn(&ui::AppWindow, &'static str) + 'static) {
    let adapter = window.global::<ui::StartAdapter>();
    let names: Vec<SharedString> = LANGUAGES.iter().map(|(_, name)| SharedString::from(*name)).collect();
    adapter.set_languages(ModelRc::new(VecModel::from(names)));
    let weak = window.as_weak();
    adapter.on_language_chosen(move |name| {
        let Some(window) = weak.upgrade() else { return };
        let chosen = LANGUAGES.iter().find(|(_, known)| *known == name.as_str());
        if let Some((code, _)) = chosen {
            speak(&window, code);
            spoken(&window, code);
        }
    });
}
