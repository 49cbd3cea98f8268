/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the archive beside it: two ranks of two threads each, with what OTF2 3.2 has added. It needs OTF2 3.2:
 * cc write.c $(otf2-config --cflags --ldflags --libs) -o write && ./write archive */
#include <otf2/otf2.h>
#include <stdio.h>

static OTF2_FlushType before(void* data, OTF2_FileType type, OTF2_LocationRef location, void* caller, bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}
static OTF2_TimeStamp after(void* data, OTF2_FileType type, OTF2_LocationRef location) {
  (void)data, (void)type, (void)location;
  return 0;
}
static OTF2_FlushCallbacks callbacks = {before, after};

enum { empty, machine, linux_, node, process_0, process_1, thread_0, thread_1, first_region };
enum { send, mprobe, mrecv, imrecv, wait, probe, regions };
static const char* strings[] = {"",           "machine",       "Linux",    "node",     "MPI Rank 0",
                                "MPI Rank 1", "Master thread", "Thread 1", "MPI_Send", "MPI_Mprobe",
                                "MPI_Mrecv",  "MPI_Imrecv",    "MPI_Wait", "MPI_Probe"};

static OTF2_EvtWriter* writer;
static OTF2_TimeStamp now;

static void enter(OTF2_RegionRef region) {
  OTF2_EvtWriter_Enter(writer, NULL, ++now, region);
}
static void leave(OTF2_RegionRef region) {
  OTF2_EvtWriter_Leave(writer, NULL, ++now, region);
}

static void sender(void) {
  now = 1000;
  enter(send);
  OTF2_EvtWriter_MpiSend(writer, NULL, ++now, 1, 0, 7, 24);
  leave(send);
  enter(send);
  OTF2_EvtWriter_MpiSend(writer, NULL, ++now, 1, 0, 8, 40);
  leave(send);
}

/* The first is probed here, and received by the other thread. */
static void prober(void) {
  now = 2000;
  enter(probe);
  OTF2_EvtWriter_MpiProbe(writer, NULL, ++now, 0, 0, 7, OTF2_UNDEFINED_UINT64);
  leave(probe);
  enter(mprobe);
  OTF2_EvtWriter_MpiProbe(writer, NULL, ++now, 0, 0, 7, 11);
  leave(mprobe);
  now = 4000;
  enter(mprobe);
  OTF2_EvtWriter_MpiProbe(writer, NULL, ++now, 0, 0, 8, 12);
  leave(mprobe);
  enter(imrecv);
  OTF2_EvtWriter_MpiImrecvRequest(writer, NULL, ++now, 12, 99);
  leave(imrecv);
  enter(wait);
  OTF2_EvtWriter_MpiImrecv(writer, NULL, ++now, 99, 40);
  leave(wait);
}

static void receiver(void) {
  now = 3000;
  enter(mrecv);
  OTF2_EvtWriter_MpiMrecv(writer, NULL, ++now, 11, 24);
  leave(mrecv);
}

static uint64_t write_events(OTF2_Archive* archive, OTF2_LocationRef location, void (*events)(void)) {
  uint64_t count = 0;
  writer = OTF2_Archive_GetEvtWriter(archive, location);
  if (events != NULL) events();
  OTF2_EvtWriter_GetNumberOfEvents(writer, &count);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, location));
  return count;
}

int main(int argc, char** argv) {
  if (argc != 2) return fprintf(stderr, "write DIRECTORY\n"), 2;
  OTF2_Archive* archive = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 22,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == NULL) return 1;
  OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_Archive_OpenDefFiles(archive);
  void (*const events[4])(void) = {sender, NULL, prober, receiver};
  uint64_t counts[4];
  for (unsigned location = 0; location < 4; ++location)
    counts[location] = write_events(archive, location, events[location]);
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_CloseDefFiles(archive);

  OTF2_GlobalDefWriter* d = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, 1000, 4000, 1700000000000000000u);
  for (unsigned i = 0; i < sizeof strings / sizeof *strings; ++i) OTF2_GlobalDefWriter_WriteString(d, i, strings[i]);
  for (unsigned r = 0; r < regions; ++r)
    OTF2_GlobalDefWriter_WriteRegion(d, r, first_region + r, first_region + r, empty, OTF2_REGION_ROLE_POINT2POINT,
                                     OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, empty, 0, 0);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, linux_, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (unsigned rank = 0; rank < 2; ++rank)
    OTF2_GlobalDefWriter_WriteLocationGroup(d, rank, process_0 + rank, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
  for (unsigned location = 0; location < 4; ++location)
    OTF2_GlobalDefWriter_WriteLocation(d, location, thread_0 + location % 2, OTF2_LOCATION_TYPE_CPU_THREAD,
                                       counts[location], location / 2);
  const uint64_t both[2] = {0, 1};
  OTF2_GlobalDefWriter_WriteGroup(d, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, both);
  OTF2_GlobalDefWriter_WriteGroup(d, 1, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2,
                                  both);
  OTF2_GlobalDefWriter_WriteComm(d, 0, empty, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  OTF2_GlobalDefWriter_WriteParadigm(d, OTF2_PARADIGM_MPI, empty, OTF2_PARADIGM_CLASS_PROCESS);
  return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : 1;
}
