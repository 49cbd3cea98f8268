/* SPDX-License-Identifier: BSD-3-Clause */
/* Files, for the counter: operations and bytes by file and kind (flags: 1 with a request or in two halves, 2
 * collective), what is opened, closed and deleted. */
#include "counter.h"

/* By handle; names without the directory. Closed ones stay. */
static struct opened {
  MPI_File handle;
  const char *name, *split;
} files[1024];
static int used;

static const char* without_directory(const char* name) {
  const char* slash = strrchr(name, '/');
  return slash != NULL ? slash + 1 : name;
}

static struct opened* file_of(MPI_File handle) {
  static struct opened nobody = {0, "nobody", NULL};
  for (int i = used; i-- > 0;)
    if (files[i].handle == handle) return &files[i];
  return &nobody;
}

static const char* key_of(const char* what, const char* name, int flags) {
  char key[64];
  snprintf(key, sizeof key, flags < 0 ? "%s %s" : "%s %s %d", what, name, flags);
  return strdup(key);
}

static void add_to(const char* what, const char* name, int flags, long bytes) {
  add(key_of(what, name, flags), bytes, 0);
}

void moved_by_file(const char* key, int result, MPI_Status* status) {
  int bytes = 0;
  ++depth;
  if (result == MPI_SUCCESS) PMPI_Get_count(status, MPI_BYTE, &bytes);
  --depth;
  add(key, bytes, 0);
}

#define PLACE MPI_File file
#define AT MPI_File file, MPI_Offset at
#define BLOCKING(function, where, buffer_type, what, flags, ...)                               \
  int MPI_##function(where, buffer_type buffer, int n, MPI_Datatype type, MPI_Status* given) { \
    int result;                                                                                \
    MPI_Status own;                                                                            \
    NEXT(MPI_##function, __VA_ARGS__, buffer, n, type, given)                                  \
    const char* name = file_of(file)->name;                                                    \
    if (given == MPI_STATUS_IGNORE) given = &own;                                              \
    add_to(what, name, flags, bytes_of(type, n));                                              \
    INNER(next(__VA_ARGS__, buffer, n, type, given));                                          \
    moved_by_file(key_of(what "s", name, -1), result, given);                                  \
    return result;                                                                             \
  }                                                                                            \
  ALSO(MPI_##function)
BLOCKING(File_read, PLACE, void*, "read", 0, file)
BLOCKING(File_read_at, AT, void*, "read", 0, file, at)
BLOCKING(File_read_all, PLACE, void*, "read", 2, file)
BLOCKING(File_read_at_all, AT, void*, "read", 2, file, at)
BLOCKING(File_read_shared, PLACE, void*, "read", 0, file)
BLOCKING(File_read_ordered, PLACE, void*, "read", 2, file)
BLOCKING(File_write, PLACE, const void*, "write", 0, file)
BLOCKING(File_write_at, AT, const void*, "write", 0, file, at)
BLOCKING(File_write_all, PLACE, const void*, "write", 2, file)
BLOCKING(File_write_at_all, AT, const void*, "write", 2, file, at)
BLOCKING(File_write_shared, PLACE, const void*, "write", 0, file)
BLOCKING(File_write_ordered, PLACE, const void*, "write", 2, file)

#define REQUESTED(function, where, buffer_type, what, flags, ...)                                 \
  int MPI_##function(where, buffer_type buffer, int n, MPI_Datatype type, MPI_Request* request) { \
    int result;                                                                                   \
    NEXT(MPI_##function, __VA_ARGS__, buffer, n, type, request)                                   \
    const char* name = file_of(file)->name;                                                       \
    add_to(what, name, flags, bytes_of(type, n));                                                 \
    INNER(next(__VA_ARGS__, buffer, n, type, request));                                           \
    if (result == MPI_SUCCESS) keep_of_file(*request, key_of(what "s", name, -1));                \
    return result;                                                                                \
  }                                                                                               \
  ALSO(MPI_##function)
REQUESTED(File_iread, PLACE, void*, "read", 1, file)
REQUESTED(File_iread_at, AT, void*, "read", 1, file, at)
REQUESTED(File_iread_all, PLACE, void*, "read", 3, file)
REQUESTED(File_iread_at_all, AT, void*, "read", 3, file, at)
REQUESTED(File_iread_shared, PLACE, void*, "read", 1, file)
REQUESTED(File_iwrite, PLACE, const void*, "write", 1, file)
REQUESTED(File_iwrite_at, AT, const void*, "write", 1, file, at)
REQUESTED(File_iwrite_all, PLACE, const void*, "write", 3, file)
REQUESTED(File_iwrite_at_all, AT, const void*, "write", 3, file, at)
REQUESTED(File_iwrite_shared, PLACE, const void*, "write", 1, file)

#define SPLIT(function, where, buffer_type, what, ...)                              \
  int MPI_##function##_begin(where, buffer_type buffer, int n, MPI_Datatype type) { \
    int result;                                                                     \
    NEXT(MPI_##function##_begin, __VA_ARGS__, buffer, n, type)                      \
    struct opened* of = file_of(file);                                              \
    add_to(what, of->name, 3, bytes_of(type, n));                                   \
    of->split = key_of(what "s", of->name, -1);                                     \
    return INNER(next(__VA_ARGS__, buffer, n, type));                               \
  }                                                                                 \
  ALSO(MPI_##function##_begin)                                                      \
  int MPI_##function##_end(MPI_File file, buffer_type buffer, MPI_Status* given) {  \
    int result;                                                                     \
    MPI_Status own;                                                                 \
    NEXT(MPI_##function##_end, file, buffer, given)                                 \
    if (given == MPI_STATUS_IGNORE) given = &own;                                   \
    INNER(next(file, buffer, given));                                               \
    moved_by_file(file_of(file)->split, result, given);                             \
    return result;                                                                  \
  }                                                                                 \
  ALSO(MPI_##function##_end)
SPLIT(File_read_all, PLACE, void*, "read", file)
SPLIT(File_read_at_all, AT, void*, "read", file, at)
SPLIT(File_read_ordered, PLACE, void*, "read", file)
SPLIT(File_write_all, PLACE, const void*, "write", file)
SPLIT(File_write_at_all, AT, const void*, "write", file, at)
SPLIT(File_write_ordered, PLACE, const void*, "write", file)

int MPI_File_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
  int result;
  NEXT(MPI_File_open, comm, name, mode, info, file)
  INNER(next(comm, name, mode, info, file));
  if (result != MPI_SUCCESS) return result;
  const char* known = strdup(without_directory(name));
  pthread_mutex_lock(&counter_lock);
  files[used++] = (struct opened){*file, known, NULL};
  pthread_mutex_unlock(&counter_lock);
  add_to("opened", known, (mode & MPI_MODE_RDONLY) != 0 ? 0 : (mode & MPI_MODE_WRONLY) != 0 ? 1 : 2, 0);
  return result;
}
ALSO(MPI_File_open)

int MPI_File_close(MPI_File* file) {
  int result;
  NEXT(MPI_File_close, file)
  add_to("closed", file_of(*file)->name, -1, 0);
  return INNER(next(file));
}
ALSO(MPI_File_close)

int MPI_File_delete(const char* name, MPI_Info info) {
  int result;
  NEXT(MPI_File_delete, name, info)
  INNER(next(name, info));
  if (result == MPI_SUCCESS) add_to("deleted", without_directory(name), -1, 0);
  return result;
}
ALSO(MPI_File_delete)

int MPI_File_sync(MPI_File file) {
  int result;
  NEXT(MPI_File_sync, file)
  add_to("flush", file_of(file)->name, -1, 0);
  return INNER(next(file));
}
ALSO(MPI_File_sync)

#define SEEKS(function)                                                                                \
  int MPI_##function(MPI_File file, MPI_Offset to, int from) {                                         \
    int result;                                                                                        \
    NEXT(MPI_##function, file, to, from)                                                               \
    add_to("seeks", file_of(file)->name, from == MPI_SEEK_CUR ? 1 : from == MPI_SEEK_END ? 2 : 0, to); \
    return INNER(next(file, to, from));                                                                \
  }                                                                                                    \
  ALSO(MPI_##function)
SEEKS(File_seek)
SEEKS(File_seek_shared)

/* What MPI does inside of it is not the program's. */
int MPI_File_set_view(MPI_File file, MPI_Offset at, MPI_Datatype unit, MPI_Datatype type, const char* kind,
                      MPI_Info info) {
  int result;
  NEXT(MPI_File_set_view, file, at, unit, type, kind, info)
  return INNER(next(file, at, unit, type, kind, info));
}
ALSO(MPI_File_set_view)
