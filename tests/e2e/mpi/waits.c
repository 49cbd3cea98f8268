// SPDX-License-Identifier: BSD-3-Clause
// Eighteen communications in which somebody comes late by a known time. Each call that matters says when it begins, by
// the clock that all ranks of a host share: "call SCENARIO ROUND RANK LINE NANOSECONDS".
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ranks = 4, rounds = 2, most = 1024 };
static const long long delay = 200 * 1000 * 1000, period = 600 * 1000 * 1000;

struct Begun {
  const char* scenario;
  int round, line;
  long long time;
};
static struct Begun begun[most];
static int number, rank, this_round;
static const char* scenario;
static long long start;  // of this round

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void sleep_until(long long when) {
  const struct timespec time = {when / 1000000000, when % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) continue;
}

static void late_by(long long time) {
  sleep_until(start + time);
}

static void begins(int line) {
  if (number < most) begun[number++] = (struct Begun){scenario, this_round, line, now()};
}
#define TIMED(call) (begins(__LINE__), (void)call)

static MPI_Comm backwards;  // the ranks in the other order
static int a[64], b[64];

static void late_sender(void) {
  late_by(rank == 0 ? delay : 0);
  if (rank == 0) TIMED(MPI_Send(a, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
  if (rank == 1) TIMED(MPI_Recv(a, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void late_sender_of_request(void) {
  MPI_Request request;
  if (rank == 2) MPI_Irecv(a, 1, MPI_INT, 3, 2, backwards, &request);
  late_by(rank == 0 ? delay : delay / 4);
  if (rank == 0) TIMED(MPI_Send(a, 1, MPI_INT, 1, 2, backwards));
  if (rank == 2) TIMED(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void two_late_senders(void) {
  MPI_Request requests[2];
  if (rank == 3) MPI_Irecv(a, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[0]);
  if (rank == 3) MPI_Irecv(b, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[1]);
  late_by(rank == 3 ? 0 : rank == 0 ? delay : delay / 2);
  if (rank < 2) TIMED(MPI_Send(a, 1, MPI_INT, 3, 3, MPI_COMM_WORLD));
  if (rank == 3) TIMED(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

static void late_receiver(void) {
  late_by(rank == 2 ? delay : 0);
  if (rank == 0) TIMED(MPI_Ssend(a, 1, MPI_INT, 2, 4, MPI_COMM_WORLD));
  if (rank == 2) TIMED(MPI_Recv(a, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void late_receiver_of_request(void) {
  MPI_Request request;
  if (rank == 1) MPI_Issend(a, 1, MPI_INT, 3, 5, MPI_COMM_WORLD, &request);
  late_by(rank == 3 ? delay : delay / 4);
  if (rank == 1) TIMED(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (rank == 3) TIMED(MPI_Recv(a, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void late_exchange(void) {
  const int other = rank ^ 1;
  late_by(rank == 1 ? delay : 0);
  if (rank < 2)
    TIMED(MPI_Sendrecv(a, 1, MPI_INT, other, 6, b, 1, MPI_INT, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void late_sender_of_probe(void) {
  MPI_Status status;
  late_by(rank == 0 ? delay : 0);
  if (rank == 0) TIMED(MPI_Send(a, 1, MPI_INT, 1, 7, MPI_COMM_WORLD));
  if (rank != 1) return;
  TIMED(MPI_Probe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status));
  MPI_Recv(a, 1, MPI_INT, status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_exchange_of_requests(void) {
  const int other = rank ^ 1;
  MPI_Request requests[2];
  late_by(rank == 1 ? delay : 0);
  if (rank >= 2) return;
  TIMED(MPI_Isend(a, 1, MPI_INT, other, 8, MPI_COMM_WORLD, &requests[0]));
  MPI_Irecv(b, 1, MPI_INT, other, 8, MPI_COMM_WORLD, &requests[1]);
  TIMED(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

static void barrier(void) {
  late_by(rank * delay / 3);
  TIMED(MPI_Barrier(MPI_COMM_WORLD));
}

static void allreduce(void) {
  late_by((ranks - 1 - rank) * delay / 3);
  TIMED(MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

static void reduce(void) {
  late_by(rank == 2 ? delay : 0);
  if (rank != 1) late_by(delay / 4);
  TIMED(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD));
}

static void broadcast(void) {
  late_by(rank == 3 ? delay : 0);
  TIMED(MPI_Bcast(a, 1, MPI_INT, 0, backwards));
}

static void ibarrier(void) {
  MPI_Request request;
  late_by(rank == 2 ? delay : 0);
  TIMED(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  late_by(delay / 4);
  TIMED(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void scan(void) {
  late_by(rank == 1 ? delay : 0);
  TIMED(MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

static MPI_Win window;
static int* shared;

static void fence(void) {
  late_by(rank == 1 ? delay : 0);
  TIMED(MPI_Win_fence(0, window));
}

// An implementation may take the lock with the first operation, or when that has to be over.
#define LOCK_AND_PUT                                                                                 \
  (MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window), MPI_Put(a, 1, MPI_INT, 2, 0, 1, MPI_INT, window), \
   MPI_Win_flush(2, window))

static void lock_contention(void) {
  if (rank == 3) {
    LOCK_AND_PUT;
    late_by(delay);
    TIMED(MPI_Win_unlock(2, window));
  } else if (rank == 0) {
    late_by(delay / 4);
    TIMED(LOCK_AND_PUT);
    MPI_Win_unlock(2, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // the target has to be inside MPI
}

static MPI_Group group_of(int count, const int* members) {
  MPI_Group world, some;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, members, &some);
  MPI_Group_free(&world);
  return some;
}

static void access_windows_of(int count, const int* targets) {
  for (int i = 0; i < count; ++i) MPI_Put(a, 1, MPI_INT, targets[i], 0, 1, MPI_INT, window);
}

// An implementation may wait for its targets at the begin, or when the operations have to be over.
static void late_post(void) {
  static const int origins[] = {0}, targets[] = {1, 2};
  MPI_Group group = group_of(rank == 0 ? 2 : 1, rank == 0 ? targets : origins);
  late_by(rank == 2 ? delay : rank == 1 ? delay / 2 : 0);
  if (rank == 0) {
    TIMED((MPI_Win_start(group, 0, window), access_windows_of(2, targets), MPI_Win_complete(window)));
  } else if (rank < 3) {
    TIMED(MPI_Win_post(group, 0, window));
    MPI_Win_wait(window);
  }
  MPI_Group_free(&group);
}

static void early_wait(void) {
  static const int origins[] = {0, 3}, targets[] = {1};
  MPI_Group group = group_of(rank == 1 ? 2 : 1, rank == 1 ? origins : targets);
  if (rank == 1) {
    MPI_Win_post(group, 0, window);
    TIMED(MPI_Win_wait(window));
  } else if (rank != 2) {
    MPI_Win_start(group, 0, window);
    access_windows_of(1, targets);
    late_by(rank == 3 ? delay : delay / 2);
    TIMED(MPI_Win_complete(window));
  }
  MPI_Group_free(&group);
}

static const struct {
  const char* name;
  void (*run)(void);
} scenarios[] = {{"late_sender", late_sender},
                 {"late_sender_of_request", late_sender_of_request},
                 {"two_late_senders", two_late_senders},
                 {"late_receiver", late_receiver},
                 {"late_receiver_of_request", late_receiver_of_request},
                 {"late_exchange", late_exchange},
                 {"late_sender_of_probe", late_sender_of_probe},
                 {"late_exchange_of_requests", late_exchange_of_requests},
                 {"barrier", barrier},
                 {"allreduce", allreduce},
                 {"reduce", reduce},
                 {"broadcast", broadcast},
                 {"ibarrier", ibarrier},
                 {"scan", scan},
                 {"fence", fence},
                 {"lock_contention", lock_contention},
                 {"late_post", late_post},
                 {"early_wait", early_wait}};
enum { all = sizeof scenarios / sizeof scenarios[0] };

// Some ranks make a communicator: no operation of MPI_COMM_WORLD, whose next ones belong together all the same.
static void make_without_rank_0(void) {
  const int first = 0;
  MPI_Group all_ranks, others;
  MPI_Comm made;
  MPI_Comm_group(MPI_COMM_WORLD, &all_ranks);
  MPI_Group_excl(all_ranks, 1, &first, &others);
  if (rank != 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, others, 1, &made);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&others);
  MPI_Group_free(&all_ranks);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  make_without_rank_0();
  MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &backwards);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  long long starts[ranks], first;
  for (int i = 0; i < ranks; ++i) starts[i] = now() + period;
  MPI_Scatter(starts, 1, MPI_LONG_LONG, &first, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  for (int s = 0; s < all; ++s) {
    for (this_round = 0; this_round < rounds; ++this_round) {
      scenario = scenarios[s].name;
      start = first + (s * rounds + this_round) * period;
      sleep_until(start - period / 4);
      scenarios[s].run();
    }
  }
  for (int i = 0; i < number; ++i)
    printf("call %s %d %d %d %lld\n", begun[i].scenario, begun[i].round, rank, begun[i].line, begun[i].time);
  MPI_Win_free(&window);
  MPI_Comm_free(&backwards);
  MPI_Finalize();
  return 0;
}
