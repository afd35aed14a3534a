# OSMesa, which draws pictures of MuJoCo in memory, from Debian packages into .deps/osmesa: for the tests, on a machine that
# has no other OpenGL to draw with.

osmesa_packages=(libosmesa6 libglapi-mesa libllvm15 libz3-4 libedit2 libbsd0 libmd0 libxml2 libicu72 libffi8)

# Whether this machine draws by EGL or OSMesa, as plugins/envs/mujoco asks them.
can_draw() {
    python3 - 2>/dev/null <<'END'
import ctypes
def egl():
    library = ctypes.CDLL("libEGL.so.1")
    library.eglGetProcAddress.restype = ctypes.c_void_p
    pointer, count = ctypes.c_void_p, ctypes.c_int()
    find = lambda name, result, *kinds: ctypes.CFUNCTYPE(result, *kinds)(library.eglGetProcAddress(name))
    devices = (pointer * 32)()
    find(b"eglQueryDevicesEXT", ctypes.c_uint, ctypes.c_int, pointer, pointer)(32, devices, ctypes.byref(count))
    display = find(b"eglGetPlatformDisplayEXT", pointer, ctypes.c_uint, pointer, pointer)
    start = find(b"eglInitialize", ctypes.c_uint, pointer, pointer, pointer)
    return any(start(display(0x313F, one, None), None, None) for one in devices[:count.value])
def osmesa():
    return ctypes.CDLL("libOSMesa.so.8") is not None
def works(way):
    try: return way()
    except (OSError, TypeError, ValueError): return False
raise SystemExit(0 if works(egl) or works(osmesa) else 1)
END
}

bring_osmesa() {
    [[ ! -d $deps/osmesa ]] || return 0
    ! can_draw || return 0
    local hindrance
    hindrance=$(debian_hindrance)
    [[ -z $hindrance ]] || stop "this machine has neither EGL nor OSMesa to draw with, and $hindrance"
    say 'downloading into .deps/osmesa of this clone (once), for the tests of pictures:'
    announce Debian 'packages by apt-get: 45 MB to download, 190 MB to keep (after 20 MB of package lists, not kept):'
    announce '' "${osmesa_packages[*]}"
    work=$deps/partial-osmesa
    rm -rf -- "$work"
    mkdir -p -- "$work"
    debian_unpack "$work/osmesa" 45 "${osmesa_packages[@]}" || please_repeat 'the Debian packages could not be downloaded'
    mv -- "$work/osmesa" "$deps/osmesa"
    rm -rf -- "$work"
}

# For the programs that this shell starts.
use_osmesa() {
    [[ ! -d $deps/osmesa ]] ||
        export LD_LIBRARY_PATH=$deps/osmesa/usr/lib/$(uname -m)-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}
