"""Trains the reader of track numbers: a 40 x 40 grey crop of a track space to
the number printed there, tens and units.

Usage: train.py FONTS OUT [--steps N]: FONTS is a folder of .ttf and .otf files.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

try:
    import cv2
    import numpy as np
    import torch
    from PIL import Image, ImageDraw, ImageFont
    from torch import nn
except ImportError as missing:
    if "--smoke" in sys.argv:
        print(f"skipped: {missing.name} is not installed (models/digits/requirements.txt)")
        sys.exit(0)
    raise

SIDE = 40
HEIGHT = 48
NONE = 10


class Net(nn.Module):
    """Grey crops [N, 1, 40, 40] to logits [N, 21]: ten tens and none, ten units."""

    def __init__(self):
        super().__init__()
        layers = []
        widths = [1, 16, 32, 64]
        for a, b in zip(widths, widths[1:]):
            layers += [nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2)]
        layers += [nn.Conv2d(64, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU()]
        layers += [nn.Conv2d(64, 24, 1), nn.ReLU(), nn.Flatten()]
        self.body = nn.Sequential(*layers)
        self.head = nn.Sequential(nn.Linear(24 * 25, 64), nn.ReLU(), nn.Linear(64, 21))

    def forward(self, crop):
        return self.head(self.body(crop))


def glyphs(fonts):
    """Every number in every font that has digits, as a mask cut to its ink."""
    found = []
    for path in sorted(fonts):
        masks = []
        try:
            font = ImageFont.truetype(path, HEIGHT)
            for number in range(100):
                box = font.getbbox(str(number))
                picture = Image.new("L", (box[2] - box[0] + 4, box[3] - box[1] + 4))
                ImageDraw.Draw(picture).text((2 - box[0], 2 - box[1]), str(number), font=font, fill=255)
                mask = np.asarray(picture)
                if mask.max() < 200 or min(mask.shape) < 12:
                    raise ValueError
                masks.append(mask)
        except (OSError, ValueError):
            continue
        # Symbol fonts draw the same box for everything.
        a, b = masks[3], masks[8]
        if a.shape == b.shape and np.abs(a.astype(int) - b).mean() < 2:
            continue
        found.append(masks)
    return found


HERSHEY = [0, 1, 2, 3, 4, 6, 7]


def pen(number):
    """A number in one of OpenCV's stroke fonts, as a mask cut to its ink."""
    face, thick = random.choice(HERSHEY), random.randint(2, 7)
    picture = np.zeros((100, 160), np.uint8)
    cv2.putText(picture, str(number), (20, 75), face, 2.0, 255, thick, cv2.LINE_AA)
    x, y, w, h = cv2.boundingRect(picture)
    return picture[max(y - 2, 0) : y + h + 2, max(x - 2, 0) : x + w + 2]


def crop(masks):
    """One made-up crop and its number."""
    number = random.randrange(100) if random.random() < 0.8 else random.randrange(20)
    mask = pen(number) if random.random() < 0.25 else random.choice(masks)[number]
    if random.random() < 0.3:
        kernel = np.ones((random.randint(1, 4),) * 2, np.uint8)
        mask = cv2.dilate(mask, kernel) if random.random() < 0.6 else cv2.erode(mask, kernel)
    big = 2 * SIDE
    high = random.uniform(0.2, 0.55) * big
    scale = high / mask.shape[0]
    stretch = random.uniform(0.8, 1.25)
    wide = mask.shape[1] * scale * stretch
    if wide > 0.85 * big:
        scale *= 0.85 * big / wide
    turn = np.radians(random.gauss(0, 4))
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    skew = random.gauss(0, 0.08) * scale
    a = np.array([[c * stretch, -s + skew, 0], [s * stretch, c, 0]])
    reach = 0.13 * big
    middle = np.array([big / 2 + random.uniform(-reach, reach), big / 2 + random.uniform(-reach, reach)])
    a[:, 2] = middle - a[:, :2] @ np.array([mask.shape[1] / 2, mask.shape[0] / 2])
    ink = cv2.warpAffine(mask, a, (big, big), flags=cv2.INTER_AREA).astype(np.float32) / 255

    paper = random.uniform(0.1, 1.0)
    picture = np.full((big, big), paper, np.float32)
    # Stone, borders of the space, neighbours' borders, a patch of something.
    for _ in range(random.randint(0, 5)):
        x, y = random.uniform(-0.1, 1.1) * big, random.uniform(-0.1, 1.1) * big
        shade = float(np.clip(paper + random.gauss(0, 0.25), 0, 1))
        edge = random.choice(["line", "side"])
        if edge == "line":
            at = int(random.choice([random.uniform(0, 0.2), random.uniform(0.8, 1)]) * big)
            ends = ((at, 0), (at, big)) if random.random() < 0.6 else ((0, at), (big, at))
            cv2.line(picture, *ends, shade, random.randint(1, 5), cv2.LINE_AA)
        else:
            at = int(random.uniform(0, 0.22) * big)
            if random.random() < 0.5:
                box = random.choice([(0, 0, big, at), (0, big - at, big, at)])
            else:
                box = random.choice([(0, 0, at, big), (big - at, 0, at, big)])
            x, y, w, h = box
            picture[y : y + h, x : x + w] = shade
    if random.random() < 0.1:
        pts = np.array([[0, 0], [big, big], [big, 0]])
        cv2.fillPoly(picture, [pts], float(np.clip(paper + random.gauss(0, 0.15), 0, 1)))
    grain = cv2.resize(np.random.randn(10, 10).astype(np.float32), (big, big), interpolation=cv2.INTER_CUBIC)
    picture += random.uniform(0, 0.06) * grain
    if random.random() < 0.4:
        halo = cv2.GaussianBlur(cv2.dilate(ink, np.ones((random.randint(2, 7),) * 2)), (0, 0), 1)
        k = halo * random.uniform(0.3, 1)
        picture = picture * (1 - k) + k * random.uniform(0, 1)
    dark = random.random() < 0.8
    around = float(np.median(picture))
    depth = random.uniform(0.12, 0.8)
    colour = around - depth if dark else around + depth
    k = ink * random.uniform(0.75, 1)
    picture = picture * (1 - k) + k * colour
    picture = cv2.GaussianBlur(picture, (0, 0), random.uniform(0.3, 2.6))
    if random.random() < 0.2:
        length = random.randint(2, 7)
        kernel = np.zeros((7, 7), np.float32)
        cv2.line(kernel, (3, 3), (3 + random.randint(-3, 3), 3 + random.randint(-3, 3)), 1.0, 1)
        picture = cv2.filter2D(picture, -1, kernel / kernel.sum())
    picture = cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    picture += np.random.randn(SIDE, SIDE).astype(np.float32) * random.uniform(0, 0.05)
    return normal(picture), number


def normal(picture):
    """Zero mean, deviation one: light and contrast are left out."""
    return (picture - picture.mean()) / (picture.std() + 0.02)


def batch(masks, size):
    pairs = [crop(masks) for _ in range(size)]
    crops = torch.from_numpy(np.stack([p[0] for p in pairs])).float().unsqueeze(1)
    numbers = torch.tensor([p[1] for p in pairs])
    tens = torch.where(numbers < 10, torch.tensor(NONE), numbers // 10)
    return crops, tens, numbers % 10


def train(masks, out, steps, size=64, measured=1000):
    """Trains on all fonts but a tenth, which tell how well it reads, and writes the
    network to `out` now and then."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(1), random.seed(1), np.random.seed(1)
    random.shuffle(masks)
    held, masks = masks[: max(len(masks) // 10, 1)], masks[max(len(masks) // 10, 1) :]
    print(f"{len(masks)} fonts, {len(held)} held back", flush=True)
    net = Net()
    optimiser = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, steps)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.02)
    for step in range(steps):
        crops, tens, units = batch(masks, size)
        logits = net(crops)
        loss = loss_of(logits[:, :11], tens) + loss_of(logits[:, 11:], units)
        optimiser.zero_grad(), loss.backward(), optimiser.step(), schedule.step()
        if step % 500 == 499 or step + 1 == steps:
            net.eval()
            with torch.no_grad():
                crops, tens, units = batch(held, measured)
                logits = net(crops)
                t = logits[:, :11].argmax(1) == tens
                u = logits[:, 11:].argmax(1) == units
            shares = [v.float().mean() for v in (t, u, t & u)]
            print(f"{step + 1}: loss {loss:.3f}, right tens {shares[0]:.3f}, units {shares[1]:.3f}, both {shares[2]:.3f}",
                  flush=True)
            torch.onnx.export(net, torch.zeros(1, 1, SIDE, SIDE), out, dynamo=False,
                              input_names=["crop"], output_names=["number"], opset_version=17)
            net.train()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("fonts", nargs="?", type=Path)
    options.add_argument("out", nargs="?", type=Path)
    options.add_argument("--steps", type=int, default=4500)
    options.add_argument("--smoke", action="store_true", help="a few steps without fonts, in a temporary folder")
    args = options.parse_args()
    if args.smoke:
        with tempfile.TemporaryDirectory() as folder:
            pens = [[pen(number) for number in range(100)] for _ in range(3)]
            train(pens, Path(folder) / "model.onnx", 3, 8, 20)
        print("the training code runs")
    elif args.fonts is None or args.out is None:
        options.error("say where the fonts are and where the network is written: train.py FONTS OUT")
    else:
        masks = glyphs(p for ending in ("ttf", "otf") for p in args.fonts.rglob(f"*.{ending}"))
        if len(masks) < 2:
            options.error(f"no two fonts with digits are in {args.fonts}; name a folder of .ttf or .otf files")
        train(masks, args.out, args.steps)


if __name__ == "__main__":
    main()
