//! What must hold for every classic game: undo restores, features are those of a flood
//! fill, the legal moves are those against which no rule stands, moves are read as they
//! are written.

use std::collections::BTreeSet;

use castellan::rules::classic::Position;
use castellan::rules::{
    Cell, GamePosition, Move, Names, Phase, Placement, Player, Rotation, SegmentAt, cell_name,
};
use proptest::prelude::*;

use crate::classic_reference::{keep, ledger, random_game};

/// All that can be seen of a position, but for its features.
fn visible(p: &dyn GamePosition) -> String {
    let players = (0..p.players()).map(|w| Player(w as u8));
    let players: Vec<_> = players.map(|w| (p.total(w), p.supply(w), p.largest(w), p.prizes(w))).collect();
    let tiles: Vec<_> = p.cells().into_iter().map(|c| (c, p.tile_at(c))).collect();
    let legal: Vec<_> =
        (0..p.tiles()).map(|t| (p.remaining(t), p.placements(t), p.has_placement(t))).collect();
    let turn = (p.to_move(), p.next_player(), p.phase(), p.turn(), p.tiles_left(), p.last_cell());
    format!(
        "{turn:?} {players:?} {tiles:?} {legal:?} {:?} {:?} {:?} {:?} {:?}",
        p.followers(),
        p.claims(),
        p.legal_moves(&[]),
        p.final_totals(),
        p.board_text(),
    )
}

/// All features, and what they would bring.
fn features(p: &dyn GamePosition) -> String {
    let all: Vec<_> = p.cells().into_iter().map(|c| p.features_around(c)).collect();
    format!("{:?} {:?} {all:?}", p.claimed_features(), p.final_scores(&Names::default()))
}

/// A rectangle round all tiles, two cells wider on each side.
fn ground(p: &dyn GamePosition) -> Vec<Cell> {
    let cells = p.cells();
    let range = |of: fn(&Cell) -> i8| {
        let all = || cells.iter().map(of);
        all().min().unwrap() - 2..=all().max().unwrap() + 2
    };
    let cols = range(|c| c.col);
    range(|c| c.row).flat_map(|row| cols.clone().map(move |col| Cell::new(col, row))).collect()
}

/// Every move that a player could make here, sensible or not.
fn all_moves(p: &dyn GamePosition, player: Player) -> Vec<Move> {
    let cells = ground(p);
    let mut moves = Vec::new();
    for tile in 0..p.tiles() {
        for cell in &cells {
            let lay = |rotation| Move::Lay { player, placement: Placement { tile, cell: *cell, rotation } };
            moves.extend(Rotation::ALL.map(lay));
        }
        moves.push(Move::Discard { player, tile });
    }
    let claims = cells.iter().flat_map(|cell| (0..14).map(|segment| SegmentAt { cell: *cell, segment }));
    moves.extend(claims.map(|at| Move::follower(player, at)));
    moves.extend([
        Move::End { player },
        Move::Use { player, number: 1, on: None },
        Move::Show { space: 2, number: 1 },
        Move::Order { player, features: Vec::new() },
    ]);
    moves
}

/// A random game played up to one of its moves, and the moves that are left.
fn up_to(seed: u64, part: f64) -> (Position, Vec<Move>) {
    let (mut position, _, mut moves) = random_game(seed);
    let rest = moves.split_off((moves.len() as f64 * part) as usize);
    for played in &moves {
        position.play(played).unwrap();
    }
    (position, rest)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn undo_restores_every_position(seed in any::<u64>()) {
        let (mut position, _, moves) = random_game(seed);
        let seen = |p: &Position, i: usize| {
            visible(p) + &if i.is_multiple_of(8) { features(p) } else { String::new() }
        };
        let mut before = Vec::new();
        for (i, played) in moves.iter().enumerate() {
            before.push(seen(&position, i));
            position.play(played).unwrap();
        }
        let after = visible(&position) + &features(&position);
        for (i, expected) in before.iter().enumerate().rev() {
            prop_assert!(position.undo());
            prop_assert_eq!(&seen(&position, i), expected);
        }
        prop_assert!(!position.undo());
        for played in &moves {
            position.play(played).unwrap();
        }
        prop_assert_eq!(visible(&position) + &features(&position), after);
    }

    /// Open ends, tiles, pennants and followers of every feature are those of a flood
    /// fill, after moves and after moves that were taken back.
    #[test]
    fn features_are_those_of_a_flood_fill(seed in any::<u64>()) {
        let (mut position, deck, moves) = random_game(seed);
        let mut ledger = ledger(&position, &deck);
        let mut last = None;
        for (i, played) in moves.iter().enumerate() {
            position.play(played).unwrap();
            keep(&mut ledger, &deck, played, &mut last);
            if i % 16 == 7 || i + 1 == moves.len() {
                ledger.hold_all(&position);
                // Three moves on and back again.
                let ahead = moves.iter().skip(i + 1).take(3).filter(|m| position.play(m).is_ok()).count();
                (0..ahead).for_each(|_| assert!(position.undo()));
                ledger.hold_all(&position);
            }
        }
    }

    /// The same tiles and followers in another order are the same features: the tiles of
    /// a game are laid once more, always one of those that lie beside others by then.
    #[test]
    fn the_order_of_laying_does_not_matter(seed in any::<u64>(), picks in prop::collection::vec(any::<u32>(), 80)) {
        let (mut position, _, moves) = random_game(seed);
        let start = position.clone();
        let mut lays: Vec<Placement> = Vec::new();
        for played in &moves {
            position.play(played).unwrap();
            lays.extend(if let Move::Lay { placement, .. } = played { Some(*placement) } else { None });
        }
        let mut other = start;
        let followers = position.followers();
        for pick in picks.iter().cycle().take(lays.len()) {
            let fits = |p: &Placement| other.placements(p.tile).contains(p);
            let next: Vec<usize> = (0..lays.len()).filter(|i| fits(&lays[*i])).collect();
            let placement = lays.remove(next[*pick as usize % next.len()]);
            let player = other.to_move();
            other.play(&Move::Lay { player, placement }).unwrap();
            other.play(&Move::End { player }).unwrap();
        }
        prop_assert_eq!(other.phase(), if other.tiles_left() == 0 { Phase::Over } else { Phase::Tile });
        let free = |p: &Position, cell| -> Vec<_> {
            let views = p.features_around(cell).into_iter();
            views.map(|v| (v.kind, v.segments, v.cells, v.open, v.attributes)).collect()
        };
        for cell in position.cells() {
            let (mut ours, mut theirs) = (free(&position, cell), free(&other, cell));
            ours.sort_unstable_by_key(|f| f.1.clone());
            theirs.sort_unstable_by_key(|f| f.1.clone());
            prop_assert_eq!(ours, theirs, "round {}", cell_name(cell));
        }
        prop_assert!(other.followers().is_empty() && followers.iter().all(|f| position.tile_at(f.cell).is_some()));
    }

    /// Every move against which no rule stands is among the legal ones, and no other.
    #[test]
    fn legal_moves_are_those_against_which_nothing_stands(seed in any::<u64>(), part in 0.0..1.0f64) {
        let (position, rest) = up_to(seed, part);
        // The phases come by turns: the next position of another one as well.
        let mut next = position.clone();
        for played in rest.iter().take(1) {
            next.play(played).unwrap();
        }
        for p in [position, next] {
            let to_key = |m: &Move| format!("{m:?}");
            let mover = p.to_move();
            let hand = p.switches().hand_of_three && p.phase() == Phase::Tile;
            let legal: BTreeSet<String> = p.legal_moves(&[]).iter().map(to_key).collect();
            for played in (0..p.players()).flat_map(|w| all_moves(&p, Player(w as u8))) {
                let found = p.illegalities(&played);
                let listed = legal.contains(&to_key(&played));
                // A discard is judged without the hand, which the players know (BA-33).
                let judged = found.is_empty() && !(hand && matches!(played, Move::Discard { .. }) && !listed);
                prop_assert_eq!(judged, listed, "{:?}: {:?}", played, found);
                prop_assert!(listed <= (played.player() == Some(mover)));
            }
            let judged = p.legal_moves(&[]).into_iter().all(|m| p.illegalities(&m).is_empty());
            prop_assert!(judged && legal.len() == p.legal_moves(&[]).len());
            // Of the tiles drawn, the same moves as of all.
            for tile in 0..p.tiles() {
                let drawn = p.legal_moves(&[tile]);
                prop_assert!(hand || drawn.iter().all(|m| legal.contains(&to_key(m))));
                let lays = drawn.iter().filter(|m| matches!(m, Move::Lay { .. })).count();
                let all = if p.phase() == Phase::Tile && p.remaining(tile) > 0 { p.placements(tile).len() } else { 0 };
                prop_assert_eq!(lays, all);
            }
        }
    }

    /// What is written is read as it was, by whom ever; what is not legal changes nothing.
    #[test]
    fn moves_are_read_as_written_and_refused_moves_change_nothing(seed in any::<u64>(), part in 0.0..1.0f64) {
        let (mut position, rest) = up_to(seed, part);
        for played in rest.iter().take(2) {
            let before = visible(&position) + &features(&position);
            let moves = (0..position.players()).flat_map(|w| all_moves(&position, Player(w as u8)));
            for strange in moves.skip(seed as usize % 3).step_by(3).chain([Move::Stop]).collect::<Vec<_>>() {
                let there = match &strange {
                    Move::Claim { at, .. } => position.role_at(*at).is_some(),
                    Move::Use { .. } | Move::Show { .. } | Move::Order { .. } => {
                        prop_assert_eq!(position.write_move(&strange), "");
                        false
                    }
                    _ => true,
                };
                if there {
                    let text = position.write_move(&strange);
                    prop_assert_eq!(position.read_move(&text), Ok(strange.clone()), "{}", text);
                }
                if !position.illegalities(&strange).is_empty() {
                    let refusal = position.play(&strange).unwrap_err();
                    prop_assert_eq!(refusal.illegalities, position.illegalities(&strange));
                }
            }
            prop_assert_eq!(visible(&position) + &features(&position), before);
            position.play(played).unwrap();
        }
    }

    /// Any move whatever, at any time: what cannot have happened changes nothing, what
    /// can is taken back whole, and told without end.
    #[test]
    fn no_move_panics_and_every_one_is_undone(seed in any::<u64>(), moves in prop::collection::vec(any_move(), 1..60)) {
        let (mut position, _, played) = random_game(seed);
        let names = Names::default();
        let mut rest = played.into_iter();
        for (strange, wait) in &moves {
            for played in rest.by_ref().take(*wait) {
                let _ = position.play(&played);
            }
            let before = visible(&position) + &features(&position);
            let legal = position.illegalities(strange).is_empty();
            prop_assert_eq!(position.clone().play(strange).is_ok(), legal);
            let table: &mut dyn GamePosition = &mut position;
            match table.happen(strange, &names) {
                Ok((_, broken)) => {
                    prop_assert_eq!(broken.is_empty(), legal);
                    prop_assert!(broken.iter().all(|b| b.waivable));
                    table.reasons(&[], &[], &names);
                    table.final_reasons(&[], &names);
                    let after = visible(table) + &features(table);
                    prop_assert!(table.undo());
                    prop_assert_eq!(visible(table) + &features(table), before);
                    table.happen(strange, &names).unwrap();
                    prop_assert_eq!(visible(table) + &features(table), after);
                }
                Err(refusal) => {
                    prop_assert!(!refusal.illegalities.is_empty());
                    prop_assert_eq!(visible(table) + &features(table), before);
                }
            }
        }
    }
}

/// Any move, and how many moves of the game to play before it.
fn any_move() -> impl Strategy<Value = (Move, usize)> {
    let player = (0..7u8).prop_map(Player);
    let cell = prop_oneof![
        8 => (-6..7i8, -6..7i8).prop_map(|(col, row)| Cell::new(col, row)),
        1 => any::<(i8, i8)>().prop_map(|(col, row)| Cell::new(col, row)),
    ];
    let at = (cell.clone(), 0..9u8).prop_map(|(cell, segment)| SegmentAt { cell, segment });
    let lay = (player.clone(), 0..40usize, cell, 0..4u8).prop_map(|(player, tile, cell, turns)| {
        let placement = Placement { tile, cell, rotation: Rotation::new(turns) };
        Move::Lay { player, placement }
    });
    let played = prop_oneof![
        4 => lay,
        4 => (player.clone(), at.clone()).prop_map(|(player, at)| Move::follower(player, at)),
        1 => (player.clone(), 0..40usize).prop_map(|(player, tile)| Move::Discard { player, tile }),
        1 => (player.clone(), 0..11u8, prop::option::of(at.clone()))
            .prop_map(|(player, number, on)| Move::Use { player, number, on }),
        1 => (player.clone(), prop::collection::vec(at, 0..12))
            .prop_map(|(player, features)| Move::Order { player, features }),
        2 => player.prop_map(|player| Move::End { player }),
        1 => Just(Move::Stop),
    ];
    (played, 0..9usize)
}
