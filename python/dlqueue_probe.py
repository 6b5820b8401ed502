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
/proc/self/schedstat, and empty elsewhere. The first lines of the file tell the run: workers, prefetch_factor,
persistent_workers, world (processes of the run), cores (that this process may use, by affinity and cgroup).

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
  * `with probe(...) as loader:` and loader.close() end the trace early. Both are optional.
"""

import argparse
import contextlib
import copy
import csv
import logging
import multiprocessing
import operator
import os
import platform
import stat
import statistics
import subprocess
import tempfile
import time
import weakref

import torch
import torch.utils.data
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

try:
    from torch.utils.data import IterDataPipe, MapDataPipe

    DATA_PIPES = (IterDataPipe, MapDataPipe)
except ImportError:
    DATA_PIPES = ()

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


def probe(loader, path, synchronize=False):
    """Wraps a DataLoader; a row per batch goes to the file at `path`, which is replaced when the first epoch begins.

    synchronize: call torch.cuda.synchronize() at the end of each step, see the text of the module.
    """
    if not isinstance(loader, DataLoader) or isinstance(loader, Probe):
        raise TypeError("probe() takes a torch.utils.data.DataLoader, not %r" % type(loader).__name__)
    if hasattr(loader, "state_dict"):
        raise TypeError("probe() would break the saved position of a %s" % type(loader).__name__)
    if "dataset" not in vars(loader):
        raise TypeError("probe() takes the DataLoader inside a %s" % type(loader).__name__)
    return Probe(loader, os.fspath(path), synchronize)


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
            print("dlqueue advise %s tells what training waited for" % path)


probe.summary = summary


# In all processes


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
        worker = get_worker_info().id if self.workers else -1
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
        object.__setattr__(get_worker_info(), "dataset", self.dataset)
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
        if self._synchronize and torch.cuda.is_initialized():
            torch.cuda.synchronize()
        request, use = clock(), processor.use()
        if self._trace.end_step(self._number, request, use):
            request, use = clock(), processor.use()
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
        "_dlq_current",
        "_dlq_last",  # weak reference to the last epoch
        "__weakref__",
    )

    def __init__(self, loader, path, synchronize):
        own = object.__setattr__
        own(self, "_dlq_loader", loader)
        own(self, "_dlq_inner", object.__new__(type(loader)))
        own(self, "_dlq_trace", _Trace(path))
        own(self, "_dlq_synchronize", synchronize)
        own(self, "_dlq_current", [None])
        own(self, "_dlq_last", None)
        weakref.finalize(self, self._dlq_trace.close)  # at exit too

    @property
    def __class__(self):
        return type(self._dlq_loader)

    def __iter__(self):
        self._dlq_refresh()
        self._dlq_trace.open(self._dlq_loader, self._dlq_synchronize)
        last = self._dlq_last and self._dlq_last()
        epoch = _Epoch(self)
        if last is not None and last._batches is epoch._batches:
            last.supersede(epoch)
        object.__setattr__(self, "_dlq_last", weakref.ref(epoch))
        return epoch

    def _dlq_refresh(self):
        """Gives the double what may have been assigned to the loader since the last epoch."""
        attributes = dict(vars(self._dlq_loader))
        mark = _Mark()
        dataset = attributes["dataset"]
        if not isinstance(dataset, DATA_PIPES):
            wrapper = _Stream if isinstance(dataset, IterableDataset) else _Items
            attributes["dataset"] = wrapper(dataset, mark)
            attributes["worker_init_fn"] = _WorkerInit(dataset, attributes["worker_init_fn"])
        attributes["collate_fn"] = _Collate(attributes["collate_fn"], mark, attributes["num_workers"])
        if not isinstance(dataset, IterableDataset):
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
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()

    def first(*names):
        return next((int(environment[name]) for name in names if environment.get(name, "").isdigit()), None)

    rank = first("RANK", "LOCAL_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK") or 0
    world = first("WORLD_SIZE", "LOCAL_WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE") or 1
    return rank, max(world, rank + 1)


def known_world(environment):
    """The number of processes of the run, where it is certain: 1 is not the same as None."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size()
    world = environment.get("WORLD_SIZE", "")
    return int(world) if world.isdigit() and int(world) > 0 else None


def usable_cores(cgroups="/sys/fs/cgroup", own="/proc/self/cgroup"):
    """Cores that this process may use: those of its affinity, or the share of the processor that its cgroups have."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with contextlib.suppress(OSError, ValueError):
        with open(own) as file:
            group = next((line[3:].strip() for line in file if line.startswith("0::")), None)
        while group is not None:
            with contextlib.suppress(OSError, ValueError):
                with open(os.path.join(cgroups, group.strip("/"), "cpu.max")) as file:
                    quota, period = file.read().split()
                if quota != "max" and int(quota) > 0 and int(period) > 0:
                    cores = min(cores, int(quota) / int(period))
            group = os.path.dirname(group) if group.strip("/") else None
    return cores


def path_of_rank(path, rank, world):
    if "{rank}" in path:
        return path.replace("{rank}", str(rank))
    if world == 1:
        return path
    stem, ending = os.path.splitext(path)
    return "%s.rank%d%s" % (stem, rank, ending)


def describe(loader, synchronize, world):
    """The parameters of a run, as the comments that begin its file."""
    context = getattr(loader, "multiprocessing_context", None) or multiprocessing
    batch_size = loader.batch_size
    if batch_size is None:
        batch_size = getattr(loader.batch_sampler, "batch_size", None)
    facts = {
        "written_by": "dlqueue_probe",
        "torch": torch.__version__,
        "python": platform.python_version(),
        "workers": loader.num_workers,
        "prefetch_factor": loader.prefetch_factor if loader.num_workers else None,
        "batch_size": batch_size,
        "pin_memory": loader.pin_memory,
        "persistent_workers": loader.persistent_workers,
        "in_order": getattr(loader, "in_order", True),
        "start_method": context.get_start_method() if loader.num_workers else None,
        "synchronize": bool(synchronize),
        "world": world,
        "cores": "%g" % usable_cores(),
        "clock": "time.perf_counter, %s, seconds" % time.get_clock_info("perf_counter").implementation,
    }
    return "".join("# %s=%s\n" % (name, value) for name, value in facts.items())


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

    def open(self, loader, synchronize):
        if self._state != "new":
            return
        self._process = os.getpid()
        try:
            self._rank, world = rank_and_world(os.environ)
            self.path = os.path.abspath(path_of_rank(self.path, self._rank, world))
            self._replace_other()
            refuse_planted(self.path)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(self.path, flags, 0o666)
            if self._rank == 0 and self.path not in self.opened:
                self.opened.append(self.path)
            self._state = "open"
            write_whole(self._descriptor, (describe(loader, synchronize, known_world(os.environ)) + COLUMNS + "\n").encode())
        except Exception as error:
            self._give_up(error)

    def _replace_other(self):
        other = self.writers.get(self.path)
        if other is not None and other._state == "open":
            log.warning("two probes write to %s: what the first has written is replaced", self.path)
            other.close()
        self.writers[self.path] = self

    def _give_up(self, error):
        self._release()
        log.warning("%s: %s; training goes on, the trace ends here", self.path, error)

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
            write_whole(self._descriptor, "".join(self._line(*row) for row in rows).encode())
            self._written = clock()
        except Exception as error:
            self._give_up(error)

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


# python3 dlqueue_probe.py: what the probe costs


class _Nothing(torch.utils.data.Dataset):
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
    plain, probed = [], []
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(rounds):
            loader = DataLoader(_Nothing(batches))
            plain.append(per_batch(loader, batches, spent))
            with probe(loader, os.path.join(directory, "trace.csv")) as loader:
                probed.append(per_batch(loader, batches, spent))
    return statistics.median(plain), statistics.median(probed)


def around_next(batches, step):
    """Median of what next() takes longer than its own data_time, in seconds: 2 workers, and steps that sleep."""
    took = []
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "trace.csv")
        with probe(DataLoader(_Nothing(batches), num_workers=2), path) as loader:
            iterator = iter(loader)
            for _ in range(batches):
                time.sleep(step)
                begin = clock()
                batch = next(iterator)
                took.append(clock() - begin)
                del batch  # not on this clock: giving back its shared memory takes longer than all the rest
        with open(path) as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            return statistics.median(total - float(row["data_time"]) for total, row in zip(took, rows))


def benchmark(batches, rounds):
    print("torch %s, batches of one number" % torch.__version__)
    plain, probed = with_and_without(batches, rounds)
    print("num_workers=0, so that the loading side is in this process too; a loop that does nothing else; wall time,")
    print("medians of %d rounds of %d batches, with and without the probe in turn:" % (rounds, batches))
    costs = tuple(seconds * 1e6 for seconds in (plain, probed, probed - plain))
    print("    without %.1f us, with %.1f us, the probe %.1f us per batch" % costs)
    steps = max(2, batches // 5)
    print("num_workers=2, training process alone; steps that sleep for 2 ms, so that its caches are cold; by how much")
    print("next() is longer than the DataLoader's, median of %d batches:" % steps)
    print("    the probe %.1f us per batch" % (around_next(steps, 0.002) * 1e6))


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
