/* SPDX-License-Identifier: BSD-3-Clause */
/* The other way to record calls of MPI, which Score-P has: each wrapper looks at the time stamp counter and hands its
 * events to OTF2's writer there and then. To be preloaded into calls.c; only what that calls is wrapped, on one thread
 * and one location. Requests are known by their place: what calls.c begins it ends in one go. */
#include <mpi.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <x86intrin.h>

static OTF2_Archive* archive;
static OTF2_EvtWriter* events;
static int rank;
static uint64_t next_request;

enum { comm_size, iprobe, irecv, isend, waitall, allreduce, send, recv, sendrecv };

static OTF2_FlushType before_flush(void* data, OTF2_FileType type, OTF2_LocationRef at, void* caller, bool final) {
  (void)data, (void)type, (void)at, (void)caller, (void) final;
  return OTF2_FLUSH;
}
static OTF2_TimeStamp after_flush(void* data, OTF2_FileType type, OTF2_LocationRef at) {
  (void)data, (void)type, (void)at;
  return __rdtsc();
}
static OTF2_FlushCallbacks flushes = {before_flush, after_flush};

static void begin(void) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[32];
  snprintf(name, sizeof name, "rank%d", rank);
  archive = OTF2_Archive_Open(getenv("BENCH_OTF2_DIRECTORY"), name, OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  events = OTF2_Archive_GetEvtWriter(archive, (OTF2_LocationRef)rank);
}
int MPI_Init(int* argc, char*** argv) {
  const int result = PMPI_Init(argc, argv);
  begin();
  return result;
}
int MPI_Init_thread(int* argc, char*** argv, int wanted, int* provided) {
  const int result = PMPI_Init_thread(argc, argv, wanted, provided);
  begin();
  return result;
}
int MPI_Finalize(void) {
  OTF2_Archive_CloseEvtWriter(archive, events);
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_Close(archive);
  return PMPI_Finalize();
}

#define ENTER(region) OTF2_EvtWriter_Enter(events, NULL, __rdtsc(), region)
#define LEAVE(region) (OTF2_EvtWriter_Leave(events, NULL, __rdtsc(), region), result)

static uint64_t bytes_of(int count, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return (uint64_t)count * (uint64_t)size;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  if (events == NULL) return PMPI_Comm_size(comm, size);
  ENTER(comm_size);
  const int result = PMPI_Comm_size(comm, size);
  return LEAVE(comm_size);
}
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  ENTER(iprobe);
  const int result = PMPI_Iprobe(source, tag, comm, flag, status);
  return LEAVE(iprobe);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  ENTER(irecv);
  const int result = PMPI_Irecv(buffer, count, type, source, tag, comm, request);
  OTF2_EvtWriter_MpiIrecvRequest(events, NULL, __rdtsc(), next_request);
  return LEAVE(irecv);
}
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  ENTER(isend);
  OTF2_EvtWriter_MpiIsend(events, NULL, __rdtsc(), (uint32_t)to, 0, (uint32_t)tag, bytes_of(count, type),
                          next_request + 1);
  const int result = PMPI_Isend(buffer, count, type, to, tag, comm, request);
  return LEAVE(isend);
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  MPI_Status own[2];
  ENTER(waitall);
  const int result = PMPI_Waitall(count, requests, own);
  (void)statuses;
  OTF2_EvtWriter_MpiIrecv(events, NULL, __rdtsc(), (uint32_t)own[0].MPI_SOURCE, 0, (uint32_t)own[0].MPI_TAG, 8,
                          next_request);
  OTF2_EvtWriter_MpiIsendComplete(events, NULL, __rdtsc(), next_request + 1);
  next_request += 2;
  return LEAVE(waitall);
}
int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ENTER(allreduce);
  OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, __rdtsc());
  const int result = PMPI_Allreduce(in, out, count, type, op, comm);
  const uint64_t bytes = bytes_of(count, type);
  OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, __rdtsc(), OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_UNDEFINED_UINT32,
                                  bytes, bytes);
  return LEAVE(allreduce);
}
int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ENTER(send);
  OTF2_EvtWriter_MpiSend(events, NULL, __rdtsc(), (uint32_t)to, 0, (uint32_t)tag, bytes_of(count, type));
  const int result = PMPI_Send(buffer, count, type, to, tag, comm);
  return LEAVE(send);
}
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  (void)status;
  ENTER(recv);
  const int result = PMPI_Recv(buffer, count, type, source, tag, comm, &own);
  OTF2_EvtWriter_MpiRecv(events, NULL, __rdtsc(), (uint32_t)own.MPI_SOURCE, 0, (uint32_t)own.MPI_TAG,
                         bytes_of(count, type));
  return LEAVE(recv);
}
int MPI_Sendrecv(const void* out, int sent, MPI_Datatype sent_type, int to, int send_tag, void* in, int count,
                 MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  (void)status;
  ENTER(sendrecv);
  OTF2_EvtWriter_MpiSend(events, NULL, __rdtsc(), (uint32_t)to, 0, (uint32_t)send_tag, bytes_of(sent, sent_type));
  const int result = PMPI_Sendrecv(out, sent, sent_type, to, send_tag, in, count, type, source, tag, comm, &own);
  OTF2_EvtWriter_MpiRecv(events, NULL, __rdtsc(), (uint32_t)own.MPI_SOURCE, 0, (uint32_t)own.MPI_TAG,
                         bytes_of(count, type));
  return LEAVE(sendrecv);
}
