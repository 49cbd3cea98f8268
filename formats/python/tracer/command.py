# SPDX-License-Identifier: BSD-3-Clause
"""Finds and runs the command `tracer`, which reads archives."""
import os
import pathlib
import shutil
import subprocess

from tracer.errors import TracerError


def find_command():
    """TRACER_COMMAND, the command beside which this package is installed, or the first in PATH."""
    named = os.environ.get("TRACER_COMMAND")
    if named:
        return named
    # In PREFIX/share/tracer/NAME.whl/tracer/, or in the sources' formats/python/tracer/.
    places = pathlib.Path(__file__).parents
    if len(places) > 4:
        beside = places[4] / "bin" / "tracer"
        if os.access(beside, os.X_OK) and beside.is_file():
            return str(beside)
    found = shutil.which("tracer")
    if found is None:
        raise TracerError("the command 'tracer' was not found: add its directory to PATH, or name it by TRACER_COMMAND")
    return found


def run_command(*arguments):
    """What the command prints; its own message as the exception if it fails."""
    command = [find_command(), *map(str, arguments)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise TracerError(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise TracerError(lines[-1] if lines else f"{' '.join(command)}: exit status {done.returncode}")
    return done.stdout
