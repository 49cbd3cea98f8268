# SPDX-License-Identifier: BSD-3-Clause
"""Of make_program.py: what is only in some of the programs, since not every runtime and compiler has it or survives it."""


class RareConstructs:
    """Methods of Writer."""

    def choose(self, rare):
        self.rare = self.some_of(rare, self.detach, self.taskwait_depend, self.undeferred_depend, self.iterated_depend, self.reducing_taskgroup,
                                 self.reducing_taskloop, self.priorities, self.nested_final)
        self.rare_in_team = self.some_of(rare, self.scope, self.loop_construct, self.collapsed, self.for_simd, self.lastprivate, self.lastprivate_sections)
        self.rare_outside = [self.cancelled] if rare else []

    def some_of(self, rare, *methods):
        return [method for method in methods if self.chance(0.3)] if rare else []

    def detach(self, place):
        self.put(place, "{")
        inner = place.inside()
        self.put(inner, "omp_event_handle_t event;")
        self.pragma("task detach(event)")
        by_itself = self.chance(0.5)
        self.put(inner, "{ COUNT(task); work(2); omp_fulfill_event(event); }" if by_itself else "{ COUNT(task); work(2); }")
        if not by_itself:
            self.pragma("task firstprivate(event)" if self.chance(0.5) else "task firstprivate(event) if(0)")
            self.put(inner, "{ COUNT(task); omp_fulfill_event(event); }")
        self.put(place, "}")

    def taskwait_depend(self, place):
        self.put(place, "{")
        inner = place.inside()
        self.put(inner, "int a = 0, b = 0;")
        self.task_body(inner, " shared(a) depend(out: a)")
        self.task_body(inner, " shared(b) depend(inout: b)")
        self.count(inner, "taskwait")
        self.pragma("taskwait depend(in: a)" + self.maybe(0.5, "depend(out: b)"))
        self.put(inner, ";")
        self.taskwait(inner)
        self.put(place, "}")

    def undeferred_depend(self, place):
        self.uncounted.add("taskwait")  # one that waits for its dependences
        self.put(place, "{")
        inner = place.inside()
        name = self.fresh("d")
        self.put(inner, f"int {name}[3] = {{0}};")
        for _ in range(self.random.randint(2, 4)):
            kind = self.pick("in", "out", "inout", "mutexinoutset", "inoutset")
            self.task_body(inner, f" shared({name}) depend({kind}: {name}[{self.random.randint(0, 2)}])" + self.maybe(0.3, f"depend(in: {name})")
                           + self.maybe(0.5, "if(0)") + self.maybe(0.1, "depend(out: omp_all_memory)") + self.maybe(0.1, "final(1)") + self.maybe(0.1, "mergeable"))
        self.taskwait(inner)
        self.put(place, "}")

    def iterated_depend(self, place):
        self.uncounted.add("taskwait")
        self.put(place, "{")
        inner = place.inside()
        name = self.fresh("d")
        self.put(inner, f"int {name}[8] = {{0}};")
        for _ in range(self.random.randint(1, 3)):
            kind = self.pick("in", "out", "inout", "mutexinoutset")
            self.task_body(inner, f" shared({name}) depend(iterator(it = 0:{self.random.randint(1, 8)}), {kind}: {name}[it])" + self.maybe(0.2, "if(0)" if kind != "mutexinoutset" else ""))
        self.taskwait(inner)
        self.put(place, "}")

    def reducing_taskgroup(self, place):
        self.put(place, "{")
        inner = place.inside(team=False)
        name = self.fresh("r")
        self.put(inner, f"long {name} = 0;")
        self.count(inner, "taskgroup")
        self.pragma(f"taskgroup task_reduction(+: {name})")
        self.put(inner, "{")
        for _ in range(self.random.randint(1, 3)):
            self.pragma(f"task in_reduction(+: {name})" + self.maybe(0.2, "if(0)") + self.maybe(0.1, "untied"))
            self.put(inner, f"{{ COUNT(task); {name} += 2; }}")
        self.put(inner, "}")
        self.put(place, "}")

    def reducing_taskloop(self, place):
        self.put(place, "{")
        inner = place.inside(team=False)
        name, i = self.fresh("r"), self.fresh()
        turns = self.random.randint(1, 6)
        self.put(inner, f"long {name} = 0;")
        self.count(inner, "taskloop")
        self.count(inner, "taskgroup")
        self.pragma(f"taskloop reduction(+: {name}) " + self.pick("grainsize(1)", "num_tasks(64)"))
        self.put(inner, f"for (int {i} = 0; {i} < {turns}; ++{i}) {{ COUNT(task); {name} += {i}; }}")
        self.put(place, "}")

    def priorities(self, place):
        for priority in (0, 5, 1):
            self.task_body(place, f" priority({priority})" + self.maybe(0.3, "mergeable") + self.maybe(0.3, "final(0)"))

    def nested_final(self, place):
        self.pragma("task final(1)")
        self.put(place, "{")
        inner = place.inside(team=False)
        self.count(inner, "task")
        for _ in range(2):
            self.pragma("task" + self.maybe(0.5, "untied") + self.maybe(0.3, "depend(inout: sum)"))
            self.put(inner, "{ COUNT(task); work(2); }")
        self.pragma("taskwait")
        self.put(inner, ";")
        self.count(inner, "taskwait")
        self.put(place, "}")

    def scope(self, place):
        self.pragma("scope" + self.maybe(0.5, "nowait"))
        self.block(place.inside(team=False))

    def loop_construct(self, place):
        self.uncounted.add("for")
        name = self.fresh()
        self.pragma("loop bind(parallel)")
        self.each(place, name, self.random.randint(1, 9), "work(1);")

    def collapsed(self, place):
        self.count(place, "for")
        one, two = self.fresh(), self.fresh()
        self.pragma("for collapse(2)" + self.pick("", " schedule(dynamic, 3)", " schedule(guided)") + self.maybe(0.4, "nowait"))
        self.put(place, f"for (int {one} = 0; {one} < 3; ++{one}) for (int {two} = 0; {two} < 4; ++{two}) work(1);")

    def for_simd(self, place):
        self.count(place, "for")
        name = self.fresh()
        self.pragma("for simd" + self.pick("", " schedule(simd: static)", " schedule(dynamic, 4)"))
        self.each(place, name, self.random.randint(1, 40), "{ volatile int t = 1; (void)t; }")

    def lastprivate(self, place):
        self.count(place, "for")
        name = self.fresh()
        self.pragma("for lastprivate(reduced)")
        self.each(place, name, self.random.randint(1, 9), f"reduced = {name};")

    def lastprivate_sections(self, place):
        self.count(place, "sections")
        self.pragma("sections lastprivate(reduced)")
        self.put(place, "{")
        for _ in range(self.random.randint(1, 5)):
            self.pragma("section")
            self.put(place.inside(), "{ reduced = 1; work(1); }")
        self.put(place, "}")

    def cancelled(self, place):
        """How far the others get is not known: nothing is counted inside."""
        threads = self.random.randint(1, 4)
        self.count(place, "fork")
        self.pragma(f"parallel num_threads({threads})")
        self.put(place, "{")
        inner = place.inside(threads, level=place.level + 1)
        self.count(inner, "parallel")
        kind = self.pick("parallel", "for", "sections", "taskgroup")
        self.uncounted |= {kind, "task"} if kind == "taskgroup" else {kind} if kind != "parallel" else set()
        if kind == "parallel":
            self.pragma("cancel parallel if(omp_get_thread_num() == 0)")
            self.pragma("cancellation point parallel")
        elif kind == "for":
            self.pragma("for")
            self.put(inner, "for (int i = 0; i < 8; ++i) {")
            self.pragma("cancel for if(i == 3)")
            self.pragma("cancellation point for")
            self.put(inner, "}")
        elif kind == "sections":
            self.pragma("sections")
            self.put(inner, "{")
            self.pragma("section")
            self.put(inner, "{")
            self.pragma("cancel sections")
            self.put(inner, "}")
            self.pragma("section")
            self.put(inner, "work(0);")
            self.put(inner, "}")
        else:
            self.pragma("taskgroup")
            self.put(inner, "for (int i = 0; i < 6; ++i) {")
            self.pragma("task")
            self.put(inner, "{")
            self.pragma("cancel taskgroup if(i == 2)")
            self.pragma("cancellation point taskgroup")
            self.put(inner, "}")
            self.put(inner, "}")
        self.put(place, "}")
