#!/usr/bin/env python3
"""Runs clang-tidy on every source of the libraries, programs and benchmarks that a build folder compiles.

    .ci/tidy_all.py BUILD

Most of the time of a source goes into the headers that it includes. So sources with the same flags are looked at
together, up to GROUP of them included by one file. Where they do not compile together (names in their unnamed namespaces
are the same), the group is divided. The static analyzer looks into each function by itself, not through its calls.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
GROUP = 16
LEFT_OUT = re.compile(r"^tests/|/(cuda|nccl)/")
TIDY = [
    "clang-tidy-19", "--quiet", "--config-file=" + os.path.abspath(".clang-tidy"), "--checks=-bugprone-suspicious-include",
    r"--header-filter=/(loader|datasets|transfer|parallel|tools|bench)/.*\.(h|cpp)$",
    "--extra-arg=-Xclang", "--extra-arg=-analyzer-config", "--extra-arg=-Xclang", "--extra-arg=mode=shallow",
    "--extra-arg=-Xclang", "--extra-arg=-analyzer-opt-analyze-headers",  # the sources, which one file includes
]


def flags_of(command):
    """The compiler's flags, without input, output, dependencies and precompiled headers."""
    words = shlex.split(command)
    while "clang" not in os.path.basename(words[0]):
        words = words[1:]
    flags, at = [], 1
    while at < len(words):
        word = words[at]
        if word == "-Xclang" and words[at + 1] in ("-include", "-include-pch", "-fno-pch-timestamp"):
            at += 2 if words[at + 1] == "-fno-pch-timestamp" else 4
        elif word in ("-o", "-MF", "-MT", "-c"):
            at += 2
        else:
            if word not in ("-MD", "-Winvalid-pch"):
                flags.append(word)
            at += 1
    return tuple(flags)


def groups_of(build):
    """Lists of sources, each with the flags and the folder of its compilation."""
    tracked = set(subprocess.run(["git", "ls-files", "*.cpp"], check=True, capture_output=True, text=True).stdout.split())
    by_flags = {}
    for command in json.load(open(os.path.join(build, "compile_commands.json"))):
        source = os.path.relpath(os.path.join(command["directory"], command["file"]))
        if source in tracked and not LEFT_OUT.search(source):
            by_flags.setdefault((flags_of(command["command"]), command["directory"]), set()).add(source)
    seen, groups = set(), []
    for key, sources in by_flags.items():
        sources = sorted(sources - seen)  # a source of two programs is looked at once
        seen.update(sources)
        groups += [(key, sources[at:at + GROUP]) for at in range(0, len(sources), GROUP)]
    return sorted(groups, key=lambda group: -len(group[1])), len(seen)


def look_at(group):
    """What clang-tidy complains of, as text."""
    (flags, folder), sources = group
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as together:
        together.write("".join(f'#include "{os.path.abspath(source)}"\n' for source in sources))
        together.flush()
        file = together.name if len(sources) > 1 else os.path.abspath(sources[0])
        done = subprocess.run(TIDY + [file, "--", *flags], cwd=folder, capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    if len(sources) > 1 and "clang-diagnostic-error" in done.stdout:
        half = len(sources) // 2
        return "".join(look_at(((flags, folder), part)) for part in (sources[:half], sources[half:]))
    return done.stdout or done.stderr


def main():
    groups, count = groups_of(sys.argv[1])
    if count == 0:
        sys.exit(f"{sys.argv[1]} compiles no source of this project")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = "".join(pool.map(look_at, groups))
    print(found, end="")
    if found:
        sys.exit(1)
    print(f"clang-tidy: {count} sources, clean")


main()
