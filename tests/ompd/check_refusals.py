#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What cannot be looked into: each reason has its message and its exit status. And core files that lie."""
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from support import HAVE_RUNTIME, NO_CORES, NO_RUNTIME, PROGRAMS, RUNTIME, TRACER, Program, core_of, environment, tracer, unit_tests, wait_until

MUTATIONS = 25 * int(os.environ.get("TRACER_STRESS", "1"))
NO_SUCH, NO_PERMISSION, OTHER_ARCHITECTURE, NO_OPENMP, NOT_YET, STRIPPED, NO_PLUGIN, DAMAGED, STUCK, CRASHED = range(10, 20)
with_runtime = unittest.skipUnless(HAVE_RUNTIME, NO_RUNTIME)

# A 32-bit program that pauses: one page, no libraries.
I386 = (b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048054, 52, 0, 0, 52, 32, 1, 0, 0, 0)
        + struct.pack("<IIIIIIII", 1, 0, 0x8048000, 0x8048000, 0x60, 0x60, 5, 0x1000) + b"\xb8\x1d\0\0\0\xcd\x80\xeb\xf7" + bytes(3))


def sleeps_in_a_team(pid):
    """Whether the process has GCC's runtime, and threads that all sleep."""
    place = pathlib.Path("/proc", str(pid))
    states = [file.read_text().rpartition(")")[2].split()[0] for file in place.glob("task/*/stat")]
    return "libgomp" in (place / "maps").read_text() and len(states) > 1 and set(states) == {"S"}


class Refusals(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)

    def refused(self, status, words, what, *options, command="snapshot"):
        done = tracer(command, what, *options)
        self.assertEqual(status, done.returncode, done.stderr + done.stdout)
        self.assertRegex(done.stderr, words)
        self.assertEqual("", done.stdout)
        self.assertEqual(1, len(done.stderr.strip().splitlines()), done.stderr)

    def sleeper(self, *command):
        process = subprocess.Popen(command or ["sleep", "600"], stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        time.sleep(0.2)
        return process.pid

    def test_no_such_process_or_file(self):
        self.refused(NO_SUCH, "there is no process 4194999", 4194999)
        self.refused(NO_SUCH, "there is no process 4194999", 4194999, command="attach")
        self.refused(NO_SUCH, "No such file", self.directory / "nothing")
        self.refused(NO_SUCH, "cannot read", self.directory)

    def test_a_process_without_its_main_thread(self):
        pid = self.sleeper(sys.executable, "-c", "import ctypes, threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
                           "ctypes.CDLL(None).pthread_exit(None)")
        wait_until(lambda: "(zombie)" in pathlib.Path(f"/proc/{pid}/status").read_text(), 30)
        for command in ("snapshot", "attach"):
            self.refused(NO_SUCH, f"main thread of process {pid} has ended, its other threads run on", pid, command=command)

    def test_files_that_are_no_core_files(self):
        text = self.directory / "text"
        text.write_text("hello")
        self.refused(DAMAGED, "neither a core file nor a process id", text)
        self.refused(DAMAGED, "no core file", shutil.which("sleep"))
        (self.directory / "empty").touch()
        self.refused(DAMAGED, "neither", self.directory / "empty")

    def test_no_openmp(self):
        pid = self.sleeper()
        self.refused(NO_OPENMP, "does not use OpenMP, or does not yet", pid)
        self.refused(NO_OPENMP, "does not use OpenMP, or does not yet", pid, command="attach")
        self.assertTrue(pathlib.Path(f"/proc/{pid}").exists())

    @unittest.skipUnless(shutil.which("gcc"), "no gcc")
    def test_gccs_runtime(self):
        program = self.directory / "gomp"
        made = subprocess.run(["gcc", "-fopenmp", "-xc", "-", "-o", str(program)], text=True, capture_output=True,
                              input="#include <unistd.h>\nint main(void) {\n#pragma omp parallel num_threads(2)\npause();\n}\n")
        if made.returncode != 0:
            self.skipTest("gcc has no OpenMP here")
        pid = self.sleeper(str(program))
        wait_until(lambda: sleeps_in_a_team(pid), 30)
        self.refused(NO_OPENMP, "GCC's .* has no OMPD", pid)
        done = tracer("snapshot", pid, "--anyway")
        self.assertEqual(3, done.returncode, done.stderr)
        self.assertIn("GCC's", done.stderr)
        self.assertRegex(done.stdout, r"LWP \d+: works at .*main")

    def test_other_architectures(self):
        program = self.directory / "i386"
        program.write_bytes(I386)
        program.chmod(0o755)
        try:
            pid = self.sleeper(str(program))
        except OSError as error:
            self.skipTest(f"no 32-bit programs here: {error}")
        if not pathlib.Path(f"/proc/{pid}/maps").read_text():
            self.skipTest("no 32-bit programs here")
        self.refused(OTHER_ARCHITECTURE, "another architecture", pid)
        foreign = self.directory / "core"
        foreign.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHI", 4, 243, 1) + bytes(200))
        self.refused(OTHER_ARCHITECTURE, "RISC-V", foreign)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv")
    def test_no_permission(self):
        pid = self.sleeper()
        copied = self.directory / "tracer"
        shutil.copy(TRACER, copied)
        self.directory.chmod(0o755)
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", str(copied), "snapshot", str(pid)],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(NO_PERMISSION, done.returncode, done.stderr)
        self.assertRegex(done.stderr, "belongs to another user")

    @with_runtime
    def test_someone_else_traces_it(self):
        with Program("stops", "barrier") as program:
            program.line()
            follower = subprocess.Popen([TRACER, "attach", str(program.id), "--no-archive"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.assertIn("following", follower.stderr.readline())
            self.refused(NO_PERMISSION, "traces it already", program.id)
            follower.terminate()
            follower.communicate(timeout=60)
            self.assertEqual(0, tracer("snapshot", program.id).returncode)

    @with_runtime
    @unittest.skipUnless(shutil.which("strip"), "no strip")
    def test_a_stripped_runtime(self):
        subprocess.run(["strip", "-s", "-o", str(self.directory / "libomp.so.5"), str(RUNTIME / "libomp.so")], check=True)
        with Program("stops", "barrier", runtime=self.directory) as program:
            program.line()
            self.refused(STRIPPED, "is stripped", program.id)
            self.refused(STRIPPED, "is stripped", program.id, command="attach")
            done = tracer("snapshot", program.id, "--anyway")
            self.assertEqual(3, done.returncode, done.stderr)
            self.assertEqual(2, len(re.findall(r"waits at a barrier at stops.c:\d+ \(in_barrier\)", done.stdout)), done.stdout)

    @with_runtime
    @unittest.skipUnless(shutil.which("objcopy"), "no objcopy")
    def test_a_stripped_runtime_with_its_symbols_beside_it(self):
        library, symbols = self.directory / "libomp.so.5", self.directory / "libomp.debug"
        subprocess.run(["objcopy", "--only-keep-debug", str(RUNTIME / "libomp.so"), str(symbols)], check=True)
        subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={symbols}", str(RUNTIME / "libomp.so"), str(library)], check=True, cwd=self.directory)
        shutil.copy(RUNTIME / "libompd.so", self.directory)
        with Program("stops", "barrier", runtime=self.directory) as program:
            program.line()
            self.assertEqual(0, tracer("snapshot", program.id).returncode)

    @with_runtime
    def test_openmp_not_started(self):
        with Program("stops", "unused") as program:
            program.line()
            self.refused(NOT_YET, "not used it yet", program.id)

    @with_runtime
    def test_no_plugin(self):
        with Program("stops", "barrier") as program:
            program.line()
            libc = next(line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "libc.so" in line or "libc-" in line)
            self.refused(NO_PLUGIN, "no OMPD plugin", program.id, "--ompd", libc)

    @with_runtime
    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare") and shutil.which("gcc"), "needs root, unshare and gcc")
    def test_a_plugin_that_only_the_process_sees_is_not_run(self):
        place, mark = self.directory / "place", self.directory / "it_ran"
        place.mkdir()
        source = self.directory / "planted.c"
        source.write_text('#include <fcntl.h>\n__attribute__((constructor)) static void run(void) { open("%s", O_CREAT | O_WRONLY, 0600); }\n' % mark)
        planted = self.directory / "planted.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(planted), str(source)], check=True)
        script = (f'mount -t tmpfs none {place} && cp {RUNTIME}/libomp.so {place}/libomp.so.5 && cp {planted} {place}/libompd.so'
                  f' && exec {PROGRAMS}/stops barrier')
        with subprocess.Popen(["unshare", "--mount", "sh", "-c", script], env=environment(runtime=place), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            try:
                if not process.stdout.readline():
                    self.skipTest("no file system of one's own can be mounted here")
                done = tracer("snapshot", process.pid)
                self.assertIn(done.returncode, (0, NO_PLUGIN), done.stderr)
                self.assertFalse(mark.exists(), "the plugin of another file system was run")
            finally:
                process.kill()  # which nothing else ends


@with_runtime
class Cores(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        core, _ = core_of("stops", "nested", directory=self.directory)
        if core is None:
            self.skipTest(NO_CORES)
        self.bytes = core.read_bytes()
        self.file = self.directory / "changed"

    def offsets_of_plugin_data(self):
        """Where the core file holds the words that tell the plugin sizes and places: ompd_* of libomp."""
        count, = struct.unpack_from("<H", self.bytes, 56)
        loads, notes = [], b""
        for i in range(count):
            kind, _, offset, address, _, in_file, _, _ = struct.unpack_from("<IIQQQQQQ", self.bytes, 64 + 56 * i)
            if kind == 1:
                loads.append((address, offset, in_file))
            elif kind == 4:
                notes = self.bytes[offset:offset + in_file]
        base, at = None, 0
        while at + 12 <= len(notes):
            name, size, kind = struct.unpack_from("<III", notes, at)
            body = at + 12 + (name + 3) // 4 * 4
            if kind == 0x46494c45:  # NT_FILE
                files, _ = struct.unpack_from("<QQ", notes, body)
                names = notes[body + 16 + 24 * files:body + size].split(b"\0")
                base = next(struct.unpack_from("<Q", notes, body + 16 + 24 * i)[0] for i in range(files) if names[i].endswith(b"/libomp.so"))
            at = body + (size + 3) // 4 * 4
        symbols = subprocess.run(["nm", str(RUNTIME / "libomp.so")], capture_output=True, text=True, check=True).stdout.split("\n")
        for line in symbols:
            if " b ompd_" not in line.lower():
                continue
            address = base + int(line.split()[0], 16)
            for begin, offset, in_file in loads:
                if begin <= address < begin + in_file:
                    yield offset + address - begin

    def look(self, content, what):
        self.file.write_bytes(content)
        begin = time.monotonic()
        done = tracer("snapshot", self.file, "--json", "--timeout", 20, timeout=100)
        self.assertIn(done.returncode, (0, 3, *range(NO_SUCH, STUCK), CRASHED), (what, done.stderr))
        self.assertLess(time.monotonic() - begin, 40, what)
        return done.returncode

    def test_truncated_anywhere(self):
        size = len(self.bytes)
        for part in (1, 16, 63, 64, 100, 1000, 4096, 10000, size // 16, size // 4, size // 2, size * 3 // 4, size - 1):
            self.look(self.bytes[:part], part)

    @unittest.skipUnless(shutil.which("nm"), "no nm")
    def test_with_wrong_sizes_and_places_of_the_runtimes_data(self):
        offsets = sorted(self.offsets_of_plugin_data())
        self.assertGreater(len(offsets), 50)
        chance = random.Random(2)
        statuses = {}
        for number in range(MUTATIONS):
            changed = bytearray(self.bytes)
            for at in chance.sample(offsets, 1 + number % 5):
                struct.pack_into("<Q", changed, at, chance.choice([0, 1, 7, 64, 4096, 2**31, 2**63, 2**64 - 1, chance.getrandbits(64)]))
            status = self.look(bytes(changed), number)
            statuses[status] = statuses.get(status, 0) + 1
        print("statuses with wrong sizes and places:", statuses)

    def test_with_wrong_words_in_it(self):
        chance = random.Random(1)
        statuses = {}
        for number in range(MUTATIONS):
            changed = bytearray(self.bytes)
            # Headers and notes, or memory: a thousandth of its words point elsewhere, at each other, are huge, or small.
            end = 20000 if number % 3 == 0 else len(changed)
            for _ in range(20 if number % 3 == 0 else len(changed) // 8000):
                at = chance.randrange(0, end - 8) & ~7
                word = chance.choice([chance.getrandbits(64), chance.getrandbits(8), 2**64 - 1,
                                      struct.unpack_from("<Q", self.bytes, chance.randrange(0, len(self.bytes) - 8) & ~7)[0]])
                struct.pack_into("<Q", changed, at, word)
            changed[:18] = self.bytes[:18]
            status = self.look(bytes(changed), number)
            statuses[status] = statuses.get(status, 0) + 1
        print("statuses of changed core files:", statuses)


if __name__ == "__main__":
    unit_tests.main(verbosity=2)
