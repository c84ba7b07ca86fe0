"""A kernel's text is compiled once; whatever is wrong with the folder, it is compiled again."""

import gc
import hashlib
import linecache
import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
import weakref
from contextlib import suppress

import numpy as np
import pytest

from minijax.compiler import doors
from minijax.compiler.native import caches, environment, machine_code
from minijax.core.config import clear_caches, config

with suppress(ImportError):  # Windows has neither
    import grp
    import pwd

VECTOR = "float32[::1]"
FLAGS = frozenset({"contract"})
SIGNATURE = (VECTOR, VECTOR, "int64")
TEXT = """def kernel(x0, y0, n0):
    for i in range(n0):
        y0[i] = x0[i] * float32({})
"""
needs_users = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")


def text_times(factor):
    return TEXT.format(float(factor))


def compile_times(factor):
    return doors.compile_source(text_times(factor), "kernel", SIGNATURE, FLAGS)


def results_of(kernel):
    x = np.arange(5, dtype=np.float32)
    y = np.zeros_like(x)
    kernel(x, y, 5)
    return y.tolist()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where kernels go: a folder that is not there yet, inside one that is named."""
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", str(tmp_path / "kernels"))
    clear_caches()
    yield tmp_path / "kernels" / caches.FOLDER
    clear_caches()


@pytest.fixture
def compiled(monkeypatch):
    """The names of what was compiled, in order."""
    names, original = [], machine_code.native_code

    def native_code(source, name, *rest):
        names.append(name)
        return original(source, name, *rest)

    monkeypatch.setattr(machine_code, "native_code", native_code)
    return names


def only_file(folder, ending=".kernel"):
    (path,) = folder.glob(f"*{ending}")
    return path


# In memory.


def test_a_text_is_compiled_once(compiled):
    kernel = compile_times(2)
    assert results_of(kernel) == [0, 2, 4, 6, 8]
    assert compile_times(2) is kernel and compiled == ["kernel"]
    assert results_of(compile_times(3)) == [0, 3, 6, 9, 12] and len(compiled) == 2


def test_signature_and_flags_are_in_the_key(compiled):
    compile_times(2)
    doors.compile_source(text_times(2), "kernel", (VECTOR, VECTOR, "int32"), FLAGS)
    doors.compile_source(text_times(2), "kernel", SIGNATURE, FLAGS | {"reassoc"})
    assert len(compiled) == 3


def test_clear_caches_forgets_and_the_folder_remembers(compiled):
    kernel = compile_times(2)
    clear_caches()
    assert compile_times(2) is not kernel and compiled == ["kernel"]
    assert results_of(compile_times(2)) == results_of(kernel)


def test_native_code_goes_with_its_kernel():
    """The engine that holds it is the function's `self`."""
    engine = weakref.ref(compile_times(2).call.__self__)
    clear_caches()
    gc.collect()
    assert engine() is None


def test_threads_that_ask_for_one_kernel_compile_it_once(compiled):
    barrier, found = threading.Barrier(8), []

    def ask(factor):
        barrier.wait()
        found.append((factor, compile_times(factor)))

    threads = [threading.Thread(target=ask, args=(2 + i % 2,)) for i in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 8 and len({id(kernel) for _, kernel in found}) == 2
    assert compiled == ["kernel", "kernel"]
    assert all(results_of(kernel)[1] == factor for factor, kernel in found)


KERNELS = [(text_times(k), "kernel", SIGNATURE, FLAGS) for k in (2, 3, 4, 5)]


def compile_program():
    caches.begin(KERNELS)
    return [doors.compile_source(*kernel, "direct") for kernel in KERNELS]


def test_a_programs_kernels_are_compiled_once(monkeypatch, compiled):
    texts, original = [], machine_code.own_code

    def own_code(text, *rest):
        texts.append(text)
        return original(text, *rest)

    monkeypatch.setattr(machine_code, "own_code", own_code)
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")  # nor does a folder have them
    for _ in range(2):
        assert [results_of(kernel)[1] for kernel in compile_program()] == [2, 3, 4, 5]
    assert sorted(texts) == sorted(kernel[0] for kernel in KERNELS) and len(compiled) == 4


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_what_ends_one_kernel_ends_no_other(monkeypatch, error):
    """Nobody waits for it in vain, and who asks again gets it."""
    original = machine_code.own_code

    def own_code(text, *rest):
        if text == KERNELS[2][0]:
            raise error
        return original(text, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(machine_code, "own_code", own_code)
        with pytest.raises(error):
            compile_program()
    assert [results_of(kernel)[1] for kernel in compile_program()] == [2, 3, 4, 5]


def test_the_lock_of_python_is_released():
    """Another thread goes on while a kernel runs."""
    text = """def kernel(x0, y0, n0):
    for k in range(n0):
        s = y0[0]
        for i in range(1000):
            s = s * x0[0] + x0[0]
        y0[0] = s
"""
    kernel = doors.compile_source(text, "kernel", SIGNATURE, FLAGS)
    x, y = np.full(1, 0.5, np.float32), np.zeros(1, np.float32)
    started, ended, ticks = threading.Event(), threading.Event(), []

    def run():
        started.set()
        kernel.call(x, y, 200_000)
        ended.set()

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    while not ended.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    assert len(ticks) > 20


# What a kernel takes, and what it refuses.


@pytest.mark.parametrize("dtype", [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
    "float64",
])  # fmt: skip
def test_arrays_and_numbers_of_every_dtype(dtype):
    text = """def kernel(x0, c, y0, z0, n0):
    for i in range(n0):
        y0[i] = x0[i]
        z0[i] = c
"""
    signature = (f"{dtype}[::1]", dtype, f"{dtype}[::1]", f"{dtype}[::1]", "int64")
    kernel = doors.compile_source(text, "kernel", signature, FLAGS)
    x = np.array([0, 1, 100, 7, -3]).astype(dtype)
    y, z = np.zeros_like(x), np.zeros_like(x)
    for number in (x[2], x[4], x[4].item()):
        kernel(x, number, y, z, 5)
        np.testing.assert_array_equal(y, x)
        np.testing.assert_array_equal(z, np.full(5, number, dtype))


def test_bools_are_bools():
    text = """def kernel(x0, x1, y0, y1, n0):
    for i in range(n0):
        y0[i] = (x0[i] & (not x1[i])) | (x0[i] == x1[i])
        y1[i] = float32(x0[i])
"""
    signature = ("bool[::1]", "bool[::1]", "bool[::1]", VECTOR, "int64")
    kernel = doors.compile_source(text, "kernel", signature, FLAGS)
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    y0, y1 = np.zeros(4, bool), np.zeros(4, np.float32)
    kernel(a, b, y0, y1, 4)
    assert y0.view(np.uint8).tolist() == [1, 1, 0, 1] and y1.tolist() == [1, 1, 0, 0]


def test_slices_constant_positions_and_several_axes():
    text = """def kernel(x0, y0, lo, hi, n1):
    for i0 in range(lo, hi):
        x0_row = x0[i0 * n1:(i0 + 1) * n1]
        y0_row = y0[i0 * n1:]
        for i1 in range(n1):
            y0_row[i1] = x0_row[i1] + x0[1]
"""
    kernel = doors.compile_source(text, "kernel", (VECTOR, VECTOR, *["int64"] * 3), FLAGS)
    x, y = np.arange(12, dtype=np.float32).reshape(4, 3), np.zeros((4, 3), np.float32)
    kernel(x, y, 1, 3, 3)
    assert y.tolist() == [[0, 0, 0], [4, 5, 6], [7, 8, 9], [0, 0, 0]]


@pytest.mark.parametrize("args", [
    ([1.0, 2.0], np.zeros(2, np.float32), 2),
    (np.zeros(2), np.zeros(2, np.float32), 2),
    (np.zeros(4, np.float32)[::2], np.zeros(2, np.float32), 2),
    (np.frombuffer(bytes(9), np.uint8)[1:].view(np.float32), np.zeros(2, np.float32), 2),
    (np.zeros(2, np.float32), np.zeros(2, np.float32), np.zeros(2)),
    (np.zeros(2, np.float32), np.zeros(2, np.float32), 2.5),
    (np.zeros(2, np.float32), np.zeros(2, np.float32)),
])  # fmt: skip
def test_arguments_that_do_not_fit_are_refused(args):
    with pytest.raises(TypeError, match="kernel"):
        compile_times(2)(*args)


def test_a_kernel_says_what_it_is():
    kernel = compile_times(2)
    assert kernel.source == text_times(2) and kernel.file in repr(kernel)
    assert open(kernel.file).read() == f"# minijax kernel 1\n{kernel.source}"


@pytest.mark.parametrize("door", ["direct", "numba"])
def test_the_instructions_can_be_read(door):
    assert "mul" in doors.assembly(text_times(3), "kernel", SIGNATURE, FLAGS, door)


def test_a_name_that_the_process_lacks_is_no_end_of_it():
    """LLVM alone would abort."""
    text, name = text_times(2), "kernel"
    needed, code = machine_code.native_code(text, name, SIGNATURE, FLAGS)
    assert machine_code.load(name, needed, code) is not None
    assert machine_code.load(name, f"{needed} no_such_function_anywhere", code) is None


PRODUCTS = """
import sys, numpy as np, minijax as jax
from minijax.compiler.native import machine_code
if sys.argv[1] == "again":
    machine_code.native_code = None
x = np.ones((32, 40), "f")
print(jax.jit(lambda x: jax.lax.fori_loop(0, 2, lambda _, y: y @ x.T @ x, x))(x)[0, 0])
"""


def test_a_kernel_that_calls_blas_is_kept(folder):
    """It asks for the function by name: in each process, the library lies at another address."""
    env = {**os.environ, "MINIJAX_JIT_KERNELS": "direct", "MINIJAX_JIT_BACKEND": "numba"}
    for when in ("first", "again"):
        run = subprocess.run([sys.executable, "-c", PRODUCTS, when], env=env, capture_output=True,
                             text=True, timeout=120)  # fmt: skip
        assert float(run.stdout) == 1638400, run.stderr
    assert any("product_f32(" in path.read_text() for path in folder.glob("*.py"))


def test_division_by_zero_and_overflow_are_silent_in_python_too(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    text = "def kernel(x0, y0, n0):\n    for i in range(n0):\n        y0[i] = x0[i] / x0[0]\n"
    kernel = doors.compile_source(text, "kernel", SIGNATURE, FLAGS)
    x, y = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    with np.errstate(all="raise"):
        kernel(x, y, 3)
    np.testing.assert_array_equal(y, [np.nan, np.inf, np.inf])


# Without the compiler.


def test_disabled_jit_runs_the_text_and_tracebacks_show_it(monkeypatch, folder, compiled):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    kernel = compile_times(2)
    assert results_of(kernel) == [0, 2, 4, 6, 8] and compiled == []
    assert not list(folder.glob("*"))
    with pytest.raises(IndexError) as caught:
        kernel(np.zeros(2, np.float32), np.zeros(2, np.float32), 3)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.line == "y0[i] = x0[i] * float32(2.0)" and last.filename == kernel.file
    assert linecache.getlines(kernel.file)[last.lineno - 1].strip() == last.line
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    assert compile_times(2) is not kernel


# The folder.


def test_where_the_folder_is(monkeypatch, tmp_path):
    assert caches.cache_folder() == tmp_path / "kernels" / "minijax-kernels"
    with config.override("jax_compilation_cache_dir", str(tmp_path / "by option")):
        assert caches.cache_folder() == tmp_path / "by option" / "minijax-kernels"
    with config.override("jax_compilation_cache_dir", ""):
        assert caches.cache_folder() is None
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")
    assert caches.cache_folder() is None
    monkeypatch.delenv("MINIJAX_COMPILATION_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert caches.cache_folder() == tmp_path / "home" / "minijax-kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "of no root")  # to be ignored, says its standard
    monkeypatch.setenv("HOME", str(tmp_path))
    assert caches.cache_folder() == tmp_path / ".cache" / "minijax-kernels"


def test_a_user_without_a_home_keeps_nothing(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINIJAX_COMPILATION_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(caches.os.path, "expanduser", lambda path: path)
    assert caches.cache_folder() is None and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["gs://bucket/folder", "s3://bucket"])
def test_a_folder_on_another_machine_is_refused(monkeypatch, tmp_path, address):
    with pytest.raises(ValueError, match="a folder of this machine; got '"):
        config.update("jax_compilation_cache_dir", address)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", address)
    with pytest.warns(UserWarning, match=f"a folder of this machine, not in '{address}'"):
        assert caches.cache_folder() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_name_that_no_folder_has(monkeypatch, name):
    with config.override("jax_compilation_cache_dir", name):
        assert caches.cache_folder() is None


@pytest.mark.parametrize("name, value", [
    ("jax_compilation_cache_dir", 3), ("jax_compilation_cache_max_size", "1 GiB"),
])  # fmt: skip
def test_options_of_other_types_are_refused(name, value):
    with pytest.raises(ValueError, match="is one of"):
        config.update(name, value)


def test_without_a_folder_kernels_work(monkeypatch, tmp_path, compiled):
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")
    kernel = compile_times(2)
    assert results_of(kernel) == [0, 2, 4, 6, 8] and kernel.file.startswith("<kernel")
    clear_caches()
    compile_times(2)
    assert len(compiled) == 2 and list(tmp_path.iterdir()) == []


def damage(content):
    """Contents that are not, to the byte, what was kept."""
    yield b""
    yield b"\n"
    yield b"garbage" * 1000
    yield content[:-1]
    yield content[: len(content) // 2]
    yield content[:20]
    yield content + b"more"
    yield content[:100] + bytes([content[100] ^ 1]) + content[101:]
    yield b"minijax kernel 0\n" + content[17:]
    key = content[49:113]
    yield caches.packed("0" * 64, *caches.unpacked(key.decode(), content))
    for lines in ([], [key], [key, b"cosf"], [key, b"\xff", b""], [b"\xff", b"", b""],
                  [key, b"", b""], [key, b"", b"garbage" * 1000], [key, b"a\0b", b"garbage"]):
        payload = b"\n".join(lines)  # well formed: the digest is right
        yield caches._MAGIC + hashlib.sha256(payload).digest() + payload


def test_a_damaged_file_is_compiled_again_and_replaced(folder, compiled):
    compile_times(2)
    path = only_file(folder)
    content = path.read_bytes()
    for count, wrong in enumerate(damage(content), start=2):
        path.write_bytes(wrong)
        clear_caches()
        assert results_of(compile_times(2)) == [0, 2, 4, 6, 8] and len(compiled) == count
        assert caches.read_kernel(folder, path.stem) is not None


def test_a_folder_in_a_files_place(folder, compiled):
    compile_times(2)
    path = only_file(folder)
    path.unlink()
    path.mkdir()
    clear_caches()
    assert results_of(compile_times(2)) == [0, 2, 4, 6, 8] and len(compiled) == 2


@needs_users
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)],
                         ids=["pipe", "folder", "link"])  # fmt: skip
@pytest.mark.parametrize("ending", [".kernel", ".py"])
def test_what_is_no_file_is_never_waited_for(folder, compiled, make, ending):
    compile_times(2)
    only_file(folder, ".kernel").unlink()
    path = only_file(folder, ".py").with_suffix(ending)
    path.unlink(missing_ok=True)
    make(path)
    clear_caches()
    assert results_of(compile_times(2)) == [0, 2, 4, 6, 8] and len(compiled) == 2
    caches.sweep(folder, 0)


@needs_users
def test_a_file_of_another_user_is_not_loaded(monkeypatch, folder, compiled):
    compile_times(2)
    path, original = only_file(folder), os.fstat

    def fstat(descriptor):
        status = original(descriptor)
        return os.stat_result([*status[:4], status.st_uid + 1, *status[5:]])

    assert caches.read_kernel(folder, path.stem) is not None
    clear_caches()
    monkeypatch.setattr(caches.os, "fstat", fstat)
    with pytest.warns(UserWarning, match="Others may write"):
        assert caches.read_kernel(folder, path.stem) is None
    compile_times(2)
    assert len(compiled) == 2


def warnings_of(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [str(warning.message) for warning in caught]


@needs_users
@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_a_file_that_others_can_write_is_not_loaded(folder, compiled, mode):
    for factor in (2, 3):
        compile_times(factor)
    for path in folder.glob("*.kernel"):
        path.chmod(mode)
    clear_caches()
    told = warnings_of(lambda: [compile_times(2), compile_times(3), compile_times(2)])
    assert len(told) == 1 and str(folder) in told[0] and len(compiled) == 4
    clear_caches()
    assert warnings_of(lambda: compile_times(2)) == [] and len(compiled) == 4


@needs_users
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o720])
def test_a_folder_that_others_can_write_is_not_used(folder, compiled, mode):
    compile_times(2)
    folder.chmod(mode)
    clear_caches()
    told = warnings_of(lambda: [results_of(compile_times(factor)) for factor in (2, 3)])
    assert len(told) == 1 and "Others may write to" in told[0] and len(compiled) == 3
    folder.chmod(0o700)
    clear_caches()
    assert warnings_of(lambda: compile_times(2)) == [] and len(compiled) == 3


@needs_users
def test_a_parent_that_others_can_write(tmp_path, folder, compiled):
    """They could put a folder in another's place, but not in one like /tmp."""
    above = tmp_path / "above"
    above.mkdir()
    with config.override("jax_compilation_cache_dir", str(above / "a" / "b")):
        for mode, is_used in ((0o777, False), (0o1777, True), (0o755, True)):
            above.chmod(mode)
            clear_caches()
            told = warnings_of(lambda: results_of(compile_times(2)))
            assert (caches.cache_folder() is not None) == is_used == (told == [])
            assert (above / "a").exists() == is_used


@needs_users
def test_who_is_trusted(monkeypatch, tmp_path):
    """This user and the superuser; and a group of which this user is the only member."""
    user, group, us = os.getuid() or 1000, os.getgid() or 1000, ("us", "x", 0, 0, "", "", "")
    groups = {group: ("us", "x", group, []), 77: ("lab", "x", 77, ["us", "them"])}
    monkeypatch.setattr(caches.os, "getuid", lambda: user)
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: pwd.struct_passwd(us))
    monkeypatch.setattr(grp, "getgrgid", lambda gid: grp.struct_group(groups[gid]))

    def is_safe(mode, uid=user, gid=group):
        status = os.stat_result((mode | stat.S_IFDIR, 0, 0, 1, uid, gid, 0, 0, 0, 0))
        with monkeypatch.context() as patch:
            patch.setattr(caches.os, "lstat", lambda path: status)
            return caches._is_safe(tmp_path)

    assert is_safe(0o755) and is_safe(0o755, uid=0) and is_safe(0o1777, uid=0)
    assert is_safe(0o775) and is_safe(0o2755, gid=77)
    assert not is_safe(0o755, uid=user + 1) and not is_safe(0o1777, uid=user + 1)
    assert not is_safe(0o775, gid=77) and not is_safe(0o775, gid=78) and not is_safe(0o757)


@needs_users
def test_nothing_is_written_through_a_link(monkeypatch, tmp_path, folder):
    """Neither through one in the unfinished file's place, nor in the folder's."""
    folder.mkdir(parents=True)
    mine = tmp_path / "mine"
    mine.write_text("mine")
    monkeypatch.setattr(caches.os, "urandom", bytes)
    (folder / f"a.kernel.{bytes(8).hex()}.tmp").symlink_to(mine)
    caches.write_file(folder / "a.kernel", b"content")
    assert mine.read_text() == "mine" and not (folder / "a.kernel").exists()
    shutil.rmtree(folder)
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    assert results_of(compile_times(2)) == [0, 2, 4, 6, 8]
    assert list((tmp_path / "elsewhere").iterdir()) == []


@needs_users
def test_the_folder_is_private(folder):
    compile_times(2)
    assert folder.stat().st_mode & 0o077 == 0 and only_file(folder).stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_made(monkeypatch, tmp_path, compiled):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", str(tmp_path / "file" / "kernels"))
    assert caches.cache_folder() is None and results_of(compile_times(2)) == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("function", ["open", "replace"])
def test_a_folder_that_cannot_be_written(monkeypatch, folder, function):
    """As read-only ones are, and full disks; to the superuser none is read-only."""

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(caches.os, function, refuse)
        assert results_of(compile_times(2)) == [0, 2, 4, 6, 8]
    assert list(folder.iterdir()) == []


AS_ANOTHER = """
import os, sys, warnings
import numpy as np
from minijax.compiler import doors
from minijax.compiler.native import caches
SIGNATURE, FLAGS = ("float32[::1]", "float32[::1]", "int64"), frozenset({"contract"})
doors.compile_source(TEXT.format(1.0), "kernel", SIGNATURE, FLAGS)  # loads what compiling needs
named = sys.argv[1]
if os.getuid() == 0:  # to the superuser nothing is closed
    os.chown(named, 12345, 12345)
    os.setgroups([])
    os.setgid(12345)
    os.setuid(12345)
os.environ["MINIJAX_COMPILATION_CACHE_DIR"] = named
os.mkdir(inside := os.path.join(named, caches.FOLDER), 0o700)
warnings.simplefilter("error")
factors = iter(range(2, 100))
for place in (named, inside):
    for mode in (0o000, 0o500, 0o300):
        os.chmod(place, mode)
        kernel = TEXT.format(float(factor := next(factors))), "kernel", SIGNATURE, FLAGS
        x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
        before = caches.is_kept(*kernel)
        doors.compile_source(*kernel)(x, y, 5)
        print(before, caches.is_kept(*kernel), y.tolist() == (factor * x).tolist())
        os.chmod(place, 0o700)
"""


@needs_users
def test_a_folder_that_is_closed_to_us():
    """It is as none, where it can't be written or searched: no error, no warning."""
    with tempfile.TemporaryDirectory() as named:  # pytest's own are closed to other users
        argv = [sys.executable, "-c", f"TEXT = {TEXT!r}\n{AS_ANOTHER}", named]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    closed, is_open = "False False True", "False True True"
    # A named folder is only passed through: one that can't be written holds one that can.
    assert done.stdout.splitlines() == [closed, is_open, is_open, closed, closed, is_open]


# Its size.


def test_the_least_recently_used_goes_first(folder):
    kernels = [compile_times(factor) for factor in (2, 3, 4)]
    keys = [os.path.basename(kernel.file)[:-3] for kernel in kernels]
    for age, key in zip((3000, 2000, 1000), keys, strict=True):
        for ending in (".kernel", ".py"):
            os.utime(folder / (key + ending), (time.time() - age,) * 2)
    clear_caches()
    compile_times(2)  # now the most recently used
    sizes = [(folder / f"{key}.kernel").stat().st_size for key in keys]
    caches.sweep(folder, sizes[0] + sizes[2] + 1000)
    left = {path.name for path in folder.glob("*.kernel")}
    assert left == {f"{keys[0]}.kernel", f"{keys[2]}.kernel"}
    caches.sweep(folder, -1)
    assert {path.name for path in folder.glob("*.kernel")} == left
    caches.sweep(folder, 0)
    assert list(folder.iterdir()) == []


KEY = "0123456789abcdef" * 4


def test_only_files_that_were_written_here_are_removed(tmp_path, folder):
    """Whatever the limit, and however old: a name of our form, and our mark in the file."""
    folder.mkdir(parents=True)
    (folder / "inside").mkdir()
    theirs = {
        "notes.py": b"mine", "notes": b"", "half.tmp": b"", "a.kernel": caches._MAGIC,
        f"{KEY}.py": b"mine", f"{KEY}.kernel": b"import os", f"{KEY[1:]}.kernel": caches._MAGIC,
        f"{KEY}.kernel.1.1.tmp": b"", f"{KEY}.py.bak": caches._MAGIC,
        f"inside/{KEY}.kernel": caches._MAGIC,
    }  # fmt: skip
    ours = {f"{KEY[::-1]}.{ending}": begin + b"more" for ending, begin in
            (("kernel", caches._MAGIC), ("py", caches._COMMENT.encode()))}  # fmt: skip
    for where in (folder, folder.parent):
        (where / "inside").mkdir(exist_ok=True)
        for name, content in {**theirs, **ours}.items():
            (where / name).write_bytes(content)
            os.utime(where / name, (time.time() - 7200,) * 2)
    (folder / f"{'f' * 64}.py").symlink_to(folder.parent / "notes.py")
    with config.override("jax_compilation_cache_max_size", 0):
        compile_times(2)
        caches.sweep(caches.cache_folder(), 0)
    left = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert left == {*theirs, f"{'f' * 64}.py"}
    outside = {str(path.relative_to(folder.parent)) for path in folder.parent.rglob("*")}
    assert outside >= {*theirs, *ours}


def test_what_killed_processes_left_is_removed(folder):
    folder.mkdir(parents=True)
    names = [f"{k:064x}.kernel.{k:016x}.tmp" for k in range(4)]
    for name, content in zip(names, [b"", caches._MAGIC[:5], b"# minijax", b"new"], strict=True):
        (folder / name).write_bytes(content)
        os.utime(folder / name, (time.time() - 7200 * (content != b"new"),) * 2)
    caches.sweep(folder, -1)
    assert [path.name for path in folder.iterdir()] == [names[3]]


def test_the_limit_holds_by_itself(monkeypatch, folder):
    monkeypatch.setattr(caches, "_WRITES_BETWEEN_SWEEPS", 1)
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_MAX_SIZE", "7000")
    for factor in range(2, 8):
        assert results_of(compile_times(factor))[1] == factor
    assert 0 < sum(path.stat().st_size for path in folder.iterdir()) <= 7000
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_MAX_SIZE", "much")
    assert caches.size_limit() == 2**30
    with config.override("jax_compilation_cache_max_size", 5):
        assert caches.size_limit() == 5


def test_another_process_removes_files_meanwhile(monkeypatch, folder):
    compile_times(2)
    monkeypatch.setattr(caches, "_entries", lambda folder: iter([(0.0, 10, folder / "x.kernel")]))
    caches.sweep(folder, 0)
    caches.sweep(folder / "nowhere", 0)


# The key.


def test_the_key_has_all_that_code_depends_on(monkeypatch):
    keys = [caches.kernel_key(text_times(2), "kernel", SIGNATURE, FLAGS)]
    for setting in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT"):
        monkeypatch.setenv(setting, "1")
        keys.append(caches.kernel_key(text_times(2), "kernel", SIGNATURE, FLAGS))
    monkeypatch.setattr(np, "__version__", "0.0")
    environment.environment.cache_clear()
    keys.append(caches.kernel_key(text_times(2), "kernel", SIGNATURE, FLAGS))
    environment.environment.cache_clear()
    with config.override("jax_optimization_level", "O0"):
        keys.append(caches.kernel_key(text_times(2), "kernel", SIGNATURE, FLAGS))
    assert len(set(keys)) == 6


# Several processes.

PROGRAM = """
import sys
import numpy as np
from minijax.compiler import doors
assert "numba" not in sys.modules and "llvmlite" not in sys.modules
SIGNATURE, FLAGS = ("float32[::1]", "float32[::1]", "int64"), frozenset({"contract"})
factors = range(2, 6)
for factor in factors:
    text = TEXT.format(float(factor))
    kernel = doors.compile_source(text, "kernel", SIGNATURE, FLAGS)
    x = np.arange(5, dtype=np.float32)
    y = np.zeros_like(x)
    kernel(x, y, 5)
    assert y.tolist() == (x * factor).tolist()
print("numba" in sys.modules)
"""


def start(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", f"TEXT = {TEXT!r}\n{code}"], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, **environment},
    )  # fmt: skip


def output_of(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.split()


def test_two_processes_at_once_and_a_third_that_imports_no_numba(folder):
    both = [start(PROGRAM), start(PROGRAM)]
    assert [output_of(process) for process in both] == [["False"], ["False"]]
    assert len(list(folder.glob("*.kernel"))) == 4 and list(folder.glob("*.tmp")) == []
    assert output_of(start(PROGRAM)) == ["False"]


@pytest.mark.skipif(platform.machine() != "x86_64" or sys.platform != "linux",
                    reason="LLVM loads all files here")  # fmt: skip
def test_another_cpu_has_kernels_of_its_own(folder):
    compile_times(2)
    code = PROGRAM.replace("range(2, 6)", "[2]")
    assert output_of(start(code, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")) == ["False"]
    assert len(list(folder.glob("*.kernel"))) == 2


KILLED = {
    "half a file written": """
class Half:
    def __init__(self, descriptor):
        self.file = open(descriptor, "wb")
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self.file.close()
    def write(self, content):
        half = len(content) // 2
        self.file.write(content[:half])
        self.file.flush()
        if content.startswith(b"minijax kernel"):
            os.kill(os.getpid(), 9)
        self.file.write(content[half:])
caches.open = lambda file, mode: Half(file) if mode == "wb" else open(file, mode)
""",
    "before the file gets its name": """
replace = os.replace
def replace_or_die(unfinished, path):
    if path.suffix == ".kernel":
        os.kill(os.getpid(), 9)
    replace(unfinished, path)
os.replace = replace_or_die
""",
}


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no signals here")
@pytest.mark.parametrize("when", KILLED)
def test_a_process_killed_while_it_writes(folder, when, compiled):
    process = start(f"import os\nfrom minijax.compiler.native import caches\n{KILLED[when]}\n"
                    + PROGRAM.replace("assert \"numba\"", "# "))  # fmt: skip
    process.communicate(timeout=120)
    assert process.returncode == -9
    assert len(list(folder.glob("*.tmp"))) == 1 and list(folder.glob("*.kernel")) == []
    assert results_of(compile_times(2)) == [0, 2, 4, 6, 8] and compiled == ["kernel"]
    assert caches.read_kernel(folder, only_file(folder).stem) is not None


def test_the_module_imports_no_compiler():
    code = """
import sys
import minijax.compiler.native.caches, minijax.compiler.native.machine_code
print("numba" in sys.modules, "llvmlite" in sys.modules)
"""
    assert output_of(start(code)) == ["False", "False"]
