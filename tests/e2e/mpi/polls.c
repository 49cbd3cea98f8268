// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 asks for messages that rank 1 sends when it is told to, in each way that MPI has to ask. Prints of each
// function "FUNCTION CALLS FOUND".
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { fruitless = 100, tag_go = 1, tag_data = 2 };

static struct Count {
  const char* function;
  long calls, found;
} counts[16];

static int counted(const char* function, int found) {
  struct Count* c = counts;
  while (c->function != NULL && strcmp(c->function, function) != 0) ++c;
  c->function = function;
  ++c->calls;
  c->found += found != 0;
  return found;
}

/// Lets rank 1 send `messages`.
static void go(int messages) {
  MPI_Send(&messages, 1, MPI_INT, 1, tag_go, MPI_COMM_WORLD);
}

/// What `ask` asks finds nothing `fruitless` times, and then something.
#define UNTIL_FOUND(function, messages, ask) \
  do {                                       \
    int flag = 0;                            \
    for (int i = 0; i < fruitless; ++i) {    \
      ask;                                   \
      if (counted(function, flag)) return 1; \
    }                                        \
    go(messages);                            \
    do ask;                                  \
    while (!counted(function, flag));        \
  } while (0)

static int asker(void) {
  int data[4], index, indices[4];
  MPI_Request r[4];
  MPI_Message message;
#define RECEIVE(n) \
  for (int k = 0; k < (n); ++k) MPI_Irecv(&data[k], 1, MPI_INT, 1, tag_data, MPI_COMM_WORLD, &r[k])
  UNTIL_FOUND("MPI_Iprobe", 1, MPI_Iprobe(1, tag_data, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  MPI_Recv(data, 1, MPI_INT, 1, tag_data, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  UNTIL_FOUND("MPI_Improbe", 1, MPI_Improbe(1, tag_data, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
  MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  RECEIVE(1);
  UNTIL_FOUND("MPI_Request_get_status", 1, MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE));
  MPI_Wait(r, MPI_STATUS_IGNORE);
  RECEIVE(1);
  UNTIL_FOUND("MPI_Test", 1, MPI_Test(r, &flag, MPI_STATUS_IGNORE));
  RECEIVE(3);
  UNTIL_FOUND("MPI_Testall", 3, MPI_Testall(3, r, &flag, MPI_STATUSES_IGNORE));
  RECEIVE(3);
  UNTIL_FOUND("MPI_Testany", 1, MPI_Testany(3, r, &index, &flag, MPI_STATUS_IGNORE));
  go(2);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  RECEIVE(3);
  UNTIL_FOUND("MPI_Testsome", 1, MPI_Testsome(3, r, &flag, indices, MPI_STATUSES_IGNORE));
  go(2);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  go(0);
  for (const struct Count* c = counts; c->function != NULL; ++c)
    printf("%s %ld %ld\n", c->function, c->calls, c->found);
  return 0;
}

int main(int argc, char** argv) {
  int rank, failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    failed = asker();
  } else {
    for (int messages = 1; messages != 0;) {
      MPI_Recv(&messages, 1, MPI_INT, 0, tag_go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < messages; ++i) MPI_Send(&i, 1, MPI_INT, 0, tag_data, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return failed;
}
