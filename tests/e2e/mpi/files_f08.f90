! SPDX-License-Identifier: BSD-3-Clause
program files
  use mpi_f08
  implicit none
  type(MPI_File) :: file
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  include 'files.inc'
end program
