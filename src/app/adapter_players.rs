//! The players' panels.

use slint::{Color, ComponentHandle, ModelRc, SharedString, VecModel};

use super::board_picture::ink_on;
use super::models::refreshed;
use super::shown::Shown;
use super::terms::Terms;
use super::ui;
use crate::rules::{Sentence, cell_name};
use crate::table::{GameView, HoldingView, PlayerView};

/// Shows the players of a game.
pub fn show(window: &ui::AppWindow, shown: &Shown) {
    let (adapter, view) = (window.global::<ui::PlayersAdapter>(), &shown.view);
    let projected = shown.aids.as_ref().filter(|_| shown.agreed.projected && view.sheet.is_none());
    let projected = projected.map_or(&[][..], |aids| &aids.now.projected);
    let terms = Terms::of(window);
    adapter.set_players(refreshed(&adapter.get_players(), items(view, projected, &terms)));
    show_clocks(window, shown);
    let neutral = view.neutral.as_ref();
    adapter.set_neutral(neutral.map_or("", |neutral| neutral.word.as_str()).into());
    let word = |word: &str| SharedString::from(terms.sentence(&Sentence::word(word)));
    adapter.set_neutral_word(neutral.map_or_else(SharedString::new, |neutral| word(&neutral.word)));
    adapter.set_neutral_place(neutral.map_or_else(SharedString::new, |neutral| word(&neutral.place)));
}

/// Shows how long each player's turns have taken, where the players want to see it.
pub fn show_clocks(window: &ui::AppWindow, shown: &Shown) {
    let adapter = window.global::<ui::PlayersAdapter>();
    let wanted = window.global::<ui::AidsAdapter>().get_clocks();
    let used = shown.live.as_ref().filter(|_| wanted).map_or_else(Vec::new, |live| live.desk.clocks());
    let clocks: Vec<SharedString> = used.iter().map(|seconds| SharedString::from(clock(*seconds))).collect();
    adapter.set_clocks(refreshed(&adapter.get_clocks(), clocks));
    window.global::<ui::StateAdapter>().set_clocked(!used.is_empty() && shown.view.sheet.is_none());
}

/// A time as a clock shows it: `4:05`, `1:04:05`.
fn clock(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// The panels of the players, in their order, with the totals that are projected, if any are.
fn items(view: &GameView, projected: &[u32], terms: &Terms<'_>) -> Vec<ui::PlayerItem> {
    let winners = view.sheet.as_ref().map_or(&[][..], |s| &s.winners);
    view.players
        .iter()
        .enumerate()
        .map(|(i, player)| {
            let to_move = view.to_move == Some(i);
            let winner = winners.contains(&i);
            ui::PlayerItem {
                name: player.name.as_str().into(),
                colour_word: player.colour_word.as_str().into(),
                colour: colour(player.colour_rgb),
                ink: colour(ink_on(player.colour_rgb)),
                total: player.total.to_string().into(),
                projected: projected.get(i).map(u32::to_string).unwrap_or_default().into(),
                last_change: player
                    .last_change
                    .as_deref()
                    .map_or_else(String::new, |c| terms.change(c))
                    .into(),
                marker: player.marker_space.to_string().into(),
                followers: player.followers_left.to_string().into(),
                keep: keep(view, player).into(),
                wall_tiles: ModelRc::new(VecModel::from(wall_tiles(player))),
                holdings: ModelRc::new(VecModel::from(
                    player.holdings.iter().map(holding).collect::<Vec<_>>(),
                )),
                to_move,
                winner,
                description: description(player, to_move, winner, projected.get(i)).into(),
            }
        })
        .collect()
}

/// The size under the keep, a dash before it stands; nothing in games without keeps.
fn keep(view: &GameView, player: &PlayerView) -> String {
    match player.keep_size {
        Some(size) => size.to_string(),
        None if view.walled => "–".to_owned(),
        None => String::new(),
    }
}

/// What a sign stands for: how many are in the supply, and where others are.
fn holding(held: &HoldingView) -> ui::HoldingItem {
    let cells: Vec<String> = held.on_board.iter().map(|cell| cell_name(*cell)).collect();
    ui::HoldingItem {
        kind: held.kind.as_str().into(),
        count: if held.single || held.count == 0 { String::new() } else { held.count.to_string() }.into(),
        cell: cells.join(" ").into(),
        in_supply: held.count > 0,
        words: held_in_words(held).into(),
    }
}

/// A holding in words: `builder on the board in D5`, `2 wine`, `king`.
fn held_in_words(held: &HoldingView) -> String {
    let cells: Vec<String> = held.on_board.iter().map(|cell| cell_name(*cell)).collect();
    match (held.count, cells.is_empty()) {
        (_, true) if held.single => held.word.clone(),
        (0, true) => format!("no {}", held.word),
        (count, true) => format!("{count} {}", held.word),
        (0, false) => format!("{} on the board in {}", held.word, cells.join(", ")),
        (count, false) => format!("{count} {}, others on the board in {}", held.word, cells.join(", ")),
    }
}

/// A colour for the window.
pub fn colour([r, g, b]: [u8; 3]) -> Color {
    Color::from_rgb_u8(r, g, b)
}

fn wall_tiles(player: &PlayerView) -> Vec<SharedString> {
    player.wall_tiles.iter().map(|n| n.map(|n| n.to_string()).unwrap_or_default().into()).collect()
}

/// The panel in one sentence.
fn description(player: &PlayerView, to_move: bool, winner: bool, projected: Option<&u32>) -> String {
    let mut parts = vec![format!("{}, {}: {} points", player.name, player.colour_word, player.total)];
    if winner {
        parts.push("winner".to_owned());
    }
    if to_move {
        parts.push("to move".to_owned());
    }
    if let Some(total) = projected {
        parts.push(format!("{total} if the game ended now"));
    }
    if let Some(change) = &player.last_change {
        parts.push(change.clone());
    }
    parts.push(format!("{} followers left", player.followers_left));
    if let Some(size) = player.keep_size {
        parts.push(format!("keep on {size}"));
    }
    parts.extend(player.holdings.iter().map(held_in_words));
    if !player.wall_tiles.is_empty() {
        parts.push(format!("{} wall tiles", player.wall_tiles.len()));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use slint::Model;

    use super::*;
    use crate::rules::Cell;
    use crate::table::SheetView;

    fn two() -> GameView {
        let player = |name: &str, rgb| PlayerView {
            name: name.into(),
            colour_word: "some".into(),
            colour_rgb: rgb,
            total: 101,
            marker_space: 1,
            followers_left: 5,
            wall_tiles: vec![Some(3), None],
            ..PlayerView::default()
        };
        GameView {
            players: vec![player("Ada", [0, 0, 0]), player("Ben", [255, 255, 255])],
            to_move: Some(1),
            ..GameView::default()
        }
    }

    #[test]
    fn the_player_to_move_is_marked_and_the_ink_is_readable() {
        let items = items(&two(), &[], &Terms::english());
        assert_eq!(items.iter().map(|p| p.to_move).collect::<Vec<_>>(), [false, true]);
        assert_eq!(items[0].ink, Color::from_rgb_u8(255, 255, 255));
        assert_eq!(items[1].ink, Color::from_rgb_u8(0, 0, 0));
        assert_eq!(items[1].description, "Ben, some: 101 points, to move, 5 followers left, 2 wall tiles");
    }

    #[test]
    fn a_clock_shows_hours_only_where_there_are_any() {
        let shown = [0.0, 65.9, 599.0, 3845.0].map(clock);
        assert_eq!(shown, ["0:00", "1:05", "9:59", "1:04:05"]);
    }

    #[test]
    fn what_a_player_holds_is_said_with_where_it_stands() {
        let held = |kind: &str, count, single, on_board: &[Cell]| HoldingView {
            kind: kind.to_owned(),
            word: kind.to_owned(),
            count,
            single,
            on_board: on_board.to_vec(),
        };
        let mut view = two();
        view.players[0].holdings = vec![
            held("builder", 0, false, &[Cell::new(3, 4)]),
            held("pig", 1, false, &[]),
            held("wine", 3, false, &[]),
            held("king", 1, true, &[]),
        ];
        view.players[0].wall_tiles.clear();
        let items = items(&view, &[120], &Terms::english());
        assert_eq!(
            items[0].description,
            "Ada, some: 101 points, 120 if the game ended now, 5 followers left, builder on the board in D5, 1 pig, 3 wine, king"
        );
        let signs: Vec<(String, String)> =
            items[0].holdings.iter().map(|h| (h.count.to_string(), h.cell.to_string())).collect();
        let signs: Vec<(&str, &str)> = signs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(signs, [("", "D5"), ("1", ""), ("3", ""), ("", "")]);
        assert!(!items[0].holdings.iter().next().unwrap().in_supply);
    }

    #[test]
    fn a_wall_tile_that_nobody_named_has_no_number() {
        assert_eq!(wall_tiles(&two().players[0]), ["3", ""]);
    }

    #[test]
    fn both_are_winners_of_a_draw() {
        let mut view = two();
        view.to_move = None;
        view.sheet = Some(SheetView { winners: vec![0, 1], ..SheetView::default() });
        assert!(items(&view, &[], &Terms::english()).iter().all(|p| p.winner && !p.to_move));
    }
}
