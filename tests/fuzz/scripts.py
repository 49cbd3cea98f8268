# SPDX-License-Identifier: BSD-3-Clause
"""Random scripts for the fake runtime: programs as a runtime would report them, and what no runtime should ever say."""
import random

CODE = ["0x401000", "0x401020", "0x401040", "0", "0xffffffffffffffff"]
KINDS = {
    "sync_region": (list(range(0, 12)) + [99], True), "sync_region_wait": (list(range(0, 12)) + [99], True),
    "reduction": ([7, 1], True), "work": ([1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 77], True), "masked": ([0], True),
}


class Program:
    """A small OpenMP program: regions, teams, tasks, locks, targets. `lines` is one possible order of its callbacks."""

    def __init__(self, rng, threads):
        self.rng, self.threads = rng, threads
        self.next = {"p": 0, "t": 0, "g": 0, "h": 0}
        self.begun = {0}
        self.late = {}     # worker -> callbacks that come when it is woken again
        self.lines = ["0 thread_begin initial t0"]
        self.initial = self.new("t")
        self.lines.append(f"0 implicit_task begin {self.new('p')} {self.initial} 1 1 initial")

    def new(self, letter):
        self.next[letter] += 1
        return f"{letter}{self.next[letter]}"

    def code(self):
        return self.rng.choice(CODE)

    def run(self, regions):
        for _ in range(regions):
            self.lines += self.body(0, self.initial, "p1", 1)
            self.region([0], self.initial, 0)
        self.lines += self.wake(range(self.threads))
        self.lines.append(f"0 implicit_task end null {self.initial} 0 1 initial")
        self.lines += [f"{thread} thread_end null" for thread in sorted(self.begun, reverse=True)]
        self.lines.append("0 finalize")
        return self.lines

    def wake(self, threads):
        return [line for thread in threads for line in self.late.pop(thread, [])]

    def region(self, path, task, depth):
        """A parallel region encountered by `task` on thread path[-1]; its own threads are chosen freely."""
        rng, master, parallel = self.rng, path[-1], self.new("p")
        workers = rng.sample([t for t in range(1, self.threads) if t not in path], k=rng.randint(0, self.threads - len(path)) if depth == 0 else 0)
        team, code = [master] + workers, self.code()
        self.lines += self.wake(workers)
        self.lines.append(f"{master} parallel_begin {task} {parallel} {len(team) + rng.randint(0, 2)} team+program {code}")
        queues = []
        for index, thread in enumerate(team):
            queue = []
            if thread not in self.begun:
                self.begun.add(thread)
                queue.append(f"{thread} thread_begin worker null")
            own = self.new("t")
            queue.append(f"{thread} implicit_task begin {parallel} {own} {len(team)} {index} implicit")
            queue += self.body(thread, own, parallel, rng.randint(0, 6))
            end = [f"{thread} sync_region_wait barrier_implicit_parallel end null {own} {code}",
                   f"{thread} sync_region barrier_implicit_parallel end null {own} {code}",
                   f"{thread} implicit_task end null {own} 0 {index} implicit"]
            queue += [f"{thread} sync_region barrier_implicit_parallel begin {parallel} {own} {code}",
                      f"{thread} sync_region_wait barrier_implicit_parallel begin {parallel} {own} {code}"]
            if index == 0:
                queue += end
            else:
                self.late[thread] = end
            queues.append(queue)
        self.merge(queues)
        if depth < 2 and rng.random() < 0.3:
            self.region(path, task, depth + 1)
        self.lines.append(f"{master} parallel_end {parallel} {task} team+program {code}")

    def merge(self, queues):
        queues = [queue for queue in queues if queue]
        while queues:
            queue = self.rng.choice(queues)
            self.lines.append(queue.pop(0))
            if not queue:
                queues.remove(queue)

    def body(self, thread, task, parallel, length):
        lines = []
        for _ in range(length):
            lines += self.rng.choice([self.scope, self.scope, self.mutex, self.task, self.target, self.others])(thread, task, parallel)
        return lines

    def scope(self, thread, task, parallel):
        callback = self.rng.choice(["work", "sync_region", "masked", "reduction"])
        kind = self.rng.choice(KINDS[callback][0])
        code, count = self.code(), self.rng.randint(0, 1000)
        first = f"{thread} {callback}" + ("" if callback == "masked" else f" {kind}")
        last = f" {parallel} {task}" + (f" {count}" if callback == "work" else "") + f" {code}"
        return [f"{first} begin{last}", *self.body(thread, task, parallel, self.rng.randint(0, 2)), f"{first} end{last}"]

    def mutex(self, thread, task, parallel):
        kind, wait, code = self.rng.randint(1, 7), self.rng.randint(1, 3) * 64 + thread * 1024, self.code()
        return [f"{thread} mutex_acquire {kind} 0 {self.rng.randint(0, 4)} {wait} {code}", f"{thread} mutex_acquired {kind} {wait} {code}",
                f"{thread} mutex_released {kind} {wait} {code}"]

    def task(self, thread, task, parallel):
        own, flags = self.new("t"), self.rng.choice(["explicit", "explicit+untied", "explicit+undeferred", "explicit+final", "explicit+merged+undeferred"])
        lines = [f"{thread} task_create {task} {own} {flags} {self.rng.randint(0, 1)} {self.code()}"]
        if self.rng.random() < 0.3:
            lines.append(f"{thread} dependences {own} {self.rng.randint(1, 8)} 0x1000 2 0x1008")
        lines.append(f"{thread} task_schedule {task} switch {own}")
        lines += self.body(thread, own, parallel, self.rng.randint(0, 2))
        lines.append(f"{thread} task_schedule {own} {self.rng.choice(['complete', 'complete', 'cancel'])} {task}")
        return lines

    def target(self, thread, task, parallel):
        target, operation, code = self.new("g"), self.new("h"), self.code()
        kind = self.rng.choice([1, 2, 3, 4, 9, 55])
        lines = [f"{thread} target_emi {kind} begin 0 {task} null {target} {code}"]
        if self.rng.random() < 0.6:
            data = f"null {target} {operation} {self.rng.randint(1, 6)} 0x7000 -1 0x9000 0 {self.rng.randint(0, 4096)} {code}"
            lines += [f"{thread} target_data_op_emi begin {data}", f"{thread} target_data_op_emi end {data}"]
        if self.rng.random() < 0.6:
            lines += [f"{thread} target_submit_emi begin {target} {operation} 4", f"{thread} target_submit_emi end {target} {operation} 4"]
        return lines + [f"{thread} target_emi {kind} end 0 {task} null {target} {code}"]

    def others(self, thread, task, parallel):
        rng = self.rng
        return [rng.choice([
            f"{thread} flush null {self.code()}", f"{thread} cancel {task} {rng.choice([1, 2, 0x24, 0x40])} {self.code()}",
            f"{thread} error {rng.randint(1, 3)} {rng.randint(0, 24)} {self.code()}",
            f"{thread} dispatch {parallel} {task} {rng.randint(0, 6)} {rng.randint(0, 100)} 4",
            f"{thread} lock_init 1 0 1 {rng.randint(1, 5) * 64} {self.code()}", f"{thread} lock_destroy 1 {rng.randint(1, 5) * 64} {self.code()}",
            f"{thread} nest_lock {rng.choice(['begin', 'end'])} 320 {self.code()}",
            f"{thread} control_tool {rng.choice([1, 2, 3, 4, 64, 65, 66, 0, 17])} 0 {rng.choice(['null', 'phase', '0x10', '0xfffffffffffff000'])} {self.code()}",
            f"{thread} task_dependence {task} {task}", f"{thread} device_initialize {rng.randint(0, 2)} fake 0",
            f"{thread} device_load 0 module 4096 7", f"{thread} device_finalize {rng.randint(0, 2)}",
        ])]


def damage(rng, lines, threads, amount):
    """Drops, repeats, moves and alters lines, and gives some to other threads."""
    lines = list(lines)
    for _ in range(amount):
        if len(lines) < 4:
            break
        at = rng.randrange(len(lines))
        words = lines[at].split()
        what = rng.randrange(6)
        if what == 0:
            del lines[at]
        elif what == 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        elif what == 2:
            lines.insert(rng.randrange(len(lines)), lines.pop(at))
        elif what == 3:
            words[0] = str(rng.randrange(threads))
            lines[at] = " ".join(words)
        elif what == 4 and len(words) > 2:
            words[rng.randrange(2, len(words))] = rng.choice(["null", "0", "1", "2", "3", "t1", "t2", "p1", "p2", "99", "0xffffffff", "-1"])
            lines[at] = " ".join(words)
        else:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return lines


def make_script(seed):
    """(text, whether it is as a runtime would do it)"""
    rng = random.Random(seed)
    threads = rng.choice([1, 2, 2, 3, 4, 8])
    lines = Program(rng, threads).run(rng.randint(1, 6))
    legal = rng.random() < 0.25
    if not legal:
        lines = damage(rng, lines, threads, rng.choice([1, 2, 5, 20, len(lines)]))
    head = [f"runtime {rng.choice([13, 14, 16, 19, 22, 24])}"]
    if not legal and rng.random() < 0.3:
        head.append("concurrent")
    if not legal and rng.random() < 0.1:
        lines.append("0 exit")
    return "\n".join(head + lines) + "\n", legal
