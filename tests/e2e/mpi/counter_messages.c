/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and requests, for the counter. */
#include "counter.h"

static void message(const char* what, int peer, int tag, long bytes) {
  char key[64];
  if (peer == MPI_PROC_NULL) return;
  snprintf(key, sizeof key, "%s %d %d", what, peer, tag);
  add(key, bytes, 0);
}

/* Pending requests in the order in which they were made; persistent ones stay. */
enum kind { send, receive, exchange, file, other };
struct pending {
  MPI_Request request;
  enum kind kind;
  int persistent, active, is_null, peer, tag; /* of an exchange, of what is received */
  long bytes;
  const char* key; /* of a file */
};
static struct pending pending[65536];
static int count;

static void keep(MPI_Request request, struct pending p) {
  p.request = request;
  pthread_mutex_lock(&counter_lock);
  if (count == sizeof pending / sizeof *pending) abort();
  pending[count++] = p;
  pthread_mutex_unlock(&counter_lock);
}

void keep_of_file(MPI_Request request, const char* key) {
  keep(request, (struct pending){.kind = file, .active = 1, .key = key});
}

/* Takes it out. */
static struct pending take(MPI_Request request) {
  struct pending found = {MPI_REQUEST_NULL, other, 0, 0, 1, 0, 0, 0, NULL};
  pthread_mutex_lock(&counter_lock);
  for (int i = 0; i < count; ++i)
    if (pending[i].request == request) {
      found = pending[i];
      memmove(pending + i, pending + i + 1, (size_t)(--count - i) * sizeof *pending);
      break;
    }
  pthread_mutex_unlock(&counter_lock);
  return found;
}

static void put_back(struct pending p) {
  if (p.request == MPI_REQUEST_NULL) return;
  pthread_mutex_lock(&counter_lock);
  memmove(pending + 1, pending, (size_t)count++ * sizeof *pending);
  pending[0] = p;
  pthread_mutex_unlock(&counter_lock);
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
    } else if (p.kind == file) {
      moved_by_file(p.key, MPI_SUCCESS, status);
    } else if (p.kind == exchange) { /* MPICH 4.0 has nothing in its status */
      add("sent", 0, 0);
      message("received", p.peer, p.tag, p.bytes);
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
ISEND(Ibsend)
ISEND(Irsend)

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

#if MPI_VERSION >= 4
int MPI_Isendrecv(const void* out, int sent, MPI_Datatype sent_type, int to, int send_tag, void* in, int n,
                  MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  int result;
  NEXT(MPI_Isendrecv, out, sent, sent_type, to, send_tag, in, n, type, from, tag, comm, request)
  message("sends", to, send_tag, bytes_of(sent_type, sent));
  INNER(next(out, sent, sent_type, to, send_tag, in, n, type, from, tag, comm, request));
  keep(*request, (struct pending){.kind = exchange, .active = 1, .peer = from, .tag = tag, .bytes = bytes_of(type, n)});
  return result;
}
ALSO(MPI_Isendrecv)

int MPI_Isendrecv_replace(void* buffer, int n, MPI_Datatype type, int to, int send_tag, int from, int tag,
                          MPI_Comm comm, MPI_Request* request) {
  int result;
  NEXT(MPI_Isendrecv_replace, buffer, n, type, to, send_tag, from, tag, comm, request)
  message("sends", to, send_tag, bytes_of(type, n));
  INNER(next(buffer, n, type, to, send_tag, from, tag, comm, request));
  keep(*request, (struct pending){.kind = exchange, .active = 1, .peer = from, .tag = tag, .bytes = bytes_of(type, n)});
  return result;
}
ALSO(MPI_Isendrecv_replace)
#endif

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

#define SEND_INIT(name)                                                                                                \
  int MPI_##name(const void* buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) { \
    int result;                                                                                                        \
    NEXT(MPI_##name, buffer, n, type, to, tag, comm, request)                                                          \
    INNER(next(buffer, n, type, to, tag, comm, request));                                                              \
    keep(*request, (struct pending){.kind = send,                                                                      \
                                    .persistent = 1,                                                                   \
                                    .is_null = to == MPI_PROC_NULL,                                                    \
                                    .peer = to,                                                                        \
                                    .tag = tag,                                                                        \
                                    .bytes = bytes_of(type, n)});                                                      \
    return result;                                                                                                     \
  }                                                                                                                    \
  ALSO(MPI_##name)
SEND_INIT(Send_init)
SEND_INIT(Bsend_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)

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

/* Open MPI gives a buffered send that goes on behind the program another handle. */
static void renamed(MPI_Request before, MPI_Request now) {
  struct pending p = take(before);
  if (p.request == MPI_REQUEST_NULL) return;
  p.request = now;
  put_back(p);
}

int MPI_Start(MPI_Request* request) {
  int result;
  NEXT(MPI_Start, request)
  const MPI_Request before = *request;
  started(before);
  INNER(next(request));
  renamed(before, *request);
  return result;
}
ALSO(MPI_Start)

int MPI_Startall(int n, MPI_Request requests[]) {
  int result;
  NEXT(MPI_Startall, n, requests)
  MPI_Request* before = malloc(((size_t)n + 1) * sizeof *before);
  for (int i = 0; i < n; ++i) started(before[i] = requests[i]);
  INNER(next(n, requests));
  for (int i = 0; i < n; ++i) renamed(before[i], requests[i]);
  free(before);
  return result;
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

void write_pending(FILE* file) {
  for (int i = 0; i < count; ++i) fprintf(file, "left|%d|0|0\n", pending[i].kind);
}
