"""What the comparisons of pixels share: their command line, their images, and leat's pixels."""
import argparse
import pathlib
import subprocess
import sys

import numpy

ENDINGS = {".jpg", ".jpeg", ".png"}


def command_line(description):
    """A parser of FOLDER, --program, --seed and --images."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", default="build/release/bin/leat-image-steps")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--images", type=int, default=300)
    return parser


def images_of(options):
    """The first --images images below FOLDER. Exits if there are none."""
    paths = sorted(path for path in options.folder.rglob("*") if path.suffix.lower() in ENDINGS)[: options.images]
    if not paths:
        sys.exit(f"{options.folder} holds no images")
    return paths


def pixels_by_leat(program, option, filter_name, size, jobs):
    """[len(jobs), height, width, 3] bytes. option: --resize or --crop; size: width and height; jobs: pairs of a path and
    its box, which is left, top, width and height."""
    lines = "".join(f"{' '.join(map(str, box))} {path}\n" for path, box in jobs)
    command = [program, option, filter_name, str(size[0]), str(size[1])]
    output = subprocess.run(command, input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout
    return numpy.frombuffer(output, numpy.uint8).reshape(len(jobs), size[1], size[0], 3)
