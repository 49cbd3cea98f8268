#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does a change of the translator change an archive? Raw traces are recorded once, then converted by two builds of `tracer`.

net.py record INPUTS --player play_many --tool libtracer.so [--sequences N] [--programs N] [--compiler clang] [--program PROGRAM ...]
    the kept callback sequences, N random ones, N random programs, those of tests/e2e/programs, and what else is named
net.py compare INPUTS --before tracer --after tracer [--show N]
    the archives event by event: a table of how many are identical, and which differ where

Both convert with one thread, so that the same events have the same bytes: files of events are compared as they are, the
definitions but for what the conversion cost."""
import argparse
import filecmp
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path.insert(0, str(TESTS / "callback_fuzz"))
from fuzz_callbacks import Player    # noqa: E402
from scripts import make_script      # noqa: E402


def clean(**more):
    """This process' environment without settings of OpenMP and of the tracer, and with `more`."""
    return dict({k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}, **more)


COST = re.compile(r"TRACER::COUNTER::tool\.")  # of the conversion: differs from run to run


def keep(trace, inputs, name):
    """Moves the raw trace of a run to the inputs; not what recorded nothing."""
    raw = trace / "raw"
    if not raw.exists():
        return 0
    place = inputs / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    shutil.move(str(raw), str(place / "raw"))
    return 1


def record_sequences(options):
    player = Player(options.player)
    player.env.update(TRACER_KEEP_RAW="on")
    sequences = [(f"kept/{path.stem}", path.read_text(encoding="utf-8")) for path in sorted((TESTS / "callback_fuzz/kept").glob("*.txt"))]
    sequences += [(f"random/{seed}", make_script(seed)[0]) for seed in range(1, options.sequences + 1)]
    count = 0
    for name, text in sequences:
        player.play(text)
        count += keep(pathlib.Path(player.directory.name) / "trace", options.inputs, name)
    player.end()
    return count


def record_program(options, name, command, **environment):
    with tempfile.TemporaryDirectory() as directory:
        output = pathlib.Path(directory) / "trace"
        subprocess.run(command, capture_output=True, timeout=120, check=False,
                       env=clean(OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(output), TRACER_CONVERT="later", OMP_CANCELLATION="true", **environment))
        return keep(output, options.inputs, name)


def record_programs(options):
    count = 0
    with tempfile.TemporaryDirectory() as directory:
        sources = [("program", path) for path in sorted((TESTS / "e2e/programs").glob("*.c"))]
        for seed in range(1, options.programs + 1):
            path = pathlib.Path(directory) / f"{seed}.c"
            path.write_bytes(subprocess.run([sys.executable, "-B", TESTS / "e2e/random/make_program.py", str(seed)], capture_output=True, check=True).stdout)
            sources.append(("random_program", path))
        for group, source in sources:
            program = pathlib.Path(directory) / source.stem
            level = random.Random(source.stem).choice(["-O0", "-O1", "-O2"])
            if subprocess.run([options.compiler, "-g", level, "-fopenmp", source, "-o", program, "-lm"], capture_output=True, check=False).returncode == 0:
                count += record_program(options, f"{group}/{source.stem}", [program], OMP_NUM_THREADS="4")
    for program in options.program:
        count += record_program(options, f"named/{pathlib.Path(program).name}", [program], OMP_NUM_THREADS="4")
    return count


def convert(tracer, raw, output):
    """Its exit status and what it says, without the paths."""
    done = subprocess.run([tracer, "convert", "-k", "-q", "-j", "1", "--no-symbols", "-o", output, raw],
                          env=clean(), capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, (done.stdout + done.stderr).replace(str(output), "")


def definitions(archive):
    printed = subprocess.run(["otf2-print", "-G", archive / "traces.otf2"], capture_output=True, text=True, timeout=600, check=False)
    return [line for line in printed.stdout.splitlines() if not COST.search(line) and str(archive) not in line]


def first_difference(before, after):
    for at, (left, right) in enumerate(zip(before, after)):
        if left != right:
            return f"{at}: {left.strip()[:150]} | {right.strip()[:150]}"
    return f"{len(before)} and {len(after)} lines"


def dump(archive):
    return subprocess.run(["otf2-print", archive / "traces.otf2"], capture_output=True, text=True, timeout=600, check=False).stdout.splitlines()


def difference(raw, options, scratch):
    """"" where both archives are the same, else where they differ first."""
    archives = [scratch / "before", scratch / "after"]
    for archive in archives:
        shutil.rmtree(archive, ignore_errors=True)
    said = [convert(tracer, raw, archive) for tracer, archive in zip((options.before, options.after), archives)]
    if said[0] != said[1]:
        return f"exit status and words: {said}"
    before, after = archives
    files = [sorted(path.relative_to(archive).as_posix() for path in archive.rglob("*.evt")) for archive in archives]
    if files[0] != files[1]:
        return f"event files: {files}"
    different = [name for name in files[0] if not filecmp.cmp(before / name, after / name, shallow=False)]
    if different:
        return f"events of {different[0]} and {len(different) - 1} more: {first_difference(dump(before), dump(after))}"
    texts = [definitions(archive) for archive in archives]
    return "" if texts[0] == texts[1] else f"definitions: {first_difference(*texts)}"


def compare(options):
    groups, shown = {}, 0
    with tempfile.TemporaryDirectory() as directory:
        for raw in sorted(options.inputs.glob("*/*/raw")):
            same, different = groups.setdefault(raw.parts[-3], [[], []])
            where = difference(raw, options, pathlib.Path(directory))
            (different if where else same).append(raw.parent.name)
            if where and shown < options.show:
                shown += 1
                print(f"{raw.parts[-3]}/{raw.parent.name}: {where}", flush=True)
    print("| inputs | identical | different |\n|---|---|---|")
    for group, (same, different) in groups.items():
        print(f"| {group} | {len(same)} | {len(different)} |")
    return 1 if any(different for _, different in groups.values()) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    recorder = commands.add_parser("record")
    recorder.add_argument("inputs", type=pathlib.Path)
    recorder.add_argument("--program", action="append", default=[])
    recorder.add_argument("--player", required=True)
    recorder.add_argument("--tool", required=True)
    recorder.add_argument("--compiler", default="clang")
    recorder.add_argument("--sequences", type=int, default=500)
    recorder.add_argument("--programs", type=int, default=20)
    recorder.set_defaults(run=lambda options: print(record_sequences(options) + record_programs(options), "inputs"))
    comparer = commands.add_parser("compare")
    comparer.add_argument("inputs", type=pathlib.Path)
    comparer.add_argument("--before", required=True)
    comparer.add_argument("--after", required=True)
    comparer.add_argument("--show", type=int, default=10, help="so many differences")
    comparer.set_defaults(run=compare)
    options = parser.parse_args()
    os.environ.pop("TRACER_OUTPUT", None)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
