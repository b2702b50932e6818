//! A deck or a wall in one file, to be passed on: CBOR, with a check sum.
//!
//! Pictures go along only when the owner asks, because a published game's art is
//! not theirs to give away. What comes in is trusted with nothing: sizes, names
//! and check sum are judged before anything is used.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::files::fnv;
use crate::rules::{self, Deck, DeckError, Wall, WallError};

const FORMAT: &str = "castellan share";
const VERSION: u32 = 1;
/// The largest file that is taken in, bytes.
pub const MOST_BYTES: u64 = 96 << 20;
/// The largest picture of a tile, bytes of its PNG file.
const MOST_PICTURE: usize = 4 << 20;
/// The most bytes of a tile's map.
const MOST_MAP: usize = 1 << 16;
/// The most bytes of the scale beside a wall's picture.
const MOST_SCALE: usize = 4096;
/// A list was too long.
const TOO_MANY: &str = "too many";

/// Why a file cannot be taken in.
#[derive(Debug, Error)]
pub enum ShareError {
    /// Not such a file at all.
    #[error("it is no deck or wall that was exported by `castellan export`")]
    Format,
    /// Of a later version.
    #[error("it was made by a later Castellan (file version {0}); update Castellan")]
    Version(u32),
    /// Incomplete or altered.
    #[error("it is damaged; ask for it once more")]
    Damaged,
    /// Too much of something.
    #[error("it holds {0}, more than a game can have")]
    TooMuch(String),
    /// A name that could lead out of the data folder.
    #[error("it holds a name that can't be used; a name has letters, digits, `-` and `_`")]
    Name,
    /// What it holds does not fit together.
    #[error("its pictures don't fit its tiles; ask for it once more")]
    Unfit,
    /// The deck inside is none.
    #[error(transparent)]
    Deck(#[from] DeckError),
    /// The wall inside is none.
    #[error(transparent)]
    Wall(#[from] WallError),
    /// Writing failed.
    #[error("it cannot be packed: {0}")]
    Pack(String),
}

/// What is passed on.
#[derive(Clone, Debug, PartialEq)]
pub enum Shared {
    /// A deck.
    Deck {
        /// Its tiles and their faces.
        deck: Deck,
        /// PNG files of all tiles in their order; empty without pictures.
        pictures: Vec<Vec<u8>>,
        /// What the recogniser knows the tiles by.
        maps: Option<Maps>,
    },
    /// A wall.
    Wall {
        /// Its geometry.
        wall: Wall,
        /// What it looks like.
        picture: Option<WallPhoto>,
    },
}

/// What a recogniser knows tiles by, in the deck's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Maps {
    /// The model's fingerprint.
    pub model: u64,
    /// A map for each tile.
    pub tiles: Vec<Vec<u8>>,
}

/// The rectified picture of a wall.
#[derive(Clone, Debug, PartialEq)]
pub struct WallPhoto {
    /// A PNG file.
    pub png: Vec<u8>,
    /// The scale beside it, as the JSON file that a survey writes.
    pub scale: String,
}

#[derive(Serialize, Deserialize)]
struct Envelope {
    format: String,
    version: u32,
    sum: u64,
    body: Bytes,
}

#[derive(Serialize, Deserialize)]
enum Body {
    Deck { deck: String, pictures: List, model: u64, maps: List },
    Wall { wall: String, png: Option<Bytes>, scale: String },
}

/// Packs a deck or a wall.
///
/// # Errors
/// [`ShareError::Pack`].
pub fn pack(shared: &Shared) -> Result<Vec<u8>, ShareError> {
    let body = match shared {
        Shared::Deck { deck, pictures, maps } => Body::Deck {
            deck: deck.to_toml(),
            pictures: List(pictures.iter().cloned().map(Bytes).collect()),
            model: maps.as_ref().map_or(0, |m| m.model),
            maps: List(maps.iter().flat_map(|m| m.tiles.iter().cloned().map(Bytes)).collect()),
        },
        Shared::Wall { wall, picture } => Body::Wall {
            wall: wall.to_toml(),
            png: picture.as_ref().map(|p| Bytes(p.png.clone())),
            scale: picture.as_ref().map_or_else(String::new, |p| p.scale.clone()),
        },
    };
    let body = to_cbor(&body)?;
    let envelope =
        Envelope { format: FORMAT.to_owned(), version: VERSION, sum: fnv(&body), body: Bytes(body) };
    to_cbor(&envelope)
}

fn to_cbor<T: Serialize>(value: &T) -> Result<Vec<u8>, ShareError> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).map_err(|e| ShareError::Pack(e.to_string()))?;
    Ok(bytes)
}

/// Unpacks a file's bytes and judges what is in them; pictures are not decoded
/// here.
///
/// # Errors
/// [`ShareError`] says what is wrong.
pub fn unpack(bytes: &[u8]) -> Result<Shared, ShareError> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(ShareError::TooMuch(format!("{} MB", bytes.len() >> 20)));
    }
    let mut rest = bytes;
    let envelope: Envelope = ciborium::from_reader(&mut rest).map_err(|e| match e {
        // What begins like one of ours was cut off.
        ciborium::de::Error::Io(_) if looks_like_ours(bytes) => ShareError::Damaged,
        _ => ShareError::Format,
    })?;
    if envelope.format != FORMAT {
        return Err(ShareError::Format);
    }
    if envelope.version > VERSION {
        return Err(ShareError::Version(envelope.version));
    }
    if !rest.is_empty() || fnv(&envelope.body.0) != envelope.sum {
        return Err(ShareError::Damaged);
    }
    let body: Body = ciborium::from_reader(envelope.body.0.as_slice()).map_err(|e| match e {
        ciborium::de::Error::Semantic(_, reason) if reason == TOO_MANY => {
            ShareError::TooMuch(format!("more than {} pictures", Deck::MOST_TILES))
        }
        _ => ShareError::Damaged,
    })?;
    drop(envelope);
    match body {
        Body::Deck { deck, pictures, model, maps } => unpack_deck(&deck, pictures.0, model, maps.0),
        Body::Wall { wall, png, scale } => {
            if scale.len() > MOST_SCALE {
                return Err(ShareError::TooMuch(format!("a scale of {} letters", scale.len())));
            }
            let wall = Wall::from_toml(&wall)?;
            check_name(&wall.name)?;
            let picture = png.map(|png| WallPhoto { png: png.0, scale });
            Ok(Shared::Wall { wall, picture })
        }
    }
}

fn unpack_deck(text: &str, pictures: Vec<Bytes>, model: u64, maps: Vec<Bytes>) -> Result<Shared, ShareError> {
    let deck = Deck::from_toml(text)?;
    check_name(&deck.name)?;
    let fits = |list: &[Bytes]| list.is_empty() || list.len() == deck.tiles.len();
    if !fits(&pictures) || !fits(&maps) {
        return Err(ShareError::Unfit);
    }
    if pictures.iter().any(|p| p.0.len() > MOST_PICTURE) || maps.iter().any(|m| m.0.len() > MOST_MAP) {
        return Err(ShareError::TooMuch("pictures larger than a tile's".to_owned()));
    }
    let plain = |list: Vec<Bytes>| list.into_iter().map(|b| b.0).collect::<Vec<Vec<u8>>>();
    let maps = (!maps.is_empty()).then(|| Maps { model, tiles: plain(maps) });
    Ok(Shared::Deck { deck, pictures: plain(pictures), maps })
}

fn looks_like_ours(bytes: &[u8]) -> bool {
    bytes.windows(FORMAT.len()).take(64).any(|w| w == FORMAT.as_bytes())
}

fn check_name(name: &str) -> Result<(), ShareError> {
    if rules::is_name(name) { Ok(()) } else { Err(ShareError::Name) }
}

/// Bytes that CBOR keeps as bytes, not as a list of numbers.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, v: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(v.to_vec()))
            }

            fn visit_byte_buf<E>(self, v: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(v))
            }
        }
        deserializer.deserialize_byte_buf(Visitor)
    }
}

/// As many byte strings as a deck has tiles at most. CBOR can list millions of empty
/// ones in a small file.
struct List(Vec<Bytes>);

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<List, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = List;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of bytes")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<List, A::Error> {
                let mut list = Vec::new();
                while let Some(bytes) = seq.next_element()? {
                    if list.len() == Deck::MOST_TILES {
                        return Err(serde::de::Error::custom(TOO_MANY));
                    }
                    list.push(bytes);
                }
                Ok(List(list))
            }
        }
        deserializer.deserialize_seq(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Game, Tile};

    fn deck(name: &str, id: &str) -> Shared {
        let tile =
            Tile { id: id.to_owned(), face: Some("path n-s".parse().unwrap()), doubts: Vec::new(), count: 1 };
        let deck = Deck::new(name, Game::Castle, vec![tile]);
        let maps = Some(Maps { model: 7, tiles: vec![vec![1, 2, 255]] });
        Shared::Deck { deck, pictures: vec![vec![9; 300]], maps }
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let wall = crate::library::wall("house").unwrap();
        let photo = WallPhoto { png: vec![1, 2, 3], scale: "{}".to_owned() };
        for shared in [deck("mine", "t01"), Shared::Wall { wall, picture: Some(photo) }] {
            assert_eq!(unpack(&pack(&shared).unwrap()).unwrap(), shared);
        }
    }

    #[test]
    fn no_torn_or_altered_file_gets_in() {
        let bytes = pack(&deck("mine", "t01")).unwrap();
        for end in 0..bytes.len() {
            assert!(unpack(&bytes[..end]).is_err(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 0x55;
            assert!(unpack(&altered).is_err(), "altered at {at}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(matches!(unpack(&longer), Err(ShareError::Damaged)));
        assert!(matches!(unpack(&bytes[..bytes.len() - 1]), Err(ShareError::Damaged)));
        assert!(matches!(unpack(b"hello"), Err(ShareError::Format)));
        // A list that claims to be endless.
        assert!(unpack(&[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_err());
        assert!(unpack(&[0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_err());
    }

    #[test]
    fn names_stay_in_their_folder() {
        for name in ["../up", "", "/etc", "a b"] {
            assert!(matches!(unpack(&pack(&deck(name, "t01")).unwrap()), Err(ShareError::Name)), "{name}");
        }
        for id in ["../../t01", "/etc/passwd", ""] {
            let error = unpack(&pack(&deck("mine", id)).unwrap()).unwrap_err();
            assert!(matches!(error, ShareError::Deck(DeckError::Id(_))), "{id}: {error}");
        }
    }
}
