#!/usr/bin/env python3
"""Crops and resizes images by leat and by torchvision, and prints how many are equal.

    tests/parity/torchvision_crops.py FOLDER [--program build/release/bin/leat-image-steps] [--seed 1] [--images 300]

For each image below FOLDER (.jpg, .jpeg, .png) and each filter: a box drawn by torchvision's RandomResizedCrop.get_params(),
resized to 224 x 224 by torchvision's resized_crop() on a PIL image, and by leat's RandomResizedCrop geometry
(FilterReach::crop). Exit code 1 where a pixel differs. Run by hand: needs python3-torchvision, python3-pil and
python3-numpy.
"""
import sys

import numpy
import PIL
import torch
import torchvision
from PIL import Image
from pixels_by_leat import command_line, images_of, pixels_by_leat
from torchvision.transforms import InterpolationMode, RandomResizedCrop
from torchvision.transforms.functional import resized_crop

FILTERS = {
    "bilinear": InterpolationMode.BILINEAR,
    "bicubic": InterpolationMode.BICUBIC,
    "box": InterpolationMode.BOX,
    "lanczos": InterpolationMode.LANCZOS,
}
SIZE = 224


def draw(path):
    """Left, top, width and height."""
    top, left, height, width = RandomResizedCrop.get_params(Image.open(path), [0.08, 1.0], [3 / 4, 4 / 3])
    return left, top, width, height


def by_torchvision(name, path, box):
    left, top, width, height = box
    image = Image.open(path).convert("RGB")
    return numpy.asarray(resized_crop(image, top, left, height, width, [SIZE, SIZE], FILTERS[name]))


def main():
    options = command_line(__doc__).parse_args()
    paths = images_of(options)
    torch.manual_seed(options.seed)
    print(f"{len(paths)} images, torchvision {torchvision.__version__}, Pillow {PIL.__version__}, seed {options.seed}")
    different = 0
    for name in FILTERS:
        jobs = [(path, draw(path)) for path in paths]
        equal, largest = 0, 0
        for ours, (path, box) in zip(pixels_by_leat(options.program, "--crop", name, (SIZE, SIZE), jobs), jobs):
            difference = int(numpy.abs(ours.astype(int) - by_torchvision(name, path, box)).max())
            equal += difference == 0
            largest = max(largest, difference)
        print(f"{name:<9} {equal} of {len(jobs)} equal, largest difference {largest}")
        different += len(jobs) - equal
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
