//! The texts of sentences in the languages of the window: what the rules, the table and the
//! record say. What the window's own files say is in `castellan-ui.po` beside them.

use std::collections::HashMap;
use std::sync::OnceLock;

use rspolib::pofile;

use super::language::LANGUAGES;

/// The catalogues by the codes of their languages; sentences are written in English.
const CATALOGUES: [(&str, &str); 8] = [
    ("de", include_str!("../../ui/lang/de/LC_MESSAGES/castellan.po")),
    ("nl", include_str!("../../ui/lang/nl/LC_MESSAGES/castellan.po")),
    ("fr", include_str!("../../ui/lang/fr/LC_MESSAGES/castellan.po")),
    ("es", include_str!("../../ui/lang/es/LC_MESSAGES/castellan.po")),
    ("pl", include_str!("../../ui/lang/pl/LC_MESSAGES/castellan.po")),
    ("cs", include_str!("../../ui/lang/cs/LC_MESSAGES/castellan.po")),
    ("ro", include_str!("../../ui/lang/ro/LC_MESSAGES/castellan.po")),
    ("eo", include_str!("../../ui/lang/eo/LC_MESSAGES/castellan.po")),
];

/// What a language has for English texts.
#[derive(Debug, Default)]
pub struct Catalogue(HashMap<String, String>);

impl Catalogue {
    /// The catalogue of a language by its code, read when it is first asked for; `None` of
    /// English and of what is no language of the window.
    pub fn of(code: &str) -> Option<&'static Catalogue> {
        static READ: [OnceLock<Catalogue>; CATALOGUES.len()] = [const { OnceLock::new() }; CATALOGUES.len()];
        let at = CATALOGUES.iter().position(|(known, _)| *known == code)?;
        let ((_, text), read) = (CATALOGUES.get(at)?, READ.get(at)?);
        Some(read.get_or_init(|| Catalogue::read(text)))
    }

    /// The catalogue of the language that is called so by those who speak it.
    pub fn called(name: &str) -> Option<&'static Catalogue> {
        LANGUAGES.iter().find(|(_, known)| *known == name).and_then(|(code, _)| Catalogue::of(code))
    }

    fn read(text: &str) -> Catalogue {
        let Ok(file) = pofile(text) else {
            tracing::warn!("a catalogue cannot be read; sentences stay English");
            return Catalogue::default();
        };
        // What has no text is the head of the file.
        let entries = file.entries.into_iter().filter(|entry| !entry.msgid.is_empty());
        let told = entries.filter_map(|entry| Some((entry.msgid, entry.msgstr.filter(|s| !s.is_empty())?)));
        Catalogue(told.collect())
    }

    /// What the language has for a text, if it has it.
    pub fn get(&self, english: &str) -> Option<&str> {
        self.0.get(english).map(String::as_str)
    }
}
