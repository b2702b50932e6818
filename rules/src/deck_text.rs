//! Writes a deck over its former file, so that what a person wrote there stays:
//! comments, order of the lines, blank lines.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::deck::Deck;

const TILES: &str = "tile";
const ID: &str = "id";

impl Deck {
    /// The deck as a TOML file that keeps the comments of `former`, a file of an
    /// earlier state of this deck. Tiles that are in both stay where they were, new
    /// ones follow, and a comment above a tile that is gone moves to the next.
    /// Where `former` is no TOML file this is [`Deck::to_toml`].
    pub fn to_toml_over(&self, former: &str) -> String {
        let fresh = self.to_toml();
        match (former.parse::<DocumentMut>(), fresh.parse::<DocumentMut>()) {
            (Ok(former), Ok(fresh)) => over(former, fresh).to_string(),
            _ => fresh,
        }
    }
}

fn over(mut former: DocumentMut, mut fresh: DocumentMut) -> DocumentMut {
    let wanted = tiles(fresh.remove(TILES));
    let mut homeless = String::new();
    let mut kept = ArrayOfTables::new();
    for mut tile in tiles(former.remove(TILES)) {
        let same = wanted.iter().find(|t| id(t) == id(&tile));
        match same {
            Some(wanted) => {
                adopt(&mut tile, wanted);
                above(&mut tile, &mut homeless);
                kept.push(tile);
            }
            None => homeless.push_str(comment(&tile)),
        }
    }
    for mut tile in wanted {
        if !kept.iter().any(|t| id(t) == id(&tile)) {
            tile.set_position(None);
            above(&mut tile, &mut homeless);
            kept.push(tile);
        }
    }
    adopt(former.as_table_mut(), fresh.as_table());
    // An array of no tables would leave no trace in the file.
    let kept = if kept.is_empty() { value(Array::new()) } else { Item::ArrayOfTables(kept) };
    former.insert(TILES, kept);
    let end = format!("{homeless}{}", former.trailing().as_str().unwrap_or_default());
    former.set_trailing(end);
    former
}

fn tiles(item: Option<Item>) -> Vec<Table> {
    match item {
        Some(Item::ArrayOfTables(tables)) => tables.into_iter().collect(),
        _ => Vec::new(),
    }
}

fn id(tile: &Table) -> Option<&str> {
    tile.get(ID).and_then(Item::as_str)
}

/// What stands above a table, if it says anything.
fn comment(tile: &Table) -> &str {
    let text = tile.decor().prefix().and_then(|p| p.as_str()).unwrap_or_default();
    if text.contains('#') { text } else { "" }
}

/// Puts comments that lost their table above this one.
fn above(tile: &mut Table, homeless: &mut String) {
    if !homeless.is_empty() {
        let own = tile.decor().prefix().and_then(|p| p.as_str()).unwrap_or("\n");
        let both = format!("{homeless}{own}");
        tile.decor_mut().set_prefix(both);
        homeless.clear();
    }
}

/// Gives a table the values of another, each with the former's comment.
fn adopt(table: &mut Table, wanted: &Table) {
    let gone: Vec<String> =
        table.iter().map(|(key, _)| key.to_owned()).filter(|key| !wanted.contains_key(key)).collect();
    for key in gone {
        table.remove(&key);
    }
    for (key, item) in wanted {
        let (Some(value), Some(former)) = (item.as_value(), table.get_mut(key).and_then(Item::as_value_mut))
        else {
            table.insert(key, item.clone());
            continue;
        };
        if value.to_string().trim() != former.to_string().trim() {
            let decor = former.decor().clone();
            *former = value.clone();
            *former.decor_mut() = decor;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Deck, Game, Port, Tile};

    const FORMER: &str = r#"# Gran's copy.
name = "gran" # of 2003
game = "castle"

# The corner of t01 is torn.
[[tile]]
id = "t01"
face = "path n-s" # sure

# Straight on.
[[tile]]
face = "path n-e"
id = "t02"

[[tile]]
id = "t03"
# A last word.
"#;

    fn former() -> Deck {
        Deck::from_toml(FORMER).unwrap()
    }

    #[test]
    fn what_did_not_change_stays_to_the_letter() {
        assert_eq!(former().to_toml_over(FORMER), FORMER);
    }

    #[test]
    fn a_corrected_face_keeps_the_comment_beside_it() {
        let mut deck = former();
        deck.tiles[0].face = Some("path n-e-s".parse().unwrap());
        let text = deck.to_toml_over(FORMER);
        assert_eq!(Deck::from_toml(&text).unwrap(), deck);
        assert_eq!(text, FORMER.replace(r#""path n-s""#, r#""path n-e-s""#));
    }

    #[test]
    fn the_comment_of_a_dropped_tile_moves_on() {
        let mut deck = former();
        deck.tiles.remove(1);
        let text = deck.to_toml_over(FORMER);
        assert_eq!(Deck::from_toml(&text).unwrap(), deck);
        assert!(text.contains("# Straight on.") && text.contains("# A last word."), "{text}");
    }

    #[test]
    fn new_tiles_follow_the_former_ones() {
        let mut deck = former();
        deck.tiles.push(Tile {
            id: "t04".into(),
            face: Some("court er-sl +market".parse().unwrap()),
            doubts: vec![Port::from_name("n").unwrap()],
            count: 2,
        });
        let text = deck.to_toml_over(FORMER);
        assert_eq!(Deck::from_toml(&text).unwrap(), deck);
        assert!(text.find("# Gran's copy.") < text.find("t01") && text.find("t03") < text.find("t04"));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_written_anew() {
        assert_eq!(former().to_toml_over("[[["), former().to_toml());
    }

    proptest! {
        #[test]
        fn the_tiles_are_those_of_the_deck(
            before in proptest::sample::subsequence((0..8).collect::<Vec<_>>(), 0..8),
            after in proptest::sample::subsequence((0..8).collect::<Vec<_>>(), 0..8),
        ) {
            let deck = |numbers: &[i32], face: &str| {
                let tile = |n| Tile { id: format!("t{n}"), face: face.parse().ok(), doubts: Vec::new(), count: 1 };
                Deck::new("d", Game::Castle, numbers.iter().map(tile).collect())
            };
            let text = deck(&after, "path n-s").to_toml_over(&deck(&before, "path n-e").to_toml());
            let mut read = Deck::from_toml(&text).unwrap();
            read.tiles.sort_by(|a, b| a.id.cmp(&b.id));
            prop_assert_eq!(read, deck(&after, "path n-s"));
        }
    }
}
