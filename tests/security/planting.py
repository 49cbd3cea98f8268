# SPDX-License-Identifier: BSD-3-Clause
"""What another user plants: directories with crafted files and links in the place of those of a sound trace."""
import os
import pathlib
import shutil
import stat

OTHER = 65534
IS_ROOT = os.geteuid() == 0
HARD = "\x1b]0;planted\x07\x1b[31mred"


def give_away(path):
    """`path`, and all in it, belongs to the other user."""
    if not IS_ROOT:
        return
    for directory, names, files in os.walk(path):
        for name in [directory] + [os.path.join(directory, n) for n in names + files]:
            if os.path.isdir(name) or os.lstat(name).st_nlink == 1:  # a hard link's file is the victim's
                os.chown(name, OTHER, OTHER, follow_symlinks=False)
    os.chown(path, OTHER, OTHER, follow_symlinks=False)


def state_of(directory):
    """Everything in the victim's directory, to see that it stays so."""
    found = {}
    for path in sorted(pathlib.Path(directory).rglob("*")):
        info = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(info.st_mode) else os.readlink(path) if path.is_symlink() else ""
        found[str(path)] = (info.st_mode, info.st_uid, info.st_size, content)
    return found


def replaced(path, make):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    make(path)


def link_to(target):
    return lambda path: path.symlink_to(target)


def sparse(path, head, size):
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(size)


def header_of(path):
    return path.read_bytes()[:32]


def cases(genuine, victim, work):
    """(name, function that makes the directory); `genuine` is a sound trace with its raw trace."""
    secret, room = victim / "secret", victim / "room"

    def copy(to):
        shutil.copytree(genuine, to, symlinks=True)

    def raw_only(to):
        copy(to)
        for name in ("traces.otf2", "traces.def"):
            (to / name).unlink()
        shutil.rmtree(to / "traces")

    def with_raw(change):
        def make(to):
            raw_only(to)
            change(to)
        return make

    def with_archive(change):
        def make(to):
            copy(to)
            shutil.rmtree(to / "raw")
            change(to)
        return make

    yield "a whole trace of another user", copy
    yield "a raw trace of another user", raw_only
    yield "links where the archive goes", with_raw(lambda to: [(to / "traces").symlink_to(room), (to / "traces.def").symlink_to(secret), (to / "traces.otf2").symlink_to(victim / "new")])
    yield "a link where the anchor goes", with_raw(lambda to: (to / "traces.otf2").symlink_to(secret))
    yield "a link where the directory of events goes", with_raw(lambda to: (to / "traces").symlink_to(room))
    if IS_ROOT:  # else the links are the victim's own
        yield "links where exports go", with_archive(lambda to: [(to / f"traces{suffix}").symlink_to(secret) for suffix in (".pftrace", ".json", ".sqlite")] + [(to / "traces.csv.d").symlink_to(room)])
    yield "the raw directory is a link to the victim's", with_raw(lambda to: replaced(to / "raw", link_to(victim / "mine" / "raw")))
    yield "the raw files are links to the victim's", with_raw(lambda to: [replaced(to / "raw" / n, link_to(victim / "mine" / "raw" / n)) for n in ("journal", "trace")])
    yield "the raw files are hard links to the victim's", with_raw(lambda to: [replaced(to / "raw" / n, lambda p, n=n: os.link(victim / "mine" / "raw" / n, p)) for n in ("journal", "trace")])
    yield "the journal is a secret", with_raw(lambda to: replaced(to / "raw" / "journal", link_to(secret)))
    for name in ("journal", "trace"):
        yield f"the {name} is a pipe", with_raw(lambda to, name=name: replaced(to / "raw" / name, os.mkfifo))
        yield f"the {name} is without end", with_raw(lambda to, name=name: replaced(to / "raw" / name, link_to("/dev/zero")))
        yield f"the {name} is a directory", with_raw(lambda to, name=name: replaced(to / "raw" / name, os.mkdir))
        yield f"the {name} claims to be huge", with_raw(lambda to, name=name: sparse(to / "raw" / name, header_of(to / "raw" / name), 1 << 42))
    yield "the rings are a pipe", with_raw(lambda to: os.mkfifo(to / "raw" / "rings"))
    yield "the rings are a link", with_raw(lambda to: (to / "raw" / "rings").symlink_to(secret))
    for name in ("traces.otf2", "traces.def", "traces/0.evt", "traces/0.def"):
        yield f"{name} is a pipe", with_archive(lambda to, name=name: replaced(to / name, os.mkfifo))
        yield f"{name} is without end", with_archive(lambda to, name=name: replaced(to / name, link_to("/dev/zero")))
        yield f"{name} is a secret", with_archive(lambda to, name=name: replaced(to / name, link_to(secret)))
        yield f"{name} claims to be huge", with_archive(lambda to, name=name: sparse(to / name, (to / name).read_bytes(), 1 << 42))
    yield "names that a terminal would obey", with_archive(hard_names)
    yield "files with set-user-id bits", with_archive(lambda to: [os.chmod(p, 0o6777) for p in to.rglob("*") if p.is_file()])


def unpacked(genuine, victim):
    """(name, function that makes the directory) of what the victim unpacked, so that it is his: only what is in it was planted."""
    def begun(to):
        (to / "merging" / "parts").mkdir(parents=True)

    def whole(to):
        begun(to)
        shutil.copytree(genuine, to / "merging", symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(to / "merging" / "raw")

    def one_joined(to):
        whole(to)
        (to / "parts").symlink_to(victim)
        (to / "merging" / "joined").write_text("mine\n")

    def own_to_be_moved(to):
        shutil.copytree(genuine, to, symlinks=True)
        shutil.rmtree(to / "raw")
        whole(to)
        (to / "merging" / "parts" / "replaced").symlink_to(victim / "room")

    yield "a part of a begun merge is a link", lambda to: [begun(to), (to / "merging" / "parts" / "x").symlink_to(victim / "mine")]
    yield "the parts of a begun merge are a link", lambda to: [whole(to), (to / "merging" / "parts").rmdir(), (to / "merging" / "parts").symlink_to(victim)]
    yield "a begun merge is a link", lambda to: [to.mkdir(), (to / "merging").symlink_to(victim / "job")]
    yield "the parts of a job are a link", one_joined
    yield "where a job's own archive goes is a link", own_to_be_moved


def hard_names(to):
    """Same lengths, so that no other byte of the archive changes."""
    for path in (to / "traces.def", to / "traces.otf2"):
        bytes_ = path.read_bytes()
        for old in (b"!$omp parallel @", b"!$omp implicit barrier", b"Master thread", b"tracer "):
            bytes_ = bytes_.replace(old, (b"\x1b[2J\x1b]0;x\x07\r\n\x9b31m" + b"\x1b" * 40)[:len(old)])
        path.write_bytes(bytes_)
