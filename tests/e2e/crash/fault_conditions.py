# SPDX-License-Identifier: BSD-3-Clause
"""Conditions in which a traced program lacks disk, memory, descriptors, threads, shared memory or its directory."""
import ctypes
import os
import pathlib
import re
import resource
import shutil
import subprocess


class Skip(Exception):
    """Cannot be tried here; the text says why."""


class Fault:
    """One condition: what to do before, how to start the program, and what must be left."""
    argument = "none"
    rounds = 20000
    archive = "complete"   # complete, some (recovered, or less than all), later (by tracer convert), none
    least, lines = 1, 2    # lines that the tool may say
    first = ""             # other tools before it
    not_with = ""          # sanitizers that need what is taken
    said = ""              # in one of the lines
    false = ""             # what is not the reason

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.output = self.directory / "trace"
        self.settings = {}

    def prepare(self):
        pass

    def place(self, file):
        """Where the program's user finds the file."""
        return file

    def limit(self):
        """In the program's process, before it starts."""

    def more_arguments(self, printed):
        """Of the traced program, after what it printed without the tool."""
        return []

    def clean(self):
        pass


class Nothing(Fault):
    """no fault at all"""
    lines = 1


def mount_tmpfs(directory, size):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(directory)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Skip(f"no file system can be mounted here: {done.stderr.strip()}")


class SmallDisk(Fault):
    """the disk is full while recording"""
    archive = "some"
    rounds = 60000

    def prepare(self):
        self.disk = self.directory / "disk"
        self.disk.mkdir()
        mount_tmpfs(self.disk, "1m")
        self.output = self.disk / "trace"

    def clean(self):
        subprocess.run(["umount", "-l", str(self.disk)], check=False)


class DiskFullAtConversion(SmallDisk):
    """the disk is full while converting"""
    archive = "some"
    rounds = 4000

    def prepare(self):
        super().prepare()
        subprocess.run(["mount", "-o", "remount,size=600k", str(self.disk)], check=True)


class FileSizeLimit(Fault):
    """the file size limit (RLIMIT_FSIZE) is reached; its signal is ignored, as by programs that know of it"""
    not_with = "thread"
    archive = "some"
    false = "no room for more rings"
    lines = 3  # of the rings, of the trace, of the archive
    rounds = 60000

    def limit(self):
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300 * 1024, resource.RLIM_INFINITY))


class FileSizeLimitOfOthers(Fault):
    """the file size limit is reached while recording; its signal would end the program"""
    not_with = "thread"
    archive = "some"
    false = "no room for more rings"
    lines = 3  # of the rings, of the trace, of the archive
    rounds = 60000
    bytes = 300 * 1024

    def limit(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.bytes, resource.RLIM_INFINITY))


class FileSizeLimitBelowRings(FileSizeLimitOfOthers):
    """the file size limit is less than a ring"""
    archive = "none"  # worth looking at
    bytes = 40 * 1024


class FileSizeLimitBelowAll(FileSizeLimitOfOthers):
    """the file size limit is less than the journal's begin"""
    archive = "none"
    bytes = 2 * 1024


class NoSharedMemory(Fault):
    """the place for the rings cannot be written"""

    def prepare(self):
        self.settings["TRACER_SPOOL"] = "/proc/none"


class SmallSharedMemory(Fault):
    """shared memory has no room for the rings to grow"""

    def prepare(self):
        self.spool = self.directory / "spool"
        self.spool.mkdir()
        mount_tmpfs(self.spool, "256k")
        self.settings["TRACER_SPOOL"] = str(self.spool)

    def clean(self):
        subprocess.run(["umount", "-l", str(self.spool)], check=False)


class SharedWithTheProgram(Fault):
    """the program takes three quarters of /dev/shm, which is as small as a container's"""
    argument = "shares"
    rounds = 100
    lines = 3

    def prepare(self):
        self.c = ctypes.CDLL(None, use_errno=True)
        self.environment = {"TRACER_TEST_SHARED": "/dev/shm/of the program"}
        if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], capture_output=True).returncode != 0:
            raise Skip("no /dev/shm of one's own can be mounted here")

    def limit(self):
        new_mounts, private = 0x20000, 0x4000 | 1 << 18  # CLONE_NEWNS; MS_REC and MS_PRIVATE
        done = self.c.unshare(new_mounts), self.c.mount(b"none", b"/", None, private, None), self.c.mount(
            b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"size=16m")
        if any(done):
            raise OSError(ctypes.get_errno(), "mount")


class Descriptors(Fault):
    """the program has taken all descriptors"""
    not_with = "undefined thread"
    argument = "descriptors"
    archive = "some"
    lines = 3

    def limit(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


class LowLimit(Fault):
    """the limit of descriptors is low: the program's files get the numbers that they have without the tool"""
    not_with = "undefined thread"
    argument = "opens"
    lines = 1

    def limit(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    def more_arguments(self, printed):
        return re.findall(r"^descriptor (\d+)$", printed, re.MULTILINE)


class FewDescriptors(Fault):
    """no descriptor is free from the start"""
    not_with = "undefined thread"
    archive = "any"

    def limit(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6))


class Signals(Fault):
    """system calls are interrupted all the time"""
    argument = "signals"
    lines = 1


class Removed(Fault):
    """the directory is removed while recording"""
    argument = "removed"
    archive = "none"
    rounds = 60000

    def prepare(self):
        self.settings["TRACER_TEST_REMOVE"] = str(self.output)


class Unwritable(Fault):
    """the directory for the trace cannot be written"""
    archive = "none"

    def prepare(self):
        self.output = pathlib.Path("/proc/trace")


class Threads(Fault):
    """no thread for the drainer (a failing pthread_create)"""

    def prepare(self):
        source, library = self.directory / "no_thread.c", self.directory / "no_thread.so"
        source.write_text('#define _GNU_SOURCE\n#include <pthread.h>\n#include <dlfcn.h>\n#include <errno.h>\n'
                          'static int calls;\n'
                          'int pthread_create(pthread_t* t, const pthread_attr_t* a, void* (*f)(void*), void* v) {\n'
                          '  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = dlsym(RTLD_NEXT, "pthread_create");\n'
                          '  return calls++ == 0 ? EAGAIN : real(t, a, f, v);\n}\n')
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler or subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(library), "-ldl"]).returncode != 0:
            raise Skip("no C compiler")
        self.settings["LD_PRELOAD"] = str(library)


class ThreadsOfSamples(Threads):
    """no thread for the drainer, of which samples are wanted"""
    said = "no samples are taken: no thread could be started"
    lines = 3

    def prepare(self):
        super().prepare()
        self.settings["TRACER_SAMPLE"] = "1000"


class ProcessLimit(Fault):
    """no second thread for this user (RLIMIT_NPROC)"""
    lines = 2

    def prepare(self):
        if os.geteuid() != 0:
            raise Skip("only root can become a user without processes")
        self.output = self.directory / "room" / "trace"
        self.directory.chmod(0o755)
        self.output.parent.mkdir()
        self.output.parent.chmod(0o777)
        self.environment = {"OMP_THREAD_LIMIT": "1", "KMP_WARNINGS": "0"}  # the runtime itself would complain

    def place(self, file):  # not below a directory of root's alone
        return shutil.copy(file, self.directory)

    def limit(self):
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        os.setgroups([])
        os.setgid(64311)
        os.setuid(64311)  # nobody else's: the limit counts a user's threads


class AnotherTool(Fault):
    """another tool comes first and declines"""
    lines = 1
    accepts = "0"

    def prepare(self):
        source, self.other = self.directory / "other.c", self.directory / "other.so"
        source.write_text("static int start(void* look_up, int device, void* data) { return 1; }\nstatic void end(void* data) {}\n"
                          "static struct { void *start, *end; unsigned long data; } tool = {start, end, 0};\n"
                          f"void* ompt_start_tool(unsigned version, const char* runtime) {{ return {self.accepts} ? &tool : 0; }}\n")
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler or subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(self.other)]).returncode != 0:
            raise Skip("no C compiler")
        self.first = f"{self.other}:"


class AnotherToolAccepts(AnotherTool):
    """another tool comes first and takes the runtime"""
    accepts = "1"
    archive = "none"
    least = lines = 0


class Memory(Fault):
    """little address space (RLIMIT_AS)"""
    not_with = "address thread"
    archive = "any"
    false = "all of TRACER_MEMORY"
    lines = 4

    def limit(self):
        resource.setrlimit(resource.RLIMIT_AS, (220 << 20, 220 << 20))


class MemoryForTables(Fault):
    """too little memory is left for the conversion's tables (RLIMIT_AS)"""
    argument = "little_memory"
    not_with = "address thread"
    archive = "later"
    rounds = 10
    lines = 1


class SizeLimit(Fault):
    """TRACER_SIZE_LIMIT is reached"""
    archive = "some"
    rounds = 60000

    def prepare(self):
        self.settings["TRACER_SIZE_LIMIT"] = "64K"


class StopWhenFull(Fault):
    """rings are full and recording is to stop then"""
    archive = "some"
    lines = 2

    def prepare(self):
        self.settings.update(TRACER_ON_FULL="stop", TRACER_RING_SIZE="16K")


class TinyRings(Fault):
    """the smallest rings"""
    lines = 1

    def prepare(self):
        self.settings.update(TRACER_RING_SIZE="16K", TRACER_MEMORY="64K")


class SystemClock(Fault):
    """the processor has no steady counter"""
    lines = 1

    def prepare(self):
        self.settings["TRACER_CLOCK"] = "system"


def kinds(of):
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


FAULTS = {kind.__name__: kind for kind in kinds(Fault)}
