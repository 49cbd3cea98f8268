/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts what a program asks of MPI, by MPI's own profiling interface and header, independently of the tool: calls by
 * name, messages and bytes by partner and tag, bytes of collective operations. Preloaded before the tool's library.
 * Writes $COUNTS.<rank> in MPI_Finalize. One lock for all: this is no tool. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int depth;

/* Tables of sums by text. */
struct row {
  char key[64];
  long n, a, b;
};
static struct row rows[4096];
static int used;

static void add(const char* key, long a, long b) {
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < used && strcmp(rows[i].key, key) != 0) ++i;
  if (i == used) strcpy(rows[used++].key, key);
  ++rows[i].n;
  rows[i].a += a;
  rows[i].b += b;
  pthread_mutex_unlock(&lock);
}

static int (*next_of(const char* name))() {
  return (int (*)())dlsym(RTLD_NEXT, name);
}

#define NEXT(name, ...)                                           \
  static __typeof__(&name) next;                                  \
  if (next == NULL) next = (__typeof__(&name))next_of("P" #name); \
  if (depth > 0) return next(__VA_ARGS__);                        \
  add("call " #name, 0, 0);
/* The other name, which Fortran libraries call. */
#define ALSO(name) __typeof__(name) P##name __attribute__((alias(#name)));
#define INNER(call) (++depth, result = (call), --depth, result)

static long bytes_of(MPI_Datatype type, long count) {
  int size = 0;
  ++depth;
  PMPI_Type_size(type, &size);
  --depth;
  return size * count;
}

static void message(const char* what, int peer, int tag, long bytes) {
  char key[64];
  if (peer == MPI_PROC_NULL) return;
  snprintf(key, sizeof key, "%s %d %d", what, peer, tag);
  add(key, bytes, 0);
}

/* Pending requests in the order in which they were made; persistent ones stay. */
enum kind { send, receive, other };
struct pending {
  MPI_Request request;
  enum kind kind;
  int persistent, active, is_null, peer, tag;
  long bytes;
};
static struct pending pending[65536];
static int count;

static void keep(MPI_Request request, struct pending p) {
  p.request = request;
  pthread_mutex_lock(&lock);
  pending[count++] = p;
  pthread_mutex_unlock(&lock);
}

/* Takes it out. */
static struct pending take(MPI_Request request) {
  struct pending found = {MPI_REQUEST_NULL, other, 0, 0, 1, 0, 0, 0};
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; ++i)
    if (pending[i].request == request) {
      found = pending[i];
      memmove(pending + i, pending + i + 1, (size_t)(--count - i) * sizeof *pending);
      break;
    }
  pthread_mutex_unlock(&lock);
  return found;
}

static void put_back(struct pending p) {
  if (p.request == MPI_REQUEST_NULL) return;
  pthread_mutex_lock(&lock);
  memmove(pending + 1, pending, (size_t)count++ * sizeof *pending);
  pending[0] = p;
  pthread_mutex_unlock(&lock);
}

static void received(MPI_Status* status) {
  int bytes = 0;
  ++depth;
  PMPI_Get_count(status, MPI_BYTE, &bytes);
  --depth;
  message("received", status->MPI_SOURCE, status->MPI_TAG, bytes);
}

static void over(struct pending p, MPI_Status* status) {
  if (p.request == MPI_REQUEST_NULL) return;
  if (p.active && !p.is_null) {
    int cancelled = 0;
    ++depth;
    if (p.kind == receive) PMPI_Test_cancelled(status, &cancelled);
    --depth;
    if (cancelled) {
      add("cancelled", 0, 0);
    } else if (p.kind == receive) {
      received(status);
    } else if (p.kind == send) {
      add("sent", 0, 0);
    }
  }
  p.active = 0;
  if (p.persistent) put_back(p);
}

#define SEND(name)                                                                               \
  int MPI_##name(const void* buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    int result;                                                                                  \
    NEXT(MPI_##name, buffer, n, type, to, tag, comm)                                             \
    message("sends", to, tag, bytes_of(type, n));                                                \
    return INNER(next(buffer, n, type, to, tag, comm));                                          \
  }                                                                                              \
  ALSO(MPI_##name)
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)

#define ISEND(name)                                                                                                    \
  int MPI_##name(const void* buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) { \
    int result;                                                                                                        \
    NEXT(MPI_##name, buffer, n, type, to, tag, comm, request)                                                          \
    message("sends", to, tag, bytes_of(type, n));                                                                      \
    INNER(next(buffer, n, type, to, tag, comm, request));                                                              \
    keep(*request, (struct pending){.kind = send, .active = 1, .is_null = to == MPI_PROC_NULL});                       \
    return result;                                                                                                     \
  }                                                                                                                    \
  ALSO(MPI_##name)
ISEND(Isend)
ISEND(Issend)

int MPI_Recv(void* buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* given) {
  int result;
  MPI_Status own;
  NEXT(MPI_Recv, buffer, n, type, from, tag, comm, given)
  if (given == MPI_STATUS_IGNORE) given = &own;
  INNER(next(buffer, n, type, from, tag, comm, given));
  received(given);
  return result;
}
ALSO(MPI_Recv)

int MPI_Irecv(void* buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  int result;
  NEXT(MPI_Irecv, buffer, n, type, from, tag, comm, request)
  INNER(next(buffer, n, type, from, tag, comm, request));
  keep(*request, (struct pending){.kind = receive, .active = 1, .is_null = from == MPI_PROC_NULL});
  return result;
}
ALSO(MPI_Irecv)

int MPI_Sendrecv(const void* out, int sent, MPI_Datatype sent_type, int to, int send_tag, void* in, int n,
                 MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* given) {
  int result;
  MPI_Status own;
  NEXT(MPI_Sendrecv, out, sent, sent_type, to, send_tag, in, n, type, from, tag, comm, given)
  if (given == MPI_STATUS_IGNORE) given = &own;
  message("sends", to, send_tag, bytes_of(sent_type, sent));
  INNER(next(out, sent, sent_type, to, send_tag, in, n, type, from, tag, comm, given));
  received(given);
  return result;
}
ALSO(MPI_Sendrecv)

int MPI_Sendrecv_replace(void* buffer, int n, MPI_Datatype type, int to, int send_tag, int from, int tag, MPI_Comm comm,
                         MPI_Status* given) {
  int result;
  MPI_Status own;
  NEXT(MPI_Sendrecv_replace, buffer, n, type, to, send_tag, from, tag, comm, given)
  if (given == MPI_STATUS_IGNORE) given = &own;
  message("sends", to, send_tag, bytes_of(type, n));
  INNER(next(buffer, n, type, to, send_tag, from, tag, comm, given));
  received(given);
  return result;
}
ALSO(MPI_Sendrecv_replace)

int MPI_Mrecv(void* buffer, int n, MPI_Datatype type, MPI_Message* found, MPI_Status* given) {
  int result;
  MPI_Status own;
  NEXT(MPI_Mrecv, buffer, n, type, found, given)
  if (given == MPI_STATUS_IGNORE) given = &own;
  INNER(next(buffer, n, type, found, given));
  received(given);
  return result;
}
ALSO(MPI_Mrecv)

int MPI_Imrecv(void* buffer, int n, MPI_Datatype type, MPI_Message* found, MPI_Request* request) {
  int result;
  NEXT(MPI_Imrecv, buffer, n, type, found, request)
  INNER(next(buffer, n, type, found, request));
  keep(*request, (struct pending){.kind = receive, .active = 1});
  return result;
}
ALSO(MPI_Imrecv)

int MPI_Send_init(const void* buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  int result;
  NEXT(MPI_Send_init, buffer, n, type, to, tag, comm, request)
  INNER(next(buffer, n, type, to, tag, comm, request));
  keep(*request, (struct pending){.kind = send,
                                  .persistent = 1,
                                  .is_null = to == MPI_PROC_NULL,
                                  .peer = to,
                                  .tag = tag,
                                  .bytes = bytes_of(type, n)});
  return result;
}
ALSO(MPI_Send_init)

int MPI_Recv_init(void* buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  int result;
  NEXT(MPI_Recv_init, buffer, n, type, from, tag, comm, request)
  INNER(next(buffer, n, type, from, tag, comm, request));
  keep(*request, (struct pending){.kind = receive, .persistent = 1, .is_null = from == MPI_PROC_NULL});
  return result;
}
ALSO(MPI_Recv_init)

static void started(MPI_Request request) {
  struct pending p = take(request);
  p.active = 1;
  if (p.kind == send) message("sends", p.peer, p.tag, p.bytes);
  put_back(p);
}

int MPI_Start(MPI_Request* request) {
  int result;
  NEXT(MPI_Start, request)
  started(*request);
  return INNER(next(request));
}
ALSO(MPI_Start)

int MPI_Startall(int n, MPI_Request requests[]) {
  int result;
  NEXT(MPI_Startall, n, requests)
  for (int i = 0; i < n; ++i) started(requests[i]);
  return INNER(next(n, requests));
}
ALSO(MPI_Startall)

int MPI_Request_free(MPI_Request* request) {
  int result;
  NEXT(MPI_Request_free, request)
  take(*request);
  return INNER(next(request));
}
ALSO(MPI_Request_free)

int MPI_Wait(MPI_Request* request, MPI_Status* given) {
  int result;
  MPI_Status own;
  NEXT(MPI_Wait, request, given)
  struct pending p = take(*request);
  if (given == MPI_STATUS_IGNORE) given = &own;
  INNER(next(request, given));
  over(p, given);
  return result;
}
ALSO(MPI_Wait)

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* given) {
  int result;
  MPI_Status own;
  NEXT(MPI_Test, request, flag, given)
  struct pending p = take(*request);
  if (given == MPI_STATUS_IGNORE) given = &own;
  INNER(next(request, flag, given));
  *flag ? over(p, given) : put_back(p);
  return result;
}
ALSO(MPI_Test)

#define MANY(n)                                              \
  struct pending* p = malloc(((size_t)(n) + 1) * sizeof *p); \
  MPI_Status* own = malloc(((size_t)(n) + 1) * sizeof *own); \
  for (int i = 0; i < (n); ++i) p[i] = take(requests[i]);
#define DONE \
  free(own); \
  free(p);   \
  return result;

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status given[]) {
  int result;
  NEXT(MPI_Waitall, n, requests, given)
  MANY(n)
  MPI_Status* statuses = given == MPI_STATUSES_IGNORE ? own : given;
  INNER(next(n, requests, statuses));
  for (int i = 0; i < n; ++i) over(p[i], &statuses[i]);
  DONE
}
ALSO(MPI_Waitall)

int MPI_Testall(int n, MPI_Request requests[], int* flag, MPI_Status given[]) {
  int result;
  NEXT(MPI_Testall, n, requests, flag, given)
  MANY(n)
  MPI_Status* statuses = given == MPI_STATUSES_IGNORE ? own : given;
  INNER(next(n, requests, flag, statuses));
  for (int i = n; !*flag && i-- > 0;) put_back(p[i]);
  for (int i = 0; *flag && i < n; ++i) over(p[i], &statuses[i]);
  DONE
}
ALSO(MPI_Testall)

int MPI_Waitany(int n, MPI_Request requests[], int* index, MPI_Status* given) {
  int result;
  NEXT(MPI_Waitany, n, requests, index, given)
  MANY(n)
  MPI_Status* status = given == MPI_STATUS_IGNORE ? own : given;
  INNER(next(n, requests, index, status));
  for (int i = n; i-- > 0;)
    if (i != *index) put_back(p[i]);
  if (*index != MPI_UNDEFINED) over(p[*index], status);
  DONE
}
ALSO(MPI_Waitany)

int MPI_Testany(int n, MPI_Request requests[], int* index, int* flag, MPI_Status* given) {
  int result;
  NEXT(MPI_Testany, n, requests, index, flag, given)
  MANY(n)
  MPI_Status* status = given == MPI_STATUS_IGNORE ? own : given;
  INNER(next(n, requests, index, flag, status));
  const int done = *flag ? *index : MPI_UNDEFINED;
  for (int i = n; i-- > 0;)
    if (i != done) put_back(p[i]);
  if (done != MPI_UNDEFINED) over(p[done], status);
  DONE
}
ALSO(MPI_Testany)

#define SOME(name)                                                                               \
  int MPI_##name(int n, MPI_Request requests[], int* done, int indices[], MPI_Status given[]) {  \
    int result;                                                                                  \
    NEXT(MPI_##name, n, requests, done, indices, given)                                          \
    MANY(n)                                                                                      \
    MPI_Status* statuses = given == MPI_STATUSES_IGNORE ? own : given;                           \
    INNER(next(n, requests, done, indices, statuses));                                           \
    for (int i = n; i-- > 0;) {                                                                  \
      int is_done = 0;                                                                           \
      for (int d = 0; *done != MPI_UNDEFINED && d < *done; ++d) is_done |= indices[d] == i;      \
      if (!is_done) put_back(p[i]);                                                              \
    }                                                                                            \
    for (int d = 0; *done != MPI_UNDEFINED && d < *done; ++d) over(p[indices[d]], &statuses[d]); \
    DONE                                                                                         \
  }                                                                                              \
  ALSO(MPI_##name)
SOME(Waitsome)
SOME(Testsome)

/* Collective operations: what this rank sends to all and receives from all, itself included, without what is in place.
 */
struct shape {
  int n, me, is_inter;
};
static struct shape shape_of(MPI_Comm comm) {
  struct shape s;
  ++depth;
  PMPI_Comm_size(comm, &s.n);
  PMPI_Comm_rank(comm, &s.me);
  PMPI_Comm_test_inter(comm, &s.is_inter);
  if (s.is_inter) PMPI_Comm_remote_size(comm, &s.n);
  --depth;
  return s;
}
static long sum(const int counts[], int n) {
  long total = 0;
  for (int i = 0; i < n; ++i) total += counts[i];
  return total;
}
static void moved(const char* operation, long sent, long got) {
  char key[64];
  snprintf(key, sizeof key, "collective %s", operation);
  add(key, sent, got);
}

int MPI_Barrier(MPI_Comm comm) {
  int result;
  NEXT(MPI_Barrier, comm)
  moved("BARRIER", 0, 0);
  return INNER(next(comm));
}
ALSO(MPI_Barrier)
int MPI_Bcast(void* buffer, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  int result;
  NEXT(MPI_Bcast, buffer, n, type, root, comm)
  const struct shape s = shape_of(comm);
  moved("BCAST", s.me == root ? s.n * bytes_of(type, n) : 0, bytes_of(type, n));
  return INNER(next(buffer, n, type, root, comm));
}
ALSO(MPI_Bcast)
int MPI_Gather(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type, int root,
               MPI_Comm comm) {
  int result;
  NEXT(MPI_Gather, out, sent, sent_type, in, n, type, root, comm)
  const struct shape s = shape_of(comm);
  const int in_place = out == MPI_IN_PLACE;
  moved("GATHER", in_place ? 0 : bytes_of(sent_type, sent), s.me == root ? (s.n - in_place) * bytes_of(type, n) : 0);
  return INNER(next(out, sent, sent_type, in, n, type, root, comm));
}
ALSO(MPI_Gather)
int MPI_Gatherv(const void* out, int sent, MPI_Datatype sent_type, void* in, const int n[], const int places[],
                MPI_Datatype type, int root, MPI_Comm comm) {
  int result;
  NEXT(MPI_Gatherv, out, sent, sent_type, in, n, places, type, root, comm)
  const struct shape s = shape_of(comm);
  moved("GATHERV", bytes_of(sent_type, sent), s.me == root ? bytes_of(type, sum(n, s.n)) : 0);
  return INNER(next(out, sent, sent_type, in, n, places, type, root, comm));
}
ALSO(MPI_Gatherv)
int MPI_Scatter(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type, int root,
                MPI_Comm comm) {
  int result;
  NEXT(MPI_Scatter, out, sent, sent_type, in, n, type, root, comm)
  const struct shape s = shape_of(comm);
  const int in_place = in == MPI_IN_PLACE;
  moved("SCATTER", s.me == root ? (s.n - in_place) * bytes_of(sent_type, sent) : 0, in_place ? 0 : bytes_of(type, n));
  return INNER(next(out, sent, sent_type, in, n, type, root, comm));
}
ALSO(MPI_Scatter)
int MPI_Scatterv(const void* out, const int sent[], const int places[], MPI_Datatype sent_type, void* in, int n,
                 MPI_Datatype type, int root, MPI_Comm comm) {
  int result;
  NEXT(MPI_Scatterv, out, sent, places, sent_type, in, n, type, root, comm)
  const struct shape s = shape_of(comm);
  moved("SCATTERV", s.me == root ? bytes_of(sent_type, sum(sent, s.n)) : 0, bytes_of(type, n));
  return INNER(next(out, sent, places, sent_type, in, n, type, root, comm));
}
ALSO(MPI_Scatterv)
int MPI_Reduce(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  int result;
  NEXT(MPI_Reduce, out, in, n, type, op, root, comm)
  const struct shape s = shape_of(comm);
  const int in_place = out == MPI_IN_PLACE;
  moved("REDUCE", in_place ? 0 : bytes_of(type, n), s.me == root ? (s.n - in_place) * bytes_of(type, n) : 0);
  return INNER(next(out, in, n, type, op, root, comm));
}
ALSO(MPI_Reduce)
int MPI_Allreduce(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Allreduce, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  const long all = (s.n - (out == MPI_IN_PLACE)) * bytes_of(type, n);
  moved("ALLREDUCE", all, all);
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Allreduce)
int MPI_Allgather(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type,
                  MPI_Comm comm) {
  int result;
  NEXT(MPI_Allgather, out, sent, sent_type, in, n, type, comm)
  const struct shape s = shape_of(comm);
  if (out == MPI_IN_PLACE) {
    moved("ALLGATHER", (s.n - 1) * bytes_of(type, n), (s.n - 1) * bytes_of(type, n));
  } else {
    moved("ALLGATHER", s.n * bytes_of(sent_type, sent), s.n * bytes_of(type, n));
  }
  return INNER(next(out, sent, sent_type, in, n, type, comm));
}
ALSO(MPI_Allgather)
int MPI_Allgatherv(const void* out, int sent, MPI_Datatype sent_type, void* in, const int n[], const int places[],
                   MPI_Datatype type, MPI_Comm comm) {
  int result;
  NEXT(MPI_Allgatherv, out, sent, sent_type, in, n, places, type, comm)
  const struct shape s = shape_of(comm);
  moved("ALLGATHERV", s.n * bytes_of(sent_type, sent), bytes_of(type, sum(n, s.n)));
  return INNER(next(out, sent, sent_type, in, n, places, type, comm));
}
ALSO(MPI_Allgatherv)
int MPI_Alltoall(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type, MPI_Comm comm) {
  int result;
  NEXT(MPI_Alltoall, out, sent, sent_type, in, n, type, comm)
  const struct shape s = shape_of(comm);
  moved("ALLTOALL", s.n * bytes_of(sent_type, sent), s.n * bytes_of(type, n));
  return INNER(next(out, sent, sent_type, in, n, type, comm));
}
ALSO(MPI_Alltoall)
int MPI_Alltoallv(const void* out, const int sent[], const int from[], MPI_Datatype sent_type, void* in, const int n[],
                  const int places[], MPI_Datatype type, MPI_Comm comm) {
  int result;
  NEXT(MPI_Alltoallv, out, sent, from, sent_type, in, n, places, type, comm)
  const struct shape s = shape_of(comm);
  moved("ALLTOALLV", bytes_of(sent_type, sum(sent, s.n)), bytes_of(type, sum(n, s.n)));
  return INNER(next(out, sent, from, sent_type, in, n, places, type, comm));
}
ALSO(MPI_Alltoallv)
int MPI_Alltoallw(const void* out, const int sent[], const int from[], const MPI_Datatype sent_types[], void* in,
                  const int n[], const int places[], const MPI_Datatype types[], MPI_Comm comm) {
  int result;
  NEXT(MPI_Alltoallw, out, sent, from, sent_types, in, n, places, types, comm)
  const struct shape s = shape_of(comm);
  long all = 0, got = 0;
  for (int i = 0; i < s.n; ++i) all += bytes_of(sent_types[i], sent[i]), got += bytes_of(types[i], n[i]);
  moved("ALLTOALLW", all, got);
  return INNER(next(out, sent, from, sent_types, in, n, places, types, comm));
}
ALSO(MPI_Alltoallw)
int MPI_Reduce_scatter(const void* out, void* in, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Reduce_scatter, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  moved("REDUCE_SCATTER", bytes_of(type, sum(n, s.n)), s.n * bytes_of(type, n[s.me]));
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Reduce_scatter)
int MPI_Reduce_scatter_block(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Reduce_scatter_block, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  moved("REDUCE_SCATTER_BLOCK", s.n * bytes_of(type, n), s.n * bytes_of(type, n));
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Reduce_scatter_block)
int MPI_Scan(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Scan, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  moved("SCAN", (s.n - s.me) * bytes_of(type, n), (s.me + 1) * bytes_of(type, n));
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Scan)
int MPI_Exscan(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Exscan, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  moved("EXSCAN", (s.n - s.me - 1) * bytes_of(type, n), s.me * bytes_of(type, n));
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Exscan)

/* With the neighbours in a ring. */
int MPI_Neighbor_allgather(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type,
                           MPI_Comm comm) {
  int result;
  NEXT(MPI_Neighbor_allgather, out, sent, sent_type, in, n, type, comm)
  moved("ALLGATHER", 2 * bytes_of(sent_type, sent), 2 * bytes_of(type, n));
  return INNER(next(out, sent, sent_type, in, n, type, comm));
}
ALSO(MPI_Neighbor_allgather)
int MPI_Neighbor_alltoall(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type,
                          MPI_Comm comm) {
  int result;
  NEXT(MPI_Neighbor_alltoall, out, sent, sent_type, in, n, type, comm)
  moved("ALLTOALL", 2 * bytes_of(sent_type, sent), 2 * bytes_of(type, n));
  return INNER(next(out, sent, sent_type, in, n, type, comm));
}
ALSO(MPI_Neighbor_alltoall)

/* Communicators: only how many. */
#define MADE(name, parameters, ...)                \
  int MPI_##name parameters {                      \
    int result;                                    \
    NEXT(MPI_##name, __VA_ARGS__)                  \
    INNER(next(__VA_ARGS__));                      \
    if (*made != MPI_COMM_NULL) add("made", 0, 0); \
    return result;                                 \
  }                                                \
  ALSO(MPI_##name)
MADE(Comm_dup, (MPI_Comm comm, MPI_Comm* made), comm, made)
MADE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), comm, color, key, made)
MADE(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), comm, group, made)
MADE(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made), comm, group, tag, made)
MADE(Cart_create, (MPI_Comm comm, int n, const int sizes[], const int periods[], int reorder, MPI_Comm* made), comm, n,
     sizes, periods, reorder, made)
MADE(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm* made), comm, remain, made)
MADE(Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm* made), comm, leader,
     peer, remote, tag, made)
MADE(Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request), comm, made, request)
MADE(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made), comm, high, made)

static void write_down(void) {
  int rank = 0;
  char name[4096];
  ++depth;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  --depth;
  const char* where = getenv("COUNTS");
  snprintf(name, sizeof name, "%s.%d", where != NULL ? where : "counts", rank);
  FILE* file = fopen(name, "w");
  if (file == NULL) return;
  for (int i = 0; i < used; ++i) fprintf(file, "%s|%ld|%ld|%ld\n", rows[i].key, rows[i].n, rows[i].a, rows[i].b);
  for (int i = 0; i < count; ++i) fprintf(file, "left|%d|0|0\n", pending[i].kind);
  fclose(file);
}

int MPI_Finalize(void) {
  int result;
  static int (*next)(void);
  if (next == NULL) next = (int (*)(void))next_of("PMPI_Finalize");
  if (depth > 0) return next();
  write_down();
  return INNER(next());
}
ALSO(MPI_Finalize)
