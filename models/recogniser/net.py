"""The recogniser's network: a picture of a cell to a map of local descriptors.

It starts out equal to HOG and learns from there. The stem's first 16 filters are
smoothed gradients of the luminance in 16 directions; the second layer pools them
over cells of 8 px, 4 px apart, into 8 unsigned orientations; the energy of the
neighbourhood divides them; every place is scaled to length one. The last step keeps a
constant beside the orientations, so that "nothing is here" is a descriptor of
its own and flat ground matches flat ground. A descriptor's length is the evidence
it carries, in nats: equal everywhere at the start, later less where a hand or a
follower is seen. The layers are as narrow as the measurements allow: the program
reads a whole board with it many times a minute.

All other weights start at or near zero and are what training adds: colour,
wider context, and what light, blur, glare, followers and hands do.
"""

import math

import torch
from torch import nn

SIDE = 64
MARGIN = 8
CROP = SIDE + 2 * MARGIN
PLACES = SIDE // 4
MAP = CROP // 4
RING = MARGIN // 4
DEPTH = 16
ORIENTATIONS = 8
STATES = ("empty", "tile", "covered")
EVIDENCE = 0.6


def _gradients(directions: int, sigma: float = 0.8) -> torch.Tensor:
    """Derivative-of-Gaussian filters [directions, 1, 5, 5], one per direction."""
    axis = torch.arange(5, dtype=torch.float32) - 2
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    bell = torch.exp(-(x**2 + y**2) / (2 * sigma**2))
    filters = []
    for k in range(directions):
        angle = 2 * math.pi * k / directions
        kernel = (x * math.cos(angle) + y * math.sin(angle)) * bell
        filters.append(kernel / kernel.abs().sum())
    return torch.stack(filters).unsqueeze(1)


class Recogniser(nn.Module):
    """RGB crops [N, 3, 80, 80] in 0..1 to (descriptors [N, 16, 20, 20], state [N, 3]).

    `state` are logits of STATES.
    """

    def __init__(self, stem: int = 16, width: int = 16, context: int = 32, seed: int = 0):
        super().__init__()
        torch.manual_seed(seed)
        self.stem = nn.Conv2d(3, stem, 5, stride=2, padding=2)
        self.pool = nn.Conv2d(stem, width, 4, stride=2, padding=1)
        self.context = nn.Conv2d(width, context, 3, padding=1)
        self.project = nn.Conv2d(width, DEPTH, 1)
        self.mix = nn.Conv2d(context, DEPTH, 1)
        self.trust = nn.Conv2d(context, 1, 1)
        self.log_floor = nn.Parameter(torch.tensor(math.log(0.02)))
        self.wide = nn.ConvTranspose2d(context, DEPTH + 1, 2, stride=2)
        self.seen = nn.Conv2d(context, context, 3, stride=2, padding=1)
        summary = 3 * context + width + 3
        self.judge = nn.Sequential(nn.Linear(summary, 48), nn.ReLU(), nn.Linear(48, len(STATES)))
        self._start_as_hog()

    def _start_as_hog(self) -> None:
        with torch.no_grad():
            directions = 2 * ORIENTATIONS
            self.stem.weight.mul_(0.3)
            self.stem.bias.zero_()
            luminance = torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)
            self.stem.weight[:directions] = 10 * _gradients(directions) * luminance

            self.pool.weight.mul_(0.3)
            self.pool.bias.zero_()
            tent = torch.tensor([0.5, 1.0, 1.0, 0.5]) / 3
            window = torch.outer(tent, tent)
            self.pool.weight[:ORIENTATIONS] = 0
            for k in range(directions):
                # A direction's rectified response is a wide bump of angle;
                # subtracting the neighbours' narrows it to HOG's bins.
                for step, share in ((0, 1.0), (1, -0.35), (-1, -0.35)):
                    self.pool.weight[(k + step) % ORIENTATIONS, k] += share * window

            self.context.weight.mul_(0.3)
            self.context.bias.zero_()
            self.project.weight.zero_()
            self.project.bias.zero_()
            for k in range(ORIENTATIONS):
                self.project.weight[k, k] = 1
            self.project.bias[ORIENTATIONS] = 0.35
            self.mix.weight.zero_()
            self.mix.bias.zero_()
            self.trust.weight.zero_()
            self.trust.bias.zero_()
            self.wide.weight.zero_()
            self.wide.bias.zero_()

    def forward(self, crop: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        descriptors, summary = self.describe(crop)
        return descriptors, self.judge(summary)

    def describe(self, crop: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The descriptors, and what the state is judged by: [N, 3 * context + width + 3]."""
        x = torch.relu(self.stem(crop - 0.5))
        x = torch.relu(self.pool(x))
        energy = channel_sum(x * x) / x.shape[1]
        energy = nn.functional.avg_pool2d(energy, 3, stride=1, padding=1, count_include_pad=False)
        energy = energy + self.log_floor.exp() ** 2
        x = x * to_channels(0.35 / torch.sqrt(energy), x.shape[1])
        around = torch.relu(self.context(x))
        far = torch.relu(self.seen(around))
        wide = self.wide(far)
        d = self.project(x) + self.mix(around) + wide[:, :DEPTH]
        trust = torch.sigmoid(self.trust(around) + wide[:, DEPTH:])
        length = torch.sqrt(channel_sum(d * d) + 1e-6)
        d = d * to_channels(2 * EVIDENCE * trust / length, DEPTH)
        inner = far[:, :, 2:8, 2:8]
        loud = 0.2 * torch.log(middle(energy))
        parts = [
            inner.mean(dim=(2, 3)),
            inner.amax(dim=(2, 3)),
            middle(around).mean(dim=(2, 3)),
            middle(x).mean(dim=(2, 3)),
            loud.mean(dim=(2, 3)),
            loud.amax(dim=(2, 3)),
            (-loud).amax(dim=(2, 3)),
        ]
        return d, torch.cat(parts, dim=1)


def channel_sum(x: torch.Tensor) -> torch.Tensor:
    """The sum over channels, [N, C, H, W] to [N, 1, H, W], as a convolution: the
    program's runtime is fast at these and slow at reducing and stretching an axis."""
    return nn.functional.conv2d(x, x.new_ones(1, x.shape[1], 1, 1))


def to_channels(x: torch.Tensor, channels: int) -> torch.Tensor:
    """[N, 1, H, W] repeated to [N, channels, H, W], as a convolution."""
    return nn.functional.conv2d(x, x.new_ones(channels, 1, 1, 1))


def middle(descriptors: torch.Tensor) -> torch.Tensor:
    """The part of a map [N, D, 20, 20] that lies on the cell itself: [N, D, 16, 16]."""
    return descriptors[:, :, RING : RING + PLACES, RING : RING + PLACES]


def shifted(descriptors: torch.Tensor) -> torch.Tensor:
    """All windows of the cell's size in a map: [N, S, D, 16, 16], S = 25 shifts, row by row."""
    windows = [
        descriptors[:, :, r : r + PLACES, c : c + PLACES]
        for r in range(2 * RING + 1)
        for c in range(2 * RING + 1)
    ]
    return torch.stack(windows, dim=1)
