# SPDX-License-Identifier: BSD-3-Clause
"""The account of a report: all of each thread's time, each second of it in one place, and no more."""
import json
import subprocess

from cells import cell_faults

TOLERANCE = 0.001  # of the whole


def lives(report):
    """(locations of the threads, the account) of each process: that of the whole is one process's where there is one."""
    account = report["account"]
    if not account.get("by_process"):
        return [({row["location"] for row in account["by_thread"]}, account)]
    threads = {process["process"]: set(process["threads"]) for process in report["processes"]}
    return [(threads[process["process"]], process) for process in account["by_process"]]


def account_faults(report):
    """What is wrong with the account of a report (the JSON of `tracer report`)."""
    account, faults = report["account"], []
    of_all = 0
    for locations, life in lives(report):
        wall = life["end_ns"] - life["begin_ns"]
        for row in account["by_thread"]:
            said = sum(row["time"].values())
            if row["location"] in locations and abs(said - wall) > TOLERANCE * wall:
                faults.append(f"account: location {row['location']} has {said} ns in its places, of {wall}: {row['time']}")
        whole, said = life["threads"] * wall, sum(life["time"].values())
        of_all += said
        if abs(said - whole) > TOLERANCE * whole:
            faults.append(f"account: its places are {said}, threads x time {whole}")
    if account["total_ns"] != sum(account["time"].values()) or of_all != account["total_ns"]:
        faults.append(f"account: its sum is {account['total_ns']}, its places are {sum(account['time'].values())}, those of all processes {of_all}")
    facts = report["trace"]["properties"]
    begin, end, tick = (int(facts.get("TRACER::RUN::" + name + "_NS", 0)) for name in ("PROCESS_START", "PROCESS_END", "START_RESOLUTION"))
    begin = max(begin, int(facts.get("TRACER::RUN::PROGRAM_START_NS", 0)))  # it was another program before
    if begin and end and not (begin - tick <= account["begin_ns"] <= begin and account["end_ns"] == end):
        faults.append(f"account: from {account['begin_ns']} to {account['end_ns']}, the process was there from {begin} (to a tick of {tick}) to {end}")
    return faults


def archive_account_faults(tracer, archive):
    done = subprocess.run([tracer, "report", "--json", archive], capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        return [f"tracer report: {done.stderr}"]
    report = json.loads(done.stdout)
    return [*account_faults(report), *cell_faults(report)]
