# SPDX-License-Identifier: BSD-3-Clause
"""How far apart two colours look to people who lack one kind of cones (matrices of Machado, Oliveira and Fernandes, 2009, for
complete loss), in CIE L*a*b*: from about 10 on they are easily told apart side by side."""

LOSS = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(channel):
    share = channel / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def seen(colour, loss):
    """'#rrggbb' as L*, a*, b* of what is seen."""
    rgb = [linear(int(colour[at:at + 2], 16)) for at in (1, 3, 5)]
    r, g, b = (min(1, max(0, sum(m * c for m, c in zip(row, rgb)))) for row in LOSS[loss])
    x, y, z = 0.4124 * r + 0.3576 * g + 0.1805 * b, 0.2126 * r + 0.7152 * g + 0.0722 * b, 0.0193 * r + 0.1192 * g + 0.9505 * b
    x, y, z = ((t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116) for t in (x / 0.9505, y, z / 1.089))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def closest(colours, loss):
    """(distance, one, other) of the two names whose colours look most alike."""
    points = {name: seen(colour, loss) for name, colour in colours.items()}
    return min((sum((a - b) ** 2 for a, b in zip(points[one], points[other])) ** 0.5, one, other) for one in points for other in points if one < other)
