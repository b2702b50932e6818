"""Makes a traced game: the script of a film of the studio, played on a table by another hand.

    python traced.py FILM --seed N --out DIR

FILM is a folder that `castellan render --games` wrote; only its script, record, faces and the
wall's shape are taken from it. DIR can be read by `castellan evaluate --games` and by
`castellan watch`. With `--owner` it also gets photos as an owner takes them once: the empty
wall, loose tiles, a scan of each tile. Everything else follows from the seed.
"""

import argparse
import json
import shutil
import time
import tomllib
from pathlib import Path

import numpy as np
from PIL import Image

from darkroom import Darkroom, blurred
from painter import PX, Painter, noise, rgb
from pieces import Pieces
from scans import scanned
from scene import Camera, Cards, Solid, Table, TableTop, Thing, bitmap, mesh, surface
from solids import slab, turned
from stills import LAST, RATE, SHOWN, retimed, states
from wall_maker import SCALE, Wall, WallMaker

SIZE = (1280, 720)
OWNER = (1600, 900)
#: How often each state is photographed, each time with other noise.
SHOTS = 3
#: Pixels a tile side of the survey's picture.
SURVEYED = 64
#: Followers of a player, beside the marker.
FOLLOWERS = 6


class Game:
    """All that a game is played with, on its table."""

    def __init__(self, film: Path, seed: int):
        self.film, self.seed = film, seed
        self.script = json.loads((film / "script.json").read_text())
        deck = tomllib.loads((film / "deck.toml").read_text())["tile"]
        self.painter = Painter(seed)
        self.pictures = {t["id"]: self.painter.tile(t["face"], n) for n, t in enumerate(deck)}
        self.cards = Cards(self.pictures, self.painter.back(), seed)
        self.wall = Wall(film / "wall.toml")
        self.maker = WallMaker(self.wall, self.painter, seed)
        self.wall_picture, self.wall_mask = self.maker.draw(), self.maker.mask()
        self.pieces = Pieces(seed, self.script["entry"]["colours"])
        rng = np.random.default_rng([seed, 51])
        self.height = rng.uniform(0.05, 0.16)
        self.top = TableTop(seed)
        self.middle = (self.wall.columns / 2, self.wall.rows / 2)
        self.azimuth = rng.choice([0, 90, 180, 270]) + rng.uniform(-18, 18)
        self.camera = dict(
            elevation=rng.uniform(56, 80),
            roll=rng.uniform(-4, 4),
            focal=rng.uniform(0.66, 0.95),
            lens=rng.uniform(0.015, 0.045),
        )
        self.margin = rng.uniform(0.03, 0.07)
        self.props = self.lay_props(rng)

    def board_corners(self):
        t = self.wall.thickness
        low, high = (-t, -t), (self.wall.columns + t, self.wall.rows + t)
        return [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (0.0, self.height)]

    def look(self, size=SIZE, azimuth=0.0, margin=None, **other) -> Camera:
        how = self.camera | other
        camera = Camera(
            size,
            self.middle,
            self.azimuth + azimuth,
            how["elevation"],
            how["roll"],
            how["focal"],
            how["lens"],
        )
        return camera.framing(self.board_corners(), self.margin if margin is None else margin)

    def table(self, camera: Camera, samples: int, walled: bool = True) -> Table:
        table = Table(self.seed, camera, self.top, self.cards, self.middle, samples, self.pieces.gloss)
        if walled:
            top, sides = self.wall_solids()
            rng = np.random.default_rng([self.seed, 52])
            gloss = rng.uniform(0.0, 0.5)
            table.add_fixed(
                "wall", mesh(top, surface(bitmap(self.wall_picture), gloss, rng.uniform(0.2, 0.4)))
            )
            edge = {"type": "rgb", "value": [float(v) for v in (self.maker.stone * 0.8) ** 2.2]}
            table.add_fixed("wall_sides", mesh(sides, surface(edge, 0.0, 0.5)))
        return table

    def wall_solids(self):
        """The wall's upper face and its sides."""
        h, w = self.wall_picture.shape[:2]
        o = self.maker.origin
        uv = lambda x, y: ((x * SCALE + o) / w, (y * SCALE + o) / h)
        top, sides = Solid(), Solid()
        for x0, y0, x1, y1 in self.wall.blocks:
            corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
            top.add(
                [(x, y, self.height) for x, y in corners], [(0, 1, 2), (0, 2, 3)], [uv(*c) for c in corners]
            )
            # The sides end a hair below the face, which is the only thing seen from above.
            sides.join(slab(corners, 0.0, self.height - 0.002, [(0, 0)] * 4, (0, 0)))
        return top, sides

    # What lies there

    def free(self, places, clear: float, taken: list) -> np.ndarray:
        """The first of these places that is so far from the wall and from what lies there."""
        t = self.wall.thickness + clear
        for place in places:
            off_wall = all(
                max(c - place[0], place[0] - c - 1, r - place[1], place[1] - r - 1) > t
                for c, r in self.wall.cells
            )
            if off_wall and all(np.hypot(*(place - p)) > clear + q for p, q in taken):
                taken.append((place, clear))
                return place
        raise ValueError("there is no room beside the board")

    def lay_props(self, rng):
        """Things of no game beside the board: piles of tiles, a cup, coins, spare followers."""
        a = np.radians(self.azimuth)
        away, right = np.array([-np.sin(a), -np.cos(a)]), np.array([np.cos(a), -np.sin(a)])
        middle = np.array(self.middle)
        half = max(self.wall.columns, self.wall.rows) / 2 + self.wall.thickness
        things, taken = [], []

        def place(clear, back, aside):
            """A place so far behind the middle and to its right, or further that way."""
            way = away * back[0] + right * aside[0]
            way = way / np.hypot(*way)
            spots = (
                middle
                + away * rng.uniform(*sorted(back))
                + right * rng.uniform(*sorted(aside))
                + way * 0.04 * k
                for k in range(300)
            )
            return self.free(spots, clear, taken)

        # Behind the board, as the camera sees it, tall things hide nothing.
        for n in range(rng.integers(1, 4)):
            spot = place(0.75, (half, half + 1), (-5, 5))
            pile = Solid()
            for k in range(rng.integers(3, 9)):
                off = rng.normal(0, 0.02, 2)
                pile.join(
                    self.cards.card(
                        "back", spot + off, self.cards.tile, rng.normal(0, 3), k * self.cards.thick
                    )
                )
            things.append(Thing(("pile", n), "cards", pile))
        if rng.random() < 0.6:
            cup = turned(
                [(0.0, 0.0), (0.6, 0.0), (0.75, 1.5), (0.82, 1.5), (0.7, 1.42), (0.6, 0.2), (0.0, 0.2)]
            )
            shade = rgb(rng.choice(["#d9d4cb", "#4f6d7a", "#a8452f", "#30343a"])) ** 2.2
            things.append(self.prop(("cup",), cup, place(0.9, (half, half + 1), (-7, 7)), shade))
        for n in range(rng.integers(0, 4)):
            side = rng.choice([-1, 1])
            coin = turned([(0.0, 0.0), (0.26, 0.0), (0.26, 0.04), (0.0, 0.045)])
            spot = place(0.3, (-4, 4), (side * half, side * (half + 1)))
            things.append(self.prop(("coin", n), coin, spot, np.array([0.45, 0.3, 0.14])))
        self.supply = {}
        for player in range(len(self.script["entry"]["colours"])):
            side, along = -1 if player % 2 else 1, rng.uniform(-3, 3)
            self.supply[player] = [
                (
                    place(0.3, (along - 1, along + 1), (side * half, side * (half + 2))),
                    rng.uniform(0, 360),
                    rng.random() < 0.4,
                )
                for _ in range(FOLLOWERS)
            ]
        return things

    @staticmethod
    def prop(key, solid: Solid, place, shade) -> Thing:
        """A thing of one colour that stands on the table."""
        solid.points = [p + (*place, 0.0) for p in solid.points]
        solid.colours = [np.broadcast_to(shade, c.shape) for c in solid.colours]
        return Thing(key, "pieces", solid)

    def things(self, state) -> list[Thing]:
        """All that lies and stands on the table in a state."""
        cards, found = self.cards, list(self.props)
        for (col, row), tile in state.tiles.items():
            (dx, dy), turn = tile["shift"], 90 * tile["rotation"] + tile["turn"]
            solid = cards.card(tile["tile"], (col + 0.5 + dx, row + 0.5 + dy), cards.tile, turn, 0.0)
            found.append(Thing(("tile", col, row, tile["tile"], turn, dx, dy), "cards", solid))
        for name, tile in state.beside.items():
            solid = cards.card(name, tile["place"], cards.tile, tile["turn"], 0.0)
            found.append(Thing(("beside", name, *tile["place"]), "cards", solid))
        rng = np.random.default_rng([self.seed, 53])
        turns = {pair[0]: rng.normal(0, 4) for pair in self.wall.towers}
        towers = {pair[0]: pair for pair in self.wall.towers}
        for space in state.wall_tiles:
            if space in towers:
                middle = self.wall.tower_middle(towers[space])
                solid = cards.card("back", middle, 0.86 * self.wall.thickness, turns[space], self.height)
                found.append(Thing(("wall tile", space), "cards", solid))
        found += self.figures(state) + self.markers(state, towers)
        for player, spots in self.supply.items():
            out = sum(f["player"] == player and f["figure"] == "follower" for f in state.figures)
            for n, (place, turn, lies) in enumerate(spots[: max(0, FOLLOWERS - out)]):
                solid = self.pieces.put(False, player, (*place, 0.0), turn, lies, 100 + n)
                found.append(Thing(("spare", player, n), "pieces", solid))
        return found

    def figures(self, state) -> list[Thing]:
        found, stand = [], []
        for figure in state.figures:
            col, row = figure["cell"]
            x, y = figure["place"]
            keep = figure["figure"] == "keep"
            if keep:
                # No keep can stand where a follower does: it is put beside it, inwards.
                for other in stand:
                    ox, oy = other[0] - col, other[1] - row
                    near = np.hypot(x - ox, y - oy)
                    if near < 0.36:
                        dx, dy = (0.5 - ox, 0.5 - oy) if near < 0.05 else (x - ox, y - oy)
                        long = max(np.hypot(dx, dy), 0.05)
                        x, y = np.clip([ox + dx / long * 0.38, oy + dy / long * 0.38], 0.2, 0.8)
            stand.append((col + x, row + y))
            foot = (col + x, row + y, self.cards.thick)
            solid = self.pieces.put(
                keep, figure["player"], foot, figure["turn"], figure["lying"], 7 * col + row
            )
            key = ("figure", figure["figure"], figure["player"], col, row, x, y, figure["turn"])
            found.append(Thing(key, "pieces", solid))
        return found

    def markers(self, state, towers) -> list[Thing]:
        found, on = [], {}
        for player, marker in state.markers.items():
            space, lying = marker["total"] % 100, marker["total"] // 100 % 2 == 1
            (x, y), (dx, dy) = self.wall.track[space], marker["shift"]
            on.setdefault(space, []).append([player, x + dx, y + dy, lying, marker["turn"], x, y])
        for space, here in on.items():
            covered = any(space in towers[s] for s in state.wall_tiles if s in towers)
            for n, (player, x, y, lying, turn, mx, my) in enumerate(here):
                if len(here) > 1:
                    # Two on one space stand side by side, across the way along the track.
                    (ax, ay), (bx, by) = self.wall.track[space - 1], self.wall.track[(space + 1) % 100]
                    along = np.array([bx - ax, by - ay]) / max(np.hypot(bx - ax, by - ay), 0.1)
                    off = (n - 0.5) * 0.27
                    x, y = mx - along[1] * off, my + along[0] * off
                foot = (x, y, self.height + (self.cards.thick if covered else 0.0))
                solid = self.pieces.put(False, player, foot, turn, lying, 50)
                found.append(Thing(("marker", player, x, y, foot[2], lying, turn), "pieces", solid))
        return found


# What a game is read with


def surveyed(game: Game, out: Path):
    """The wall's picture from straight above, as a survey would leave it, with its scale."""
    rng = np.random.default_rng([game.seed, 61])
    h, w = game.wall_picture.shape[:2]
    k = SURVEYED / SCALE
    size = (int(w * k), int(h * k))
    box = (0, 0, size[0] / k, size[1] / k)
    v = np.asarray(Image.fromarray(game.wall_picture).resize(size, Image.BOX, box), float) / 255
    slope = 1 + 0.12 * noise(rng, v.shape[:2], 2, 1)
    v = v ** rng.uniform(0.9, 1.12) * rng.uniform(0.9, 1.05, 3) * slope[..., None]
    v = blurred(v, 0.6) + rng.normal(0, 0.008, v.shape)
    alpha = np.asarray(Image.fromarray((255 * game.wall_mask).astype(np.uint8)).resize(size, Image.BOX, box))
    sheet = np.dstack(
        [(255 * np.clip(v, 0, 1)).round().astype(np.uint8), np.where(alpha > 127, 255, 0).astype(np.uint8)]
    )
    sheet[sheet[..., 3] == 0] = 0
    Image.fromarray(sheet).save(out / "wall.png")
    origin = game.maker.origin * k
    (out / "wall.json").write_text(json.dumps({"px_per_tile": SURVEYED, "origin_px": [origin, origin]}))


def write_instruments(game: Game, out: Path):
    """Deck, references, wall and record: what the film is read with and held against."""
    for name in ("deck.toml", "wall.toml", "game.jsonl"):
        shutil.copyfile(game.film / name, out / name)
    (out / "references").mkdir(exist_ok=True)
    rng = np.random.default_rng([game.seed, 62])
    for name, picture in game.pictures.items():
        scanned(picture, rng).save(out / "references" / f"{name}.png")
    surveyed(game, out)
    pointed = [[int(round(255 * v)) for v in paint] for paint in game.pieces.paints]
    lines = (game.film / "game.toml").read_text().splitlines()
    lines = [f"rgb = {pointed}" if line.startswith("rgb") else line for line in lines]
    (out / "game.toml").write_text("\n".join(lines) + "\n")


def photograph(table: Table, things: list[Thing], room: Darkroom, path: Path):
    """Takes a single photo."""
    room.save(room.develop(room.expose(table.shoot(things)), 0), path)


def owner_photos(game: Game, out: Path, samples: int):
    """Photos that an owner takes once: two of the empty wall, loose tiles, scans."""
    folder = out / "owner"
    (folder / "scans").mkdir(parents=True, exist_ok=True)
    for name, picture in game.pictures.items():
        Image.fromarray(picture).save(folder / "scans" / f"{name}.png")
    for n, azimuth in enumerate((0.0, 35.0)):
        camera = game.look(OWNER, azimuth, 0.03, elevation=72.0, roll=0.0)
        photograph(
            game.table(camera, samples), [], Darkroom(game.seed * 10 + n), folder / f"wall-{n + 1}.jpg"
        )
    rng = np.random.default_rng([game.seed, 71])
    names = list(rng.permutation(list(game.pictures)))
    for n in range(0, len(names), 15):
        things = []
        for k, name in enumerate(names[n : n + 15]):
            row, col = divmod(k, 5)
            place = game.middle + np.array([(col - 2) * 1.62, (row - 1) * 1.62]) + rng.uniform(-0.1, 0.1, 2)
            solid = game.cards.card(name, place, game.cards.tile, rng.uniform(-25, 25), 0.0)
            things.append(Thing(("loose", name), "cards", solid))
        camera = Camera(
            OWNER, game.middle, rng.uniform(-8, 8), rng.uniform(66, 84), rng.uniform(-3, 3), 0.8, 0.015
        )
        mx, my = game.middle
        camera.framing([(mx + dx, my + dy, 0) for dx in (-4.2, 4.2) for dy in (-2.6, 2.6)], 0.02)
        table, room = game.table(camera, samples, walled=False), Darkroom(game.seed * 10 + 5 + n)
        photograph(table, things, room, folder / f"loose-{n // 15 + 1}.jpg")


def film(game: Game, out: Path, samples: int, most: int | None):
    """Photographs each state and writes the script of the stills."""
    shown = states(game.script, game.wall.towers)
    script = retimed(game.script, shown)
    (out / "script.json").write_text(json.dumps(script))
    table, room = game.table(game.look(), samples), Darkroom(game.seed)
    lines, per_state = [], int(SHOWN * RATE)
    for n, state in enumerate(shown[:most]):
        begun = time.process_time()
        light = room.expose(table.shoot(game.things(state)))
        names = []
        for shot in range(SHOTS):
            names.append(f"{n * SHOTS + shot + 1:05}.jpg")
            room.save(room.develop(light, n * SHOTS + shot), out / names[-1])
        for k in range(per_state * (LAST if n == len(shown) - 1 else 1)):
            line = {"frame": names[k % SHOTS], "t": len(lines) / RATE, "changed": k == 0, "hand": False}
            lines.append(json.dumps(line))
        (out / "frames.jsonl").write_text("\n".join(lines) + "\n")
        print(f"{out.name}: state {n + 1} of {len(shown)}, {time.process_time() - begun:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("film", type=Path, help="a folder that `castellan render --games` wrote")
    parser.add_argument(
        "--seed", type=int, required=True, help="of painter, wall, pieces, table, light and camera"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--samples", type=int, default=24, help="paths a pixel")
    parser.add_argument("--states", type=int, help="only the first states")
    parser.add_argument(
        "--owner", action="store_true", help="also photos of the empty wall and of loose tiles"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    game = Game(options.film, options.seed)
    print(
        f"{options.out.name}: painter {game.painter.school}, wall {game.maker.space} on {game.maker.courses}, "
        f"followers {game.pieces.make}, keeps {game.pieces.keep_make}, table {game.top.kind}",
        flush=True,
    )
    write_instruments(game, options.out)
    if options.states != 0:
        film(game, options.out, options.samples, options.states)
    if options.owner:
        owner_photos(game, options.out, options.samples)


if __name__ == "__main__":
    main()
