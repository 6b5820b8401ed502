"""Trainings for test_dlqueue_run.py: run_programs.py NAME [OPTIONS]. Each prints what it has computed.

run_programs.py serve: runs the trainings that standard input names, each in a child of its own, for importing torch
takes most of the time of a training. A line is a JSON object: words, directory, environment, output.
"""

import argparse
import copy
import hashlib
import itertools
import json
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time

import torch
import torch.multiprocessing
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
from torch.utils.data import dataloader as torch_loader


class Numbers(Dataset):
    def __init__(self, options=None):
        self.raises = options is not None and options.end == "raise"
        self.nested = options is not None and options.nested
        self.count = 40 if options is None else options.samples

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.raises and index == 32:
            raise ValueError("a bad sample")
        if self.nested:
            list(DataLoader([1, 2, 3]))
        return torch.randn(99) + index, random.random()


class Stream(IterableDataset):
    """Each of two workers has whole batches, one more than the other."""

    def __iter__(self):
        info = get_worker_info()
        share = range(40) if info is None else range(24) if info.id == 0 else range(24, 40)
        for index in share:
            yield torch.randn(99) + index, random.random()


class Sum:
    """Of all batches."""

    def __init__(self):
        self.hash, self.count = hashlib.sha256(), 0

    def add(self, batch):
        self.hash.update(repr(batch).encode())
        self.count += 1

    def eat(self, batches):
        for batch in batches:
            self.add(batch)

    def show(self):
        self.hash.update(repr((torch.rand(3), random.random(), sys.path[1:])).encode())
        print(self.count, self.hash.hexdigest()[:16], flush=True)


def options_of(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--step", type=float, default=0.0)
    parser.add_argument("--start")
    parser.add_argument("--end", default="")
    parser.add_argument("--pids")
    for name in ("iterable", "persistent", "validate", "break", "rebuild", "temporary", "nested", "thread"):
        parser.add_argument("--" + name, action="store_true")
    return parser.parse_args(words)


def make(options, batch_size=4, train=True):
    more = {}
    if options.workers:
        more = {"persistent_workers": options.persistent, "multiprocessing_context": options.start}
    if options.iterable:
        return DataLoader(Stream(), batch_size, num_workers=options.workers, **more)
    shuffle = train and options.end != "raise"
    return DataLoader(Numbers(options), batch_size, shuffle=shuffle, num_workers=options.workers, **more)


def end_by(word):
    if word == "leave":
        os._exit(5)
    if word == "interrupt":
        raise KeyboardInterrupt
    number = {"kill": signal.SIGKILL, "terminate": signal.SIGTERM}.get(word)
    if number is not None:
        os.kill(os.getpid(), number)


def loop(options, total):
    loader, validation = make(options), make(options, 8, False)
    for _ in range(options.epochs):
        if options.rebuild:
            loader = make(options)
        for number, batch in enumerate(make(options) if options.temporary else loader):
            total.add(batch)
            time.sleep(options.step)
            if options.pids and number == 0:
                with open(options.pids, "w") as file:
                    print(os.getpid(), *[child.pid for child in multiprocessing.active_children()], file=file)
            if total.count == 13:
                end_by(options.end)
            if vars(options)["break"] and number == 6:
                break
        if options.validate:
            with torch.no_grad():
                total.eat(validation)
    total.show()


def train(words):
    options, total = options_of(words), Sum()
    if options.thread:
        thread = threading.Thread(target=loop, args=(options, total))
        thread.start()
        thread.join()
    else:
        loop(options, total)


def epochs_of(*loaders):
    total = Sum()
    for loader in loaders:
        total.eat(loader)
    total.show()


def two(_):
    # Alike, and gone as soon as they are iterated.
    epochs_of(zip(DataLoader(list(range(20)), num_workers=1), DataLoader(list(range(20)), num_workers=1)))


def copies(_):
    loader = DataLoader(Numbers(), 2, num_workers=1)
    assert type(loader) is DataLoader and type(iter(DataLoader([1]))).__module__ == torch_loader.__name__
    epochs_of(loader, pickle.loads(pickle.dumps(loader)), copy.deepcopy(loader))


def empty(_):
    epochs_of(DataLoader([], num_workers=1))


def descriptors(_):
    opened = []
    for _ in range(25):
        list(DataLoader(list(range(10)), num_workers=2))
        opened.append(len(os.listdir("/proc/self/fd")))
    print(max(opened) - min(opened) < 20 or opened)  # torch closes some of its own late


def rank(number, workers=1, start="fork"):
    os.environ.update(RANK=str(number), WORLD_SIZE="2")
    return len(list(DataLoader(list(range(20)), num_workers=workers, multiprocessing_context=start)))


def children(words):
    if words:
        rank(int(words[0]))
        return
    for each in [subprocess.Popen([sys.executable, __file__, "children", number]) for number in "01"]:
        print(each.wait())


def mp_spawn(_):
    torch.multiprocessing.spawn(rank, nprocs=2)


def mp_fork(_):
    processes = [multiprocessing.get_context("fork").Process(target=rank, args=(number,)) for number in (0, 1)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        print(process.exitcode)


def fork(_):
    epochs_of(DataLoader(Numbers(), 2))
    if os.fork() == 0:
        random.seed(0)  # Python itself seeds anew in a child
        epochs_of(DataLoader(Numbers(), 2))
        sys.exit()
    print(os.wait()[1])


def cleared(_):
    for name in [name for name in os.environ if name.startswith(("DLQUEUE", "PYTHONPATH"))]:
        del os.environ[name]
    print(len(list(DataLoader(list(range(20)), num_workers=2, multiprocessing_context="spawn"))))


def accelerate(_):
    class Shard:
        """As accelerate's DataLoaderShard: contains a loader, passes for one, and is one batch ahead."""

        def __init__(self, loader):
            self.base_dataloader = loader

        @property
        def __class__(self):
            return type(self.base_dataloader)

        def __iter__(self):
            batches = iter(self.base_dataloader)
            current = next(batches)
            for following in batches:
                yield current
                current = following
            yield current

    epochs_of(*[Shard(DataLoader(Numbers(), 4, num_workers=2))] * 2)


def timm(_):
    class Repeating:
        def __init__(self, sampler):
            self.sampler = sampler

        def __iter__(self):
            while True:
                yield from iter(self.sampler)

    class MultiEpochs(DataLoader):
        """As timm's MultiEpochsDataLoader: one iterator of torch for all epochs."""

        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            self._DataLoader__initialized = False
            self.batch_sampler = Repeating(self.batch_sampler)
            self._DataLoader__initialized = True
            self.iterator = super().__iter__()

        def __len__(self):
            return len(self.batch_sampler.sampler)

        def __iter__(self):
            for _ in range(len(self)):
                yield next(self.iterator)

    epochs_of(*[MultiEpochs(Numbers(), 2, num_workers=2)] * 2)


class Fake:
    """As in fastai: no DataLoader, its own dataset, and lacks what torch's iterators do not ask for."""

    _IterableDataset_len_called, _auto_collation, drop_last, pin_memory = None, False, False, False
    _index_sampler, generator, prefetch_factor, pin_memory_device = itertools.count(), None, 2, ""
    dataset_kind = _dataset_kind = torch_loader._DatasetKind.Iterable
    timeout, persistent_workers, worker_init_fn, in_order = 0, False, None, True
    multiprocessing_context = multiprocessing

    def __init__(self, workers):
        self.num_workers, self.dataset = workers, self

    @staticmethod
    def collate_fn(samples):
        return samples

    def __iter__(self):
        info = get_worker_info()
        return iter(range(10) if info is None else range(info.id, 10, 2))


def fastai(_):
    two_workers, none = Fake(2), Fake(0)
    epochs_of(torch_loader._MultiProcessingDataLoaderIter(two_workers), torch_loader._SingleProcessDataLoaderIter(none))


def stateful(_):
    class Iterator(torch_loader._MultiProcessingDataLoaderIter):
        """As torchdata's: an iterator of torch that begins with a state, and whose _reset takes more."""

        def __init__(self, loader):
            self.skip, loader.skip = loader.skip, 0
            super().__init__(loader)
            for _ in range(self.skip):
                next(self)

        def _reset(self, loader, first_iter=False, prime_prefetch=True):
            super()._reset(loader, first_iter)

    class Stateful(DataLoader):
        skip = 0

        def _get_iterator(self):
            self.iterator = Iterator(self)
            return self.iterator

        def state_dict(self):
            return {"taken": self.iterator._num_yielded}

    loader = Stateful(Numbers(), 4, num_workers=2)
    head = list(itertools.islice(loader, 3))
    resumed = Stateful(Numbers(), 4, num_workers=2)
    resumed.skip = loader.state_dict()["taken"]
    epochs_of(head, resumed, resumed, resumed)


def bug(_):
    probe = sys.modules["_dlqueue_probe"]

    def receive(*_):
        raise RuntimeError("a bug of ours")

    probe._State.receive = receive
    print(sum(int(x) for _ in range(1) for x in DataLoader(list(range(40)), num_workers=2)))


def serve():
    """Prints the exit status of each training; returns in a child, with the words of its training."""
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.chdir(request["directory"])
            os.environ.clear()
            os.environ.update(request["environment"])
            os.dup2(os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), sys.stdout.fileno())
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
            signal.alarm(600)  # ends what hangs
            return request["words"]
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    sys.exit()


if __name__ == "__main__":
    words = serve() if sys.argv[1:] == ["serve"] else sys.argv[1:]
    torch.manual_seed(0)
    random.seed(0)
    globals()[words[0]](words[1:])
