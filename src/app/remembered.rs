//! What the window remembers from one evening to the next.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files;

/// So many sources are offered again.
const MOST_SOURCES: usize = 3;

/// The longest file that is read, in bytes.
const MOST_TEXT: u64 = 64 * 1024;

/// What the window remembers: `window.toml` in the data folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// What was watched, the newest first.
    pub sources: Vec<String>,
    /// Whether the window is dark; `None` as long as nobody has said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dark: Option<bool>,
    /// The language of the window, by its code; `None` as long as nobody has chosen one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Whether a sound says that something needs a look.
    pub sound: bool,
    /// Whether a page is shown to other screens in the network.
    pub page: bool,
    /// Whether each player's clock is shown.
    pub clocks: bool,
    /// The aids that the table has agreed on.
    pub aids: AgreedAids,
}

/// Which aids the players see; without any, the table is for purists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgreedAids {
    /// The tiles that are left, and where they fit.
    pub tiles: bool,
    /// What the totals would be if the game ended now.
    pub projected: bool,
    /// Places where no tile fits that is left.
    pub unfillable: bool,
}

impl Default for AgreedAids {
    /// How many tiles are left anybody can count at the table; the rest is advice.
    fn default() -> AgreedAids {
        AgreedAids { tiles: true, projected: false, unfillable: false }
    }
}

impl Remembered {
    fn file(data: &Path) -> PathBuf {
        data.join("window.toml")
    }

    /// What is remembered in a data folder; nothing where that cannot be read, which is logged.
    pub fn read(data: &Path) -> Remembered {
        let file = Remembered::file(data);
        let text = match files::read_text(&file, MOST_TEXT) {
            Ok(text) => text,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!("cannot be read, {error}: {}", file.display());
                }
                return Remembered::default();
            }
        };
        toml::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!("is not what the window remembers, {error}: {}", file.display());
            Remembered::default()
        })
    }

    /// Keeps it in a data folder. That it cannot be kept is logged: a game is not held up by it.
    pub fn keep(&self, data: &Path) {
        let file = Remembered::file(data);
        let text = toml::to_string(self).map_err(io::Error::other);
        let kept = std::fs::create_dir_all(data)
            .and(text)
            .and_then(|text| files::write_whole(&file, text.as_bytes()));
        if let Err(error) = kept {
            tracing::warn!("cannot be written, {error}: {}", file.display());
        }
    }

    /// A source that was opened stands first.
    pub fn watched(&mut self, source: &str) {
        self.sources.retain(|known| known != source);
        self.sources.insert(0, source.to_owned());
        self.sources.truncate(MOST_SOURCES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("castellan");
        assert_eq!(Remembered::read(&data), Remembered::default());
        let mut kept = Remembered {
            dark: Some(true),
            sound: true,
            page: true,
            clocks: true,
            aids: AgreedAids { unfillable: true, ..AgreedAids::default() },
            ..Remembered::default()
        };
        for source in ["camera:0", "http://phone:8080/video", "camera:0", "a", "b"] {
            kept.watched(source);
        }
        assert_eq!(kept.sources, ["b", "a", "camera:0"]);
        kept.keep(&data);
        assert_eq!(Remembered::read(&data), kept);
        std::fs::write(Remembered::file(&data), "sources = 3").unwrap();
        assert_eq!(Remembered::read(&data), Remembered::default());
    }
}
