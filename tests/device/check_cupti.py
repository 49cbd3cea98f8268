#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces programs that use CUDA on the fake driver and the fake CUPTI (tests/support/fake_cuda), whole and with every fault
that they have on demand: the program's output and exit status stay, `tracer check` is silent, and the trace has what it should.

check_cupti.py --bin DIRECTORY --tool libtracer.so --fakes DIRECTORY --offload PROGRAM --late PROGRAM --plain PROGRAM"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Name, program and its arguments, settings, who must have recorded the device ("" none), what a line on stderr must say ("" no line).
OFFLOAD = ["offload", "200"]
# A machine may have a real CUPTI, which is tried after the fake ones and finds no driver.
OTHER = r"?cuptiSubscribe answered"
RUNS = [
    ("two threads offload", OFFLOAD, {}, "cupti", ""),
    ("to two devices", OFFLOAD, {"FAKE_CUDA_DEVICES": "2"}, "cupti", ""),
    ("small buffers", OFFLOAD, {"TRACER_DEVICE_BUFFER": "16K"}, "cupti", ""),
    ("buffers that come after the last flush", OFFLOAD, {"TRACER_DEVICE_BUFFER": "16K", "FAKE_CUPTI_LATE": "15"}, "cupti", ""),
    ("buffers that are given back at the end only", OFFLOAD, {"FAKE_CUPTI_KEEPS": "1"}, "cupti", ""),
    ("threads of a region call CUDA", ["late"], {"CUDA_EARLY": "1"}, "cupti", ""),
    ("CUDA is opened when OpenMP has begun", ["late"], {}, "cupti", ""),
    ("the driver is there and nobody uses it", ["late"], {"CUDA_EARLY": "1", "CUDA_UNUSED": "1"}, "", ""),
    ("CUPTI of CUDA 11.8", OFFLOAD, {"FAKE_CUPTI_VERSION": "18"}, "cupti", ""),
    ("kinds that the library does not have", OFFLOAD, {"FAKE_CUPTI_FAILS": "cuptiActivityEnable:21:9"}, "cupti", ""),
    ("an old CUPTI", OFFLOAD, {"FAKE_CUPTI_VERSION": "17"}, "host", OTHER),
    ("another subscriber", OFFLOAD, {"FAKE_CUPTI_BUSY": "1"}, "host", r"cuptiSubscribe answered .*\(39\)"),
    ("no privileges", OFFLOAD, {"FAKE_CUPTI_FAILS": "cuptiActivityEnable:35"}, "host", r"cuptiActivityEnable answered .*\(35\)"),
    ("an error in the middle of the kinds", OFFLOAD, {"FAKE_CUPTI_FAILS": "cuptiActivityEnable:999:4"}, "host", r"\(999\)"),
    ("no clock", OFFLOAD, {"FAKE_CUPTI_FAILS": "cuptiActivityRegisterTimestampCallback:1"}, "host", r"TimestampCallback answered"),
    ("an error while the program runs", OFFLOAD, {"FAKE_CUPTI_FAILS": "cuptiActivityPushExternalCorrelationId:999:100"}, "cupti",
     r"\(999\)"),
    ("flushing fails", OFFLOAD, {"FAKE_CUPTI_FAILS": "cuptiActivityFlushAll:999"}, "cupti", r"FlushAll answered"),
    ("buffers that never come back", OFFLOAD, {"FAKE_CUPTI_SILENT": "1", "FAKE_CUPTI_KEEPS": "1"}, "cupti", ""),
    ("no memory for buffers", OFFLOAD, {"TRACER_DEVICE_BUFFER": "64K", "TRACER_DEVICE_MEMORY": "64K", "FAKE_CUPTI_KEEPS": "1"}, "cupti",
     ""),
    ("three hundred threads with a buffer each", ["offload", "5", "300"], {"TRACER_DEVICE_MEMORY": "16M"}, "cupti", ""),
    ("more threads than memory", ["offload", "200", "40"], {"TRACER_DEVICE_BUFFER": "1M", "TRACER_DEVICE_MEMORY": "2M"}, "cupti", ""),
    ("the first CUDA 13.0", OFFLOAD, {"FAKE_CUPTI_VERSION": "130000"}, "cupti", ""),
    ("a driver too old for the first library", OFFLOAD, {"FAKE_CUPTI_TOO_NEW": "13"}, "cupti", ""),
    ("a driver too old for all libraries", OFFLOAD, {"FAKE_CUPTI_TOO_NEW": "1"}, "host", r"cuptiSubscribe answered"),
    ("a CUPTI that nobody knows", OFFLOAD, {"FAKE_CUPTI_VERSION": "140000"}, "host", OTHER),
    ("records of a newer CUDA 13", OFFLOAD, {"FAKE_CUPTI_NEWER": "1"}, "cupti", ""),
    ("calls that come after their copies", ["late"], {"CUDA_EARLY": "1", "FAKE_CUPTI_LATE_CALLS": "1", "TRACER_DEVICE_BUFFER": "16K"},
     "cupti", ""),
    ("another profiler takes the buffers", ["offload", "70", "2", "100"], {"FAKE_CUPTI_STOLEN": "20"}, "cupti",
     r"stopped delivering records"),
    ("another profiler takes the buffers of a program without OpenMP", ["plain", "110", "100"],
     {"FAKE_CUPTI_STOLEN": "400", "CUDA_INJECTION64_PATH": "{tool}"}, "cupti", r"stopped delivering records.*is missing"),
    ("the program profiles itself", ["offload", "70"], {"CUDA_PROFILER": "libown_profiler.so"}, "cupti",
     r"own profiler has taken CUPTI over"),
    ("the program could profile itself, and does not", ["offload", "20", "2", "50"], {"CUDA_PROFILER_IDLE": "libown_profiler.so"}, "cupti",
     ""),
    ("kernels are refused after they were accepted", OFFLOAD, {"FAKE_CUPTI_MUTE": "10"}, "cupti", ""),
    ("nothing comes of what was accepted", OFFLOAD, {"FAKE_CUPTI_SILENT": "1", "FAKE_CUPTI_KEEPS": "1", "TRACER_DEVICE_BUFFER": "4M"},
     "host", ""),
    ("unified memory and memory pools", OFFLOAD, {"CUDA_MEMORY": "1", "TRACER_RECORD": "+unified-memory"}, "cupti", ""),
    ("unified memory that CUPTI tells nothing of", OFFLOAD,
     {"CUDA_MEMORY": "1", "TRACER_RECORD": "+unified-memory", "FAKE_CUPTI_FAILS": "cuptiActivityConfigureUnifiedMemoryCounter:28"},
     "cupti", ""),
    ("it forks before it uses CUDA, and after", OFFLOAD, {"CUDA_FORKS": "1"}, "cupti", ""),
    ("a forked child uses CUDA, and its parent does not", ["late"], {"CUDA_IN_CHILD": "1", "CUDA_INJECTION64_PATH": "{tool}"}, "cupti",
     r"using .*trace\.2"),
    ("a forked child starts the driver, and its parent has begun with CUPTI", OFFLOAD,
     {"CUDA_FORKS": "cuInit", "CUDA_INJECTION64_PATH": "{tool}"}, "", r"using .*trace\.2"),
    ("a device that is not announced", OFFLOAD, {"FAKE_CUDA_DEVICES": "2", "CUDA_UNANNOUNCED": "1"}, "cupti", ""),
    ("CUPTI starts the driver, which calls the tool", OFFLOAD, {"FAKE_CUPTI_INITS": "1", "CUDA_INJECTION64_PATH": "{tool}"}, "cupti", ""),
    ("the driver starts on another thread while the tool starts CUPTI, which waits for it", OFFLOAD,
     {"CUDA_INIT_ASIDE": "1", "FAKE_CUDA_INIT_AWAITS": "1", "FAKE_CUPTI_INITS": "1", "CUDA_INJECTION64_PATH": "{tool}"}, "cupti", ""),
    ("the driver starts while the tool's own thread starts CUPTI, which waits for it", ["late"],
     {"CUDA_INIT_FIRST": "1", "FAKE_CUDA_INIT_AWAITS": "1", "FAKE_CUPTI_INITS": "1", "CUDA_INJECTION64_PATH": "{tool}"}, "cupti", ""),
    ("the driver calls a tool that OpenMP has begun", OFFLOAD, {"CUDA_INJECTION64_PATH": "{tool}"}, "cupti", ""),
    ("the driver calls a tool that is to leave devices alone", OFFLOAD, {"TRACER_DEVICE": "host", "CUDA_INJECTION64_PATH": "{tool}"}, "host", ""),
    ("the host's view by wish", OFFLOAD, {"TRACER_DEVICE": "host"}, "host", ""),
]
# Of these the counts may be smaller than what the program asked for.
INCOMPLETE = {"another profiler takes the buffers of a program without OpenMP", "an error while the program runs", "flushing fails", "buffers that never come back", "no memory for buffers",
              "more threads than memory", "another profiler takes the buffers", "the program profiles itself", "kernels are refused after they were accepted"}
# The trace that is looked at is a child's. ThreadSanitizer ends a child that starts a thread.
IN_CHILD = {"a forked child uses CUDA, and its parent does not", "a forked child starts the driver, and its parent has begun with CUPTI"}
# What must have been counted.
COUNTERS = {"a forked child starts the driver, and its parent has begun with CUPTI": ["NOT_RECORDED_AFTER_FORK"],
            "unified memory that CUPTI tells nothing of": ["CUPTI_KINDS_MISSING"],
            "the program could profile itself, and does not": ["CALLS_LEFT_TO_ANOTHER_PROFILER", "CALLS_LAUNCH", "CALLS_COPY"]}


def settings(options, extra):
    found = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER", "FAKE_CU", "CUDA_"))}
    # libomp and the fakes; the tracer finds both by name
    found["LD_LIBRARY_PATH"] = options.fakes + (":" + found["LD_LIBRARY_PATH"] if "LD_LIBRARY_PATH" in found else "")
    found.update({name: value.replace("{tool}", options.tool) for name, value in extra.items()})
    return found


def run(command, environment):
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def faults_of(options, name, arguments, extra, provider, line, directory):
    program = {"offload": options.offload, "late": options.late, "plain": options.plain}[arguments[0]]
    command = [program] + arguments[1:]
    plain = run(command, settings(options, {k: v for k, v in extra.items() if k.startswith(("FAKE_CUDA", "CUDA_")) and k != "CUDA_INJECTION64_PATH"}))
    trace = pathlib.Path(directory, "trace")
    extra = dict(extra, OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(trace))
    traced = run(command, settings(options, extra))
    if (plain.returncode, plain.stdout) != (traced.returncode, traced.stdout) or plain.returncode:
        yield f"ended with {plain.returncode} and {traced.returncode}: {plain.stdout}{plain.stderr} | {traced.stdout}{traced.stderr}"
        return
    said = [text for text in traced.stderr.splitlines() if not re.match(r"tracer: [\d,]+ events?", text)]
    line = line.removeprefix("?") if said or not line.startswith("?") else ""
    if bool(line) != bool(said) or (line and (len(said) != 1 or not re.search(line, said[0]))):
        yield f"said {said}"
    traces = [trace] + ([trace.with_name("trace.2")] if name in IN_CHILD else [])
    for trace in traces:
        check = run([f"{options.bin}/tracer", "check", str(trace)], os.environ)
        if check.returncode:
            yield check.stdout + check.stderr
    if name in COUNTERS:
        info = run([f"{options.bin}/tracer", "info", "--all", str(trace)], os.environ).stdout
        yield from (f"{counter} is not counted:\n{info}" for counter in COUNTERS[name] if counter not in info)
    said_file = pathlib.Path(directory, "said")
    said_file.write_text(traced.stdout, encoding="utf-8")
    if not provider:
        return
    if name not in INCOMPLETE:
        verify = run([f"{options.bin}/gpu_verify", str(trace), str(said_file), provider], os.environ)
        if verify.returncode:
            yield verify.stdout + verify.stderr
    else:
        info = run([f"{options.bin}/tracer", "info", "--all", str(trace)], os.environ).stdout
        # where nothing at all has come the host recorded it
        if f"recorded by {provider}" not in info and f"{provider} accepted, and left no record" not in info:
            yield f"not recorded by {provider}:\n{info}"
        if arguments[0] == "plain":
            return  # no operation of the host's
        if "OPERATIONS_WITHOUT_RECORD" not in info:
            yield f"operations without a record are not counted:\n{info}"
        else:
            yield from faults_of_report(options, trace, info)


def faults_of_report(options, trace, info):
    """The report says how much is the host's view."""
    report = json.loads(run([f"{options.bin}/tracer", "report", "--json", str(trace)], os.environ).stdout)
    wanted = int(re.search(r"OPERATIONS_WITHOUT_RECORD: +(\d+)", info)[1])
    missing = sum(device["without_record"] for device in report["devices"])
    by_host = all(device["provider"] == "host" for device in report["devices"])
    if missing != wanted and not by_host:
        yield f"{wanted} operations have no record, the report says {missing}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--bin", "--tool", "--fakes", "--offload", "--late", "--plain"):
        parser.add_argument(option, required=True)
    parser.add_argument("--only", default="", help="a part of the name of the runs wanted")
    options = parser.parse_args()
    failed = ran = 0
    for name, arguments, extra, provider, line in RUNS:
        if options.only not in name:
            continue
        if arguments[0] == "late" and not os.path.exists(options.late):
            print(f"not tested: {name}: {options.late} is not built (needs clang with libomp)")
            continue
        if name in IN_CHILD and "thread" in os.environ.get("TRACER_TEST_SANITIZE", ""):
            print(f"not tested: {name}: ThreadSanitizer ends a forked child that starts a thread")
            continue
        with tempfile.TemporaryDirectory() as directory:
            faults = list(faults_of(options, name, arguments, extra, provider, line, directory))
        ran += 1
        failed += bool(faults)
        print(f"{name}: {'FAILED' if faults else 'ok'}", *faults, sep="\n  " if faults else "")
    print(f"{ran - failed} of {ran} hold")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
