// SPDX-License-Identifier: BSD-3-Clause
// Hooks of input and output: files are opened, closed and deleted, read, written and flushed.
//
// Arguments: (file, buffer, count, type, status or request), with an offset behind the file in those named "at". The
// two halves of a split collective operation: the first without status, the second (file, buffer, status).
#pragma once

#include <utility>

#include "tracer/mpi/files.hpp"
#include "tracer/mpi/hook.hpp"

namespace tracer::mpi {

/// In memory a file's handle is a pointer in all families.
inline Word load_file(Word at) noexcept {
  return *reinterpret_cast<const Word*>(at);
}

/// Collective is what the handle's communicator does together.
inline std::uint16_t io_flags(const File& file, std::uint16_t flags) noexcept {
  return file.is_collective ? flags : flags & static_cast<std::uint16_t>(~io_operation::collective);
}

/// What the end of an operation needs; nothing where the file is unknown.
struct FileOperation {
  File* file = nullptr;
  Call::Io io{};
  explicit operator bool() const noexcept { return file != nullptr; }
  /// Records its outcome, at the call's end.
  void step(const Call& call, IoStep step) const noexcept { call.io(Endpoint::end, step, file->id, {.id = io.id}); }
  void complete(const Call& call, std::uint64_t bytes) const noexcept {
    call.io(Endpoint::end, IoStep::operation_complete, file->id, {.bytes = bytes, .id = io.id});
  }
};
inline FileOperation begin_operation(const Call& call, Word handle, IoMode mode, std::uint16_t flags, Word count = 0,
                                     Word datatype = 0) noexcept {
  File* const file = file_of(handle);
  if (file == nullptr) return {};
  const FileOperation begun{file,
                            {.mode = static_cast<std::uint8_t>(mode),
                             .flags = io_flags(*file, flags),
                             .bytes = call.bytes(count, datatype),
                             .id = next_number(),
                             .offset = 0}};
  call.io(Endpoint::begin, IoStep::operation_begin, file->id, begun.io);
  return begun;
}

/// Calls with the last of the arguments replaced.
template <class Next, std::size_t... before>
Word call_with_last(Next next, const Word* a, Word last, std::index_sequence<before...>) noexcept {
  return next(a[before]..., last);
}

/// What a failed operation has moved is unknown.
inline std::uint64_t moved(Word result, Word status) noexcept {
  return !failed(result) ? family.bytes(status) : 0;
}

template <IoMode mode, std::uint16_t flags>
struct file_blocking {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    constexpr std::size_t last = sizeof...(words) - 1;
    const Word a[] = {words...};
    const FileOperation begun = begin_operation(call, a[0], mode, flags, a[last - 2], a[last - 1]);
    if (!begun) return counted<Unrecorded::file_operation>::run(call, next, words...);
    const Status status(a[last]);
    const Word result = call_with_last(next, a, status.get(), std::make_index_sequence<last>{});
    begun.complete(call, moved(result, status.get()));
    return result;
  }
};
using file_read = file_blocking<IoMode::read, 0>;
using file_write = file_blocking<IoMode::write, 0>;
using file_read_all = file_blocking<IoMode::read, io_operation::collective>;
using file_write_all = file_blocking<IoMode::write, io_operation::collective>;

/// With a request.
template <IoMode mode, std::uint16_t flags>
struct file_requested {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    constexpr std::size_t last = sizeof...(words) - 1;
    const Word a[] = {words...};
    const FileOperation begun =
        begin_operation(call, a[0], mode, flags | io_operation::non_blocking, a[last - 2], a[last - 1]);
    if (!begun) return counted<Unrecorded::file_operation>::run(call, next, words...);
    const Word result = next(words...);
    keep(call, begun, result, a[last]);
    return result;
  }

 private:
  static void keep(const Call& call, const FileOperation& begun, Word result, Word request) noexcept {
    if (failed(result)) return begun.step(call, IoStep::operation_cancelled);
    const Word handle = family.load(request);
    if (handle == family.request_null) return begun.complete(call, begun.io.bytes);  // it is over
    begun.step(call, IoStep::operation_issued);
    Begun p{call.thread};
    p->kind = PendingKind::io;
    p->file = begun.file;
    p->number = begun.io.id;
    p.keep(handle);
  }
};
using file_iread = file_requested<IoMode::read, 0>;
using file_iwrite = file_requested<IoMode::write, 0>;
using file_iread_all = file_requested<IoMode::read, io_operation::collective>;
using file_iwrite_all = file_requested<IoMode::write, io_operation::collective>;

template <IoMode mode>
struct file_split_begin {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    constexpr std::size_t last = sizeof...(words) - 1;
    const Word a[] = {words...};
    const FileOperation begun =
        begin_operation(call, a[0], mode, io_operation::collective | io_operation::non_blocking, a[last - 1], a[last]);
    if (!begun) return counted<Unrecorded::file_operation>::run(call, next, words...);
    const Word result = next(words...);
    if (!failed(result)) begun.file->split.store(begun.io.id, std::memory_order_relaxed);
    begun.step(call, failed(result) ? IoStep::operation_cancelled : IoStep::operation_issued);
    return result;
  }
};
using file_read_begin = file_split_begin<IoMode::read>;
using file_write_begin = file_split_begin<IoMode::write>;

struct file_end {
  template <class Next>
  static Word run(const Call& call, Next next, Word handle, Word buffer, Word given) noexcept {
    File* const file = file_of(handle);
    const std::uint64_t id = file != nullptr ? file->split.exchange(0, std::memory_order_relaxed) : 0;
    if (id == 0) return counted<Unrecorded::file_operation>::run(call, next, handle, buffer, given);
    const Status status(given);
    call.enter();
    const Word result = next(handle, buffer, status.get());
    call.io(Endpoint::end, IoStep::operation_complete, file->id, {.bytes = moved(result, status.get()), .id = id});
    return result;
  }
};

struct file_sync {
  template <class Next>
  static Word run(const Call& call, Next next, Word handle) noexcept {
    const FileOperation begun = begin_operation(call, handle, IoMode::flush, io_operation::collective);
    if (!begun) return counted<Unrecorded::file_operation>::run(call, next, handle);
    const Word result = next(handle);
    begun.complete(call, 0);
    return result;
  }
};

struct file_open {
  template <class Next>
  static Word run(const Call& call, Next next, Word on, Word name, Word mode, Word info, Word handle) noexcept {
    const Comm& comm = comm_of(call.thread, on);
    call.enter();
    const Word result = next(on, name, mode, info, handle);
    const File* file = nullptr;
    if (!failed(result)) file = open_file(load_file(handle), comm, reinterpret_cast<const char*>(name));
    if (file == nullptr) {
      call.leave();
    } else {
      call.io(Endpoint::end, IoStep::handle_made, file->id, opened(static_cast<int>(mode)));
    }
    return result;
  }

 private:
  static Call::Io opened(int mode) noexcept {
    const FileNumbers& numbers = family.file;
    const auto flag = [mode](int of_mpi, std::uint16_t recorded) {
      return static_cast<std::uint16_t>((mode & of_mpi) != 0 ? recorded : 0);
    };
    const IoAccess access = (mode & numbers.read_only) != 0    ? IoAccess::read_only
                            : (mode & numbers.write_only) != 0 ? IoAccess::write_only
                                                               : IoAccess::read_write;
    Call::Io io;
    io.mode = static_cast<std::uint8_t>(access);
    io.flags = flag(numbers.append, io_status::append) | flag(numbers.delete_on_close, io_status::delete_on_close);
    io.bytes = flag(numbers.create, io_creation::create) | flag(numbers.exclusive, io_creation::exclusive) |
               flag(numbers.sequential, io_creation::no_seek) | flag(numbers.unique_open, io_creation::unique);
    return io;
  }
};

struct file_close {
  template <class Next>
  static Word run(const Call& call, Next next, Word at) noexcept {
    const Word handle = load_file(at);
    File* const file = file_of(handle);
    if (file == nullptr) return region::run(call, next, at);
    forget_file(handle, *file);
    call.enter();
    const Word result = next(at);
    call.io(Endpoint::end, IoStep::handle_gone, file->id, {});
    close_file(*file);
    return result;
  }
};

struct file_delete {
  template <class Next>
  static Word run(const Call& call, Next next, Word name, Word info) noexcept {
    call.enter();
    const Word result = next(name, info);
    const File* file = nullptr;
    if (!failed(result)) file = deleted_file(reinterpret_cast<const char*>(name));
    if (file == nullptr) {
      call.leave();
    } else {
      call.io(Endpoint::end, IoStep::file_deleted, file->id, {});
    }
    return result;
  }
};

/// MPI has the result for the rank's own pointer; for the shared one only a query of the file would give it. Offsets
/// are in units of the view.
template <bool is_shared>
struct file_seeking {
  template <class Next>
  static Word run(const Call& call, Next next, Word handle, Word offset, Word from) noexcept {
    const File* const file = file_of(handle);
    if (file == nullptr) return counted<Unrecorded::file_operation>::run(call, next, handle, offset, from);
    call.enter();
    const Word result = next(handle, offset, from);
    if (failed(result)) {
      call.leave();
    } else {
      const IoSeek whence = whence_of(static_cast<int>(from));
      call.io(Endpoint::end, IoStep::seek, file->id,
              {.mode = static_cast<std::uint8_t>(whence), .bytes = offset, .offset = led_to(handle, offset, whence)});
    }
    return result;
  }

 private:
  static IoSeek whence_of(int from) noexcept {
    return from == family.file.seek_current ? IoSeek::from_current
           : from == family.file.seek_end   ? IoSeek::from_end
                                            : IoSeek::from_start;
  }
  static std::uint64_t led_to(Word handle, Word offset, IoSeek whence) noexcept {
    if (whence == IoSeek::from_start) return offset;
    constexpr std::uint64_t unknown = ~std::uint64_t{0};
    std::int64_t position = 0;
    if (is_shared || ask(MpiFunction::File_get_position, handle, &position) != 0) return unknown;
    return static_cast<std::uint64_t>(position);
  }
};
using file_seek = file_seeking<false>;
using file_seek_shared = file_seeking<true>;

}  // namespace tracer::mpi
