#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a random OpenMP program in C that obeys the rules of nesting, ends whatever the number of threads is, and counts
its constructs: 'count barrier 12' for each kind, as check_program.py reads them.

make_program.py SEED [--events N] [--rare] [--without CONSTRUCT...] > program.c"""
import argparse
import random

from rare_constructs import RareConstructs

KINDS = ["parallel", "fork", "barrier", "single", "for", "sections", "masked", "critical", "ordered", "task", "taskwait", "taskgroup",
         "taskloop", "omp_set_lock", "omp_test_lock", "omp_set_nest_lock", "flush", "distribute", "teams"]
HEAD = """#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
%s
#define COUNT(kind) __atomic_fetch_add(&n_##kind, 1, __ATOMIC_RELAXED)
static long sum, reduced;
static omp_lock_t lock, tested;
static omp_nest_lock_t nest_lock;
static void work(long amount) {
  for (volatile long i = 0; i < amount * 20; ++i) {}
#pragma omp atomic
  sum += amount;
}
"""
TAIL = """  omp_destroy_lock(&lock), omp_destroy_lock(&tested), omp_destroy_nest_lock(&nest_lock);
  printf("sum %ld\\n", sum);
"""


class Place:
    """Where a statement stands: what may stand there, and how often it runs at most."""

    def __init__(self, times, team=False, tasks=True, critical=0, level=0, depth=0):
        self.times = times        # executions of the statement, over all threads
        self.team = team          # every thread of the team comes here: worksharing and barriers may be
        self.tasks = tasks        # a task scheduling point may be: not while a lock is held
        self.critical = critical  # of the innermost critical section around; 0: none
        self.level = level        # of parallel regions around
        self.depth = depth

    def inside(self, factor=1, **changes):
        values = dict(self.__dict__, **changes)
        values["times"] = self.times * factor
        values["depth"] = self.depth + 1
        return Place(**values)


class Writer(RareConstructs):
    def __init__(self, seed, events, rare, left_out):
        self.random = random.Random(seed)
        self.left = events
        self.lines = []
        self.left_out = {getattr(self, name) for name in left_out}
        self.choose(rare)
        self.names = 0
        self.uncounted = set()  # kinds that something cancelled may have had

    def put(self, place, text):
        self.lines.append("  " * (place.depth + 1) + text)

    def pragma(self, text):
        self.lines.append("#pragma omp " + text)

    def count(self, place, kind):
        self.put(place, f"COUNT({kind});")

    def fresh(self, letter="i"):
        """A variable's name that no other has."""
        self.names += 1
        return f"{letter}{self.names - 1}"

    def each(self, place, name, turns, body="{"):
        """The head of a loop, and what stands in its line."""
        self.put(place, f"for (int {name} = 0; {name} < {turns}; ++{name}) {body}")

    def chance(self, probability):
        return self.random.random() < probability

    def maybe(self, probability, text):
        return " " + text if self.chance(probability) else ""

    def pick(self, *of):
        return self.random.choice(of)

    def block(self, place, most=3):
        self.put(place, "{")
        for _ in range(self.random.randint(1, most)):
            self.statement(place.inside())
        self.put(place, "}")

    def statement(self, place):
        self.left -= place.times
        choices = [self.work, self.work, self.flush]
        if self.left > place.times * 8 and place.depth < 9:
            if place.critical < 3:
                choices += [self.critical, self.locks]
            if place.tasks:
                choices += [self.task, self.task, self.task, self.taskwait, self.taskgroup, self.taskloop, self.taskyield, self.depend,
                            *self.rare]
                if place.level < 3:
                    choices += [self.parallel] * (4 if place.level == 0 else 1)
                if place.level == 0 and not place.team and place.depth == 0:
                    choices += [self.teams, self.teams, self.serial, self.target, *self.rare_outside]
                if place.team:
                    choices += [self.doacross, self.copyprivate, self.barrier, self.single, self.loop, self.loop, self.ordered, self.sections, self.masked, self.reduction, *self.rare_in_team]
        self.random.choice([method for method in choices if method not in self.left_out])(place)

    def work(self, place):
        self.put(place, f"work({self.random.randint(1, 30)});")

    def flush(self, place):
        self.count(place, "flush")
        self.pragma("flush")
        self.put(place, ";")

    def critical(self, place):
        name = place.critical + 1  # only ever a higher one inside: no deadlock
        self.pragma(f"critical(c{name})" if name < 3 else f"critical(c{name}) hint(omp_sync_hint_contended)")
        self.put(place, "{")
        inner = place.inside(critical=name, tasks=False, team=False)
        self.count(inner, "critical")
        self.statement(inner)
        self.put(place, "}")

    def locks(self, place):
        if place.critical:
            return self.work(place)
        kind = self.pick("lock", "nest_lock", "test")
        inner = place.inside(critical=3, tasks=False, team=False)
        if kind == "test":
            self.count(place, "omp_test_lock")
            self.put(place, "if (omp_test_lock(&tested)) omp_unset_lock(&tested);")
            return None
        times = 2 if kind == "nest_lock" and self.chance(0.5) else 1
        for _ in range(times):
            self.count(place, f"omp_set_{kind}")
            self.put(place, f"omp_set_{kind}(&{kind});")
        self.work(inner)
        for _ in range(times):
            self.put(place, f"omp_unset_{kind}(&{kind});")
        return None

    def task_body(self, place, clauses):
        self.pragma("task" + clauses)
        self.put(place, "{")
        inner = place.inside(team=False)
        self.count(inner, "task")
        for _ in range(self.random.randint(1, 3)):
            self.statement(inner)
        self.put(place, "}")

    def task(self, place):
        if self.chance(0.1):  # with nothing inside: libomp's assertions do not hold for untied tasks that have children
            self.pragma("task untied")
            self.put(place, "{ COUNT(task); work(3); }")
            return
        self.task_body(place, self.maybe(0.15, "if(0)") + self.maybe(0.1, "final(1)") + self.maybe(0.15, "mergeable")
                       + self.maybe(0.1, "priority(3)"))

    def depend(self, place):
        self.put(place, "{")
        inner = place.inside()
        name = self.fresh("d")
        self.put(inner, f"int {name}[3] = {{0}};")
        for _ in range(self.random.randint(2, 4)):
            kind = self.pick("in", "out", "inout", "mutexinoutset")
            self.task_body(inner, f" shared({name}) depend({kind}: {name}[{self.random.randint(0, 2)}])" + self.maybe(0.3, f"depend(in: {name})"))
        self.taskwait(inner)
        self.put(place, "}")

    def taskwait(self, place):
        self.count(place, "taskwait")
        self.pragma("taskwait")
        self.put(place, ";")

    def taskyield(self, place):
        self.pragma("taskyield")
        self.put(place, ";")

    def taskgroup(self, place):
        self.count(place, "taskgroup")
        self.pragma("taskgroup")
        self.block(place.inside(team=False))

    def taskloop(self, place):
        name, turns = self.fresh(), self.random.randint(1, 5)
        alone = self.chance(0.3)
        self.count(place, "taskloop")
        if not alone:
            self.count(place, "taskgroup")
        self.pragma("taskloop grainsize(1)" + (" nogroup" if alone else ""))
        self.each(place, name, turns)
        inner = place.inside(turns, team=False)
        self.count(inner, "task")
        self.statement(inner)
        self.put(place, "}")

    def parallel(self, place):
        threads = self.random.randint(1, 4)
        self.count(place, "fork")
        self.pragma(f"parallel num_threads({threads})" + self.maybe(0.1, "if(0)") + self.maybe(0.1, "proc_bind(spread)"))
        self.put(place, "{")
        inner = place.inside(threads, team=True, level=place.level + 1, critical=0)
        self.count(inner, "parallel")
        for _ in range(self.random.randint(1, 5)):
            self.statement(inner)
        self.put(place, "}")

    def barrier(self, place):
        self.count(place, "barrier")
        self.pragma("barrier")
        self.put(place, ";")

    def single(self, place):
        self.count(place, "single")
        self.pragma("single" + self.maybe(0.4, "nowait"))
        self.block(place.inside(team=False))

    def loop(self, place):
        name, turns = self.fresh(), self.random.randint(1, 9)
        schedule = self.pick("", " schedule(static)", " schedule(static, 1)", " schedule(dynamic)", " schedule(guided)",
                             " schedule(runtime)", " schedule(nonmonotonic: dynamic, 2)")
        self.count(place, "for")
        self.pragma("for" + schedule + self.maybe(0.3, "nowait"))
        self.each(place, name, turns)
        inner = place.inside(max(1, turns // 2), team=False)
        for _ in range(self.random.randint(1, 2)):
            self.statement(inner)
        self.put(place, "}")

    def ordered(self, place):
        name, turns = self.fresh(), self.random.randint(1, 6)
        self.count(place, "for")
        self.pragma("for ordered" + self.pick("", " schedule(dynamic)", " schedule(static, 1)"))
        self.each(place, name, turns)
        inner = place.inside(team=False, critical=3, tasks=False)
        self.pragma("ordered")
        self.put(inner, "{ COUNT(ordered); work(2); }")
        self.put(place, "}")

    def sections(self, place):
        self.count(place, "sections")
        self.pragma("sections" + self.maybe(0.3, "nowait"))
        self.put(place, "{")
        for _ in range(self.random.randint(1, 4)):
            self.pragma("section")
            self.block(place.inside(team=False), 2)
        self.put(place, "}")

    def masked(self, place):
        self.pragma("master")
        self.put(place, "{")
        inner = place.inside(team=False)
        self.count(inner, "masked")
        self.statement(inner)
        self.put(place, "}")

    def reduction(self, place):
        name, turns = self.fresh(), self.random.randint(1, 9)
        self.count(place, "for")
        self.pragma("for reduction(+: reduced)" + self.maybe(0.3, "nowait"))
        self.each(place, name, turns, f"reduced += {name};")
        self.barrier(place)

    def doacross(self, place):
        name, turns = self.fresh(), self.random.randint(2, 6)
        self.count(place, "for")
        self.pragma("for ordered(1)" + self.pick("", " schedule(dynamic)", " schedule(static, 1)"))
        self.each(place, name, turns)
        self.pragma(f"ordered depend(sink: {name} - 1)")
        self.put(place.inside(), "work(1);")
        self.pragma("ordered depend(source)")
        self.put(place, "}")

    def copyprivate(self, place):
        self.put(place, "{")
        inner = place.inside()
        self.put(inner, "int shown;")
        self.count(inner, "single")
        self.pragma("single copyprivate(shown)")
        self.put(inner, "{ shown = 2; work(1); }")
        self.put(inner, "work(shown);")
        self.put(place, "}")

    def teams(self, place):
        """A league on the host; each initial thread may have a team of its own."""
        leagues, name = self.random.randint(1, 3), self.fresh()
        self.count(place, "fork")
        self.pragma(f"teams num_teams({leagues}) thread_limit(2)")
        self.put(place, "{")
        inner = place.inside(leagues, level=1)
        self.count(inner, "teams")
        self.count(inner, "fork")  # libomp puts a region of one thread around what each team of the league does
        self.count(inner, "parallel")
        if self.chance(0.6):
            self.count(inner, "distribute")
            self.pragma("distribute")
            self.each(inner, name, 4, f"work({name});")
        if self.chance(0.6):
            self.parallel(inner)
        self.put(place, "}")

    def serial(self, place):
        """Worksharing and synchronisation outside of any region bind to the initial task's team of one."""
        kind = self.pick("critical", "single", "masked")
        self.count(place, kind)
        self.pragma({"critical": "critical(c1)", "masked": "master"}.get(kind, kind))
        self.put(place, "{ work(2); }")
        name = self.fresh()
        self.count(place, "for")
        self.pragma("for" + self.pick("", " schedule(dynamic)"))
        self.each(place, name, 3, "work(1);")
        self.barrier(place)

    def target(self, place):
        self.pragma("target map(tofrom: sum)")
        self.put(place, "{")
        self.pragma("atomic")
        self.put(place.inside(), "sum += 3;")
        self.put(place, "}")

    def program(self):
        body = []
        roots = self.pick(1, 1, 1, 2, 3)
        functions = self.random.randint(2, 5)
        for number in range(functions):
            self.lines = []
            self.put(Place(1), f"// function {number}")
            for _ in range(self.random.randint(1, 4)):
                place = Place(roots)
                self.parallel(place) if self.chance(0.6) else self.statement(place)
            body.append("\n".join([f"static void part{number}(void) {{", *self.lines, "}", ""]))
        calls = "".join(f"  part{n}();\n" for n in self.random.sample(range(functions), functions))
        main = ["static void *root(void *unused) {", "  (void)unused;", f"  omp_set_max_active_levels({self.random.randint(1, 3)});",
                calls + "  return 0;", "}", "int main(void) {",
                "  omp_init_lock(&lock), omp_init_lock(&tested), omp_init_nest_lock(&nest_lock);"]
        if roots > 1:
            main.append(f"  pthread_t other[{roots}];")
        main += [f"  pthread_create(&other[{n}], 0, root, 0);" for n in range(1, roots)]
        main.append("  root(0);")
        main += [f"  pthread_join(other[{n}], 0);" for n in range(1, roots)]
        text = "\n".join([*body, *main, ""]) + TAIL
        used = [kind for kind in KINDS if f"COUNT({kind})" in text]
        prints = "".join(f'  printf("%s {kind} %%ld\\n", n_{kind});\n' % ("some" if kind in self.uncounted else "count") for kind in used)
        end = self.pick("  return 0;\n}\n", "  exit(0);\n}\n", "  fflush(stdout);\n  exit(0);\n}\n")
        return HEAD % "\n".join(f"static long n_{kind};" for kind in used) + text + prints + end


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--events", type=int, default=3000, help="about so many statements are executed at most")
    parser.add_argument("--without", action="append", default=[], help="a construct (a method of Writer) to leave out")
    parser.add_argument("--rare", action="store_true", help="in some also what not every runtime survives, as OpenMP 5.2 has it: detached tasks, taskwait depend, undeferred tasks with dependences, reductions of tasks, scope, loop, cancellation")
    options = parser.parse_args()
    print(Writer(options.seed, options.events, options.rare, options.without).program(), end="")


if __name__ == "__main__":
    main()
