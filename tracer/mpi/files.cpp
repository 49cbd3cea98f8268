// SPDX-License-Identifier: BSD-3-Clause
// See files.hpp.
#include "tracer/mpi/files.hpp"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "tracer/hash.hpp"
#include "tracer/mpi/handle_table.hpp"
#include "tracer/mpi/text.hpp"
#include "tracer/property_names.hpp"

namespace tracer::mpi {
namespace {

constinit SpinLock files_lock;  // of all below
constinit HandleTable<File> handles, names;
constinit std::atomic<std::uint32_t> next_file{0}, next_deleted{0};

/// Never 0, which is nobody's in a HandleTable.
Word hash_of(const char* path, const void* comm) noexcept {
  return fnv1a(path, fnv1a_basis ^ reinterpret_cast<Word>(comm)) | 1;
}

/// ROMIO and what follows it take the file system's kind before the name.
const char* without_kind(const char* name) noexcept {
  for (const char* kind : {"ufs:", "nfs:", "xfs:", "lustre:", "gpfs:", "panfs:", "pvfs2:", "daos:", "ime:", "testfs:"})
    if (std::strncmp(name, kind, std::strlen(kind)) == 0) return name + std::strlen(kind);
  return name;
}

void add_path(Text& text, const char* name) noexcept {
  const char* rest = without_kind(name);
  char here[PATH_MAX];
  if (*rest != '/' && ::getcwd(here, sizeof here) != nullptr) {
    while (rest[0] == '.' && rest[1] == '/') rest += 2;
    text.add("%s/", here);
  }
  text.add("%s", rest);
}

void record_handle(const File& file) noexcept {
  Text text;
  if (file.is_collective) text.add("comm=%u;", file.comm->id);
  if (file.again > 1) text.add("again=%u;", file.again);
  text.add("name=%s", file.path);
  record_fact(properties::mpi_file_handle_fact, file.id, text.get());
}

/// The first that is not open; nullptr: there is none, and `open` of this name are.
File* closed_file(Word key, const Comm* comm, const char* path, std::uint32_t& open) noexcept {
  for (File* file = names.find(key); file != nullptr; file = file->next) {
    if (file->comm != comm || std::strcmp(file->path, path) != 0) continue;
    if (!file->is_open) return file;
    ++open;
  }
  return nullptr;
}

/// One that is not open. `comm` nullptr: of a file that is deleted.
File* named(const char* name, const Comm* comm, std::atomic<std::uint32_t>& next, bool& is_new) noexcept {
  Text path;
  add_path(path, name);
  const Word key = hash_of(path.get(), comm);
  std::uint32_t open = 0;
  File* file = closed_file(key, comm, path.get(), open);
  is_new = file == nullptr;
  if (!is_new) return file;
  void* const memory = std::malloc(sizeof(File));
  if (memory == nullptr) return nullptr;
  file = ::new (memory) File;
  file->id = next.fetch_add(1, std::memory_order_relaxed);
  file->again = open + 1;
  file->comm = comm;
  file->is_collective = comm != nullptr && !comm->is_foreign && comm->size != 0;
  file->path = path.keep();
  file->next = names.find(key);
  names.set(key, file);
  return file;
}

}  // namespace

File* open_file(Word handle, const Comm& comm, const char* name) noexcept {
  bool is_new = false;
  File* file = nullptr;
  {
    const Locked lock(files_lock);
    file = named(name, &comm, next_file, is_new);
    if (file == nullptr || !handles.set(handle, file)) return nullptr;
    file->is_open = true;
  }
  if (is_new) record_handle(*file);
  return file;
}

void forget_file(Word handle, const File& file) noexcept {
  const Locked lock(files_lock);
  handles.forget(handle, &file);
}

void close_file(File& file) noexcept {
  const Locked lock(files_lock);
  file.is_open = false;
}

File* file_of(Word handle) noexcept {
  const Locked lock(files_lock);
  return handles.find(handle);
}

const File* deleted_file(const char* name) noexcept {
  bool is_new = false;
  const File* file = nullptr;
  {
    const Locked lock(files_lock);
    file = named(name, nullptr, next_deleted, is_new);
  }
  if (is_new && file != nullptr) record_fact(properties::mpi_file_fact, file->id, file->path);
  return file;
}

}  // namespace tracer::mpi
