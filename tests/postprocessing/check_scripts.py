#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_scripts.py MAKE_TRACE: the scripts of examples/post-processing on traces whose numbers are known.
The package is that of PYTHONPATH, its command that of
TRACER_COMMAND. Exit status 77: this Python lacks pandas or matplotlib."""
import pathlib
import subprocess
import sys
import tempfile
import types

TOP = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = TOP / "examples" / "post-processing"


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def near(value, expected):
    return abs(value - expected) <= 0.02 * abs(expected)


def run(script, *arguments):
    done = subprocess.run([sys.executable, SCRIPTS / script, *map(str, arguments)], capture_output=True, text=True)
    need(done.returncode == 0, f"{script} {' '.join(map(str, arguments[1:]))}: {done.stderr.strip().splitlines()[-1:] if done.returncode else 'ends well'}")
    return done.stdout


def check_ranks(trace_of, profile, directory):
    """A ring of three ranks with four threads each, ten steps of 5 ms of work (7 on the last rank): threads of one name are apart."""
    subprocess.run([sys.argv[1], "ring", directory / "ring", "3"], check=True)
    trace = trace_of(directory / "ring")
    need(trace.locations.name.is_unique and len(trace.locations) == 12 and set(trace.locations.process) == {f"MPI Rank {rank}" for rank in range(3)}, "each thread of each rank has a name of its own")
    work = trace.slices[trace.slices.region.str.startswith("!$omp parallel")].groupby("location").own.sum()
    need(len(work) == 12 and all(near(seconds, 10 * (0.007 if name.startswith("MPI Rank 2") else 0.005)) for name, seconds in work.items()), f"and its own time {dict(work)}")
    need(near(profile(trace).loc["!$omp parallel @example.c:10"].total, 10 * 4 * (2 * 0.005 + 0.007)), "their times are added up once")
    waits = trace.slices[trace.slices.region.str.startswith("MPI_Recv")].groupby("location").own.sum()
    need(near(waits["MPI Rank 0: Master thread"], 10 * 0.002) and waits["MPI Rank 1: Master thread"] == 0, "the next of the last waits for its message")


def check_names_in_graph(dot):
    import pandas
    tasks = pandas.DataFrame({"id": [1, 2], "parent": [0, 0], "region": ["!$omp task @part-1.c:3", 'solve "x" \\'], "created": [0.0, 0.0], "begin": [0.0, 1.0], "active": [1e-6, 1e-6]})
    text = dot(types.SimpleNamespace(tasks=tasks, depends=pandas.DataFrame({"source": [1], "sink": [2]})), 500, False)
    need(r't1 [label="@part-1.c:3\n1.0 us"' in text and r't2 [label="solve \"x\" \\\n1.0 us"' in text, f"names stand in the graph as they are {text}")


def main():
    try:
        import matplotlib  # noqa: F401
        import pandas  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    sys.path.insert(0, str(SCRIPTS))
    sys.dont_write_bytecode = True
    from devices import devices
    from imbalance import imbalance
    from region_profile import profile
    from task_graph import dot, longest_chain
    from tracelib import Trace, role_name

    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        for kind in ("imbalance", "chain", "overlap", "operations", "lock"):
            subprocess.run([sys.argv[1], kind, directory / kind], check=True)
        table = profile(Trace(directory / "imbalance"))
        need(near(table.loc["!$omp for @example.c:11"].total, 0.06), "the profile has the loop's 60 ms")
        rows = imbalance(Trace(directory / "imbalance"))
        need(near(rows.iloc[0]["max_over_min"], 3) and near(rows.iloc[0]["imbalance"], 0.5), "an imbalance of 3:1 is one")
        trace = Trace(directory / "chain")
        chain, seconds = longest_chain(trace.tasks, trace.depends)
        check_names_in_graph(dot)
        need(len(chain) == 10 and near(seconds, 0.02), "the longest chain has 10 tasks and 20 ms")
        row = devices(Trace(directory / "overlap"))[0]
        need(near(row["overlap_host"], 0.03) and near(row["busy"], 0.102), "30 ms of 102 overlap")
        need(near(row["to_bandwidth"], 1e9) and near(row["from_bandwidth"], 2e9), "bandwidths are right")
        row = devices(Trace(directory / "operations"))[0]
        need(row["kernels"] == 1 and near(row["kernel_time"], 0.01), "kernels are kernels alone")
        need(near(row["busy"], 0.013) and near(row["idle"], 0.026) and near(row["overlap_host"], 0.013), "waits and the tool's own time are no work of a device")
        table = profile(Trace(directory / "operations"))
        need(table.loc["saxpy"].role in ("KERNEL", "FUNCTION") and table.loc["!$omp cancel @example.c:10"].role in ("CANCEL", "ARTIFICIAL"), "roles of OTF2 3.1, or what 3.0 has for them")
        need((role_name(39), role_name(40), role_name(41)) == ("CANCEL", "KERNEL", "UNKNOWN"), "roles have OTF2's names, and later ones none")
        check_ranks(Trace, profile, directory)
        for script in sorted(SCRIPTS.glob("*.py")):
            if script.name != "tracelib.py":
                need(script.stem in run(script.name, "--help"), f"{script.name} has a help")
        for script in ("region_profile.py", "imbalance.py", "devices.py"):
            for kind in ("imbalance", "chain", "overlap", "operations", "lock"):
                run(script, directory / kind, "--plot", directory / "plot.png")
        need((directory / "plot.png").read_bytes().startswith(b"\x89PNG"), "plots are pictures")
        run("task_graph.py", directory / "chain", "-o", directory / "tasks.dot")
        need("t1 -> t2" in (directory / "tasks.dot").read_text(), "the graph has the dependences")
        run("compare.py", directory / "imbalance", directory / "chain", "--plot", directory / "plot.png")
        for kind in ("imbalance", "chain", "overlap"):
            run("walkthrough.py", directory / kind, "--directory", directory)
        missing = subprocess.run([sys.executable, SCRIPTS / "devices.py", directory / "nothing"], capture_output=True, text=True)
        need(missing.returncode != 0 and "does not exist" in missing.stderr and "Traceback" not in missing.stderr, "a missing archive is said in one line")
    return 0


sys.exit(main())
