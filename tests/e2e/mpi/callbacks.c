// SPDX-License-Identifier: BSD-3-Clause
// MPI called from functions that MPI calls: attributes of communicators, types and windows are copied and deleted (the
// last in MPI_Finalize), generalised requests, error handlers, reductions. Several of them end with a call of MPI that
// a compiler makes a jump. Each rank prints how often it has called what. Two ranks.
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { BARRIER, COMM_DUP, COMM_FREE, SEND, RECV, ISEND, IRECV, WAIT, WAITALL, TEST, TYPE_SIZE, ERROR_STRING, CALLS };
static const char* const names[CALLS] = {"Barrier", "Comm_dup", "Comm_free", "Send", "Recv",      "Isend",
                                         "Irecv",   "Wait",     "Waitall",   "Test", "Type_size", "Error_string"};
static int called[CALLS];
#define CALL(what, ...) (++called[what], __VA_ARGS__)

static MPI_Comm lib, second;
static int rank, other, extra_is_right = 1;
static int extra_state;

static void check_extra(void* extra) {
  if (extra != &extra_state) extra_is_right = 0;
}

static int free_second(void) {
  return CALL(COMM_FREE, MPI_Comm_free(&second));
}
/// Of MPI_COMM_SELF, in MPI_Finalize: a library's clean-up. The last call is one that a compiler makes a jump.
static int clean_up(MPI_Comm comm, int key, void* value, void* extra) {
  int word = rank, got = -1;
  MPI_Request requests[2];
  (void)comm, (void)key, (void)value;
  check_extra(extra);
  CALL(IRECV, MPI_Irecv(&got, 1, MPI_INT, other, 5, lib, &requests[0]));
  CALL(ISEND, MPI_Isend(&word, 1, MPI_INT, other, 5, lib, &requests[1]));
  CALL(WAITALL, MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CALL(BARRIER, MPI_Barrier(lib));
  CALL(COMM_DUP, MPI_Comm_dup(lib, &second));
  CALL(COMM_FREE, MPI_Comm_free(&lib));
  return free_second();
}

static int copy(MPI_Comm comm, int key, void* extra, void* from, void* to, int* flag) {
  int word = 5;
  (void)comm, (void)key, (void)from, (void)to;
  check_extra(extra);
  *flag = 0;
  return rank == 0 ? CALL(SEND, MPI_Send(&word, 1, MPI_INT, 1, 77, lib)) : MPI_SUCCESS;
}
static int copy_type(MPI_Datatype type, int key, void* extra, void* from, void* to, int* flag) {
  int size = 0;
  (void)key, (void)from, (void)to;
  check_extra(extra);
  *flag = 1;
  return CALL(TYPE_SIZE, MPI_Type_size(type, &size));
}
static int delete_type(MPI_Datatype type, int key, void* value, void* extra) {
  int size = 0;
  (void)type, (void)key, (void)value;
  check_extra(extra);
  return CALL(TYPE_SIZE, MPI_Type_size(MPI_INT, &size));
}
static int delete_window(MPI_Win window, int key, void* value, void* extra) {
  (void)window, (void)key, (void)value;
  check_extra(extra);
  return CALL(BARRIER, MPI_Barrier(lib));
}

/// What stands behind a generalised request: an exchange that goes on until somebody asks for it.
struct exchange {
  MPI_Request requests[2];
  int sent, got, asked, freed;
};
static int query(void* extra, MPI_Status* status) {
  struct exchange* exchange = extra;
  ++exchange->asked;
  CALL(WAITALL, MPI_Waitall(2, exchange->requests, MPI_STATUSES_IGNORE));
  MPI_Status_set_elements(status, MPI_INT, 1);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = other;
  status->MPI_TAG = 9;
  return MPI_SUCCESS;
}
static int freed(void* extra) {
  ++((struct exchange*)extra)->freed;
  return MPI_SUCCESS;
}
static int cancelled(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}

static void reduce(void* in, void* both, int* length, MPI_Datatype* type) {
  int size = 0;
  for (int i = 0; i < *length; ++i) ((int*)both)[i] += ((int*)in)[i];
  CALL(TYPE_SIZE, MPI_Type_size(*type, &size));
}

static jmp_buf place;
static int handled;
static void handler(MPI_Comm* comm, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  (void)comm;
  ++handled;
  CALL(ERROR_STRING, MPI_Error_string(*code, text, &length));
}
static void jumping_handler(MPI_Comm* comm, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  (void)comm;
  ++handled;
  CALL(ERROR_STRING, MPI_Error_string(*code, text, &length));
  longjmp(place, 1);
}

static void attributes(void) {
  int self_key, copy_key, type_key, window_key, got = 0;
  MPI_Comm dup;
  MPI_Datatype pair, other_pair;
  MPI_Win window;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, clean_up, &self_key, &extra_state);
  MPI_Comm_set_attr(MPI_COMM_SELF, self_key, NULL);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &copy_key, &extra_state);
  MPI_Comm_set_attr(MPI_COMM_WORLD, copy_key, NULL);
  CALL(COMM_DUP, MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  if (rank == 1) CALL(RECV, MPI_Recv(&got, 1, MPI_INT, 0, 77, lib, MPI_STATUS_IGNORE));
  CALL(COMM_FREE, MPI_Comm_free(&dup));
  MPI_Comm_delete_attr(MPI_COMM_WORLD, copy_key);

  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_keyval(copy_type, delete_type, &type_key, &extra_state);
  MPI_Type_set_attr(pair, type_key, NULL);
  MPI_Type_dup(pair, &other_pair);
  MPI_Type_free(&pair);
  MPI_Type_free(&other_pair);

  MPI_Win_create(&got, sizeof got, sizeof got, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_window, &window_key, &extra_state);
  MPI_Win_set_attr(window, window_key, NULL);
  MPI_Win_free(&window);
}

/// Waited for together with another message: the outer call has room of its own for its requests.
static void requests(void) {
  struct exchange exchange = {.sent = rank};
  MPI_Request both[3];
  int word = rank, got = 0, flag = 0;
  CALL(IRECV, MPI_Irecv(&exchange.got, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &exchange.requests[0]));
  CALL(ISEND, MPI_Isend(&exchange.sent, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &exchange.requests[1]));
  MPI_Grequest_start(query, freed, cancelled, &exchange, &both[0]);
  CALL(IRECV, MPI_Irecv(&got, 1, MPI_INT, other, 7, MPI_COMM_WORLD, &both[1]));
  CALL(ISEND, MPI_Isend(&word, 1, MPI_INT, other, 7, MPI_COMM_WORLD, &both[2]));
  MPI_Grequest_complete(both[0]);
  CALL(WAITALL, MPI_Waitall(3, both, MPI_STATUSES_IGNORE));
  if (exchange.got != other || got != other || exchange.asked != 1 || exchange.freed != 1)
    printf("WRONG: %d %d %d %d\n", exchange.got, got, exchange.asked, exchange.freed);

  exchange = (struct exchange){.sent = rank};
  CALL(IRECV, MPI_Irecv(&exchange.got, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &exchange.requests[0]));
  CALL(ISEND, MPI_Isend(&exchange.sent, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &exchange.requests[1]));
  MPI_Grequest_start(query, freed, cancelled, &exchange, &both[0]);
  MPI_Grequest_complete(both[0]);
  CALL(TEST, MPI_Test(&both[0], &flag, MPI_STATUS_IGNORE));
  if (!flag || exchange.got != other) printf("WRONG: test %d, %d\n", flag, exchange.got);
}

static void errors_and_operations(void) {
  MPI_Errhandler returns, jumps;
  MPI_Op sum;
  int in[4] = {1, 2, 3, rank}, out[4] = {0}, word = 0;
  MPI_Op_create(reduce, 1, &sum);
  MPI_Allreduce(in, out, 4, MPI_INT, sum, MPI_COMM_WORLD);
  if (out[0] != 2 || out[3] != 1) printf("WRONG: sums %d %d\n", out[0], out[3]);
  MPI_Op_free(&sum);
  MPI_Comm_create_errhandler(handler, &returns);
  MPI_Comm_create_errhandler(jumping_handler, &jumps);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, returns);
  CALL(SEND, MPI_Send(&word, 1, MPI_INT, 7, 0, MPI_COMM_WORLD));
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, jumps);
  if (setjmp(place) == 0) CALL(SEND, MPI_Send(&word, 1, MPI_INT, 7, 0, MPI_COMM_WORLD));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&returns);
  MPI_Errhandler_free(&jumps);
  if (handled != 3) printf("WRONG: %d errors handled\n", handled);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  CALL(COMM_DUP, MPI_Comm_dup(MPI_COMM_WORLD, &lib));
  attributes();
  requests();
  errors_and_operations();
  CALL(BARRIER, MPI_Barrier(MPI_COMM_WORLD));
  MPI_Finalize();
  if (!extra_is_right) printf("WRONG: extra_state\n");
  for (int i = 0; i < CALLS; ++i) printf("rank %d called MPI_%s %d\n", rank, names[i], called[i]);
  return 0;
}
