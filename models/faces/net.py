"""The network that proposes faces: the pictures of a whole deck at once to what is
printed on each.

Within a deck colours and surfaces are of one make, so the deck is read as a set. Three
things are shared over it: features are normalised by the deck's own statistics (at
training and in use alike); a first guess of every place's kind gathers one mean
appearance a kind over the deck; and every place is judged again by how near it is
to these means. Then a small head, the same for all four sides, reads the ports.
"""

import torch
from torch import nn

SIDE = 96
DENSE = 24
CLASSES = 10
KINDS = 4
LOOK = 16
# Channels of the maps that are 48, 24, 12 and 6 places a side.
WIDTHS = (24, 56, 112, 160)
# What the head says of a side: kinds of both halves, whether a line leaves here,
# the marks (market and pennant of each half, fountain and square of the middle), and
# for each of its three ports the twelve ports it may be joined to.
PORT_OUTPUTS = 2 * KINDS + 1 + 6 + 36


class DeckNorm(nn.Module):
    """Scales each channel by its mean and spread over all places of all tiles of a deck."""

    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1, channels, 1, 1))
        self.bias = nn.Parameter(torch.zeros(1, channels, 1, 1))

    def forward(self, x, decks: int):
        if torch.compiler.is_exporting():
            mean = x.mean(dim=(0, 2, 3), keepdim=True)
            spread = ((x - mean) ** 2).mean(dim=(0, 2, 3), keepdim=True)
            return (x - mean) * (self.gain * torch.rsqrt(spread + 1e-5)) + self.bias
        of_deck = x.float().unflatten(0, (decks, -1))
        spread, mean = torch.var_mean(of_deck, dim=(1, 3, 4), correction=0, keepdim=True)
        return ((of_deck - mean) * torch.rsqrt(spread + 1e-5)).flatten(0, 1).to(x.dtype) * self.gain + self.bias


class Further(nn.Module):
    """What two more convolutions add to a layer, normalised over the deck."""

    def __init__(self, width):
        super().__init__()
        self.one = nn.Conv2d(width, width, 3, padding=1)
        self.norm = DeckNorm(width)
        self.two = nn.Conv2d(width, width, 3, padding=1)
        nn.init.zeros_(self.two.weight)

    def forward(self, x, decks: int):
        return torch.relu(x + self.two(torch.relu(self.norm(self.one(x), decks))))


class FaceNet(nn.Module):
    """forward(tiles [B * N, 3, 96, 96] RGB 0..1, allowed [B, 10] of 0 or 1, decks B):

    dense0, dense [B * N, 10, 24, 24]: logits of the classes of places, first and second
    judgement; edge [B * N, 1, 24, 24]: logits of a border between two segments of one
    kind; kinds [B * N, 12, 4] logits (halves only count); line [B * N, 4] logits;
    joins [B * N, 12, 12] logits, symmetric; marks [B * N, 5, 12] logits: market,
    fountain, square, pennant by port, and a cloister (the mean of its row).
    """

    def __init__(self, seed: int = 0):
        super().__init__()
        torch.manual_seed(seed)
        fine, middle, coarse, whole = WIDTHS
        self.stem = nn.Conv2d(3, fine, 5, stride=2, padding=2)
        self.norm1 = DeckNorm(fine)
        self.fine = Further(fine)
        self.down1 = nn.Conv2d(fine, middle, 3, stride=2, padding=1)
        self.norm2 = DeckNorm(middle)
        self.mid1 = Further(middle)
        self.mid2 = Further(middle)
        self.guess = nn.Conv2d(middle, CLASSES, 1)
        self.look = nn.Conv2d(middle, LOOK, 1)
        self.sharp = nn.Parameter(torch.full((1, CLASSES, 1, 1), 2.0))
        self.trust = nn.Parameter(torch.full((1, CLASSES, 1, 1), 0.5))
        self.edge = nn.Conv2d(middle, 1, 3, padding=1)
        known = middle + 1 + 2 * CLASSES
        self.down2 = nn.Conv2d(known, coarse, 3, stride=2, padding=1)
        self.norm3 = DeckNorm(coarse)
        self.mid3 = nn.ModuleList(Further(coarse) for _ in range(2))
        self.down3 = nn.Conv2d(coarse, whole, 3, stride=2, padding=1)
        self.norm4 = DeckNorm(whole)
        self.mid4 = nn.ModuleList(Further(whole) for _ in range(2))
        self.up = nn.ConvTranspose2d(whole, 32, 4, stride=4)
        self.up_coarse = nn.ConvTranspose2d(coarse, 32, 2, stride=2)
        self.dense = nn.Conv2d(known + 64, CLASSES, 1)
        self.squeeze = nn.Conv2d(whole, 40, 1)
        self.squeeze_coarse = nn.Conv2d(coarse, 12, 1)
        self.head = nn.Sequential(
            nn.Linear(40 * 36 + 12 * 144 + CLASSES * 7, 256), nn.ReLU(), nn.Linear(256, PORT_OUTPUTS)
        )
        self.cloister = nn.Linear(whole, 1)

    def forward(self, tiles, allowed, decks: int = 1):
        forbidden = (allowed - 1) * 30
        x = torch.relu(self.norm1(self.stem(self.levelled(tiles, decks)), decks))
        x = self.fine(x, decks)
        x = torch.relu(self.norm2(self.down1(x), decks))
        x = self.mid2(self.mid1(x, decks), decks)
        masks = self.per_tile(forbidden, x, decks)[:, :, None, None]
        guess = self.guess(x) + masks
        look = torch.tanh(self.look(x))
        judged, near = guess, None
        for _ in range(2):
            near = self.nearness(look, torch.softmax(judged, dim=1), decks)
            judged = guess + self.trust * near
        edge = self.edge(x)
        x = torch.cat([x, torch.softmax(judged, dim=1), 0.3 * near, torch.sigmoid(edge)], dim=1)
        y = torch.relu(self.norm3(self.down2(x), decks))
        for further in self.mid3:
            y = further(y, decks)
        z = torch.relu(self.norm4(self.down3(y), decks))
        for further in self.mid4:
            z = further(z, decks)
        dense = self.dense(torch.cat([x, self.up(z), self.up_coarse(y)], dim=1)) + judged
        ports = self.ports(z, y, dense)
        kinds, line, joins, marks = ports
        cloister = self.cloister(z.mean(dim=(2, 3)))
        marks = torch.cat([marks, cloister[:, :, None].expand(-1, 1, 12)], dim=1)
        kinds = kinds + self.per_tile(forbidden[:, :KINDS], z, decks)[:, None, :]
        return guess, dense, edge, kinds, line, joins, marks

    @staticmethod
    def levelled(tiles, decks: int):
        """The pictures with the mean colour and the contrast of their deck taken out."""
        if torch.compiler.is_exporting():
            mean = tiles.mean(dim=(0, 2, 3), keepdim=True)
            off = tiles - mean
            return off * (0.25 * torch.rsqrt((off * off).mean() + 1e-4)) + 0.3 * (mean - 0.5)
        of_deck = tiles.unflatten(0, (decks, -1))
        mean = of_deck.mean(dim=(1, 3, 4), keepdim=True)
        off = of_deck - mean
        contrast = (off * off).mean(dim=(1, 2, 3, 4), keepdim=True)
        return (off * (0.25 * torch.rsqrt(contrast + 1e-4)) + 0.3 * (mean - 0.5)).flatten(0, 1)

    @staticmethod
    def per_tile(rows, x, decks: int):
        return rows if decks == 1 else rows.repeat_interleave(x.shape[0] // decks, dim=0)

    def nearness(self, look, shares, decks: int):
        """Minus the squared distance of each place's look to each kind's mean look."""
        if decks == 1:
            s = shares.permute(1, 0, 2, 3).flatten(1)
            l = look.permute(1, 0, 2, 3).flatten(1)
            means = (s @ l.t()) / (s.sum(dim=1, keepdim=True) + 1.0)
            places = look.flatten(2).transpose(1, 2)
            near = 2 * (places @ means.t()) - (means**2).sum(dim=1) - (places**2).sum(dim=2, keepdim=True)
            near = near.transpose(1, 2).unflatten(2, (DENSE, DENSE))
            return near * self.sharp
        of_deck = lambda part: part.unflatten(0, (decks, -1)).transpose(1, 2).flatten(2)
        s, l = of_deck(shares), of_deck(look)
        means = (s @ l.transpose(1, 2)) / (s.sum(dim=2, keepdim=True) + 1.0)
        near = 2 * (means @ l) - (means**2).sum(dim=2, keepdim=True) - (l**2).sum(dim=1, keepdim=True)
        return near.unflatten(2, (-1, DENSE, DENSE)).transpose(1, 2).flatten(0, 1) * self.sharp

    @staticmethod
    def thirds(strip):
        """The means over left, middle and right of a strip along a side."""
        strip = strip.mean(dim=2)
        parts = [strip[:, :, 1:9], strip[:, :, 9:15], strip[:, :, 15:23]]
        return torch.stack([part.mean(dim=2) for part in parts], dim=2).flatten(1)

    def ports(self, z, y, dense):
        """Reads each side with one head, the maps turned so that it lies on top."""
        z, y = self.squeeze(z), self.squeeze_coarse(y)
        shares = torch.softmax(dense, dim=1)
        said = []
        for side in range(4):
            top, closer = torch.rot90(z, side, (2, 3)), torch.rot90(y, side, (2, 3))
            seen = torch.rot90(shares, side, (2, 3))
            thirds = [self.thirds(seen[:, :, :3]), self.thirds(seen[:, :, 3:9])]
            inner = seen[:, :, 6:18, 6:18].mean(dim=(2, 3))
            said.append(self.head(torch.cat([top.flatten(1), closer.flatten(1), *thirds, inner], dim=1)))
        said = torch.stack(said, dim=1)
        kinds = said[:, :, : 2 * KINDS].unflatten(2, (2, KINDS))
        middle = torch.zeros_like(kinds[:, :, :1])
        kinds = torch.cat([kinds[:, :, :1], middle, kinds[:, :, 1:]], dim=2).flatten(1, 2)
        line = said[:, :, 2 * KINDS]
        at = 2 * KINDS + 1
        m = said[:, :, at : at + 6]
        none = torch.full_like(m[:, :, :1], -20.0)
        row = lambda a, b, c: torch.cat([a, b, c], dim=2).flatten(1)
        one = lambda i: m[:, :, i : i + 1]
        marks = torch.stack(
            [row(one(0), none, one(1)), row(none, one(4), none), row(none, one(5), none), row(one(2), none, one(3))], dim=1
        )
        joins = said[:, :, at + 6 :].unflatten(2, (3, 12))
        # Back from "as seen with this side on top" to the tile's own ports.
        joins = torch.cat([torch.roll(joins[:, s], 3 * s, dims=2) for s in range(4)], dim=1)
        return kinds, line, 0.5 * (joins + joins.transpose(1, 2)), marks
