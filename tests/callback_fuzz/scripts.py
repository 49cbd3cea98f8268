# SPDX-License-Identifier: BSD-3-Clause
"""Random scripts for the fake runtime: programs as a runtime would report them, and what no runtime should ever say."""
import random

CODE = ["0x401000", "0x401020", "0x401040", "0", "0xffffffffffffffff"]
# What one thread may do alone; the whole team does barriers and singles. 99 and 77: no version knows them.
KINDS = {"sync_region": [5, 6, 99], "reduction": [7], "work": [1, 2, 5, 6, 7, 8, 10, 11, 12, 13, 77], "masked": [0]}


class Program:
    """A small OpenMP program: regions, teams, tasks, locks, targets. `lines` is one possible order of its callbacks. `contended`: of
    programs that are mostly about locks, which several threads seem to have at once: no possible order."""

    def __init__(self, rng, threads, contended):
        self.rng, self.threads, self.contended = rng, threads, contended
        self.statements = [self.scope, self.scope, self.mutex, self.nest_lock, self.task, self.target, self.others]
        if contended:
            self.statements += [self.mutex] * 6 + [self.task]
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
            self.lines += self.region(0, self.initial, 0, set())
        self.lines += self.wake(range(self.threads))
        self.lines.append(f"0 implicit_task end null {self.initial} 0 1 initial")
        self.lines += [f"{thread} thread_end null" for thread in sorted(self.begun, reverse=True)]
        self.lines.append("0 finalize")
        return self.lines

    def wake(self, threads):
        return [line for thread in threads for line in self.late.pop(thread, [])]

    def region(self, master, task, depth, busy):
        """A parallel region that `task` on `master` encounters, with threads that are not `busy`."""
        rng, parallel = self.rng, self.new("p")
        free = [t for t in range(1, self.threads) if t != master and t not in busy]
        workers = rng.sample(free, k=rng.randint(0, len(free)))
        team, code = [master] + workers, self.code()
        lines = self.wake(workers)
        lines.append(f"{master} parallel_begin {task} {parallel} {len(team) + rng.randint(0, 2)} team+program {code}")
        tasks = {thread: self.new("t") for thread in team}
        begins = {}
        for index, thread in enumerate(team):
            begins[thread] = [f"{thread} implicit_task begin {parallel} {tasks[thread]} {len(team)} {index} implicit"]
            if thread not in self.begun:
                self.begun.add(thread)
                begins[thread].insert(0, f"{thread} thread_begin worker null")
        nested = rng.choice(team) if depth < 2 and rng.random() < 0.3 else None
        for part in range(rng.randint(1, 3)):
            queues = [(begins[thread] if part == 0 else []) + self.body(thread, tasks[thread], parallel, rng.randint(0, 3)) for thread in team]
            lines += self.merge(queues)
            if part == 0 and nested is not None:
                lines += self.region(nested, tasks[nested], depth + 1, busy | set(team))
            if part > 0:
                lines += self.barrier("barrier_explicit", team, tasks, parallel, self.code())
        lines += self.join(team, tasks, parallel, code)
        lines.append(f"{master} parallel_end {parallel} {task} team+program {code}")
        return lines

    def barrier(self, kind, team, tasks, parallel, code):
        """All enter before any leaves."""
        parts = []
        for endpoint, callbacks in (("begin", ("sync_region", "sync_region_wait")), ("end", ("sync_region_wait", "sync_region"))):
            parts += self.merge([[f"{thread} {callback} {kind} {endpoint} {parallel} {tasks[thread]} {code}" for callback in callbacks] for thread in team])
        return parts

    def join(self, team, tasks, parallel, code):
        """The region's last barrier; the workers' ends come when they are woken again."""
        lines = self.merge([[f"{thread} {callback} barrier_implicit_parallel begin {parallel} {tasks[thread]} {code}"
                             for callback in ("sync_region", "sync_region_wait")] for thread in team])
        for index, thread in enumerate(team):
            own = tasks[thread]
            end = [f"{thread} sync_region_wait barrier_implicit_parallel end null {own} {code}",
                   f"{thread} sync_region barrier_implicit_parallel end null {own} {code}",
                   f"{thread} implicit_task end null {own} {len(team) if index == 0 else 0} {index} implicit"]
            if index == 0:
                lines += end
            else:
                self.late[thread] = end
        return lines

    def merge(self, queues):
        """One random order of all, each queue in its own."""
        lines, queues = [], [list(queue) for queue in queues if queue]
        while queues:
            queue = self.rng.choice(queues)
            lines.append(queue.pop(0))
            if not queue:
                queues.remove(queue)
        return lines

    def body(self, thread, task, parallel, length):
        lines = []
        for _ in range(length):
            lines += self.rng.choice(self.statements)(thread, task, parallel)
        return lines

    def scope(self, thread, task, parallel):
        callback = self.rng.choice(["work", "sync_region", "masked", "reduction"])
        kind = self.rng.choice(KINDS[callback])
        code, count = self.code(), self.rng.randint(0, 1000)
        first = f"{thread} {callback}" + ("" if callback == "masked" else f" {kind}")
        last = f" {parallel} {task}" + (f" {count}" if callback == "work" else "") + f" {code}"
        return [f"{first} begin{last}", *self.body(thread, task, parallel, self.rng.randint(0, 2)), f"{first} end{last}"]

    def mutex(self, thread, task, parallel):
        kind, wait, code = self.rng.randint(1, 7), self.rng.randint(1, 3) * 64 + self.own_locks(thread), self.code()
        return [f"{thread} mutex_acquire {kind} 0 {self.rng.randint(0, 4)} {wait} {code}", f"{thread} mutex_acquired {kind} {wait} {code}",
                *self.body(thread, task, parallel, self.rng.randint(0, 1) if self.contended else 0), f"{thread} mutex_released {kind} {wait} {code}"]

    def own_locks(self, thread):
        return 0 if self.contended else 1024 * thread

    def nest_lock(self, thread, task, parallel):
        wait, code, depth = 4096 + self.own_locks(thread), self.code(), self.rng.randint(0, 2)
        return [f"{thread} mutex_acquire 3 0 1 {wait} {code}", f"{thread} mutex_acquired 3 {wait} {code}",
                *[f"{thread} {line}" for _ in range(depth) for line in (f"mutex_acquire 3 0 1 {wait} {code}", f"nest_lock begin {wait} {code}")],
                *[f"{thread} nest_lock end {wait} {code}" for _ in range(depth)], f"{thread} mutex_released 3 {wait} {code}"]

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
            f"{thread} error {rng.randint(1, 3)} {rng.randint(1, 24)} {self.code()}",
            f"{thread} dispatch {parallel} {task} {rng.choice([0, 1, 3, 4, 5, 6])} {rng.randint(0, 100)} 4",
            f"{thread} lock_init 1 0 1 {rng.randint(1, 5) * 64} {self.code()}", f"{thread} lock_destroy 1 {rng.randint(1, 5) * 64} {self.code()}",
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
    legal = rng.random() < 0.25
    lines = Program(rng, threads, not legal and rng.random() < 0.3).run(rng.randint(1, 6))
    if not legal:
        lines = damage(rng, lines, threads, rng.choice([1, 2, 5, 20, len(lines)]))
    head = [f"runtime {rng.choice([13, 14, 16, 19, 22, 24])}"]
    if not legal and rng.random() < 0.3:
        head.append("concurrent")
    if not legal and rng.random() < 0.1:
        lines.append("0 exit")
    return "\n".join(head + lines) + "\n", legal
