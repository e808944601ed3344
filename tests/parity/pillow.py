#!/usr/bin/env python3
"""Resamples images by leat and by Pillow, and prints how far they differ, filter by filter.

    tests/parity/pillow.py FOLDER [--program build/release/bin/leat-image-steps] [--seed 1] [--images 300]

For each image below FOLDER (.jpg, .jpeg, .png): a random box of it to 224 x 224, and all of it to 171 x 128, by each of the
four filters. Exit code 1 where a pixel differs by more than --allowed levels (0). Run by hand: needs python3-pil and
python3-numpy.
"""
import random
import sys

import numpy
import PIL
from PIL import Image
from pixels_by_leat import command_line, images_of, pixels_by_leat

FILTERS = {"box": Image.BOX, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "lanczos": Image.LANCZOS}


def box_of(size, random_source):
    """Left, top, width and height of a box of at least 8 % of the area."""
    width = random_source.randint(max(1, size[0] * 3 // 10), size[0])
    height = random_source.randint(max(1, size[1] * 3 // 10), size[1])
    return random_source.randint(0, size[0] - width), random_source.randint(0, size[1] - height), width, height


def by_pillow(name, size, path, box):
    left, top, width, height = box
    image = Image.open(path).convert("RGB")
    return numpy.asarray(image.resize(size, FILTERS[name], (left, top, left + width, top + height)))


def compare(program, name, size, jobs):
    largest, total, pixels = 0, 0, 0
    for ours, (path, box) in zip(pixels_by_leat(program, "--resize", name, size, jobs), jobs):
        difference = numpy.abs(ours.astype(int) - by_pillow(name, size, path, box))
        largest = max(largest, int(difference.max()))
        total += int(difference.sum())
        pixels += difference.size
    return largest, total / pixels


def main():
    parser = command_line(__doc__)
    parser.add_argument("--allowed", type=int, default=0)
    options = parser.parse_args()

    paths = images_of(options)
    random_source = random.Random(options.seed)
    sizes = [Image.open(path).size for path in paths]
    cases = {
        "crop to 224 x 224": ((224, 224), [box_of(size, random_source) for size in sizes]),
        "all to 171 x 128": ((171, 128), [(0, 0, *size) for size in sizes]),
    }
    print(f"{len(paths)} images, Pillow {PIL.__version__}, seed {options.seed}")
    worst = 0
    for case, (size, boxes) in cases.items():
        for name in FILTERS:
            largest, mean = compare(options.program, name, size, list(zip(paths, boxes)))
            print(f"{case:<18} {name:<9} largest difference {largest:3}, mean {mean:.6f}")
            worst = max(worst, largest)
    sys.exit(worst > options.allowed)


if __name__ == "__main__":
    main()
