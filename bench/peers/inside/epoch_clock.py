"""A Lightning callback that writes down what each epoch took."""

import json
import time
from pathlib import Path

from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.callbacks import Callback


class EpochClock(Callback):
    """Writes, after each epoch, every epoch's seconds in training and in validation to `path`."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.epochs: list[dict[str, float]] = []
        self.began = self.validating = self.validation = 0.0

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self.began, self.validation = time.perf_counter(), 0.0

    def on_validation_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self.validating = time.perf_counter()

    def on_validation_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self.validation += time.perf_counter() - self.validating

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        training = time.perf_counter() - self.began - self.validation
        self.epochs.append(
            {"training": round(training, 3), "validation": round(self.validation, 3)}
        )
        parameters = sum(p.numel() for p in pl_module.parameters() if p.requires_grad)
        self.path.write_text(json.dumps({"parameters": parameters, "epochs": self.epochs}))
