"""Records a training by the Trainer of transformers: Trainer(..., callbacks=[dlqueue.transformers.Probe("trace.csv")]).

It needs accelerate 0.34 or later; see dlqueue_probe. The end of the training prints what `dlqueue advise` says. Tested
against stand-ins of the Trainer's hooks, not against the Trainer.
"""

from transformers import TrainerCallback

from dlqueue_probe import probe


class Probe(TrainerCallback):
    def __init__(self, path="trace.csv", synchronize=False):
        self.path, self.synchronize = path, synchronize

    def on_train_begin(self, args, state, control, train_dataloader=None, **_):
        prepared = train_dataloader  # by accelerate: it moves the batches of the DataLoader inside to the device
        prepared.base_dataloader = probe(prepared.base_dataloader, self.path, self.synchronize)

    def on_train_end(self, args, state, control, **_):
        probe.summary()
