"""A table before a camera, path traced with Mitsuba 3.

Places are tile sides, x to the right, y down, z up; the renderer's y is the other way round. A
state differs little from the one before, so only the part of the picture is traced again in
which something changed, its surroundings and shadow with it; the whole is then denoised.
"""

import os
from pathlib import Path

import numpy as np

from painter import PX, flags, noise, rgb, step
from solids import Solid, slab, square

for library in ("libLLVM-15.so", "libLLVM-14.so"):
    found = Path("/usr/lib/x86_64-linux-gnu") / library
    if found.exists():
        os.environ.setdefault("DRJIT_LIBLLVM_PATH", str(found))

import mitsuba as mi  # noqa: E402

try:
    mi.set_variant("llvm_ad_rgb")
    import drjit as dr

    dr.set_thread_count(1)
except (ImportError, AttributeError) as why:
    raise SystemExit(f"Mitsuba needs LLVM 15; set DRJIT_LIBLLVM_PATH to its libLLVM.so: {why}")

try:
    import pyoidn
except ImportError:
    pyoidn = None

#: Tiles beside one another in the sheet of all cards.
ACROSS = 8
#: Rays that are traced at once.
BATCH = 3_000_000


class Camera:
    """A camera over the table."""

    def __init__(self, size, target, azimuth, elevation, roll, focal, lens):
        """`azimuth` 0 stands south of the board, 90 east, in degrees; `focal` is in picture
        widths; `lens` the radius of the opening."""
        self.size, self.target, self.focal, self.lens = size, np.array([*target, 0.0]), focal, lens
        a, e, r = np.radians([azimuth, elevation, roll])
        self.out = np.array([np.sin(a) * np.cos(e), np.cos(a) * np.cos(e), np.sin(e)])
        right = np.array([np.cos(a), -np.sin(a), 0.0])
        down = np.array([np.sin(a) * np.sin(e), np.cos(a) * np.sin(e), -np.cos(e)])
        self.right = right * np.cos(r) + down * np.sin(r)
        self.down = down * np.cos(r) - right * np.sin(r)
        self.distance = 20.0

    @property
    def eye(self):
        return self.target + self.out * self.distance

    def project(self, points) -> np.ndarray:
        """Where places come to lie in the picture, px."""
        p = np.asarray(points, float) - self.eye
        depth = -(p @ self.out)
        k = self.focal * self.size[0]
        return np.stack(
            [self.size[0] / 2 + k * (p @ self.right) / depth, self.size[1] / 2 + k * (p @ self.down) / depth],
            -1,
        )

    def framing(self, points, margin: float):
        """Moves to where all these places lie in the picture, in its middle, with a margin."""
        points = np.asarray(points, float)
        low, high = np.array(self.size) * margin, np.array(self.size) * (1 - margin)
        for _ in range(4):
            near, far = 3.0, 90.0
            for _ in range(30):
                self.distance = (near + far) / 2
                px = self.project(points)
                span = px.max(axis=0) - px.min(axis=0)
                near, far = (near, self.distance) if (span < high - low).all() else (self.distance, far)
            self.distance = far
            px = self.project(points)
            off = (px.max(axis=0) + px.min(axis=0)) / 2 - np.array(self.size) / 2
            per_px = self.distance / (self.focal * self.size[0])
            move = self.right * off[0] * per_px + self.down * off[1] * per_px
            self.target = self.target + np.array([move[0], move[1], 0.0])
        return self

    def sensor(self):
        flip = np.array([1, -1, 1])
        to_world = mi.ScalarTransform4f().look_at(
            origin=list(self.eye * flip), target=list(self.target * flip), up=list(-self.down * flip)
        )
        return mi.load_dict(
            {
                "type": "thinlens",
                "to_world": to_world,
                "fov_axis": "x",
                "fov": float(2 * np.degrees(np.arctan(0.5 / self.focal))),
                "aperture_radius": self.lens,
                "focus_distance": float(self.distance),
                "film": {
                    "type": "hdrfilm",
                    "width": self.size[0],
                    "height": self.size[1],
                    "rfilter": {"type": "box"},
                },
            }
        )


def bitmap(picture: np.ndarray, wrap: str = "clamp"):
    """A picture of sRGB bytes as a texture."""
    return {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(picture)), "wrap_mode": wrap}


def surface(colour, gloss: float, rough: float):
    """A surface of a colour or texture; without gloss it is matt."""
    if gloss <= 0:
        return {"type": "twosided", "inner": {"type": "diffuse", "reflectance": colour}}
    return {
        "type": "twosided",
        "inner": {
            "type": "roughplastic",
            "diffuse_reflectance": colour,
            "specular_reflectance": {"type": "rgb", "value": [gloss] * 3},
            "alpha": rough,
            "nonlinear": False,
        },
    }


#: Colours of a palette.
PALETTE = 128


def painted(solid: Solid, gloss: float, rough: float):
    """A solid of several plain colours as the renderer's mesh."""
    points, triangles, _, colours = solid.arrays()
    found, number = np.unique(np.round(colours, 3), axis=0, return_inverse=True)
    palette = np.zeros((2, PALETTE, 3), np.float32)
    palette[:, : len(found)] = found[:PALETTE]
    uv = np.stack([(number.ravel() + 0.5) / PALETTE, np.full(len(points), 0.5)], axis=1)
    ink = {"type": "bitmap", "bitmap": mi.Bitmap(palette), "raw": True, "filter_type": "nearest"}
    return mesh(Solid().add(points, triangles, uv), surface(ink, gloss, rough))


def mesh(solid: Solid, bsdf):
    """A solid as the renderer's mesh."""
    points, triangles, uv, _ = solid.arrays()
    props = mi.Properties()
    props["bsdf"] = mi.load_dict(bsdf)
    out = mi.Mesh("solid", len(points), len(triangles), has_vertex_texcoords=True, props=props)
    params = mi.traverse(out)
    params["vertex_positions"] = mi.Float(np.ascontiguousarray(points * (1, -1, 1), np.float32).ravel())
    params["faces"] = mi.UInt32(np.ascontiguousarray(triangles, np.uint32).ravel())
    params["vertex_texcoords"] = mi.Float(np.ascontiguousarray(uv, np.float32).ravel())
    params.update()
    return out


class TableTop:
    """What the game lies on."""

    REACH, SHEET = 60.0, 24.0

    def __init__(self, seed: int):
        rng = np.random.default_rng([seed, 31])
        self.kind = rng.choice(["boards", "cloth", "stone", "laminate"])
        size = 1536
        at = (np.arange(size) + 0.5) / size
        x, y = np.meshgrid(at, at)
        if self.kind == "boards":
            base = rgb(rng.choice(["#8a5a34", "#b98d5d", "#5c3a26", "#a87a52", "#c9a97c"]))
            board = np.floor(y * 7)
            tint = rng.normal(0, 0.06, 8)[board.astype(int)]
            grain = np.stack(
                [
                    np.roll(row, int(k))
                    for row, k in zip(
                        noise(rng, (size, size // 24), 64, 3).repeat(25, axis=1)[:, :size],
                        rng.integers(0, 9, size),
                    )
                ]
            )
            rings = np.sin(40 * (y + 0.03 * noise(rng, size, 3, 2)) + 6 * noise(rng, size, 2, 2))
            picture = base * (1 + tint + 0.09 * grain + 0.05 * rings)[..., None]
            picture *= (1 - 0.5 * (1 - step(0.0, 0.012, np.minimum((y * 7) % 1, 1 - (y * 7) % 1))))[..., None]
            self.gloss, self.rough = rng.uniform(0.3, 0.8), rng.uniform(0.15, 0.35)
        elif self.kind == "cloth":
            base = rgb(rng.choice(["#3d5a45", "#7a2f35", "#2f3f66", "#b8a684", "#5d5a63", "#7f8f6a"]))
            weave = np.sin(x * size * 0.9) * np.sin(y * size * 0.9)
            picture = (
                base
                * (1 + 0.1 * weave + 0.06 * rng.standard_normal((size, size)) + 0.07 * noise(rng, size, 6))[
                    ..., None
                ]
            )
            stripe = rng.random() < 0.5
            if stripe:
                picture = (
                    picture
                    + (rgb("#e8dfcf") - picture)
                    * (0.35 * step(0.42, 0.45, np.abs((x * 9) % 1 - 0.5)))[..., None]
                )
            self.gloss, self.rough = 0.0, 0.5
        elif self.kind == "stone":
            base = rgb(rng.choice(["#d8d4cc", "#7f8388", "#b7a999", "#3f4247"]))
            tint, joint = flags(rng, x, y, 60)
            veins = np.abs(noise(rng, size, 5, 4))
            picture = base * (1 + 0.16 * tint + 0.05 * noise(rng, size, 12))[..., None]
            picture += (base * 0.6 - picture) * (0.5 * (1 - step(0.0, 0.05, veins)))[..., None]
            self.gloss, self.rough = rng.uniform(0.7, 1.0), rng.uniform(0.06, 0.15)
        else:
            base = rgb(rng.choice(["#e4e1d9", "#c9b79a", "#8fa3a8", "#dcd2bd"]))
            picture = (
                base * (1 + 0.02 * rng.standard_normal((size, size)) + 0.03 * noise(rng, size, 20))[..., None]
            )
            self.gloss, self.rough = rng.uniform(0.6, 1.0), rng.uniform(0.1, 0.2)
        self.picture = (255 * np.clip(picture, 0, 1)).astype(np.uint8)
        self.turn = rng.uniform(-12, 12) + rng.choice([0, 90])

    def shape(self, middle):
        corners = square(middle, 2 * self.REACH, self.turn)
        k = self.REACH / self.SHEET
        uv = [(-k, -k), (k, -k), (k, k), (-k, k)]
        solid = Solid().add([(x, y, 0.0) for x, y in corners], [(0, 1, 2), (0, 2, 3)], uv)
        return mesh(solid, surface(bitmap(self.picture, "mirror"), self.gloss, self.rough))


class Cards:
    """All tiles' pictures in one sheet: faces, then the back, then their cut sides."""

    def __init__(self, pictures: dict, back: np.ndarray, seed: int):
        rng = np.random.default_rng([seed, 32])
        names = [*pictures, "back", "side"]
        rows = -(-len(names) // ACROSS)
        sheet = np.zeros((rows * PX, ACROSS * PX, 3), np.uint8)
        side = np.clip(rgb(rng.choice(["#cdb58c", "#b9b0a2", "#8d7a60"])) + 0 * back, 0, 1)
        self.at, self.size = {}, (rows, ACROSS)
        for n, name in enumerate(names):
            row, col = divmod(n, ACROSS)
            picture = pictures.get(name, back if name == "back" else (255 * side).astype(np.uint8))
            sheet[row * PX : (row + 1) * PX, col * PX : (col + 1) * PX] = picture
            self.at[name] = (row, col)
        self.sheet = sheet
        self.thick = rng.uniform(0.034, 0.05)
        self.tile = rng.uniform(0.982, 0.994)
        self.gloss, self.rough = rng.uniform(0.0, 0.6), rng.uniform(0.18, 0.4)

    def uv(self, name: str):
        """The corners of a picture in the sheet, clockwise from its upper left."""
        rows, cols = self.size
        row, col = self.at[name]
        edge = 0.5 / PX
        u0, u1 = (col + edge) / cols, (col + 1 - edge) / cols
        v0, v1 = (row + edge) / rows, (row + 1 - edge) / rows
        return [(u0, v0), (u1, v0), (u1, v1), (u0, v1)]

    def card(self, name: str, middle, side: float, turn: float, low: float) -> Solid:
        """A card lying on something, turned by so many degrees clockwise."""
        row, col = self.at["side"]
        side_uv = ((col + 0.5) / self.size[1], (row + 0.5) / self.size[0])
        return slab(square(middle, side, turn), low, low + self.thick, self.uv(name), side_uv)


class Thing:
    """Something that lies there: what tells it from others, and its solid."""

    def __init__(self, key, group: str, solid: Solid):
        self.key, self.group, self.solid = key, group, solid


class Table:
    """A table with all that is on it, seen by a camera."""

    def __init__(
        self, seed: int, camera: Camera, top: TableTop, cards: Cards, middle, samples: int, gloss: float
    ):
        self.seed, self.camera, self.cards, self.samples = seed, camera, cards, samples
        rng = np.random.default_rng([seed, 33])
        self.fixed = {"table": top.shape(middle)}
        self.gloss = gloss
        self.card_skin = surface(bitmap(cards.sheet), cards.gloss, cards.rough)
        self.fixed |= self.lights(rng, middle)
        self.sensor = camera.sensor()
        self.integrator = mi.load_dict(
            {
                "type": "aov",
                "aovs": "albedo:albedo,normal:sh_normal",
                "light": {"type": "path", "max_depth": 4, "rr_depth": 8},
            }
        )
        self.sampler = mi.load_dict({"type": "independent"})
        self.seen = self.clean = None
        self.before = {}
        self.shots = 0

    def add_fixed(self, name: str, shape):
        self.fixed[name] = shape

    def lights(self, rng, middle) -> dict:
        """A lamp over the table, a window beside it, and what the room gives."""
        warm = np.array([1.0, 0.78, 0.55]) ** rng.uniform(0.2, 1.0)
        cool = np.array([0.82, 0.92, 1.0]) ** rng.uniform(0.3, 1.6)
        around = rng.uniform(0, 2 * np.pi)
        away, height, half = rng.uniform(3, 11), rng.uniform(14, 24), rng.uniform(1.2, 3.0)
        mx, my = middle[0], -middle[1]
        lamp = [mx + away * np.cos(around), my + away * np.sin(around), height]
        aim = [mx, my, 0.0]
        power = rng.uniform(0.5, 1.0) * 5.5 * height**2 / half**2 / 4
        beside = around + rng.uniform(1.6, 4.6)
        window = [mx + 26 * np.cos(beside), my + 26 * np.sin(beside), rng.uniform(9, 16)]
        T = mi.ScalarTransform4f
        area = lambda place, half_w, half_h, light: {
            "type": "rectangle",
            "to_world": T().look_at(origin=place, target=aim, up=[0, 0.1, 1])
            @ T().scale([half_w, half_h, 1]),
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": [float(v) for v in light]}},
        }
        daylight = rng.uniform(0.1, 1.0)
        return {
            "lamp": area(lamp, half, half, warm * power),
            "window": area(window, 7.0, 5.0, cool * daylight * 26),
            "room": {
                "type": "constant",
                "radiance": {
                    "type": "rgb",
                    "value": [float(v) for v in (warm + cool) / 2 * rng.uniform(0.5, 1.1)],
                },
            },
        }

    def shoot(self, things: list[Thing]) -> np.ndarray:
        """The light that the camera gets, denoised, as [height, width, 3]."""
        w, h = self.camera.size
        now = {t.key: t for t in things}
        changed = [t for k, t in now.items() if k not in self.before]
        changed += [t for k, t in self.before.items() if k not in now]
        if self.seen is None:
            where = np.ones((h, w), bool)
            self.seen = np.zeros((h, w, 9), np.float32)
        else:
            where = np.zeros((h, w), bool)
            for thing in changed:
                self.mark(where, thing)
        self.before = now
        if where.any():
            groups = {"cards": Solid(), "pieces": Solid()}
            for thing in things:
                groups[thing.group].join(thing.solid)
            scene = dict(self.fixed, type="scene")
            scene["cards"] = mesh(groups["cards"], self.card_skin)
            scene["pieces"] = painted(groups["pieces"], self.gloss, 0.2)
            self.trace(mi.load_dict(scene), np.flatnonzero(where.ravel()))
        self.shots += 1
        return self.denoised(where)

    def mark(self, where: np.ndarray, thing: Thing):
        """Marks where a thing and its shadow can be seen."""
        low, high = thing.solid.bounds()
        reach = 0.25 + 1.1 * high[2]
        box = np.array(
            [
                (x, y, z)
                for x in (low[0] - reach, high[0] + reach)
                for y in (low[1] - reach, high[1] + reach)
                for z in (0.0, high[2])
            ]
        )
        px = self.camera.project(box)
        (x0, y0), (x1, y1) = np.floor(px.min(axis=0)).astype(int), np.ceil(px.max(axis=0)).astype(int)
        where[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)] = True

    def trace(self, scene, pixels: np.ndarray):
        w, h = self.camera.size
        flat = self.seen.reshape(-1, 9)
        batch = max(1, BATCH // self.samples)
        for n, start in enumerate(range(0, len(pixels), batch)):
            some = pixels[start : start + batch]
            rays = len(some) * self.samples
            self.sampler.seed((self.seed * 7919 + self.shots * 101 + n) % 2**32, rays)
            index = mi.UInt32(np.repeat(some.astype(np.uint32), self.samples))
            place = mi.Point2f(mi.Float(index % w), mi.Float(index // w)) + self.sampler.next_2d()
            place = place / mi.Point2f(w, h)
            ray, weight = self.sensor.sample_ray(0.0, self.sampler.next_1d(), place, self.sampler.next_2d())
            light, _, more = self.integrator.sample(scene, self.sampler, mi.RayDifferential3f(ray))
            channels = [dr.minimum(c, 30.0) for c in (light * weight)] + list(more[:6])
            for k, channel in enumerate(channels):
                flat[some, k] = np.array(channel).reshape(-1, self.samples).mean(axis=1)

    def denoised(self, where: np.ndarray) -> np.ndarray:
        """The picture, those parts denoised anew that were traced anew."""
        if self.clean is None:
            self.clean = self.seen[..., :3].copy()
        if not where.any() or pyoidn is None:
            self.clean[where] = self.seen[where][..., :3]
            return self.clean
        rows, cols = np.flatnonzero(where.any(axis=1)), np.flatnonzero(where.any(axis=0))
        pad = 64
        part = np.s_[max(rows[0] - pad, 0) : rows[-1] + pad, max(cols[0] - pad, 0) : cols[-1] + pad]
        light, albedo, normal = (np.ascontiguousarray(self.seen[part][..., k : k + 3]) for k in (0, 3, 6))
        clean = pyoidn.denoise(light, albedo=np.clip(albedo, 0, 1), normal=normal, hdr=True)
        self.clean[part][where[part]] = clean[where[part]]
        return self.clean
