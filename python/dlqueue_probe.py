"""Records when a torch DataLoader loads, delivers and waits: a CSV file with a row per batch.

    from dlqueue_probe import probe
    loader = probe(DataLoader(dataset, num_workers=8), "trace.csv")    # the training loop stays as it is

Then, after the run or during it:

    dlqueue diagnose trace.csv      # is the loader the bottleneck, and why
    dlqueue fit trace.csv           # a configuration fitted to the run, to try other worker counts with

At the end of the training `probe.summary()` prints what `dlqueue advise` says of it in three lines.

This one file is all: put it beside the training script, or into PYTHONPATH. It needs torch 1.13 or later.

Columns (seconds on one monotonic clock, which all processes of a host share; empty: not known):
    rank, epoch, index, worker    who; index counts the batches of an epoch; worker is -1 with num_workers=0
    dispatched                    the batch's indices were handed to a worker
    load_start, load_end          in the worker: before the first sample is asked for, after the batch is collated
    request, received             the loop asks for the batch; the loop has it
    step_end                      the loop asks for the next batch, or the epoch is over
    data_time, iter_time          received - request; step_end - request
    load_cpu, load_delay          CPU time of the worker in this load; time that it was ready to run and had no core
    worker_cpu, worker_delay      the same since this worker's previous load ended: with what is between two loads
    receive_cpu, receive_delay    the same of the training process between request and received
    step_cpu, step_delay          the same between received and step_end

CPU time is that of all threads of a process; delays, of its main thread, are what Linux writes to
/proc/self/schedstat, and empty elsewhere. The first lines of the file describe the run: workers, prefetch_factor,
persistent_workers, world (processes of the run), local_world (those of this host); what this process may use: cores
(by affinity and cgroup), memory and shm (size of /dev/shm), both in bytes.

What you get is not a DataLoader, but passes for one: len(), attributes and isinstance() are those of the loader that
you gave. Data, order and random numbers are the same as without it. Workers are slowed by about ten microseconds per
batch and under one per sample, the training process by about twenty microseconds per batch:
`python3 dlqueue_probe.py` measures it.

Things to know:
  * On a GPU, kernels run behind the host's back, and this clock is the host's. Without more, a step "ends" when its
    kernels are launched. The wait for the GPU then shows up where the loop next blocks, often in another step or in
    the data time. probe(loader, path, synchronize=True) calls torch.cuda.synchronize() before it reads the clock at
    the end of each step. Times are then right, but launches no longer overlap with what runs: steps that are bound by
    launches get slower. Use it for some hundred batches, not for a whole training. A loop that reads loss.item() in
    every step needs it less.
  * With several ranks, each writes its own file: "trace.csv" becomes "trace.rank3.csv"; or put {rank} into the path.
    The rank is that of torch.distributed if it is initialized when the first epoch begins, else RANK, LOCAL_RANK,
    SLURM_PROCID or OMPI_COMM_WORLD_RANK. Clocks of different hosts are not comparable.
  * Every call of iter() is an epoch. The last row of an epoch that is left early has no step_end: what the loop does
    after `break` is not a step.
  * A batch whose load raises has no row, but keeps its index.
  * dispatched is empty for an IterableDataset. Its first batch has the start of the stream in dispatch, not in load.
    DataPipes are left unwrapped, so that their shuffling and sharding stay as they are: load_start is empty too.
  * With pin_memory, load_end is before pinning. Pinning is part of the way from load_end to received.
  * Rows are written in blocks: every 200 batches, every 10 seconds, at the end of an epoch, at close() and at exit. A
    run that is killed loses the last block and leaves whole lines. The time of writing counts neither as step nor as
    wait: step_end of a batch is then a little before request of the next.
  * If the file can't be written, training goes on. One warning says so (logger "dlqueue_probe").
  * A framework that builds a new DataLoader from yours loses the probe, and there is no file. Give the probe the
    DataLoader that is iterated in the end; with accelerate, after prepare():
    prepared.base_dataloader = probe(prepared.base_dataloader, "trace.csv").
  * A copy, deep or not, is one of the loader that you gave, without the probe, and so is what a pickle brings back: two
    loaders cannot write one file. Probe the copy, with a path of its own, where that is what is iterated.
  * Loaders that save and restore their position (torchdata's StatefulDataLoader) are refused: a probe would break
    that. So are objects that only contain a DataLoader.
  * probe(loader, path, ceiling=50) is for a separate, short run, whose model is thrown away: the loop gets 50 copies of
    the first batch without waiting, and then the end of the epoch. `dlqueue compare trace.csv ceiling.csv` then says how
    much faster training would be if loading cost nothing.
  * `with probe(...) as loader:` and loader.close() end the trace early. Both are optional.
"""

import argparse
import atexit
import collections
import contextlib
import copy
import csv
import functools
import json
import logging
import multiprocessing.util
import operator
import os
import platform
import stat
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import weakref

# torch is imported where it is needed: `dlqueue run` loads this file while torch itself is being imported.

__all__ = ["probe"]

COLUMNS = (
    "rank,epoch,index,worker,dispatched,load_start,load_end,request,received,step_end,data_time,iter_time,"
    "load_cpu,load_delay,worker_cpu,worker_delay,receive_cpu,receive_delay,step_cpu,step_delay"
)
BLOCK_ROWS = 200
BLOCK_SECONDS = 10.0
# Begins what travels with a batch from the worker. Pinning turns tuples into lists but leaves texts and numbers alone.
STAMP = "dlqueue_probe"
UNKNOWN_USE = (None, None)  # of the processor: CPU time, delay
NO_STAMP = (STAMP, None, None, None) + 2 * UNKNOWN_USE  # worker, load_start, load_end, use of the load, of the worker
PAIR = (tuple, list)

clock = time.perf_counter  # CLOCK_MONOTONIC on Linux: the same in all processes of a host
log = logging.getLogger("dlqueue_probe")


def probe(loader, path, synchronize=False, ceiling=0):
    """Wraps a DataLoader; a row per batch goes to the file at `path`, which is replaced when the first epoch begins.

    synchronize: call torch.cuda.synchronize() at the end of each step, see the text of the module.
    ceiling: deliver copies of the first batch so many times without loading, then end the epoch; 0: off.
    """
    from torch.utils.data import DataLoader

    if not isinstance(loader, DataLoader) or isinstance(loader, Probe):
        raise TypeError("probe() takes a torch.utils.data.DataLoader, not %r" % type(loader).__name__)
    if hasattr(loader, "state_dict"):
        raise TypeError("probe() would break the saved position of a %s" % type(loader).__name__)
    if "dataset" not in vars(loader):
        raise TypeError("probe() takes the DataLoader inside a %s" % type(loader).__name__)
    return Probe(loader, os.fspath(path), synchronize, ceiling)


def summary():
    """Prints what the command says of each trace that this process has written, or how to ask it; of rank 0 alone."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dlqueue", "bin", "dlqueue")  # in a wheel
    command = beside if os.path.exists(beside) else "dlqueue"
    for trace in list(_Trace.writers.values()):
        trace.write()
    for path in _Trace.opened:
        try:
            advice = [command, "advise", "--summary", path]
            print(subprocess.run(advice, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode().rstrip())
        except OSError:
            print("dlqueue advise %s says what training waited for" % path)


probe.summary = summary


# In all processes


def data_pipes():
    """The classes of DataPipes; none in a torch that has lost them."""
    import torch.utils.data as data

    return tuple(getattr(data, name) for name in ("IterDataPipe", "MapDataPipe") if hasattr(data, name))


def worker_info():
    from torch.utils.data import get_worker_info

    return get_worker_info()


class _Processor:
    """CPU time of this process, and how long it was ready to run and had no core; each a sum since its start."""

    def __init__(self, path="/proc/self/schedstat"):
        self.path = path
        self.process = None  # that opened the file: a forked child's would still be that of its parent
        self.descriptor = None

    def use(self):
        if self.process != os.getpid():
            self.open()
        if self.descriptor is None:
            return time.process_time(), None
        try:
            # Running and waiting in nanoseconds, number of time slices.
            return time.process_time(), int(os.pread(self.descriptor, 64, 0).split()[1]) * 1e-9
        except (OSError, ValueError, IndexError):
            self.release()
            return time.process_time(), None

    def open(self):
        self.release()
        self.process = os.getpid()
        with contextlib.suppress(OSError):
            self.descriptor = os.open(self.path, os.O_RDONLY)

    def release(self):
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(descriptor)


processor = _Processor()


def used_between(earlier, later):
    """Differences of two readings. The kernel may add up late what ran on several cores: none is below 0."""
    return tuple(None if a is None or b is None else max(0.0, b - a) for a, b in zip(earlier, later))


# In the workers (with num_workers=0: in next() of the training process)


class _Mark:
    """When the load of the current batch began; shared by the wrappers of the dataset and of collate_fn."""

    __slots__ = ("start", "use", "last")

    def __init__(self):
        self.start = None
        self.use = UNKNOWN_USE  # when it began
        self.last = None  # when the load before ended, in this worker

    def begin(self):
        self.use = processor.use()
        if self.last is None:
            self.last = self.use
        self.start = clock()

    def __reduce__(self):
        return type(self), ()


class _Dataset:
    """Stands for a dataset in the fetcher; everything but the loading itself is passed through."""

    __slots__ = ("_dlq_dataset", "_dlq_mark")

    def __init__(self, dataset, mark):
        object.__setattr__(self, "_dlq_dataset", dataset)
        object.__setattr__(self, "_dlq_mark", mark)

    def __reduce__(self):
        return type(self), (self._dlq_dataset, self._dlq_mark)

    def __getattr__(self, name):
        return getattr(self._dlq_dataset, name)

    def __setattr__(self, name, value):
        setattr(self._dlq_dataset, name, value)

    def __len__(self):
        return len(self._dlq_dataset)


class _Items(_Dataset):
    __slots__ = ()

    def __getitem__(self, index):
        return self._dlq_load(operator.getitem, self._dlq_dataset, index)

    @property
    def __getitems__(self):
        load = self._dlq_dataset.__getitems__
        return load and (lambda indices: self._dlq_load(load, indices))

    def _dlq_load(self, load, *arguments):
        mark = self._dlq_mark
        if mark.start is None:
            mark.begin()
        try:
            return load(*arguments)
        except BaseException:
            mark.start = None
            raise


class _Stream(_Dataset):
    __slots__ = ()

    def __iter__(self):
        self._dlq_mark.start = None  # drop_last leaves the start of an incomplete batch behind
        return _StreamItems(iter(self._dlq_dataset), self._dlq_mark)


class _StreamItems:
    __slots__ = ("items", "mark")

    def __init__(self, items, mark):
        self.items = items
        self.mark = mark

    def __iter__(self):
        return self

    def __next__(self):
        mark = self.mark
        if mark.start is None:
            mark.begin()
        try:
            return next(self.items)
        except StopIteration:
            raise  # what there is of a batch may still be collated
        except BaseException:
            mark.start = None
            raise


class _Collate:
    """Ends the load of a batch and sends the times along with it."""

    def __init__(self, collate, mark, workers):
        self.collate = collate
        self.mark = mark
        self.workers = workers

    def __call__(self, samples):
        mark = self.mark
        start, mark.start = mark.start, None
        batch = self.collate(samples)
        # A loader without workers may itself run in another loader's worker.
        worker = worker_info().id if self.workers else -1
        end, use = clock(), processor.use()
        of_load = UNKNOWN_USE if start is None else used_between(mark.use, use)
        # Without workers there is the whole step between two loads, which is not the loader's.
        of_worker = used_between(mark.last, use) if self.workers and mark.last is not None else UNKNOWN_USE
        mark.last = use
        return batch, (STAMP, worker, start, end) + of_load + of_worker


class _WorkerInit:
    """Shows the user's own dataset in get_worker_info(), as functions that shard it expect."""

    def __init__(self, dataset, init):
        self.dataset = dataset
        self.init = init

    def __call__(self, worker):
        # WorkerInfo refuses assignments, though only by its own __setattr__.
        object.__setattr__(worker_info(), "dataset", self.dataset)
        if self.init is not None:
            self.init(worker)


def take_stamp(data):
    """Splits what arrives into the batch and its stamp."""
    if type(data) in PAIR and len(data) == 2:
        batch, stamp = data
        if type(stamp) in PAIR and len(stamp) == len(NO_STAMP) and type(stamp[0]) is str and stamp[0] == STAMP:
            return batch, stamp
    return data, NO_STAMP


# In the training process


def synchronize_cuda():
    import torch

    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


class _Sent:
    """Times of dispatch of the batches of an epoch that are still to come."""

    __slots__ = ("times", "count")

    def __init__(self):
        self.times = {}
        self.count = 0


class _Sampler:
    """Stands for the sampler whose next() the DataLoader calls right before it hands the indices to a worker."""

    def __init__(self, sampler, current):
        self.sampler = sampler
        self.current = current  # a list that holds the _Sent of the epoch that is being iterated

    def __iter__(self):
        return _Indices(iter(self.sampler), self.current[0])

    def __len__(self):
        return len(self.sampler)

    def __getattr__(self, name):
        if name == "sampler":
            raise AttributeError(name)
        return getattr(self.sampler, name)


class _Indices:
    __slots__ = ("indices", "sent")

    def __init__(self, indices, sent):
        self.indices = indices
        self.sent = sent

    def __iter__(self):
        return self

    def __next__(self):
        indices = next(self.indices)
        sent = self.sent
        sent.times[sent.count] = clock()
        sent.count += 1
        return indices


class _Epoch:
    """The iterator of one epoch: takes the stamps off the batches and records its own times."""

    def __init__(self, owner):
        self._owner = owner  # the trace ends with the owner, so it has to outlive a loop over a temporary
        self._trace = owner._dlq_trace
        self._synchronize = owner._dlq_synchronize
        self._current = owner._dlq_current
        self._number = self._trace.next_epoch()
        self._sent = _Sent()
        self._count = 0
        self._successor = None
        self._current[0] = self._sent
        self._batches = iter(owner._dlq_inner)
        self._unordered = not getattr(owner._dlq_inner, "in_order", True)
        self._tasks = self._outstanding()
        self._ceiling = owner._dlq_ceiling
        self._kept = None  # with a ceiling: the batch that is delivered again and again

    def __iter__(self):
        return self

    def __len__(self):
        return len(self._batches)

    def __getattr__(self, name):
        if name == "_batches":
            raise AttributeError(name)
        return getattr(self._batches, name)

    def __next__(self):
        if self._successor is not None:
            return next(self._successor)
        if self._synchronize:
            synchronize_cuda()
        request, use = clock(), processor.use()
        if self._trace.end_step(self._number, request, use):
            request, use = clock(), processor.use()
        if self._ceiling:
            return self._next_copy()
        self._current[0] = self._sent
        try:
            data = next(self._batches)
        except StopIteration:
            self._trace.write()
            raise
        except Exception:
            self._next_index()
            raise
        received, use_received = clock(), processor.use()
        batch, stamp = take_stamp(data)
        of_receive = used_between(use, use_received)
        self._trace.running[self._number] = (self._next_index(), stamp, request, received, of_receive, use_received)
        return batch

    def _next_copy(self):
        """A copy of the first batch, which is loaded before the first step is recorded."""
        if self._kept is None:
            self._kept, _ = take_stamp(next(self._batches))
            getattr(self._batches, "_shutdown_workers", bool)()
            vars(self._owner._dlq_inner)["_iterator"] = None  # a loader with persistent workers starts new ones
        if self._count == self._ceiling:
            self._trace.write()
            raise StopIteration
        batch = copy.deepcopy(self._kept)
        now, use = clock(), processor.use()
        self._trace.running[self._number] = ((self._count, None), NO_STAMP, now, now, used_between(use, use), use)
        self._count += 1
        return batch

    def _outstanding(self):
        """Numbers of the batches that are under way, where they do not arrive in order."""
        return set(getattr(self._batches, "_task_info", ())) if self._unordered else None

    def _next_index(self):
        """The number of the batch that has just left the loader, and when it was dispatched."""
        index = self._count
        self._count += 1
        if self._unordered:
            before, self._tasks = self._tasks, self._outstanding()
            gone = before - self._tasks
            if len(gone) == 1:
                index = gone.pop()
        return index, self._sent.times.pop(index, None)

    def supersede(self, successor):
        """Persistent workers have one iterator for all epochs: an old one goes on with the new one's batches."""
        self._successor = successor
        self._trace.end_step(self._number, None)

    def __del__(self):
        if hasattr(self, "_number"):
            self._trace.end_step(self._number, None)


class Probe:
    """What probe() returns: the loader given, but for iter()."""

    __slots__ = (
        "_dlq_loader",  # the one given; never changed
        "_dlq_inner",  # its double, which loads through the wrappers above
        "_dlq_trace",
        "_dlq_synchronize",
        "_dlq_ceiling",
        "_dlq_current",
        "_dlq_last",  # weak reference to the last epoch
        "__weakref__",
    )

    def __init__(self, loader, path, synchronize, ceiling):
        own = object.__setattr__
        own(self, "_dlq_loader", loader)
        own(self, "_dlq_inner", object.__new__(type(loader)))
        own(self, "_dlq_trace", _Trace(path))
        own(self, "_dlq_synchronize", synchronize)
        own(self, "_dlq_ceiling", ceiling)
        own(self, "_dlq_current", [None])
        own(self, "_dlq_last", None)
        weakref.finalize(self, self._dlq_trace.close)  # at exit too

    @property
    def __class__(self):
        return type(self._dlq_loader)

    def __iter__(self):
        self._dlq_refresh()
        self._dlq_trace.open(self._dlq_loader, self._dlq_synchronize, self._dlq_ceiling)
        last = self._dlq_last and self._dlq_last()
        epoch = _Epoch(self)
        if last is not None and last._batches is epoch._batches:
            last.supersede(epoch)
        object.__setattr__(self, "_dlq_last", weakref.ref(epoch))
        return epoch

    def _dlq_refresh(self):
        """Gives the double what may have been assigned to the loader since the last epoch."""
        from torch.utils.data import IterableDataset

        attributes = dict(vars(self._dlq_loader))
        mark = _Mark()
        dataset = attributes["dataset"]
        iterable = isinstance(dataset, IterableDataset)
        if not isinstance(dataset, data_pipes()):
            wrapper = _Stream if iterable else _Items
            attributes["dataset"] = wrapper(dataset, mark)
            attributes["worker_init_fn"] = _WorkerInit(dataset, attributes["worker_init_fn"])
        attributes["collate_fn"] = _Collate(attributes["collate_fn"], mark, attributes["num_workers"])
        if not iterable:
            name = "sampler" if attributes["batch_sampler"] is None else "batch_sampler"
            attributes[name] = _Sampler(attributes[name], self._dlq_current)
        attributes["_iterator"] = vars(self._dlq_inner).get("_iterator")
        vars(self._dlq_inner).update(attributes)

    def __len__(self):
        return len(self._dlq_loader)

    def __copy__(self):
        return copy.copy(self._dlq_loader)

    def __deepcopy__(self, memo):
        return copy.deepcopy(self._dlq_loader, memo)

    def __reduce_ex__(self, protocol):
        return self._dlq_loader.__reduce_ex__(protocol)

    def __repr__(self):
        return "probe(%r, %r)" % (self._dlq_loader, self._dlq_trace.path)

    def _dlq_holder(self, name):
        return self._dlq_inner if name == "_iterator" and vars(self._dlq_inner) else self._dlq_loader

    def __getattr__(self, name):
        if name.startswith("_dlq_"):
            raise AttributeError(name)
        return getattr(self._dlq_holder(name), name)

    def __setattr__(self, name, value):
        setattr(self._dlq_holder(name), name, value)

    def __delattr__(self, name):
        delattr(self._dlq_holder(name), name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Writes what is left and ends the trace. Training may go on without it."""
        self._dlq_trace.close()


# The file


def rank_and_world(environment):
    """This process's rank and the number of processes, as far as they can be known."""
    import torch.distributed as distributed

    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()

    def first(*names):
        return next((int(environment[name]) for name in names if environment.get(name, "").isdigit()), None)

    rank = first("RANK", "LOCAL_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK") or 0
    world = first("WORLD_SIZE", "LOCAL_WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE") or 1
    return rank, max(world, rank + 1)


def known_world(environment):
    """The number of processes of the run, where it is certain: 1 is not the same as None."""
    import torch.distributed as distributed

    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size()
    world = environment.get("WORLD_SIZE", "")
    return int(world) if world.isdigit() and int(world) > 0 else None


def limits_of_cgroups(name, cgroups, own):
    """The texts of a limit's file in the control group of this process and in those above it."""
    group, texts = None, []
    with contextlib.suppress(OSError):
        with open(own) as file:
            group = next((line[3:].strip() for line in file if line.startswith("0::")), None)
    while group is not None:
        with contextlib.suppress(OSError, ValueError):
            with open(os.path.join(cgroups, group.strip("/"), name)) as file:
                texts.append(file.read())
        group = os.path.dirname(group) if group.strip("/") else None
    return texts


def usable_cores(cgroups="/sys/fs/cgroup", own="/proc/self/cgroup"):
    """Cores that this process may use: those of its affinity, or the share of the processor that its cgroups have."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    for limit in limits_of_cgroups("cpu.max", cgroups, own):
        with contextlib.suppress(ValueError):
            quota, period = map(int, limit.split())
            if quota > 0 and period > 0:
                cores = min(cores, quota / period)
    return cores


def usable_memory(cgroups="/sys/fs/cgroup", own="/proc/self/cgroup", total="/proc/meminfo"):
    """Bytes of memory that this process and its workers may use: the host's, or less if its cgroups allow less."""
    memory = None
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open(total) as file:
            memory = int(file.readline().split()[1]) * 1024
    for limit in limits_of_cgroups("memory.max", cgroups, own):
        with contextlib.suppress(ValueError):
            memory = min(memory or int(limit), int(limit))
    return memory


def shared_memory(path="/dev/shm"):
    """Bytes of the file system through which workers hand batches over."""
    with contextlib.suppress(OSError, AttributeError):
        about = os.statvfs(path)
        return about.f_blocks * about.f_frsize
    return None


def path_of_rank(path, rank, world):
    if "{rank}" in path:
        return path.replace("{rank}", str(rank))
    if world == 1:
        return path
    stem, ending = os.path.splitext(path)
    return "%s.rank%d%s" % (stem, rank, ending)


def describe(loader, synchronize):
    """The parameters of a run by name. An object that only resembles a DataLoader may lack some."""
    import torch

    def of(name, otherwise=None):
        return getattr(loader, name, otherwise)

    workers = of("num_workers", 0)
    batch_size = of("batch_size")
    if batch_size is None:
        batch_size = getattr(of("batch_sampler"), "batch_size", None)
    return {
        "written_by": "dlqueue_probe",
        "torch": torch.__version__,
        "python": platform.python_version(),
        "workers": workers,
        "prefetch_factor": of("prefetch_factor") if workers else None,
        "batch_size": batch_size,
        "pin_memory": of("pin_memory"),
        "persistent_workers": of("persistent_workers", False),
        "in_order": of("in_order", True),
        "start_method": (of("multiprocessing_context") or multiprocessing).get_start_method() if workers else None,
        "synchronize": bool(synchronize),
        "world": known_world(os.environ),
        "local_world": os.environ.get("LOCAL_WORLD_SIZE"),
        "cores": "%g" % usable_cores(),
        "memory": usable_memory(),
        "shm": shared_memory(),
        "clock": "time.perf_counter, %s, seconds" % time.get_clock_info("perf_counter").implementation,
    }


def header(facts):
    """The comments and the names of the columns that begin a file."""
    return "".join("# %s=%s\n" % (name, " ".join(str(value).split())) for name, value in facts.items()) + COLUMNS + "\n"


def difference(later, earlier):
    return None if later is None or earlier is None else later - earlier


def refuse_planted(path):
    """Raises where path is a symbolic link that somebody else put into a directory that all share (a sticky one)."""
    if hasattr(os, "geteuid") and os.path.islink(path):
        directory = os.stat(os.path.dirname(path))
        if directory.st_mode & stat.S_ISVTX and os.lstat(path).st_uid not in (os.geteuid(), directory.st_uid):
            raise PermissionError("a symbolic link of somebody else in a shared directory is not followed")


def write_whole(descriptor, data):
    """Writes all of `data`, or else leaves no part of a line at the end of the file."""
    written = 0
    try:
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        torn = written - (data.rfind(b"\n", 0, written) + 1)
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, os.lseek(descriptor, 0, os.SEEK_CUR) - torn)
        raise


class _Trace:
    """Keeps the rows and writes them in blocks. No failure of the file gets out of here."""

    writers = weakref.WeakValueDictionary()  # path: the trace that writes there
    opened = []  # paths of rank 0, for summary()

    def __init__(self, path):
        self.path = path
        self._rank = 0
        self._epochs = 0
        self._descriptor = None
        self._process = None  # children that are forked inherit the rows, but must not write them
        self._state = "new"  # then open, then closed
        self._rows = []
        self.running = {}  # epoch: its batch, as long as the step that takes it runs
        self._written = clock()

    def open(self, loader, synchronize, ceiling):
        if self._state != "new":
            return
        self._process = os.getpid()
        try:
            self._rank, world = rank_and_world(os.environ)
            self.path = os.path.abspath(path_of_rank(self.path, self._rank, world))
            self._replace_other()
            self._create()
            if self._rank == 0 and self.path not in self.opened:
                self.opened.append(self.path)
            facts = {**describe(loader, synchronize), **({"ceiling": ceiling} if ceiling else {})}
            write_whole(self._descriptor, header(facts).encode())
        except Exception as error:
            self._give_up(error)

    def _create(self):
        refuse_planted(self.path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(self.path, flags, 0o666)
        self._state = "open"

    def _replace_other(self):
        other = self.writers.get(self.path)
        if other is not None and other._state == "open":
            log.warning("two probes write to %s: what the first has written is replaced", self.path)
            other.close()
        self.writers[self.path] = self

    def _give_up(self, error):
        self._release()
        self._warn("%s: %s; training goes on, the trace ends here" % (self.path, error))

    def _warn(self, text):
        log.warning("%s", text)

    def _release(self):
        descriptor, self._descriptor = self._descriptor, None
        self._state = "closed"
        self._rows, self.running = [], {}
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def next_epoch(self):
        self._epochs += 1
        return self._epochs - 1

    def end_step(self, epoch, end, use=UNKNOWN_USE):
        """Completes the row of a step, if one runs. True: a block was written, which took time."""
        step = self.running.pop(epoch, None)
        if step is None or self._state != "open":
            return False
        self._rows.append((epoch, step, end, use))
        if len(self._rows) < BLOCK_ROWS and (end is None or end - self._written < BLOCK_SECONDS):
            return False
        self.write()
        return True

    def write(self):
        rows, self._rows = self._rows, []
        if not rows or self._state != "open" or os.getpid() != self._process:
            return
        try:
            text = self._head(rows) + "".join(self._line(*row) for row in rows)
            write_whole(self._descriptor, text.encode("utf-8", "backslashreplace"))
            self._written = clock()
        except Exception as error:
            self._give_up(error)

    def _head(self, rows):
        """What stands before these rows, where the file has no header yet."""
        return ""

    def _line(self, epoch, step, end, use):
        (index, dispatched), (_, worker, start, load_end, *of_load), request, received, of_receive, use_received = step
        times = (dispatched, start, load_end, request, received, end)
        times += (received - request, difference(end, request))
        times += (*of_load, *of_receive, *used_between(use_received, use))
        text = ",".join(["" if value is None else "%.6f" % value for value in times])
        return "%d,%d,%d,%s,%s\n" % (self._rank, epoch, index, "" if worker is None else worker, text)

    def close(self):
        if self._process != os.getpid():
            return
        for epoch in list(self.running):
            self.end_step(epoch, None)
        self.write()
        self._release()


# `dlqueue run`: records all loaders of an unchanged program. Methods of torch's own classes are replaced; no object is
# wrapped and no batch is touched, so types, copies and pickles stay the same.

RUN_BLOCK_SECONDS = 1.0  # replaces BLOCK_SECONDS: a program that is killed loses at most the rows of this time
BEGUN, FAILED, LOADED = 0, 1, 2  # kinds of records that a worker writes: an epoch begins, a load failed, a load ended
# Kind; worker; load_start, load_end, CPU time and delay of the load, of the worker (NaN: not known); bytes of the batch.
RECORD = struct.Struct("=bi6dq")
SIZED, SIZED_EVERY, SIZED_OBJECTS = 2, 64, 1000  # the first batches of each so many are sized, up to so many objects


def say(text):
    with contextlib.suppress(Exception):
        sys.stderr.write("dlqueue run: %s\n" % text)


def bytes_of(batch):
    """Bytes of the tensors and arrays in a batch, by the methods of built-in types alone: a batch may load lazily."""
    import torch

    total, left = 0, [batch]
    for _ in range(SIZED_OBJECTS):
        if not left:
            break
        each = left.pop()
        if isinstance(each, collections.UserDict):
            each = each.data
        if isinstance(each, torch.Tensor):
            total += each.element_size() * each.nelement()
        elif isinstance(each, dict):
            left.extend(dict.values(each))
        elif isinstance(each, (list, tuple)):
            left.extend(each)
        elif type(each).__module__ == "numpy":
            total += each.nbytes
    return total


class _LoadWriter:
    """Appends a record of each load of a worker to a file of the worker, beside the batches that the DataLoader sends."""

    def __init__(self, directory):
        self.directory = directory
        self.process = self.descriptor = None
        self.count = 0
        self.last = None  # when the load before ended

    def begin(self, worker):
        """An epoch begins; the first time in this process with a new file."""
        if self.process != os.getpid():
            self.process, self.count, self.last = os.getpid(), 0, None
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
            self.descriptor = os.open(os.path.join(self.directory, "w.%d" % self.process), flags, 0o600)
        os.write(self.descriptor, RECORD.pack(BEGUN, worker, clock(), *[0.0] * 5, 0))

    def load(self, worker, what, start, used, end, use, batch):
        if self.process != os.getpid():
            return
        of_use = used_between(used, use) + used_between(self.last or used, use)
        size = bytes_of(batch) if what == LOADED and self.count % SIZED_EVERY < SIZED else 0
        of_use = [float("nan") if value is None else value for value in of_use]
        os.write(self.descriptor, RECORD.pack(what, worker, start, end, *of_use, size))
        self.last = use
        self.count += 1


class _LoadReader:
    """Reads the files of one iterator's workers. The k-th record of a worker belongs to the k-th batch sent to it."""

    def __init__(self, directory):
        self.directory = directory
        self.pids = []
        self.files = {}  # worker: descriptor, bytes that were read
        self.sent = collections.defaultdict(collections.deque)  # worker: (epoch, index)
        self.begun = collections.Counter()  # worker: epochs
        self.ready = {}  # worker: when its first epoch began
        self.stamps = {}  # (epoch, index)
        self.size = None

    def read(self):
        for worker, pid in enumerate(self.pids):
            with contextlib.suppress(OSError, KeyError):  # closed meanwhile, as garbage
                if worker not in self.files:
                    path = os.path.join(self.directory, "w.%d" % pid)
                    self.files[worker] = os.open(path, os.O_RDONLY | os.O_CLOEXEC), 0
                    os.unlink(path)
                descriptor, done = self.files[worker]
                data = os.pread(descriptor, 1 << 20, done)
                whole = len(data) // RECORD.size * RECORD.size
                self.files[worker] = descriptor, done + whole
                for record in RECORD.iter_unpack(data[:whole]):
                    self._add(worker, *record)

    def _add(self, worker, what, _, start, end, *rest):
        sent = self.sent[worker]
        if what == BEGUN:
            # What was sent before and was not loaded never will be: a stream was exhausted.
            while sent and sent[0][0] < self.begun[worker]:
                sent.popleft()
            self.begun[worker] += 1
            self.ready.setdefault(worker, start)
            return
        key = sent.popleft() if sent else None
        self.size = rest[-1] or self.size
        if what == LOADED and key is not None:
            self.stamps[key] = (STAMP, worker, start, end) + tuple(None if v != v else v for v in rest[:-1])

    def close(self):
        """Reads what is left, so that no more files are open than iterators live."""
        self.read()
        for descriptor, _ in self.files.values():
            os.close(descriptor)
        self.pids, self.files = [], {}


class _RunTrace(_Trace):
    """The trace of one loader, or of several that are alike and follow each other, as one that is rebuilt each epoch."""

    def __init__(self, run, iterator, loader):
        super().__init__(run.out)
        self.run = run
        self.number = None  # among the loaders of the rank: 1 is its first that trains
        self.loader = run.reference(loader)
        self.iterators = 0  # that live
        self.count = self.gradients = 0  # batches; those that were asked for with gradients enabled
        self.waited = self.seconds = 0.0
        self.size = None
        self.begun = False
        length = None
        with contextlib.suppress(Exception):
            length = len(iterator)  # not of the loader, which of a stream would remember that it was asked
        own = {"written_by": "dlqueue_run", "loader": type(loader).__name__, "length": length}
        own["dataset"] = type(getattr(loader, "dataset", None)).__name__
        own["drop_last"] = getattr(loader, "drop_last", None)
        own["argv0"], own["host"] = getattr(sys, "argv", [""])[0], platform.node()
        self.facts = {**describe(loader, run.synchronize), **own}

    def _warn(self, text):
        say(text)

    def begin(self):
        """Creates the file at the first batch: by then the rank is known, and whether gradients are enabled."""
        import torch

        self._process = os.getpid()
        self._written = clock()
        self.number = 1 if torch.is_grad_enabled() else 2
        try:
            self._rank, self.world = rank_and_world(os.environ)
            while self.number <= self.run.most and not self._claim():
                self.number += 1
            if self.number > self.run.most:
                self._state, self.number = "closed", None
                self.run.say_once("more than %d loaders: no more are recorded (--max-loaders)" % self.run.most)
                return
            stem, ending = os.path.splitext(self.path)
            path = self.path if self.number == 1 else "%s.loader%d%s" % (stem, self.number, ending)
            self.path = path_of_rank(path, self._rank, self.world)
            self._create()
        except Exception as error:
            self._give_up(error)

    def _claim(self):
        """Whether no other process of the run has this number of this rank."""
        path = os.path.join(self.run.directory, "claim.%d.%d" % (self._rank, self.number))
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            return False
        return True

    def end_step(self, epoch, end, use=UNKNOWN_USE):
        step = self.running.get(epoch)
        if step is not None:
            request, received = step[2:4]
            self.seconds += (received if end is None else end) - request
        return super().end_step(epoch, end, use)

    def write(self):
        with self.run.lock:
            super().write()
            self.run.write_summary()

    def _head(self, rows):
        readers = {id(stamp[0]): stamp[0] for _, (_, stamp, *_), _, _ in rows if type(stamp[0]) is _LoadReader}
        for each in readers.values():
            each.read()
            self.size = each.size or self.size
        if self.begun:
            return ""
        self.begun = True
        import torch

        trains = 2 * self.gradients > self.count
        role = ("train" if self.number == 1 else "unknown") if trains else "eval"
        ready = sorted(item for each in readers.values() for item in each.ready.items())
        self.facts.update(world=known_world(os.environ), cuda=int(torch.cuda.is_initialized()), role=role)
        self.facts.update(batch_bytes=self.size, worker_ready=" ".join("%d:%.6f" % item for item in ready))
        return header(self.facts)

    def _line(self, epoch, step, end, use):
        key, stamp, *rest = step
        if type(stamp[0]) is _LoadReader:
            reader, sent, worker = stamp
            stamp = reader.stamps.pop(sent, (STAMP, worker) + NO_STAMP[2:])
        return super()._line(epoch, (key, stamp, *rest), end, use)

    def figures(self):
        names = ("path", "number", "world", "seconds", "waited")
        own = {"rank": self._rank, "batches": self.count, "grad": self.gradients, "bytes": self.size}
        own.update((name, self.facts[name]) for name in ("dataset", "workers"))
        return {**own, **{name: getattr(self, name) for name in names}}


class _State:
    """What is known of one iterator of a DataLoader, in the training process."""

    def __init__(self, run, iterator, loader):
        self.run = run
        self.trace = run.trace_of(iterator, loader)
        self.trace.iterators += 1
        self.workers = iterator._num_workers
        self.unordered = not getattr(loader, "in_order", True)
        self.load_reader = _LoadReader(run.directory) if self.workers else None
        self.round = -1  # epochs of this iterator
        self.epoch = None  # of the trace
        self.single = NO_STAMP  # of the load that has just ended, without workers
        self.new_epoch()

    def new_epoch(self):
        if self.epoch is not None:
            self.trace.end_step(self.epoch, None)
        self.round += 1
        self.epoch = self.trace.next_epoch()
        self.sent = {}  # index: when it was dispatched
        self.worker = {}  # index: to which worker
        self.seen = self.count = 0

    def dispatch(self, iterator):
        self.sent[iterator._send_idx if self.workers else self.count] = clock()

    def request(self, iterator):
        trace = self.trace
        if self.run.synchronize:
            synchronize_cuda()
        request, use = clock(), processor.use()
        if trace.end_step(self.epoch, request, use) or trace._state == "new":
            if trace._state == "new":
                trace.begin()
            request, use = clock(), processor.use()
        if not self.workers:
            self.run.local.state = self
        elif self.seen == 0:
            self.load_reader.pids = [getattr(worker, "pid", None) for worker in iterator._workers]
            self._look_at_sent(iterator)
        return request, use, set(iterator._task_info) if self.unordered and self.workers else None

    def receive(self, iterator, request, use, tasks):
        received, use_received = clock(), processor.use()
        trace = self.trace
        trace.count += 1
        trace.gradients += self.run.gradients_enabled()
        trace.waited += received - request
        if self.workers:
            index = iterator._rcvd_idx - 1
            if tasks is not None:
                gone = tasks.difference(iterator._task_info)
                index = gone.pop() if len(gone) == 1 else index
            stamp = self.load_reader, (self.round, index), self.worker.pop(index, None)
            self._look_at_sent(iterator)
        else:
            index, stamp = self.count, self.single
            self.count, self.single = index + 1, NO_STAMP
        of_receive = used_between(use, use_received)
        trace.running[self.epoch] = ((index, self.sent.pop(index, None)), stamp, request, received, of_receive, use_received)

    def fail(self, error):
        """No batch came: at the end of an epoch all is written."""
        if isinstance(error, StopIteration):
            self.trace.write()
        elif not self.workers:
            self.sent.pop(self.count, None)
            self.count += 1

    def _look_at_sent(self, iterator):
        tasks = iterator._task_info
        for index in range(self.seen, iterator._send_idx):
            if index in tasks:
                worker = self.worker[index] = tasks[index][0]
                self.load_reader.sent[worker].append((self.round, index))
        self.seen = iterator._send_idx

    def __del__(self):
        with contextlib.suppress(Exception):  # Python may be ending
            self.trace.iterators -= 1
            self.trace.end_step(self.epoch, None)
            if self.load_reader is not None:
                self.load_reader.close()


class _Run:
    """All traces of one process of the program."""

    def __init__(self, directory, out, synchronize, most):
        import torch.utils.data

        self.directory, self.out, self.synchronize, self.most = directory, out, synchronize, most
        self.gradients_enabled, self.worker_info = torch.is_grad_enabled, torch.utils.data.get_worker_info
        self.load_writer = _LoadWriter(directory)
        self.traces = {}  # how a loader looks: traces of such loaders
        self.lock = threading.RLock()  # of the traces
        self.local = threading.local()  # state: whose batch is to be loaded; loads: a batch is being loaded
        self.process = None  # that has the traces
        self.said = False

    def after_fork(self):
        self.lock = threading.RLock()  # another thread of the parent may have had it

    def reference(self, loader):
        try:
            return weakref.ref(loader)
        except TypeError:
            return lambda: None

    def trace_of(self, iterator, loader):
        def of(name):
            return getattr(loader, name, None)

        size = None
        with contextlib.suppress(Exception):
            size = len(of("dataset"))
        key = type(loader), type(of("dataset")), size, of("batch_size"), of("num_workers"), type(of("sampler")), of("drop_last")
        with self.lock:
            if self.process != os.getpid():  # a fork of the program
                self.process, self.traces = os.getpid(), {}
            alike = self.traces.setdefault(key, [])
            for trace in alike:
                if trace.loader() is loader:
                    return trace
            for trace in alike:
                if trace.loader() is None and trace.iterators == 0:
                    trace.loader = self.reference(loader)
                    return trace
            alike.append(_RunTrace(self, iterator, loader))
            return alike[-1]

    def own_traces(self):
        each = [trace for traces in list(self.traces.values()) for trace in traces]
        return [trace for trace in each if trace.number is not None and trace._process == os.getpid()]

    def write_summary(self):
        """Replaces the file that the command reads at the end."""
        with contextlib.suppress(OSError):
            figures = [trace.figures() for trace in self.own_traces()]
            path = os.path.join(self.directory, "p.%d.json" % os.getpid())
            if figures:
                with open(path + ".new", "w") as file:
                    file.write(json.dumps(figures))
                os.replace(path + ".new", path)

    def finish(self):
        for trace in self.own_traces():
            trace.close()

    def say_once(self, text):
        if not self.said:
            say(text)
        self.said = True

    def attempt(self, iterator, function, *arguments):
        """Calls one of ours; where it fails, the iterator is no longer recorded, and the program goes on."""
        try:
            return function(*arguments)
        except Exception as error:
            iterator._dlq = None
            self.say_once("no longer recorded: %r" % (error,))
            return None


def patch_iterators(run, base):
    """Records at the iterators of DataLoaders; one that a dataset iterates while it loads belongs to that load."""
    init, reset, next_index, next_batch = base.__init__, base._reset, base._next_index, base.__next__
    base._dlq = None

    @functools.wraps(init)
    def __init__(self, loader, *arguments, **named):
        init(self, loader, *arguments, **named)
        if run.worker_info() is None and not getattr(run.local, "loads", False):
            self._dlq = run.attempt(self, _State, run, self, loader)

    @functools.wraps(reset)
    def _reset(self, loader, first_iter=False, *arguments, **named):
        result = reset(self, loader, first_iter, *arguments, **named)
        if self._dlq is not None and not first_iter:
            run.attempt(self, self._dlq.new_epoch)
        return result

    @functools.wraps(next_index)
    def _next_index(self):
        index = next_index(self)
        if self._dlq is not None:
            run.attempt(self, self._dlq.dispatch, self)
        return index

    @functools.wraps(next_batch)
    def __next__(self):
        asked = self._dlq and run.attempt(self, self._dlq.request, self)
        if asked is None:
            return next_batch(self)
        try:
            batch = next_batch(self)
        except BaseException as error:
            if self._dlq is not None:
                run.attempt(self, self._dlq.fail, error)
            raise
        finally:
            run.local.state = None
        if self._dlq is not None:
            run.attempt(self, self._dlq.receive, self, *asked)
        return batch

    for function in (__init__, _reset, _next_index, __next__):
        setattr(base, function.__name__, function)


def patch_fetchers(run, fetchers):
    """Records what loads: in the workers, and without them in next()."""

    def patch_init(init):
        @functools.wraps(init)
        def __init__(self, dataset, *arguments, **named):
            with contextlib.suppress(Exception):
                info = run.worker_info()
                if info is not None and info.dataset is dataset and os.getpid() != run.process:
                    run.load_writer.begin(info.id)
            init(self, dataset, *arguments, **named)

        return __init__

    def load_in_worker(fetch, fetcher, index, worker):
        start, used, what, batch = clock(), processor.use(), FAILED, None
        try:
            batch = fetch(fetcher, index)
            what = LOADED
            return batch
        finally:
            end, use = clock(), processor.use()
            with contextlib.suppress(Exception):
                run.load_writer.load(worker, what, start, used, end, use, batch)
            del batch

    def load_here(fetch, fetcher, index, state):
        run.local.state, run.local.loads = None, True
        start, used = clock(), processor.use()
        try:
            batch = fetch(fetcher, index)
        finally:
            run.local.loads = False
        end, use = clock(), processor.use()
        state.single = (STAMP, -1, start, end) + used_between(used, use) + UNKNOWN_USE
        with contextlib.suppress(Exception):
            if state.count % SIZED_EVERY < SIZED:
                state.trace.size = bytes_of(batch) or state.trace.size
        return batch

    def patch_fetch(original):
        @functools.wraps(original)
        def fetch(self, index):
            info = run.worker_info()
            state = getattr(run.local, "state", None) if info is None else None
            if state is not None:
                return load_here(original, self, index, state)
            # A worker that is a thread has no process of its own, by which its records would be found.
            if info is None or info.dataset is not self.dataset or os.getpid() == run.process:
                return original(self, index)
            return load_in_worker(original, self, index, info.id)

        return fetch

    fetchers._BaseDatasetFetcher.__init__ = patch_init(fetchers._BaseDatasetFetcher.__init__)
    for each in (fetchers._MapDatasetFetcher, fetchers._IterableDatasetFetcher):
        each.fetch = patch_fetch(each.fetch)


def install(directory, out, synchronize=False, most=16):
    """Records every DataLoader that is iterated from now on, in this process and in those that it forks.

    directory: of the run, which the command has made; out: where the trace of the first loader goes.
    """
    global BLOCK_SECONDS
    from torch.utils.data import _utils, dataloader

    BLOCK_SECONDS = RUN_BLOCK_SECONDS
    run = _Run(directory, out, synchronize, most)
    patch_fetchers(run, _utils.fetch)
    patch_iterators(run, dataloader._BaseDataLoaderIter)
    os.register_at_fork(after_in_child=run.after_fork)
    atexit.register(run.finish)
    # Processes of multiprocessing end without atexit, and forget finalizers of their parent.
    util = multiprocessing.util
    util.Finalize(None, run.finish, exitpriority=0)
    util.register_after_fork(run, lambda run: util.Finalize(None, run.finish, exitpriority=0))
    return run


# python3 dlqueue_probe.py: what the probe costs


class _Nothing:
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return index


def per_batch(loader, batches, spent):
    """Seconds per batch, start-up not counted."""
    iterator = iter(loader)
    next(iterator)
    begin = spent()
    for _ in iterator:
        pass
    return (spent() - begin) / (batches - 1)


def with_and_without(batches, rounds, spent=clock):
    """Medians over alternating rounds, in seconds per batch, with all of the probe's work in this process."""
    from torch.utils.data import DataLoader

    plain, probed = [], []
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(rounds):
            loader = DataLoader(_Nothing(batches))
            plain.append(per_batch(loader, batches, spent))
            with probe(loader, os.path.join(directory, "trace.csv")) as loader:
                probed.append(per_batch(loader, batches, spent))
    return statistics.median(plain), statistics.median(probed)


def around_next(batches, step, record, path):
    """Median of what next() takes longer than its own data_time, in seconds: 2 workers, and steps that sleep.

    record: makes of a DataLoader one whose trace goes to `path`.
    """
    from torch.utils.data import DataLoader

    took = []
    with record(DataLoader(_Nothing(batches), num_workers=2)) as loader:
        iterator = iter(loader)
        for _ in range(batches):
            time.sleep(step)
            begin = clock()
            batch = next(iterator)
            took.append(clock() - begin)
            del batch  # not on this clock: giving back its shared memory takes longer than all the rest
        del iterator
    with open(path) as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return statistics.median(total - float(row["data_time"]) for total, row in zip(took, rows))


def benchmark(batches, rounds):
    import torch
    from torch.utils.data import DataLoader

    print("torch %s, batches of one number" % torch.__version__)
    plain, probed = with_and_without(batches, rounds)
    steps = max(2, batches // 5)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "trace.csv")
        probed_next = around_next(steps, 0.002, lambda loader: probe(loader, path), path)
        # From here on nothing is without it.
        run = install(directory, path)

        @contextlib.contextmanager
        def recorded(loader):
            yield loader
            run.finish()

        run_next = around_next(steps, 0.002, recorded, path)
        recorded = statistics.median(per_batch(DataLoader(_Nothing(batches)), batches, clock) for _ in range(rounds))
    print("num_workers=0, so that the loading side is in this process too; a loop that does nothing else; wall time,")
    print("medians of %d rounds of %d batches, with and without the probe in turn; then as under dlqueue run:" % (rounds, batches))
    for name, with_it in (("the probe", probed), ("dlqueue run", recorded)):
        costs = tuple(seconds * 1e6 for seconds in (plain, with_it, with_it - plain))
        print("    without %.1f us, with %.1f us, %s %.1f us per batch" % (*costs[:2], name, costs[2]))
    print("num_workers=2, training process alone; steps that sleep for 2 ms, so that its caches are cold; by how much")
    print("next() is longer than the DataLoader's, median of %d batches:" % steps)
    for name, seconds in (("the probe", probed_next), ("dlqueue run", run_next)):
        print("    %s %.1f us per batch" % (name, seconds * 1e6))


def main():
    parser = argparse.ArgumentParser(description="Measures what the probe adds to each batch in the training process.")
    parser.add_argument("--benchmark", action="store_true", help="what is done without it, too")
    parser.add_argument("--batches", type=int, default=5000, metavar="N", help="of each round (default 5000)")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="with and without (default 7)")
    options = parser.parse_args()
    if options.batches < 2 or options.rounds < 1:
        parser.error("at least 2 batches and 1 round")
    benchmark(options.batches, options.rounds)


if __name__ == "__main__":
    main()
