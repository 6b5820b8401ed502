"""Records a training by Lightning 2: Trainer(callbacks=[dlqueue.lightning.Probe("trace.csv")]).

Of each training DataLoader, `trace.csv` and, of a second one, `trace.1.csv`; see dlqueue_probe. The end of the training
prints what `dlqueue advise` says. Tested against stand-ins of Lightning's hooks, not against Lightning.
"""

import os

from dlqueue_probe import probe

try:
    from lightning.pytorch import Callback
except ImportError:
    from pytorch_lightning import Callback


class Probe(Callback):
    def __init__(self, path="trace.csv", synchronize=False):
        self.path, self.synchronize = path, synchronize

    def on_train_start(self, trainer, pl_module):
        stem, ending = os.path.splitext(self.path)
        loaders = trainer.fit_loop._combined_loader  # what the loop iterates: made by now, not begun
        loaders.flattened = [
            probe(loader, "%s.%d%s" % (stem, i, ending) if i else self.path, self.synchronize)
            for i, loader in enumerate(loaders.flattened)
        ]

    def on_train_end(self, trainer, pl_module):
        probe.summary()
