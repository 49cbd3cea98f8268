/* SPDX-License-Identifier: BSD-3-Clause */
/* Point to point in all its forms, between neighbours in a ring. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, next, before;
static double out[64], in[64];

static void blocking(void) {
  MPI_Status status;
  MPI_Request request;
  for (int i = 0; i < 5; ++i) {
    MPI_Isend(out, 4 + i, MPI_DOUBLE, next, i, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 64, MPI_DOUBLE, i % 2 ? before : MPI_ANY_SOURCE, i, MPI_COMM_WORLD,
             i % 3 ? &status : MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Sendrecv(out, 7, MPI_DOUBLE, next, 9, in, 64, MPI_DOUBLE, before, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(in, 3, MPI_DOUBLE, next, 8, before, 8, MPI_COMM_WORLD, &status);
  MPI_Send(out, 5, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
  MPI_Recv(in, 5, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
  int buffered[256];
  MPI_Buffer_attach(buffered, sizeof buffered);
  MPI_Bsend(out, 2, MPI_DOUBLE, next, 11, MPI_COMM_WORLD);
  MPI_Recv(in, 2, MPI_DOUBLE, before, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  void* where;
  int bytes;
  MPI_Buffer_detach(&where, &bytes);
  MPI_Irecv(in, 64, MPI_DOUBLE, before, 12, MPI_COMM_WORLD, &request);
  MPI_Ssend(out, 6, MPI_DOUBLE, next, 12, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
}

static void waiting(void) {
  MPI_Request requests[12];
  MPI_Status statuses[12];
  int index, flag, done, indices[12];
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 6; ++i) MPI_Irecv(in + i * 8, 8, MPI_DOUBLE, before, 20 + i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 6; ++i) MPI_Isend(out, i, MPI_DOUBLE, next, 20 + i, MPI_COMM_WORLD, &requests[6 + i]);
    switch (round) {
      case 0:
        MPI_Waitall(12, requests, statuses);
        break;
      case 1:
        MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
        break;
      case 2:
        for (int i = 0; i < 12; ++i) MPI_Waitany(12, requests, &index, i % 2 ? MPI_STATUS_IGNORE : statuses);
        MPI_Waitany(12, requests, &index, statuses);
        break;
      case 3:
        for (int left = 12; left > 0; left -= done) MPI_Waitsome(12, requests, &done, indices, MPI_STATUSES_IGNORE);
        break;
      case 4:
        for (int left = 12; left > 0;) {
          MPI_Testany(12, requests, &index, &flag, MPI_STATUS_IGNORE);
          if (flag && index != MPI_UNDEFINED) --left;
          MPI_Testsome(12, requests, &done, indices, statuses);
          if (done != MPI_UNDEFINED) left -= done;
        }
        break;
      default:
        do {
          MPI_Testall(12, requests, &flag, MPI_STATUSES_IGNORE);
        } while (!flag);
    }
  }
  MPI_Request mine;
  MPI_Irecv(in, 8, MPI_DOUBLE, before, 40, MPI_COMM_WORLD, &mine);
  MPI_Test(&mine, &flag, MPI_STATUS_IGNORE);
  MPI_Send(out, 8, MPI_DOUBLE, next, 40, MPI_COMM_WORLD);
  while (!flag) MPI_Test(&mine, &flag, MPI_STATUS_IGNORE);
}

static void persistent(void) {
  MPI_Request requests[3];
  MPI_Send_init(out, 10, MPI_DOUBLE, next, 50, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 10, MPI_DOUBLE, before, 50, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(in, 10, MPI_DOUBLE, MPI_PROC_NULL, 50, MPI_COMM_WORLD, &requests[2]);
  for (int i = 0; i < 4; ++i) {
    if (i == 2) {
      for (int r = 0; r < 3; ++r) MPI_Start(&requests[r]);
      for (int r = 0; r < 3; ++r) MPI_Wait(&requests[r], MPI_STATUS_IGNORE);
    } else {
      MPI_Startall(3, requests);
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
  }
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE); /* none is active */
  for (int r = 0; r < 3; ++r) MPI_Request_free(&requests[r]);
}

/* Buffered, and large: such goes on behind the program, which begins the next one. */
static void buffered(void) {
  enum { many = 16384, most = 8 };
  static int data[2][many], space[most * (many + 1024)];
  MPI_Request requests[2];
  void* detached;
  int size;
  MPI_Buffer_attach(space, (int)sizeof space);
  MPI_Bsend_init(data[0], many, MPI_INT, next, 60, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(data[1], many, MPI_INT, before, 60, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < most; ++i) {
    if (i % 2 == 0) {
      MPI_Start(&requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else {
      MPI_Startall(1, requests);
      MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
    }
  }
  for (int i = 0; i < most; ++i) {
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }
  for (int r = 0; r < 2; ++r) MPI_Request_free(&requests[r]);
  MPI_Buffer_detach(&detached, &size);
}

static void probing(void) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request, sent;
  int flag = 0;
  MPI_Isend(out, 9, MPI_DOUBLE, next, 60, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(before, 60, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(in, 9, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Isend(out, 9, MPI_DOUBLE, next, 61, MPI_COMM_WORLD, &sent);
  while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 61, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in, 9, MPI_DOUBLE, &message, &request);
  MPI_Wait(&request, &status);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Isend(out, 1, MPI_DOUBLE, next, 62, MPI_COMM_WORLD, &sent);
  MPI_Probe(before, 62, MPI_COMM_WORLD, &status);
  MPI_Recv(in, 1, MPI_DOUBLE, before, 62, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void cancelled(void) {
  MPI_Request request;
  MPI_Status status;
  int flag = 0;
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(in, 1, MPI_DOUBLE, before, 77, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    if (i == 0) {
      MPI_Wait(&request, &status);
    } else if (i == 1) {
      MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    } else {
      while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
  }
}

static void types(void) {
  MPI_Datatype column, pair;
  MPI_Request request;
  MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Type_contiguous(3, MPI_SHORT, &pair);
  MPI_Type_commit(&pair);
  MPI_Isend(out, 2, column, next, 70, MPI_COMM_WORLD, &request);
  MPI_Recv(in, 8, MPI_DOUBLE, before, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  MPI_Isend(out, 5, pair, next, 71, MPI_COMM_WORLD, &request);
  MPI_Recv(in, 5, pair, before, 71, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  blocking();
  waiting();
  persistent();
  buffered();
  probing();
  MPI_Barrier(MPI_COMM_WORLD);
  cancelled();
  types();
  MPI_Finalize();
  return 0;
}
