"""Tests with the real torch: /usr/bin/python3 python/test_dlqueue_probe.py"""

import contextlib
import copy
import csv
import gc
import importlib
import inspect
import io
import itertools
import logging
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
from unittest import mock

import torch
from torch.utils.data import BatchSampler, ConcatDataset, DataLoader, Dataset, IterableDataset
from torch.utils.data import SequentialSampler, Subset, TensorDataset, get_worker_info

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import dlqueue_probe  # noqa: E402
from dlqueue_probe import probe  # noqa: E402

TIMES = ("dispatched", "load_start", "load_end", "request", "received", "step_end", "data_time", "iter_time")
TIMES += tuple(who + what for who in ("load", "worker", "receive", "step") for what in ("_cpu", "_delay"))
TICK = 1.5e-6  # two times rounded to 1 us
HAS_IN_ORDER = "in_order" in inspect.signature(DataLoader.__init__).parameters


class Numbers(Dataset):
    def __init__(self, count, sleep=0.0):
        self.count = count
        self.sleep = sleep
        self.epoch = None

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        time.sleep(self.sleep)
        return index


class Batched(Numbers):
    """Loads a batch by one call, and only so."""

    def __getitem__(self, index):
        raise AssertionError("asked for one item")

    def __getitems__(self, indices):
        assert type(indices) is list
        time.sleep(self.sleep)
        return list(indices)


class Forwarding(Dataset):
    """Knows names only through __getattr__."""

    def __init__(self, inside):
        self.inside = inside

    def __getattr__(self, name):
        if name == "inside":
            raise AttributeError(name)
        return getattr(self.inside, name)

    def __getitem__(self, index):
        return self.inside[index]

    def __len__(self):
        return len(self.inside)


class Failing(Numbers):
    def __getitem__(self, index):
        if index == 7:
            raise KeyError("item seven")
        return super().__getitem__(index)


class Random(Numbers):
    def __getitem__(self, index):
        return index + torch.rand(1).item()


class Stream(IterableDataset):
    def __init__(self, count, sleep=0.0):
        self.begin, self.end, self.sleep = 0, count, sleep

    def __iter__(self):
        for i in range(self.begin, self.end):
            time.sleep(self.sleep)
            yield i


def shard(worker):
    """As torch's documentation of IterableDataset does it."""
    info = get_worker_info()
    assert type(info.dataset) is Stream, info.dataset
    each = info.dataset.end // info.num_workers
    info.dataset.begin, info.dataset.end = worker * each, (worker + 1) * each


def offset_by_worker(worker):
    get_worker_info().dataset.count = 1000 * (worker + 1)


class Counting(Numbers):
    def __getitem__(self, index):
        return self.count


class Pinnable:
    def __init__(self, value):
        self.value = value

    def pin_memory(self):
        return Pinnable(("pinned", self.value))


def tagged(samples):
    return {"sum": sum(samples), "all": samples}


def pair_that_looks_like_ours(samples):
    return samples, ["dlqueue_probes", 0, 0.0, 0.0]


class Endless(DataLoader):
    """A subclass with an __iter__ of its own."""

    def __iter__(self):
        for batch in super().__iter__():
            yield batch


class UserSampler:
    def __init__(self, count):
        self.count = count
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter([[i + 100 * self.epoch, i + 1 + 100 * self.epoch] for i in range(0, self.count, 2)])

    def __len__(self):
        return self.count // 2


def plain(batches):
    """Batches in a form that == compares, down to their types."""
    return [comparable(batch) for batch in batches]


def comparable(batch):
    if isinstance(batch, torch.Tensor):
        return batch.tolist()
    return [type(batch), *map(comparable, batch)] if isinstance(batch, (tuple, list)) else batch


class Case(unittest.TestCase):
    def setUp(self):
        warnings.filterwarnings("ignore", message="This DataLoader will create")
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.path = os.path.join(self.directory, "trace.csv")

    def rows(self, path=None):
        with open(path or self.path) as file:
            lines = [line for line in file if not line.startswith("#")]
        self.assertTrue(all(line.endswith("\n") for line in lines))
        rows = list(csv.DictReader(lines))
        for row in rows:
            self.assertNotIn(None, row)
            for name in TIMES:
                row[name] = float(row[name]) if row[name] else None
            for name in ("rank", "epoch", "index"):
                row[name] = int(row[name])
            row["worker"] = int(row["worker"]) if row["worker"] else None
        return rows

    def comments(self):
        with open(self.path) as file:
            return dict(line[2:].rstrip("\n").split("=", 1) for line in file if line.startswith("#"))

    def check_order(self, row, known=True, serial=False):
        names = ["dispatched", "load_start", "load_end", "received", "step_end"]
        if serial:
            names.insert(0, "request")
        times = [row[name] for name in names]
        if known:
            self.assertNotIn(None, times, row)
        times = [t for t in times if t is not None]
        self.assertEqual(times, sorted(times), row)
        self.assertLessEqual(row["request"], row["received"])
        self.assertAlmostEqual(row["data_time"], row["received"] - row["request"], delta=TICK)
        if row["step_end"] is not None:
            self.assertAlmostEqual(row["iter_time"], row["step_end"] - row["request"], delta=TICK)

    def traced(self, make, epochs=1):
        """The batches of loaders with and without a probe, which must be the same, and the rows."""
        torch.manual_seed(5)
        bare = make()
        expected = [plain(bare) for _ in range(epochs)]
        torch.manual_seed(5)
        with probe(make(), self.path) as loader:
            self.assertEqual(expected, [plain(loader) for _ in range(epochs)])
        rows = self.rows()
        self.assertEqual(sum(map(len, expected)), len(rows))
        return rows


class TimesTest(Case):
    def test_times_of_every_row(self):
        for workers in (0, 2, 4):
            with self.subTest(workers=workers):
                options = {"prefetch_factor": 3} if workers else {}
                loader = DataLoader(Numbers(36, 0.004), batch_size=3, num_workers=workers, **options)
                begin = time.perf_counter()
                with probe(loader, self.path) as loader:
                    for _ in loader:
                        time.sleep(0.0053)
                end = time.perf_counter()
                rows = self.rows()
                self.assertEqual([row["index"] for row in rows], list(range(12)))
                for row in rows:
                    self.check_order(row, serial=workers == 0)
                    self.assertEqual(row["worker"], row["index"] % workers if workers else -1)
                    self.assertGreaterEqual(row["load_end"] - row["load_start"], 3 * 0.004 - TICK)
                    self.assertGreaterEqual(row["step_end"] - row["received"], 0.0053 - TICK)
                    self.assertTrue(begin <= row["dispatched"] and row["step_end"] <= end)
                for before, after in zip(rows, rows[1:]):
                    self.assertLessEqual(before["step_end"], after["request"])
                    self.assertLess(after["request"] - before["step_end"], 0.004)  # the step, not the writing
                for before, after in zip(rows, rows[max(1, workers):]):  # a worker loads one at a time
                    self.assertLessEqual(before["load_end"], after["load_start"])
                window = 3 * workers
                for i, row in enumerate(rows[window:] if workers else ()):  # dispatched on delivery, MODEL 2.1
                    self.assertTrue(rows[i]["request"] <= row["dispatched"] <= rows[i]["received"])

    def test_loads_include_collating(self):
        def slow(samples):
            time.sleep(0.012)
            return samples

        with probe(DataLoader(Numbers(4, 0.003), batch_size=2, num_workers=2, collate_fn=slow), self.path) as loader:
            list(loader)
        for row in self.rows():
            self.assertGreaterEqual(row["load_end"] - row["load_start"], 0.018 - TICK)

    def test_time_of_writing_is_neither_step_nor_wait(self):
        original = dlqueue_probe.write_whole

        def slow(*arguments):
            time.sleep(0.02)
            original(*arguments)

        with mock.patch.object(dlqueue_probe, "BLOCK_ROWS", 2), mock.patch.object(dlqueue_probe, "write_whole", slow):
            with probe(DataLoader(Numbers(6)), self.path) as loader:
                list(loader)
        rows = self.rows()
        self.assertGreaterEqual(rows[2]["request"] - rows[1]["step_end"], 0.02 - TICK)
        self.assertEqual(rows[1]["request"], rows[0]["step_end"])

    def test_synchronize_waits_before_the_step_ends(self):
        wait = mock.Mock(side_effect=lambda: time.sleep(0.05))
        with mock.patch("torch.cuda.is_initialized", return_value=True), mock.patch("torch.cuda.synchronize", wait):
            with probe(DataLoader(Numbers(3)), self.path, synchronize=True) as loader:
                list(loader)
            self.assertEqual(wait.call_count, 4)
            with probe(DataLoader(Numbers(3)), self.path + "2") as loader:
                list(loader)
            self.assertEqual(wait.call_count, 4)
        for row in self.rows():
            self.assertGreaterEqual(row["step_end"] - row["received"], 0.05 - TICK)
            self.assertLess(row["data_time"], 0.05)
        self.assertEqual(self.comments()["synchronize"], "True")

    def test_synchronize_without_cuda(self):
        with probe(DataLoader(Numbers(3)), self.path, synchronize=True) as loader:
            self.assertEqual(len(list(loader)), 3)


class SameDataTest(Case):
    def test_loaders(self):
        cases = {
            "serial": lambda: DataLoader(Numbers(7), batch_size=2),
            "shuffled": lambda: DataLoader(Random(9), batch_size=2, shuffle=True, num_workers=2, drop_last=True),
            "shuffled, serial": lambda: DataLoader(Random(9), batch_size=2, shuffle=True),
            "own generator": lambda: DataLoader(
                Random(9), shuffle=True, num_workers=2, generator=torch.Generator().manual_seed(3)),
            "persistent": lambda: DataLoader(Random(8), num_workers=2, shuffle=True, persistent_workers=True),
            "no batches": lambda: DataLoader(Numbers(5), batch_size=None, num_workers=2),
            "no batches, serial": lambda: DataLoader(Numbers(5), batch_size=None, shuffle=True),
            "own collate": lambda: DataLoader(Numbers(6), batch_size=2, collate_fn=tagged, num_workers=2),
            "own pair": lambda: DataLoader(Numbers(6), batch_size=2, collate_fn=pair_that_looks_like_ours),
            "own batch sampler": lambda: DataLoader(
                Numbers(0), batch_sampler=BatchSampler(SequentialSampler(range(7)), 3, False), num_workers=2),
            "own list of batches": lambda: DataLoader(Numbers(9), batch_sampler=[[3, 1], [2], [8, 0, 5]]),
            "own sampler": lambda: DataLoader(Numbers(9), sampler=[3, 1, 8], num_workers=2),
            "subset": lambda: DataLoader(Subset(Random(9), [2, 4, 8]), num_workers=2),
            "concatenated": lambda: DataLoader(ConcatDataset([Numbers(3), Numbers(4)]), batch_size=2, num_workers=2),
            "tensors": lambda: DataLoader(TensorDataset(torch.arange(12).reshape(6, 2)), batch_size=4),
            "forwarding": lambda: DataLoader(Forwarding(Numbers(5)), batch_size=2, num_workers=2),
            "forwarding batched": lambda: DataLoader(Forwarding(Batched(5)), batch_size=2),
            "list": lambda: DataLoader([5, 6, 7, 8], batch_size=2, num_workers=2),
            "batched": lambda: DataLoader(Batched(5), batch_size=2, num_workers=2),
            "stream": lambda: DataLoader(Stream(5), batch_size=2, num_workers=2),
            "stream, serial": lambda: DataLoader(Stream(5), batch_size=2),
            "stream, drop_last": lambda: DataLoader(Stream(5), batch_size=2, drop_last=True),
            "stream, no batches": lambda: DataLoader(Stream(3), batch_size=None, num_workers=2),
            "sharded": lambda: DataLoader(Stream(12), batch_size=2, num_workers=2, worker_init_fn=shard),
            "worker_init_fn": lambda: DataLoader(Counting(6), num_workers=2, worker_init_fn=offset_by_worker),
            "subclass": lambda: Endless(Numbers(6), num_workers=2),
            "empty": lambda: DataLoader(Numbers(0), sampler=[], num_workers=2),
        }
        for name, make in cases.items():
            with self.subTest(name):
                rows = self.traced(make, epochs=2)
                for row in rows:
                    self.check_order(row, known="stream" not in name and name != "sharded")
                for epoch in (0, 1):
                    indices = [row["index"] for row in rows if row["epoch"] == epoch]
                    self.assertEqual(indices, list(range(len(indices))))

    def test_streams_know_all_but_dispatch(self):
        for workers in (0, 2):
            rows = self.traced(lambda: DataLoader(Stream(6, 0.004), batch_size=4, num_workers=workers), epochs=2)
            for row in rows:
                self.assertIsNone(row["dispatched"])
                items = 4 if row["index"] < max(1, workers) else 2
                self.assertGreaterEqual(row["load_end"] - row["load_start"], items * 0.004 - TICK)

    def test_incomplete_last_batch_of_a_stream_leaves_no_start(self):
        loader = DataLoader(Stream(3), batch_size=2, drop_last=True, num_workers=1, persistent_workers=True)
        with probe(loader, self.path) as loader:
            for _ in range(2):
                self.assertEqual(plain(loader), [[0, 1]])
                time.sleep(0.02)
        first, second = self.rows()
        self.assertLess(first["received"], second["load_start"])

    def test_spawned_workers(self):
        for dataset, batch_size in ((Batched(6, 0.002), 2), (Stream(6, 0.002), 3)):
            loader = DataLoader(dataset, batch_size, num_workers=1, multiprocessing_context="spawn")
            with probe(loader, self.path) as loader:
                batches = plain(loader)
            self.assertEqual(sum(batches, []), list(range(6)))
            self.assertEqual(self.comments()["start_method"], "spawn")
            for row in self.rows():
                self.check_order(row, known=not isinstance(dataset, Stream))
                self.assertGreaterEqual(row["load_end"] - row["load_start"], 0.002 - TICK)
                self.assertEqual(row["worker"], 0)

    def test_wrappers_survive_pickling(self):
        mark = dlqueue_probe._Mark()
        for dataset in (dlqueue_probe._Items(Forwarding(Numbers(3)), mark), dlqueue_probe._Stream(Stream(3), mark)):
            init = dlqueue_probe._WorkerInit(dataset._dlq_dataset, None)
            collate = dlqueue_probe._Collate(tagged, mark, 2)
            dataset, collate, init = pickle.loads(pickle.dumps((dataset, collate, init)))
            self.assertIs(collate.mark, dataset._dlq_mark)
            self.assertIs(init.dataset, dataset._dlq_dataset)

    def test_pinning_keeps_the_stamp(self):
        from torch.utils.data._utils.pin_memory import pin_memory

        stamped = dlqueue_probe._Collate(Pinnable, dlqueue_probe._Mark(), 0)(5)
        batch, (_, worker, start, end, *_) = dlqueue_probe.take_stamp(pin_memory(stamped))
        self.assertEqual(batch.value, ("pinned", 5))
        self.assertEqual((worker, start, type(end)), (-1, None, float))

    def test_pin_memory_option(self):
        rows = self.traced(lambda: DataLoader(Numbers(4), num_workers=2, pin_memory=True))
        self.assertEqual(self.comments()["pin_memory"], "True")
        self.assertEqual(len(rows), 4)


class Uneven(Numbers):
    def __getitem__(self, index):
        time.sleep(0.25 if index in (0, 5) else 0.003)
        return index


def unordered(dataset, workers):
    """in_order=False; where torch has no such option, a loader that keeps the same books."""
    if HAS_IN_ORDER:
        return DataLoader(dataset, num_workers=workers, in_order=False)
    loader = Overtaking(dataset, num_workers=workers)
    loader.in_order = False
    return loader


class Overtaking(DataLoader):
    def _get_iterator(self):
        return OvertakingIterator(self)


class OvertakingIterator(torch.utils.data.dataloader._MultiProcessingDataLoaderIter):
    def _next_data(self):
        if not self._task_info:
            self._shutdown_workers()
            raise StopIteration
        index, data = self._get_data()
        self._tasks_outstanding -= 1
        del self._task_info[index]
        return self._process_data(data)


class UnorderedTest(Case):
    def test_batches_that_overtake_keep_their_numbers(self):
        with probe(unordered(Uneven(12), 2), self.path) as loader:
            epochs = [[int(batch) for batch in loader] for _ in range(2)]
        self.assertEqual(self.comments()["in_order"], "False")
        rows = self.rows()
        self.assertEqual([row["index"] for row in rows], sum(epochs, []))
        for batches in epochs:
            self.assertEqual(sorted(batches), list(range(12)))
            self.assertNotEqual(batches, sorted(batches))
        for row in rows:
            self.check_order(row)
            self.assertEqual(row["load_end"] - row["load_start"] >= 0.25 - TICK, row["index"] in (0, 5))

    def test_numbers(self):
        epoch = object.__new__(dlqueue_probe._Epoch)
        epoch._unordered, epoch._count, epoch._trace, epoch._number = True, 0, mock.Mock(), 0
        epoch._batches = mock.Mock(_task_info={0: (0,), 1: (1,), 2: (0,), 3: (1,)})
        epoch._sent = dlqueue_probe._Sent()
        epoch._sent.times = {i: 0.5 + i for i in range(8)}
        epoch._tasks = epoch._outstanding()
        for received, sent in ((1, 4), (0, 5), (4, 6), (5, 7), (2, None)):
            del epoch._batches._task_info[received]
            if sent is not None:
                epoch._batches._task_info[sent] = (0,)
            self.assertEqual(epoch._next_index(), (received, received + 0.5))
        self.assertEqual(sorted(epoch._sent.times), [3, 6, 7])


class LoaderTest(Case):
    def test_passes_for_the_loader(self):
        dataset, sampler = Numbers(10), UserSampler(10)
        bare = DataLoader(dataset, batch_sampler=sampler, num_workers=2, worker_init_fn=None)
        loader = probe(bare, self.path)
        self.assertIsInstance(loader, DataLoader)
        self.assertEqual(len(loader), 5)
        self.assertEqual(len(iter(loader)), 5)
        self.assertIs(loader.dataset, dataset)
        self.assertIs(loader.batch_sampler, sampler)
        self.assertIsNone(loader.worker_init_fn)
        self.assertEqual((loader.num_workers, loader.batch_size, loader.prefetch_factor), (2, None, 2))
        self.assertIs(loader.collate_fn, bare.collate_fn)
        self.assertFalse(hasattr(loader, "no_such_name"))
        with self.assertRaises(ValueError):
            loader.dataset = dataset
        self.assertIs(vars(bare)["dataset"], dataset)
        self.assertIn("DataLoader", repr(loader))

    def test_assignments_reach_the_workers(self):
        loader = probe(DataLoader(Numbers(4), batch_size=2), self.path)
        loader.collate_fn = tagged
        self.assertEqual(list(loader)[1], {"sum": 5, "all": [2, 3]})
        loader.num_workers, loader.prefetch_factor = 2, 2
        loader.extra = 5
        self.assertEqual(loader.extra, 5)
        del loader.extra
        self.assertFalse(hasattr(loader, "extra"))
        list(loader)
        loader.close()
        self.assertEqual([row["worker"] for row in self.rows()], [-1, -1, 0, 1])

    def test_copies_are_of_the_loader(self):
        class Marked(DataLoader):
            def __copy__(self):
                return "copied"

        ways = (copy.copy, copy.deepcopy)
        ways += tuple(lambda loader, p=p: pickle.loads(pickle.dumps(loader, p)) for p in range(2, 6))
        for workers, persistent in ((0, False), (2, True)):
            loader = probe(DataLoader(Numbers(6), 2, num_workers=workers, persistent_workers=persistent), self.path)
            list(loader)
            for way in ways:
                other = way(loader)
                self.assertIs(type(other), DataLoader)
                self.assertEqual(plain(other), [[0, 1], [2, 3], [4, 5]])
                self.assertIs(other.dataset is loader.dataset, way is copy.copy)
            list(loader)
            loader.close()
            self.assertEqual([row["epoch"] for row in self.rows()], [0, 0, 0, 1, 1, 1])
        self.assertEqual(copy.copy(probe(Marked(Numbers(3)), self.path)), "copied")

    def test_set_epoch_of_the_sampler(self):
        loader = probe(DataLoader(Numbers(500), batch_sampler=UserSampler(4)), self.path)
        for epoch in range(3):
            loader.batch_sampler.set_epoch(epoch)
            self.assertEqual(plain(loader), [[100 * epoch, 100 * epoch + 1], [100 * epoch + 2, 100 * epoch + 3]])

    def test_length_of_streams_is_remembered(self):
        class Short(Stream):
            def __len__(self):
                return 2

        loader = probe(DataLoader(Short(3)), self.path)
        self.assertEqual(len(loader), 2)
        with self.assertWarnsRegex(UserWarning, "Length of IterableDataset"):
            list(loader)

    def test_refuses_what_is_no_loader(self):
        loader = DataLoader(Numbers(3))
        for wrong in ([1, 2], None, probe(loader, self.path), Numbers(3), DataLoader):
            with self.assertRaisesRegex(TypeError, "DataLoader|takes"):
                probe(wrong, self.path)

        class Stateful(DataLoader):
            def state_dict(self):
                return {}

        with self.assertRaisesRegex(TypeError, "position"):
            probe(Stateful(Numbers(3)), self.path)
        with self.assertRaises(TypeError):
            probe(loader, None)

        class Outside(DataLoader):
            def __init__(self, inside):
                self.base_dataloader = inside

        outside = Outside(loader)
        with self.assertRaisesRegex(TypeError, "inside"):
            probe(outside, self.path)
        outside.base_dataloader = probe(outside.base_dataloader, self.path + "2")
        self.assertEqual(len(list(outside.base_dataloader.__iter__())), 3)
        self.assertEqual(os.listdir(self.directory), ["trace.csv2"])


class EpochsTest(Case):
    def test_several_epochs(self):
        for persistent in (False, True):
            loader = DataLoader(Numbers(6, 0.001), batch_size=2, num_workers=2, persistent_workers=persistent)
            with probe(loader, self.path) as loader:
                for _ in range(3):
                    self.assertEqual(plain(loader), [[0, 1], [2, 3], [4, 5]])
            rows = self.rows()
            numbers = [(row["epoch"], row["index"]) for row in rows]
            self.assertEqual(numbers, list(itertools.product(range(3), repeat=2)))
            for row in rows:
                self.check_order(row)

    def test_persistent_workers_persist(self):
        loader = probe(DataLoader(Pids(4), num_workers=2, persistent_workers=True), self.path)
        first = plain(loader)
        self.assertEqual(first, plain(loader))
        self.assertIsNotNone(loader._iterator)
        workers = loader._iterator._workers
        del loader
        gc.collect()
        for worker in workers:
            self.assertFalse(worker.is_alive())

    def test_workers_end_with_the_loop(self):
        gc.disable()  # a cycle of references would keep the workers
        self.addCleanup(gc.enable)
        loader = probe(DataLoader(Numbers(50), num_workers=2), self.path)
        for _ in loader:
            workers = list(torch.multiprocessing.active_children())
            break
        self.assertGreaterEqual(len(workers), 2)
        self.assertEqual(torch.multiprocessing.active_children(), [])
        loader = probe(DataLoader(Numbers(50), num_workers=2, persistent_workers=True), self.path + "2")
        next(iter(loader))
        del loader
        self.assertEqual(torch.multiprocessing.active_children(), [])

    def test_leaving_early(self):
        for workers, persistent in ((0, False), (2, False), (2, True)):
            with self.subTest(workers=workers, persistent=persistent):
                loader = DataLoader(Numbers(20, 0.002), num_workers=workers, persistent_workers=persistent)
                with probe(loader, self.path) as loader:
                    for last in (0, 3, 19):
                        for i, batch in enumerate(loader):
                            self.assertEqual(int(batch), i)
                            if i == last:
                                break
                        time.sleep(0.1)
                rows = self.rows()
                ends = [0, 4, 24]
                self.assertEqual([row["index"] for row in rows], [0, *range(4), *range(20)])
                for i, row in enumerate(rows):
                    self.check_order(row, known=i not in ends)
                    self.assertEqual((row["step_end"] is None, row["iter_time"] is None), (i in ends, i in ends))
                    if i not in ends:
                        self.assertLess(row["step_end"] - row["received"], 0.1)

    def test_two_iterators_at_once(self):
        for workers in (0, 2):
            with probe(DataLoader(Numbers(5), num_workers=workers), self.path) as loader:
                pairs = list(itertools.zip_longest(plain(loader), loader))
                pairs = [(int(a), int(b)) for a, b in zip(loader, loader)]
            self.assertEqual(pairs, [(i, i) for i in range(5)])
            rows = [row for row in self.rows() if row["epoch"] > 1]
            for epoch in (2, 3):
                self.assertEqual([row["index"] for row in rows if row["epoch"] == epoch], list(range(5)))
            for row in rows:
                self.check_order(row, serial=workers == 0, known=(row["epoch"], row["index"]) != (3, 4))

    def test_two_iterators_of_persistent_workers(self):
        make = lambda: DataLoader(Numbers(8), num_workers=2, persistent_workers=True)  # noqa: E731

        def mixed(loader):
            first = iter(loader)
            seen = [next(first), next(first)]
            second = iter(loader)
            return [int(batch) for batch in seen + [next(first), next(second), next(first)] + list(second)]

        with probe(make(), self.path) as loader:
            self.assertEqual(mixed(loader), mixed(make()))
        self.assertEqual([row["index"] for row in self.rows()], [0, 1, *range(8)])

    def test_exceptions_of_the_dataset(self):
        for workers in (0, 2):
            with self.subTest(workers=workers), probe(
                DataLoader(Failing(12), batch_size=2, num_workers=workers), self.path
            ) as loader:
                with self.assertRaisesRegex(KeyError, "item seven"):
                    list(loader)
                iterator, seen = iter(loader), []
                for _ in range(6):
                    try:
                        seen.append(next(iterator).tolist())
                    except KeyError:
                        time.sleep(0.02)
                self.assertEqual(seen, [[0, 1], [2, 3], [4, 5], [8, 9], [10, 11]])
                loader.close()
                rows = self.rows()
                self.assertEqual([row["index"] for row in rows], [0, 1, 2, 0, 1, 2, 4, 5])
                for row in rows:
                    self.check_order(row, known=row is not rows[-1])
                self.assertLess(rows[6]["load_end"] - rows[6]["load_start"], 0.02)
        gc.collect()  # torch's own reference cycles keep failed iterators, which then complain in the next workers

    def test_exceptions_of_a_stream_and_of_collate(self):
        class Broken(Stream):
            def __iter__(self):
                yield 0
                raise KeyError("stream")

        def refuse(samples):
            if 1 in samples:
                raise KeyError("collate")
            return samples

        for loader in (DataLoader(Broken(5)), DataLoader(Numbers(3), collate_fn=refuse)):
            with probe(loader, self.path) as loader:
                iterator = iter(loader)
                next(iterator)
                self.assertRaises(KeyError, next, iterator)
                self.assertIsNone(loader._dlq_inner.collate_fn.mark.start)

    def test_loader_in_a_worker_of_another(self):
        inside = self.path + ".inside"
        with probe(DataLoader(Nested(inside), batch_size=None, num_workers=1), self.path) as loader:
            self.assertEqual([int(batch) for batch in loader], [0, 1, 2])
        self.assertEqual([row["worker"] for row in self.rows(inside)], [-1, -1, -1])
        self.assertEqual([row["worker"] for row in self.rows()], [0, 0, 0])

    def test_loop_over_a_temporary(self):
        for _ in probe(DataLoader(Numbers(4)), self.path):
            gc.collect()
        self.assertEqual(len(self.rows()), 4)


class Nested(IterableDataset):
    """Has a probed loader of its own."""

    def __init__(self, path):
        self.path = path

    def __iter__(self):
        return iter(probe(DataLoader(Numbers(3)), self.path))


class Pids(Numbers):
    def __getitem__(self, index):
        return os.getpid()


class FileTest(Case):
    def test_comments_and_columns(self):
        with probe(DataLoader(Numbers(9), batch_size=3, num_workers=2, prefetch_factor=4), self.path) as loader:
            list(loader)
        expected = {
            "torch": torch.__version__,
            "workers": "2",
            "prefetch_factor": "4",
            "batch_size": "3",
            "in_order": "True",
            "pin_memory": "False",
            "persistent_workers": "False",
            "start_method": torch.multiprocessing.get_start_method(),
        }
        self.assertEqual(expected, {name: self.comments()[name] for name in expected})
        self.assertIn("perf_counter", self.comments()["clock"])
        with open(self.path) as file:
            names = [line for line in file if not line.startswith("#")][0]
        self.assertEqual(names, "rank,epoch,index,worker,dispatched,load_start,load_end,request,received,step_end,"
                                "data_time,iter_time,load_cpu,load_delay,worker_cpu,worker_delay,"
                                "receive_cpu,receive_delay,step_cpu,step_delay\n")
        self.assertEqual(self.comments()["cores"], "%g" % dlqueue_probe.usable_cores())
        self.assertEqual(self.comments()["memory"], "%d" % dlqueue_probe.usable_memory())
        self.assertEqual(self.comments()["shm"], str(dlqueue_probe.shared_memory()))

    def test_blocks(self):
        loader = probe(DataLoader(Numbers(1000)), self.path)
        self.assertEqual(os.listdir(self.directory), [])
        iterator = iter(loader)
        for count, written in ((200, 0), (1, 200), (199, 200), (1, 400)):
            for _ in range(count):
                next(iterator)
            self.assertEqual(len(self.rows()), written)
        with mock.patch.object(dlqueue_probe, "BLOCK_SECONDS", 0.0):
            next(iterator)
        self.assertEqual(len(self.rows()), 401)
        list(iterator)
        self.assertEqual(len(self.rows()), 1000)
        loader.close()
        loader.close()
        self.assertEqual(len(list(loader)), 1000)
        self.assertEqual(len(self.rows()), 1000)

    def run_script(self, text, **environment):
        script = os.path.join(self.directory, "train.py")
        with open(script, "w") as file:
            file.write("import sys, os\nsys.path[:0] = %r\n" % ([HERE],) + text)
        return subprocess.run(
            [sys.executable, script], cwd=self.directory, env={**os.environ, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=600,
        )

    LOOP = (
        "from test_dlqueue_probe import *\n"
        "loader = probe(DataLoader(Numbers(1000), num_workers=%d), 'trace.csv')\n"
        "for i, batch in enumerate(loader):\n"
        "    if i == 250: %s\n"
    )

    def test_exit(self):
        cases = ((2, "raise ValueError", 1, 251), (0, "os.kill(os.getpid(), 9)", -9, 200))
        for workers, how, status, count in cases:
            with self.subTest(how):
                done = self.run_script(self.LOOP % (workers, how))
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual(len(self.rows()), count)

    def test_forked_children_write_nothing(self):
        done = self.run_script(self.LOOP % (0, "os.fork() or sys.exit()\n") + "print(i)")
        self.assertEqual(done.stdout, "999\n", done.stderr)
        self.assertEqual([row["index"] for row in self.rows()], list(range(1000)))

    def test_full_disk(self):
        for workers in (0, 2):
            with self.assertLogs("dlqueue_probe", logging.WARNING) as logs:
                with probe(DataLoader(Numbers(700), num_workers=workers), "/dev/full") as loader:
                    self.assertEqual(len(list(loader)), 700)
                    self.assertEqual(len(list(loader)), 700)
                    self.assertEqual(loader._dlq_trace._rows, [])
            self.assertEqual(len(logs.output), 1)
            self.assertIn("No space left on device", logs.output[0])

    def test_disk_that_fills_up_keeps_whole_lines(self):
        written = os.write

        def limited(descriptor, data):
            room = 20000 - os.fstat(descriptor).st_size
            if room <= 0:
                raise OSError(28, "No space left on device")
            return written(descriptor, data[:room])

        with mock.patch("os.write", limited), self.assertLogs("dlqueue_probe", logging.WARNING) as logs:
            with probe(DataLoader(Numbers(900)), self.path) as loader:
                self.assertEqual(len(list(loader)), 900)
        self.assertEqual(len(logs.output), 1)
        self.assertTrue(19800 < os.path.getsize(self.path) < 20000)
        self.assertEqual([row["index"] for row in self.rows()], list(range(len(self.rows()))))

    def test_unwritable_paths(self):
        for path in (os.path.join(self.directory, "no", "trace.csv"), self.directory, "nul\0byte"):
            with self.assertLogs("dlqueue_probe", logging.WARNING) as logs:
                self.assertEqual(len(list(probe(DataLoader(Numbers(3)), path))), 3)
            self.assertEqual(len(logs.output), 1)

    @unittest.skipUnless(hasattr(os, "geteuid") and os.geteuid() == 0, "only root can plant a link of somebody else")
    def test_planted_link(self):
        target = os.path.join(self.directory, "target")
        os.chmod(self.directory, 0o1777)
        os.symlink(target, self.path)
        os.chown(self.path, 4242, 4242, follow_symlinks=False)
        with self.assertLogs("dlqueue_probe", logging.WARNING) as logs:
            self.assertEqual(len(list(probe(DataLoader(Numbers(3)), self.path))), 3)
        self.assertIn("somebody else", logs.output[0])
        self.assertFalse(os.path.exists(target))

    def test_warnings_as_errors(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertLogs("dlqueue_probe"):
                list(probe(DataLoader(Numbers(3)), "/dev/full"))

    def test_two_probes_of_one_file(self):
        first = probe(DataLoader(Numbers(3)), self.path)
        list(first)
        second = probe(DataLoader(Numbers(5)), self.path)
        with self.assertLogs("dlqueue_probe", logging.WARNING) as logs:
            list(second)
        self.assertIn("replaced", logs.output[0])
        list(first)
        self.assertEqual(len(self.rows()), 5)

    def test_path_objects(self):
        import pathlib

        list(probe(DataLoader(Numbers(3)), pathlib.Path(self.path)))
        self.assertEqual(len(self.rows()), 3)


class RankTest(Case):
    def test_environment(self):
        cases = (
            ({}, (0, 1)),
            ({"RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "4"}, (3, 4)),
            ({"LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}, (1, 2)),
            ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, (0, 8)),
            ({"OMPI_COMM_WORLD_RANK": "5"}, (5, 6)),
            ({"RANK": "", "SLURM_PROCID": "2"}, (2, 3)),
            ({"RANK": "none"}, (0, 1)),
            ({"RANK": "0", "WORLD_SIZE": "1"}, (0, 1)),
        )
        for environment, expected in cases:
            self.assertEqual(dlqueue_probe.rank_and_world(environment), expected, environment)

    def test_process_group(self):
        with mock.patch("torch.distributed.is_initialized", return_value=True), \
                mock.patch("torch.distributed.get_rank", return_value=2), \
                mock.patch("torch.distributed.get_world_size", return_value=4):
            self.assertEqual(dlqueue_probe.rank_and_world({"RANK": "9"}), (2, 4))

    def test_known_world(self):
        cases = (
            ({}, "None"),
            ({"WORLD_SIZE": "1"}, "1"),
            ({"RANK": "0", "WORLD_SIZE": "4"}, "4"),
            ({"WORLD_SIZE": ""}, "None"),
            ({"LOCAL_WORLD_SIZE": "2"}, "None"),
            ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, "None"),
        )
        for environment, world in cases:
            path = os.path.join(self.directory, "x{rank}.csv")
            with mock.patch.dict(os.environ, environment):
                list(probe(DataLoader(Numbers(3)), path))
            with open(path.replace("{rank}", "0")) as lines:
                self.assertIn("# world=%s\n" % world, list(lines), environment)
        with mock.patch("torch.distributed.is_initialized", return_value=True), \
                mock.patch("torch.distributed.get_world_size", return_value=4):
            self.assertEqual(dlqueue_probe.known_world({"WORLD_SIZE": "9"}), 4)

    def test_names(self):
        cases = (
            ("trace.csv", 0, 1, "trace.csv"),
            ("trace.csv", 3, 4, "trace.rank3.csv"),
            ("a.b/trace", 3, 4, "a.b/trace.rank3"),
            ("x_{rank}.csv", 3, 4, "x_3.csv"),
            ("x_{rank}.csv", 0, 1, "x_0.csv"),
        )
        for path, rank, world, expected in cases:
            self.assertEqual(dlqueue_probe.path_of_rank(path, rank, world), expected)

    def test_file_of_a_rank(self):
        with mock.patch.dict(os.environ, {"RANK": "3", "WORLD_SIZE": "4"}):
            list(probe(DataLoader(Numbers(3)), self.path))
        self.assertEqual(os.listdir(self.directory), ["trace.rank3.csv"])
        rows = self.rows(os.path.join(self.directory, "trace.rank3.csv"))
        self.assertEqual([row["rank"] for row in rows], [3, 3, 3])


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class Busy(Numbers):
    def __getitem__(self, index):
        burn(self.sleep)
        return index


class ProcessorTest(Case):
    def test_sleeping_and_computing(self):
        with probe(DataLoader(Numbers(12, 0.02), num_workers=2), self.path) as loader:
            for _ in loader:
                burn(0.01)
        for row in self.rows():
            self.assertLess(row["load_cpu"], 0.02)
            self.assertGreaterEqual(row["step_cpu"], 0.01 - TICK)
            self.assertGreaterEqual(row["worker_cpu"], row["load_cpu"])
            self.assertLessEqual(row["step_delay"], row["step_end"] - row["received"] + 0.01)

    @unittest.skipUnless(os.path.exists("/proc/self/schedstat") and hasattr(os, "sched_setaffinity"), "not here")
    def test_workers_that_share_a_core(self):
        cores = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, cores)
        os.sched_setaffinity(0, {min(cores)})
        with probe(DataLoader(Busy(30, 0.02), num_workers=3), self.path) as loader:
            list(loader)
        rows = self.rows()
        self.assertEqual(self.comments()["cores"], "1")
        totals = {name: sum(row[name] for row in rows) for name in ("load_cpu", "load_delay", "worker_cpu")}
        self.assertGreaterEqual(totals["load_cpu"], 30 * 0.02 - TICK)
        self.assertGreaterEqual(totals["worker_cpu"], totals["load_cpu"])
        self.assertGreater(totals["load_delay"], 0.5 * totals["load_cpu"])  # 2 of 3 wait: twice as much

    def test_without_workers(self):
        with probe(DataLoader(Busy(5, 0.005)), self.path) as loader:
            list(loader)
        for row in self.rows():
            self.assertGreaterEqual(row["load_cpu"], 0.005 - TICK)
            self.assertGreaterEqual(row["receive_cpu"], row["load_cpu"])
            self.assertIsNone(row["worker_cpu"])

    def test_a_system_without_delays(self):
        path = os.path.join(self.directory, "schedstat")
        for text in (None, "", "x y z", "17"):
            if text is not None:
                with open(path, "w") as file:
                    file.write(text)
            processor = dlqueue_probe._Processor(path)
            with mock.patch.object(dlqueue_probe, "processor", processor):
                list(probe(DataLoader(Numbers(3)), self.path))
            self.assertIsNone(processor.descriptor)
            for row in self.rows():
                self.assertIsNone(row["load_delay"])
                self.assertIsNone(row["step_delay"])
                self.assertGreaterEqual(row["load_cpu"], 0)

    def test_cores_of_cgroups(self):
        affinity = len(os.sched_getaffinity(0))
        own = os.path.join(self.directory, "cgroup")
        os.makedirs(os.path.join(self.directory, "a", "b"))
        for limit, cores in (("50000 100000", 0.5), ("max 100000", affinity), ("900000000 100000", affinity),
                             ("0 0", affinity), ("x", affinity)):
            for group in ("a", "a/b"):
                with open(own, "w") as file:
                    file.write("1:cpu:/other\n0::/a/b\n")
                limits = os.path.join(self.directory, group, "cpu.max")
                with open(limits, "w") as file:
                    file.write(limit + "\n")
                self.assertEqual(dlqueue_probe.usable_cores(self.directory, own), cores, (limit, group))
                os.remove(limits)
        self.assertEqual(dlqueue_probe.usable_cores(self.directory, own + "x"), affinity)

    def test_memory_of_cgroups(self):
        own, total = os.path.join(self.directory, "cgroup"), os.path.join(self.directory, "meminfo")
        os.makedirs(os.path.join(self.directory, "a", "b"))
        for path, text in ((own, "0::/a/b\n"), (total, "MemTotal:  2000 kB\nMemFree: 1 kB\n")):
            with open(path, "w") as file:
                file.write(text)
        for limit, memory in (("1000000", 1000000), ("max", 2048000), ("4096000", 2048000), ("x", 2048000)):
            for group in ("a", "a/b"):
                limits = os.path.join(self.directory, group, "memory.max")
                with open(limits, "w") as file:
                    file.write(limit + "\n")
                self.assertEqual(dlqueue_probe.usable_memory(self.directory, own, total), memory, (limit, group))
                os.remove(limits)
        self.assertIsNone(dlqueue_probe.usable_memory(self.directory, own, total + "x"))

    def test_ceiling(self):
        for workers in (0, 2):
            for persistent in {False, workers > 0}:
                with probe(DataLoader(Numbers(9), 3, num_workers=workers, persistent_workers=persistent), self.path,
                           ceiling=5) as loader:
                    for _ in range(2):
                        batches = []
                        for batch in loader:
                            batches.append(batch.tolist())
                            batch.mul_(0)  # does not change what is delivered next
                        self.assertEqual(batches, 5 * [[0, 1, 2]])
                self.assertEqual(len(self.rows()), 10)
                self.assertEqual({row["data_time"] for row in self.rows()}, {0})
                self.assertEqual([row["index"] for row in self.rows()], 2 * list(range(5)))
                self.assertEqual(self.comments()["ceiling"], "5")


class DataPipesTest(Case):
    @unittest.skipUnless(dlqueue_probe.data_pipes(), "this torch has no DataPipes")
    def test_shuffled_and_sharded_pipe(self):
        from torch.utils.data.datapipes.iter import IterableWrapper

        make = lambda: DataLoader(  # noqa: E731
            IterableWrapper(range(20)).shuffle().sharding_filter(), num_workers=2, shuffle=True)
        rows = self.traced(make)
        for row in rows:
            self.assertIsNone(row["load_start"])
            self.check_order(row, known=False)
            self.assertIn(row["worker"], (0, 1))


class SummaryTest(Case):
    """A stand-in of the command prints its arguments and how many rows there are by then."""

    def setUp(self):
        super().setUp()
        command = os.path.join(self.directory, "dlqueue")
        with open(command, "w") as file:
            file.write('#!/bin/sh\necho "$@" "$(grep -vc "[#r]" "$3")"\n')
        os.chmod(command, 0o755)
        path = mock.patch.dict(os.environ, PATH=self.directory + ":" + os.environ["PATH"])
        path.start()
        self.addCleanup(path.stop)
        opened = mock.patch.object(dlqueue_probe._Trace, "opened", [])
        opened.start()
        self.addCleanup(opened.stop)

    def said(self, call=probe.summary):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            call()
        return out.getvalue()

    def test_during_a_run_and_after_it(self):
        loader = probe(DataLoader(Numbers(5)), self.path)
        self.assertEqual(self.said(), "")
        batches = iter(loader)
        next(batches), next(batches), next(batches)
        self.assertEqual(self.said(), "advise --summary %s 2\n" % self.path)
        list(batches)
        del loader, batches
        gc.collect()
        self.assertEqual(self.said(), "advise --summary %s 5\n" % self.path)

    def test_without_the_command(self):
        list(probe(DataLoader(Numbers(5)), self.path))
        with mock.patch.dict(os.environ, PATH="/nonexistent"):
            self.assertEqual(self.said(), "dlqueue advise %s says what training waited for\n" % self.path)

    def test_of_rank_0_alone(self):
        with mock.patch.dict(os.environ, RANK="1", WORLD_SIZE="2"):
            list(probe(DataLoader(Numbers(5)), self.path))
        self.assertEqual(self.said(), "")

    def test_from_the_package(self):
        import dlqueue

        self.assertIs(dlqueue.probe, probe)

    def test_lightning(self):
        class Combined:  # as lightning.pytorch.utilities.CombinedLoader: the list is replaced as a whole
            def __init__(self, loaders):
                self._flattened = loaders

            flattened = property(lambda self: self._flattened)

            @flattened.setter
            def flattened(self, loaders):
                assert len(loaders) == len(self._flattened)
                self._flattened = loaders

        for package in ("lightning.pytorch", "pytorch_lightning"):
            modules = {"lightning": None, "lightning.pytorch": None, package: types.SimpleNamespace(Callback=object)}
            with self.subTest(package), mock.patch.dict(sys.modules, modules):
                sys.modules.pop("dlqueue.lightning", None)
                callback = importlib.import_module("dlqueue.lightning").Probe(self.path)
                loop = types.SimpleNamespace(_combined_loader=Combined([DataLoader(Numbers(4)), DataLoader(Numbers(6))]))
                trainer = types.SimpleNamespace(fit_loop=loop)
                callback.on_train_start(trainer, None)
                for _ in range(2):
                    self.assertEqual([len(list(loader)) for loader in loop._combined_loader.flattened], [4, 6])
                second = self.path.replace(".csv", ".1.csv")
                said = self.said(lambda: callback.on_train_end(trainer, None))
                self.assertEqual(said, "advise --summary %s 8\nadvise --summary %s 12\n" % (self.path, second))

    def test_transformers(self):
        class Shard:  # as accelerate.data_loader.DataLoaderShard: a batch ahead
            def __init__(self, loader):
                self.base_dataloader = loader

            def __iter__(self):
                batches = self.base_dataloader.__iter__()
                batch = next(batches)
                for ahead in batches:
                    yield batch
                    batch = ahead
                yield batch

        with mock.patch.dict(sys.modules, transformers=types.SimpleNamespace(TrainerCallback=object)):
            callback = importlib.import_module("dlqueue.transformers").Probe(self.path, synchronize=True)
        prepared, hook = Shard(DataLoader(Numbers(5), num_workers=1)), (None, None, None)
        callback.on_train_begin(*hook, model=None, train_dataloader=prepared)
        self.assertEqual(len(list(prepared)), 5)
        said = self.said(lambda: callback.on_train_end(*hook, train_dataloader=prepared))
        self.assertEqual(said, "advise --summary %s 5\n" % self.path)
        self.assertEqual(self.comments()["synchronize"], "True")


class OverheadTest(Case):
    def test_cost_per_batch(self):
        # The true figure is about a twentieth of the bound, which holds on a loaded machine too.
        for _ in range(5):
            bare, probed = dlqueue_probe.with_and_without(2000, 3, time.thread_time)
            if probed - bare < 200e-6:
                return
        self.fail("%g s per batch" % (probed - bare))

    def test_command(self):
        command = [sys.executable, os.path.join(HERE, "dlqueue_probe.py"), "--batches", "50", "--rounds", "1"]
        done = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, timeout=600)
        self.assertEqual(done.returncode, 0)
        costs = re.findall(r"the probe (-?[\d.]+) us per batch", done.stdout)
        self.assertEqual(len(costs), 2, done.stdout)
        self.assertTrue(0 < float(costs[1]) < 1000, costs)

    def test_threads_of_the_process_are_no_more(self):
        before = threading.active_count()
        list(probe(DataLoader(Numbers(300)), self.path))
        self.assertEqual(threading.active_count(), before)


if __name__ == "__main__":
    unittest.main()
