! SPDX-License-Identifier: BSD-3-Clause
program files
  use mpi
  implicit none
  integer :: file, request, status(MPI_STATUS_SIZE)
  include 'files.inc'
end program
