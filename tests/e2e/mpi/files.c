/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes files in every way that MPI has; says what does not come back as it was written. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { many = 1000 };
static int rank, ranks, wrong;
static char path[4096];
static int out[many], in[many];

static const char* named(const char* name) {
  const char* where = getenv("FILES");
  snprintf(path, sizeof path, "%s.%s", where != NULL ? where : "/tmp/files", name);
  return path;
}

static MPI_File opened(MPI_Comm comm, const char* name, int mode) {
  MPI_File file;
  if (MPI_File_open(comm, named(name), mode, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    fprintf(stderr, "cannot open %s\n", path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return file;
}

static void expect(int n, int first) {
  for (int i = 0; i < n; ++i)
    if (in[i] != first + i) ++wrong;
  memset(in, 0, sizeof in);
}

static void fill(int first) {
  for (int i = 0; i < many; ++i) out[i] = first + i;
}

static void alone(void) {
  MPI_Status status;
  MPI_File file = opened(MPI_COMM_WORLD, "alone", MPI_MODE_CREATE | MPI_MODE_RDWR);
  const MPI_Offset mine = (MPI_Offset)rank * many * (MPI_Offset)sizeof(int);
  fill(rank * many);
  MPI_File_write_at(file, mine, out, many / 2, MPI_INT, &status);
  MPI_File_seek(file, mine + many / 2 * (MPI_Offset)sizeof(int), MPI_SEEK_SET);
  MPI_File_write(file, out + many / 2, many / 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_CUR);
  MPI_File_write(file, out + many * 3 / 4, many / 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write(file, out, 0, MPI_INT, &status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, (MPI_Offset)((rank + 1) % ranks) * many * (MPI_Offset)sizeof(int), in, many, MPI_INT, &status);
  expect(many, (rank + 1) % ranks * many);
  /* behind the end there are fewer */
  MPI_File_seek(file, -10 * (MPI_Offset)sizeof(int), MPI_SEEK_END);
  MPI_File_read(file, in, many, MPI_INT, &status);
  expect(10, ranks * many - 10);
  MPI_File_close(&file);
}

static void together(void) {
  MPI_File file = opened(MPI_COMM_WORLD, "together", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Datatype every;
  MPI_Type_vector(many / 10, 10, 10 * ranks, MPI_INT, &every);
  MPI_Type_commit(&every);
  fill(rank * many);
  MPI_File_set_view(file, rank * 10 * (MPI_Offset)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, out, many, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, in, many, MPI_INT, MPI_STATUS_IGNORE);
  expect(many, rank * many);
  MPI_File_write_at_all(file, 0, out, rank == 0 ? 0 : 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, 0, in, 10, MPI_INT, MPI_STATUS_IGNORE);
  expect(10, rank * many);
  /* in two halves */
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_write_all_begin(file, out, many / 2, MPI_INT);
  MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, many / 2, out + many / 2, 10, MPI_INT);
  MPI_File_write_at_all_end(file, out + many / 2, MPI_STATUS_IGNORE);
  MPI_File_read_at_all_begin(file, 0, in, many, MPI_INT);
  MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
  expect(many, rank * many);
  MPI_File_close(&file);
  MPI_Type_free(&every);
}

static void requests(void) {
  MPI_File file = opened(MPI_COMM_WORLD, "requests", MPI_MODE_CREATE | MPI_MODE_RDWR);
  const MPI_Offset mine = (MPI_Offset)rank * many * (MPI_Offset)sizeof(int);
  MPI_Request r[10], one;
  MPI_Status status, statuses[10];
  int flag = 0, index, done, indices[10];
  fill(rank * many);
  for (int i = 0; i < 10; ++i)
    MPI_File_iwrite_at(file, mine + i * many / 10 * (MPI_Offset)sizeof(int), out + i * many / 10, many / 10, MPI_INT,
                       &r[i]);
  MPI_Waitall(10, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 10; ++i)
    MPI_File_iread_at(file, mine + i * many / 10 * (MPI_Offset)sizeof(int), in + i * many / 10, many / 10, MPI_INT,
                      &r[i]);
  MPI_Waitany(10, r, &index, &status);
  MPI_Wait(&r[(index + 1) % 10], MPI_STATUS_IGNORE);
  for (int left = 8; left > 0; left -= done) {
    MPI_Waitsome(10, r, &done, indices, statuses);
    if (done == MPI_UNDEFINED) break;
  }
  expect(many, rank * many);
  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_iread(file, in, many / 2, MPI_INT, &one);
  while (!flag) MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
  expect(many / 2, rank * many);
  MPI_File_iwrite(file, out + many / 2, many / 2, MPI_INT, &one);
  MPI_Wait(&one, &status);
  MPI_File_iread_at_all(file, mine, in, many, MPI_INT, &one);
  MPI_Wait(&one, &status);
  expect(many, rank * many);
  MPI_File_iwrite_at_all(file, mine, out, many, MPI_INT, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_iread_all(file, in, 7, MPI_INT, &r[0]);
  MPI_Wait(&r[0], &status);
  expect(7, rank * many);
  MPI_File_iwrite_all(file, out + 7, 3, MPI_INT, &r[0]);
  MPI_Wait(&r[0], &status);
  MPI_File_close(&file);
}

static void shared(void) {
  MPI_File file = opened(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Request one;
  fill(0);
  MPI_File_write_shared(file, out, 100, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iwrite_shared(file, out, 50, MPI_INT, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_ordered(file, out, 100, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_ordered_begin(file, out, 50, MPI_INT);
  MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(file, in, 100, MPI_INT, MPI_STATUS_IGNORE);
  expect(100, 0);
  MPI_File_read_ordered_begin(file, in, 50, MPI_INT);
  MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE);
  expect(50, 0);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_shared(file, in, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void own(void) {
  char name[32];
  snprintf(name, sizeof name, "own%d", rank);
  fill(rank);
  for (int i = 0; i < 3; ++i) {
    MPI_File file = opened(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_APPEND);
    MPI_File_write(file, out, many, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  MPI_File first = opened(MPI_COMM_SELF, name, MPI_MODE_RDONLY);
  MPI_File second = opened(MPI_COMM_SELF, name, MPI_MODE_RDONLY);
  MPI_File_read(first, in, many, MPI_INT, MPI_STATUS_IGNORE);
  expect(many, rank);
  MPI_File_read(second, in, 3, MPI_INT, MPI_STATUS_IGNORE);
  expect(3, rank);
  MPI_File_write(second, out, 3, MPI_INT, MPI_STATUS_IGNORE); /* fails */
  MPI_File_close(&first);
  MPI_File_close(&second);
}

/* What is not there, what goes when it is closed, and what is deleted. */
static void gone(void) {
  MPI_File file;
  MPI_Comm half;
  if (MPI_File_open(MPI_COMM_WORLD, named("not/there"), MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS) ++wrong;
  file = opened(MPI_COMM_WORLD, "on_close", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  MPI_File_write_at(file, rank * 4, out, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  if (MPI_File_delete(named("on_close"), MPI_INFO_NULL) == MPI_SUCCESS) ++wrong;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  file = opened(half, rank % 2 == 0 ? "even" : "odd", MPI_MODE_CREATE | MPI_MODE_WRONLY);
  MPI_Comm_free(&half);
  MPI_File_write_at_all(file, rank * 4, out, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_File_delete(named("even"), MPI_INFO_NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  alone();
  together();
  requests();
  shared();
  own();
  gone();
  if (wrong != 0) fprintf(stderr, "rank %d: %d numbers are wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
