//! The texts of sentences in the languages of the window, what the rules, the table and the record say
//! (`castellan.po`), and of the rule book (`castellan-rules.po`). What the window's own files say is in
//! `castellan-ui.po` beside them.

use std::collections::HashMap;
use std::sync::OnceLock;

use rspolib::pofile;

use super::language::LANGUAGES;

/// The texts of a language: of sentences, and of the rule book.
struct Texts {
    code: &'static str,
    sentences: &'static str,
    rules: &'static str,
}

/// The files of a language's texts.
macro_rules! texts {
    ($code:literal) => {
        Texts {
            code: $code,
            sentences: include_str!(concat!("../../ui/lang/", $code, "/LC_MESSAGES/castellan.po")),
            rules: include_str!(concat!("../../ui/lang/", $code, "/LC_MESSAGES/castellan-rules.po")),
        }
    };
}

/// The texts of all languages but English, in which they are written.
const TEXTS: [Texts; 8] = [
    texts!("de"),
    texts!("nl"),
    texts!("fr"),
    texts!("es"),
    texts!("pl"),
    texts!("cs"),
    texts!("ro"),
    texts!("eo"),
];

/// What a language has for English texts.
#[derive(Debug)]
pub struct Catalogue {
    sentences: HashMap<String, String>,
    /// The file of the rule book's texts, and what it has, once somebody asks for one.
    rules: (&'static str, OnceLock<HashMap<String, String>>),
}

impl Catalogue {
    /// The catalogue of a language by its code, read when it is first asked for; `None` of
    /// English and of what is no language of the window.
    pub fn of(code: &str) -> Option<&'static Catalogue> {
        static READ: [OnceLock<Catalogue>; TEXTS.len()] = [const { OnceLock::new() }; TEXTS.len()];
        let at = TEXTS.iter().position(|texts| texts.code == code)?;
        let (texts, catalogue) = (TEXTS.get(at)?, READ.get(at)?);
        Some(catalogue.get_or_init(|| Catalogue {
            sentences: read(texts.sentences),
            rules: (texts.rules, OnceLock::new()),
        }))
    }

    /// The catalogue of the language that is called so by those who speak it.
    pub fn called(name: &str) -> Option<&'static Catalogue> {
        LANGUAGES.iter().find(|(_, known)| *known == name).and_then(|(code, _)| Catalogue::of(code))
    }

    /// What the language has for the text of a sentence, if it has it.
    pub fn get(&self, english: &str) -> Option<&str> {
        self.sentences.get(english).map(String::as_str)
    }

    /// What the language has for a title or a text of the rule book, if it has it.
    pub fn rule(&self, english: &str) -> Option<&str> {
        let (file, known) = &self.rules;
        known.get_or_init(|| read(file)).get(english).map(String::as_str)
    }
}

/// What a file has for English texts.
fn read(text: &str) -> HashMap<String, String> {
    let Ok(file) = pofile(text) else {
        tracing::warn!("a catalogue cannot be read; its texts stay English");
        return HashMap::new();
    };
    // What has no text is the head of the file.
    let entries = file.entries.into_iter().filter(|entry| !entry.msgid.is_empty());
    entries.filter_map(|entry| Some((entry.msgid, entry.msgstr.filter(|s| !s.is_empty())?))).collect()
}
