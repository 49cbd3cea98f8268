! SPDX-License-Identifier: BSD-3-Clause
program windows
  use mpi_f08
  implicit none
  type(MPI_Win) :: win
  type(MPI_Request) :: request
  include 'windows.inc'
end program
