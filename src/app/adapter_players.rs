//! The players' panels.

use slint::{Color, ComponentHandle, ModelRc, SharedString, VecModel};

use super::board_picture::ink_on;
use super::ui;
use crate::table::{GameView, PlayerView};

/// Shows the players of a game.
pub fn show(window: &ui::AppWindow, view: &GameView) {
    window.global::<ui::PlayersAdapter>().set_players(ModelRc::new(VecModel::from(items(view))));
}

/// The panels of the players, in their order.
fn items(view: &GameView) -> Vec<ui::PlayerItem> {
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
                last_change: player.last_change.clone().unwrap_or_default().into(),
                marker: player.marker_space.to_string().into(),
                followers: player.followers_left.to_string().into(),
                keep: keep(view, player).into(),
                wall_tiles: ModelRc::new(VecModel::from(wall_tiles(player))),
                to_move,
                winner,
                description: description(player, to_move, winner).into(),
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

/// A colour for the window.
pub fn colour([r, g, b]: [u8; 3]) -> Color {
    Color::from_rgb_u8(r, g, b)
}

fn wall_tiles(player: &PlayerView) -> Vec<SharedString> {
    player.wall_tiles.iter().map(|n| n.map(|n| n.to_string()).unwrap_or_default().into()).collect()
}

/// The panel in one sentence.
fn description(player: &PlayerView, to_move: bool, winner: bool) -> String {
    let mut parts = vec![format!("{}, {}: {} points", player.name, player.colour_word, player.total)];
    if winner {
        parts.push("winner".to_owned());
    }
    if to_move {
        parts.push("to move".to_owned());
    }
    if let Some(change) = &player.last_change {
        parts.push(change.clone());
    }
    parts.push(format!("{} followers left", player.followers_left));
    if let Some(size) = player.keep_size {
        parts.push(format!("keep on {size}"));
    }
    if !player.wall_tiles.is_empty() {
        parts.push(format!("{} wall tiles", player.wall_tiles.len()));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let items = items(&two());
        assert_eq!(items.iter().map(|p| p.to_move).collect::<Vec<_>>(), [false, true]);
        assert_eq!(items[0].ink, Color::from_rgb_u8(255, 255, 255));
        assert_eq!(items[1].ink, Color::from_rgb_u8(0, 0, 0));
        assert_eq!(items[1].description, "Ben, some: 101 points, to move, 5 followers left, 2 wall tiles");
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
        assert!(items(&view).iter().all(|p| p.winner && !p.to_move));
    }
}
