# Open MPI and MPICH with what they load, from Debian into .deps/mpi, for links between shards (core/engines/link_mpi) and
# their tests. Where the system has one of them, that one is found too.

mpi_debian_packages=(libopenmpi-dev libopenmpi3 openmpi-bin openmpi-common libpmix2 libmunge2 libevent-core-2.1-7
    libevent-pthreads-2.1-7 libfabric1 libibverbs1 librdmacm1 libnl-3-200 libnl-route-3-200 libpsm-infinipath1 libpsm2-2
    libmpich-dev libmpich12 mpich libslurm38 libucx0 libhwloc15)

mpi_ready() { [[ -x $deps/mpi/usr/bin/mpirun.openmpi && -x $deps/mpi/usr/bin/mpiexec.hydra ]]; }

mpi_announce() { announce MPI 'Open MPI and MPICH by apt-get: 26 MB to download, 77 MB to keep'; }

mpi_bring() {
    local hindrance
    hindrance=$(debian_hindrance)
    if [[ -n $hindrance ]]; then
        say "MPI is not downloaded, because $hindrance; what the system has is used"
        return
    fi
    debian_unpack "$work/mpi" 26 "${mpi_debian_packages[@]}" || please_repeat
    find "$work/mpi" -name '*.a' -delete # static libraries, most of its size
    rm -rf -- "$deps/mpi"
    mv -- "$work/mpi" "$deps/mpi"
}
