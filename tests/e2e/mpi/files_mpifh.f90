! SPDX-License-Identifier: BSD-3-Clause
program files
  implicit none
  include 'mpif.h'
  integer :: file, request, status(MPI_STATUS_SIZE)
  include 'files.inc'
end program
