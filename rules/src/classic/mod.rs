//! The classic game: roads, cities, cloisters and fields; 2 to 5 players.
//!
//! [`Position`] is a position with undo; [`Move`](crate::Move) is what players do. Rule
//! ids (`BA-15`) are those of the project's rule list.
//!
//! ```
//! use castellan_rules::classic::{Position, Switches, base_deck};
//! use castellan_rules::{Player, Role};
//!
//! let mut game = Position::new(&base_deck(), 2, Switches::default()).unwrap();
//! for text in ["lay Rr B1", "highwayman", "end", "lay Rr B2 1", "end"] {
//!     let played = game.read_move(text).unwrap();
//!     game.play(&played).unwrap();
//! }
//! assert_eq!(game.supply(Player(0)), 6);
//! assert_eq!(game.final_totals(), [3, 0]);
//! game.undo();
//! assert_eq!(game.claims().len(), 2, "the fields on both sides of the road");
//! ```

mod board;
mod cathars;
mod count;
mod explain;
mod final_scoring;
mod game;
mod grid;
mod inns;
mod king;
mod legality;
mod module;
mod modules;
mod notation;
mod own_deck;
mod play;
mod position;
mod reasons;
mod river;
mod switches;
mod traders;
mod turn;
mod view;
mod vocabulary;

pub use board::{BASE_DECK, SetupError, base_deck, deck_name, deck_with};
pub(crate) use game::table_rules;
pub use game::{EDITION, begin};
pub(crate) use modules::VOCABULARIES as MODULE_VOCABULARIES;
pub use modules::{ModuleSwitches, sets};
pub use notation::NotationError;
pub use own_deck::{SetCount, known_deck, set_counts};
pub use play::play_out;
pub use position::{FOLLOWERS, MOST_OTHERS, MOST_PLAYERS, Position};
pub use switches::{Switch, Switches};
pub use turn::{Outcome, Scored, Taken};
pub(crate) use vocabulary::VOCABULARY;
