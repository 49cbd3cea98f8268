# SPDX-License-Identifier: BSD-3-Clause
"""A program whose functions are called as often as CALLS says: through exceptions, generators, coroutines, threads, recursion and a
forked child; ends with status 3. With "profile" it also sets profile functions of its own, and prints what they see."""
import asyncio
import cProfile
import json
import os
import pstats
import sys
import threading

# By qualified name, from Python 3.11 on; each resumption of a generator or coroutine is an entry of its own.
CALLS = {"leaf": 145, "numbers": 38, "Thing.method": 3, "thrower": 5, "deep": 1000, "coroutine": 30, "gather": 2, "in_thread": 4,
         "closed": 4, "main": 1, "forks": 1, "after": 1, "outer": 2, "outer.<locals>.inner": 4}


def leaf(n):
    return n + 1


def numbers(n):
    for i in range(n):
        yield leaf(i)


class Thing:
    def method(self):
        return sum(numbers(5))


def thrower():
    leaf(0)
    raise ValueError


def deep(n):
    return 0 if n == 1 else deep(n - 1)


async def coroutine(n):
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return leaf(n)


async def gather():
    return sum(await asyncio.gather(*(coroutine(i) for i in range(10))))


def in_thread():
    for n in numbers(4):
        leaf(n)
    sum(leaf(n) for n in range(20))


def closed():
    try:
        yield 1
        yield 2
    finally:
        leaf(0)


def forks():
    child = os.fork()
    if child == 0:
        for n in range(3):
            leaf(n)
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def after():
    leaf(1)


def outer(n):
    def inner():
        return n
    return inner() + inner() + (lambda: n)() + sum(inner_n for inner_n in [n])


def own_profiles():
    seen, result = [], []
    sys.setprofile(lambda frame, what, _: seen.append((frame.f_code.co_name, what)))
    leaf(1)
    sys.setprofile(None)
    result.append([one for one in seen if one[0] == "leaf"])
    profile = cProfile.Profile()
    profile.enable()
    leaf(1)
    leaf(2)
    profile.disable()
    with open(os.devnull, "w") as nowhere:
        stats = pstats.Stats(profile, stream=nowhere)
    result.append([row[0] for (_, _, name), row in stats.stats.items() if name == "leaf"])
    traced = []
    sys.settrace(lambda frame, what, _: traced.append(frame.f_code.co_name))
    leaf(1)
    sys.settrace(None)
    result.append(traced.count("leaf"))
    return result


def main():
    for _ in range(3):
        Thing().method()
    for _ in range(5):
        try:
            thrower()
        except ValueError:
            pass
    deep(1000)
    outer(outer(1))
    asyncio.run(gather())
    threads = [threading.Thread(target=in_thread) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    generator = closed()
    next(generator)
    generator.close()
    generator = closed()
    next(generator)
    try:
        generator.throw(KeyError)
    except KeyError:
        pass
    after()
    return forks()


if __name__ == "__main__":
    sys.setrecursionlimit(3000)
    print(main(), sys.getprofile(), sys.gettrace(), threading.getprofile() if hasattr(threading, "getprofile") else None)
    print(sorted(name for name in sys.modules if "tracer" in name), sys.flags, [path for path in sys.path if "tracer" in path.lower()])
    if "profile" in sys.argv:
        print(json.dumps(own_profiles()))
    sys.exit(3)
