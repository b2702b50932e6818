//! Classic games of which a camera sees something wrong, tile by tile.

use super::tests::Table;
use super::*;
use crate::record::ToDo;
use crate::rules::castle::Phase;
use crate::rules::{Cell, GamePosition, Move, Placement, Rotation, Side};

/// The cell and the number of quarter turns of the next tile, and its name.
fn next(table: &Table, skip: usize) -> (Cell, String, u8) {
    let (cell, tile, rotation) = table.legal(skip);
    (cell, tile, rotation.quarters())
}

/// Lays one of the tiles from the `skip`th on that lies neither in a cell nor beside it.
fn lay_apart(table: &mut Table, skip: usize, from: Cell) -> Cell {
    let mut position = table.session.game().position().boxed();
    if position.phase() == Phase::Follower {
        position.play(&Move::End { player: position.to_move() }).unwrap();
    }
    let beside = |cell: Cell| cell.col.abs_diff(from.col) + cell.row.abs_diff(from.row) <= 1;
    let tiles = (skip..position.tiles()).filter(|t| position.remaining(*t) > 0);
    let placement = tiles.flat_map(|t| position.placements(t)).find(|p| !beside(p.cell)).unwrap();
    let tile = position.tile_id(placement.tile).unwrap().to_owned();
    table.tiles.push((placement.cell, tile, placement.rotation.quarters(), 0.9));
    placement.cell
}

#[test]
fn what_may_be_no_tile_is_asked_about_and_the_game_goes_on_without_it() {
    let mut table = Table::classic(3);
    table.lay(3);
    table.look(2.0);
    // A hole between tiles reads a little as one that may lie there.
    let (hole, tile, turned) = next(&table, 0);
    table.tiles.push((hole, tile, turned, 0.37));
    table.look(2.0);
    assert_eq!((table.laid().len(), table.session.questions().len()), (1, 0), "nobody is asked at once");
    table.look(12.0);
    assert_eq!(table.laid().len(), 1);
    let question = table.session.questions().remove(0);
    assert_eq!((question.cell, table.session.view().questions[0].asks), (Some(hole), Asks::NewTile));
    assert!(question.sentence.to_string().contains("leave this if none lies there"), "{}", question.sentence);
    for laid in 2..5 {
        let cell = lay_apart(&mut table, 4, hole);
        table.look(2.0);
        let last = table.laid().last().copied();
        assert_eq!((table.laid().len(), last.map(|l| l.1)), (laid, Some(cell)));
    }
    table.session.leave(&question).unwrap();
    table.look(6.0);
    assert_eq!((table.laid().len(), table.session.questions().len()), (4, 0), "none lies there");
}

#[test]
fn who_lays_a_tile_at_the_edge_of_the_picture_is_asked_to_turn_the_camera() {
    let asked = |table: &Table| -> Vec<ToDo> {
        table.session.view().pickups.into_iter().map(|item| item.to_do).collect()
    };
    let mut table = Table::classic(3);
    table.lay(3);
    table.look(2.0);
    let (cell, tile, turned) = next(&table, 0);
    // An arm reaches in from there.
    table.cut_off.push(cell);
    table.look(2.0);
    table.cut_off.clear();
    table.look(6.0);
    assert_eq!(asked(&table), []);
    table.cut_off.push(cell);
    table.look(2.0);
    assert_eq!(asked(&table), [], "it may be an arm");
    table.look(3.0);
    assert_eq!(asked(&table), [ToDo::CutOff { cell }]);
    assert_eq!(table.session.status(), Status::Playing, "the game goes on");
    assert_eq!(table.laid().len(), 1);
    // Another tile lies before the camera is turned.
    let apart = lay_apart(&mut table, 4, cell);
    table.look(0.4);
    table.cut_off.clear();
    table.tiles.push((cell, tile, turned, 0.9));
    table.look(3.0);
    assert_eq!(asked(&table), []);
    let laid: Vec<Cell> = table.laid().into_iter().map(|laid| laid.1).collect();
    assert_eq!(laid[1..], [cell, apart], "it had lain there before");
}

#[test]
fn a_tile_that_is_hardly_read_is_one_where_the_bare_table_is_seen_no_more() {
    for lies in [true, false] {
        let mut table = Table::classic(3);
        let (cell, tile, turned) = next(&table, 0);
        table.tiles.push((cell, tile, turned, 0.45));
        table.lying.push((cell, lies));
        table.look(8.0);
        assert_eq!(table.laid().len(), usize::from(lies), "{lies}");
    }
}

#[test]
fn a_tile_that_is_hardly_read_is_one_once_another_lies_beyond_it() {
    let mut table = Table::classic(2);
    let (near, tile, turned) = next(&table, 0);
    table.tiles.push((near, tile, turned, 0.45));
    table.look(2.0);
    assert_eq!(table.laid(), []);
    // What only that tile leads to.
    let far = Cell::new(2 * near.col, 2 * near.row);
    let mut after = table.session.game().position().boxed();
    let player = after.to_move();
    let placement = placement_of(&*after, &table.tiles[1]);
    after.play(&Move::Lay { player, placement }).unwrap();
    after.play(&Move::End { player }).unwrap();
    let tiles = (0..after.tiles()).filter(|t| after.remaining(*t) > 0);
    let beyond = tiles.flat_map(|t| after.placements(t)).find(|p| p.cell == far).unwrap();
    let id = after.tile_id(beyond.tile).unwrap().to_owned();
    table.tiles.push((far, id, beyond.rotation.quarters(), 0.9));
    table.look(8.0);
    assert_eq!(table.laid(), [(player.0, near), (1 - player.0, far)]);
}

fn placement_of(position: &dyn GamePosition, (cell, tile, turned, _): &(Cell, String, u8, f32)) -> Placement {
    let tile = position.tile_index(tile).unwrap();
    Placement { tile, cell: *cell, rotation: Rotation::new(*turned) }
}

#[test]
fn three_tiles_that_no_hand_took_away_do_not_stop_the_game() {
    let mut table = Table::classic(3);
    for i in 0..9 {
        table.lay(2 * i);
        table.look(2.0);
    }
    assert_eq!(table.laid().len(), 9);
    let lost: Vec<Cell> = table.tiles.drain(2..5).map(|tile| tile.0).collect();
    table.look(12.0);
    assert_eq!(table.session.missing(), lost);
    for laid in 10..13 {
        let cell = table.lay(laid);
        table.look(4.0);
        assert_eq!((table.laid().len(), table.laid().last().map(|l| l.1)), (laid, Some(cell)));
    }
}

#[test]
fn who_laid_since_a_turn_that_nobody_saw_is_one_question() {
    for answered in [true, false] {
        let mut table = Table::classic(3);
        let first = table.session.game().position().to_move().0;
        // After the third turn one was nobody's who is seen: each tile is the next player's.
        let players: Vec<u8> = (0..8).map(|i| (first + i + u8::from(i >= 3)) % 3).collect();
        for (i, player) in players.iter().enumerate() {
            let cell = table.lay(3 * i);
            table.look(2.0);
            if i % 2 == 1 {
                table.follower(*player);
            }
            table.look(2.0);
            if i == 4 {
                table.look(4.0);
                let questions = table.session.questions();
                assert_eq!(questions.len(), 1, "{questions:#?}");
                assert_eq!(table.session.view().questions[0].asks, Asks::WhoLaid);
                assert_eq!(questions[0].cell, table.laid().get(3).map(|l| l.1), "{cell:?}");
                let other = table.session.game().names().of(crate::rules::Player(players[3])).to_owned();
                assert_eq!(
                    questions[0].answers[1].words,
                    format!("{other} laid it, and all after it in turn")
                );
                if answered {
                    table.session.answer(&questions[0], 2).unwrap();
                    assert_eq!(laid_by(&table), players[..5]);
                }
            }
        }
        assert_eq!(laid_by(&table), players, "{answered}");
        let asks: Vec<Asks> = table.session.view().questions.iter().map(|q| q.asks).collect();
        let told: &[Asks] = if answered { &[] } else { &[Asks::Against] };
        assert_eq!(asks, told, "{:?}", table.session.questions());
    }
}

fn laid_by(table: &Table) -> Vec<u8> {
    table.laid().into_iter().map(|laid| laid.0).collect()
}

#[test]
fn a_turn_that_did_not_happen_leaves_the_later_ones_with_those_who_laid_them() {
    let mut table = Table::classic(3);
    let first = table.session.game().position().to_move().0;
    let players: Vec<u8> = (0..7).map(|i| (first + i) % 3).collect();
    let (mut laid, mut none) = (Vec::new(), Cell::new(9, 9));
    for (i, player) in players.iter().enumerate() {
        if i == 2 {
            // A shadow that reads as a tile for a while.
            none = table.lay(13);
            table.look(2.0);
            table.tiles.pop();
            table.look(6.0);
        }
        laid.push(lay_apart(&mut table, 3 * i, none));
        table.look(2.0);
        if i == 2 || i == 5 {
            table.follower(*player);
        }
        table.look(4.0);
    }
    table.look(8.0);
    let question = table.session.questions().into_iter().find(|q| q.cell == Some(none)).unwrap();
    table.session.answer(&question, 2).unwrap();
    table.look(8.0);
    let by: Vec<(u8, Cell)> = players.into_iter().zip(laid).collect();
    assert_eq!(table.laid(), by);
    assert_eq!(table.session.questions(), []);
}

/// Six turns of three players. Before the third tile something reads as one for so many seconds, and is
/// recorded; `then` is told of its cell before that tile comes, and `later` after. The cell, and who laid
/// which of the six.
fn with_a_turn_that_was_none(
    table: &mut Table,
    (read_for, a_turn): (f64, f64),
    then: impl FnOnce(&mut Table, Cell),
    later: impl FnOnce(&mut Table, Cell),
) -> (Cell, Vec<(u8, Cell)>) {
    let first = table.session.game().position().to_move().0;
    let lay = |table: &mut Table, i: u8, none| ((first + i) % 3, lay_apart(table, 3 * usize::from(i), none));
    let mut laid = Vec::new();
    for i in 0..2 {
        laid.push(lay(table, i, Cell::new(9, 9)));
        table.look(a_turn);
    }
    let none = table.lay(13);
    table.look(read_for);
    assert_eq!(table.laid().last().map(|l| l.1), Some(none), "it is taken for a tile");
    then(table, none);
    laid.push(lay(table, 2, none));
    later(table, none);
    table.look(a_turn);
    for i in 3..6 {
        laid.push(lay(table, i, none));
        table.look(a_turn);
    }
    (none, laid)
}

#[test]
fn a_hole_that_was_recorded_as_a_turn_is_taken_out_once_it_looks_bare() {
    for told in [false, true] {
        let mut table = Table::classic(3);
        let looks_bare = |table: &mut Table, none| {
            table.tiles.last_mut().unwrap().3 = 0.3;
            // A table that is not known tells nothing.
            if told {
                table.lying.push((none, false));
            }
        };
        let (none, laid) = with_a_turn_that_was_none(&mut table, (3.0, 4.0), looks_bare, |_, _| {});
        table.look(8.0);
        if told {
            assert_eq!(table.laid(), laid);
            assert_eq!(table.session.questions(), []);
        } else {
            assert_eq!(table.laid()[2].1, none);
        }
    }
}

#[test]
fn what_read_as_a_tile_for_a_moment_and_is_gone_was_no_turn() {
    for fleeting in [true, false] {
        let mut table = Table::classic(3);
        let read_for = if fleeting { 0.8 } else { 6.0 };
        let is_gone = |table: &mut Table, none| table.tiles.retain(|tile| tile.0 != none);
        let (none, laid) = with_a_turn_that_was_none(&mut table, (read_for, 5.0), |_, _| {}, is_gone);
        if fleeting {
            assert_eq!(table.laid(), laid);
            assert_eq!(table.session.questions(), []);
        } else {
            // A tile that was seen for long has been taken away.
            assert_eq!(table.laid()[2].1, none);
            assert!(table.session.questions().iter().any(|q| q.cell == Some(none)));
        }
    }
}

#[test]
fn what_is_seen_on_a_tile_for_a_moment_breaks_no_rule() {
    let mut table = Table::classic(2);
    for laid in 0..3 {
        table.lay(2 * laid);
        table.look(4.0);
    }
    assert_eq!(laid_by(&table), [0, 1, 0]);
    // A hand leaves the tile that was laid, and looks like a follower of the other player.
    let tile = table.tiles.pop().unwrap();
    table.covered.push(tile.0);
    table.look(0.6);
    table.covered.clear();
    table.tiles.push(tile);
    table.follower(1);
    for _ in 0..12 {
        table.look(0.2);
        assert_eq!(laid_by(&table), [0, 1, 0]);
    }
    table.figures.clear();
    table.look(6.0);
    assert_eq!(laid_by(&table), [0, 1, 0]);
}

#[test]
fn what_was_recorded_against_the_rules_may_be_no_tile() {
    let mut table = Table::classic(3);
    let first = table.session.game().position().to_move().0;
    table.lay(3);
    table.look(4.0);
    // A hole between tiles reads as a tile that does not fit there, and goes on to do so.
    let mut position = table.session.game().position().boxed();
    position.play(&Move::End { player: position.to_move() }).unwrap();
    let player = position.to_move();
    let beside = table.laid()[0].1.neighbour(Side::North);
    let against = |tile: usize, turns: u8| {
        let placement = Placement { tile, cell: beside, rotation: Rotation::new(turns) };
        let rules: Vec<&str> =
            position.illegalities(&Move::Lay { player, placement }).iter().map(|i| i.rule).collect();
        rules == ["BA-08"]
    };
    let left = (0..position.tiles()).filter(|tile| position.remaining(*tile) > 0);
    let ways = left.flat_map(|tile| (0..4).map(move |turns| (tile, turns)));
    let (tile, turns) = ways.into_iter().find(|(tile, turns)| against(*tile, *turns)).unwrap();
    table.tiles.push((beside, position.tile_id(tile).unwrap().to_owned(), turns, 0.97));
    table.look(4.0);
    let mut cells = vec![table.laid()[0].1, beside];
    for laid in 0..2 {
        cells.push(lay_apart(&mut table, 4 + laid, beside));
        table.look(4.0);
    }
    let by = |cells: &[Cell]| -> Vec<(u8, Cell)> {
        cells.iter().enumerate().map(|(i, cell)| ((first + i as u8) % 3, *cell)).collect()
    };
    assert_eq!(table.laid(), by(&cells));
    let asked = table.session.questions();
    let question = asked.iter().find(|q| q.cell == Some(beside));
    let question = question.unwrap_or_else(|| panic!("{asked:?}")).clone();
    let none = |answer: &&Answer| answer.words.to_string().contains("did not happen");
    let answer = question.answers.iter().find(none).unwrap_or_else(|| panic!("{question:?}"));
    assert!(answer.words.to_string().ends_with("in turn"), "{}", answer.words);
    table.session.answer(&question, answer.key).unwrap();
    cells.remove(1);
    assert_eq!(table.laid(), by(&cells));
    table.look(12.0);
    assert_eq!(table.laid(), by(&cells), "it goes on to read as one, and is none");
    assert_eq!(table.session.questions(), []);
    // Another that is laid there is one.
    let taken = table.tiles.iter().position(|t| t.0 == beside).unwrap();
    table.tiles.remove(taken);
    table.look(2.0);
    let (cell, tile, turned) = next(&table, 0);
    table.tiles.push((cell, tile, turned, 0.9));
    table.look(4.0);
    assert_eq!(table.laid().len(), 4);
}
