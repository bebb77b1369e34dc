"""yoyodyne 0.5.27: seconds per epoch of its attentive LSTM on a grapheme-to-phoneme table.

    python bench/peers/yoyodyne.py setup
    python bench/peers/yoyodyne.py train --train FILE.tsv --dev FILE.tsv --epochs 2 --work DIR

The tables hold a word, a tab and its phonemes with spaces between, one pair a line.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from statistics import mean

from venv import INSIDE, commands, create, measure, program, report  # isort: skip

# Without its dependencies: torchvision and torchaudio are demanded and never imported.
INSTALL = (
    "torch==2.13.0 numpy lightning jsonargparse[signatures,omegaconf] maxwell pandas rich wandb"
    " omegaconf torchmetrics",
    "--no-deps yoyodyne==0.5.27",
)

CONFIG = """\
seed_everything: 49
trainer:
  accelerator: cpu
  max_epochs: {epochs}
  gradient_clip_val: 3
  enable_progress_bar: false
  callbacks:
    - class_path: lightning.pytorch.callbacks.ModelCheckpoint
      init_args: {{filename: best, mode: max, monitor: val_accuracy}}
    - class_path: epoch_clock.EpochClock
      init_args: {{path: {clock}}}
  logger:
    - class_path: lightning.pytorch.loggers.CSVLogger
      init_args: {{save_dir: {work}}}
data:
  train: {train}
  val: {dev}
  model_dir: {model}
  batch_size: 64
  source_sep: ""
  target_sep: " "
model:
  class_path: yoyodyne.models.SoftAttentionLSTMModel
  init_args:
    source_encoder:
      class_path: yoyodyne.models.modules.LSTMEncoder
      init_args: {{dropout: 0.3, embedding_size: 128, hidden_size: 256}}
    decoder_dropout: 0.3
    decoder_hidden_size: 256
    embedding_size: 128
    label_smoothing: 0.1
    optimizer:
      class_path: torch.optim.Adam
      init_args: {{lr: 0.001}}
"""


def target_tokens(table: Path) -> int:
    """Phonemes to be predicted in one epoch, with one EOS a word."""
    with table.open(encoding="utf-8") as lines:
        return sum(len(line.split("\t")[1].split()) + 1 for line in lines)


def train(table: Path, dev: Path, epochs: int, work: Path) -> None:
    work.mkdir(parents=True, exist_ok=True)
    config, clock = work / "config.yaml", work / "epochs.json"
    paths = {
        "train": table,
        "dev": dev,
        "work": work,
        "model": work / "model",
        "clock": clock,
    }
    quoted = {key: json.dumps(str(path)) for key, path in paths.items()}
    config.write_text(CONFIG.format(epochs=epochs, **quoted), encoding="utf-8")
    path = os.pathsep.join(filter(None, (str(INSIDE), os.environ.get("PYTHONPATH"))))
    command = [program("yoyodyne", "yoyodyne"), "fit", "--config", str(config)]
    run = measure(command, work / "train.log", PYTHONPATH=path, WANDB_MODE="disabled")
    told = json.loads(clock.read_text())
    # The first epoch is warm-up wherever there is another.
    warm = told["epochs"][1:] or told["epochs"]
    training = mean(epoch["training"] for epoch in warm)
    report(
        peer="yoyodyne",
        seconds_per_epoch=round(training + mean(epoch["validation"] for epoch in warm), 2),
        training_seconds_per_epoch=round(training, 2),
        target_tokens_per_s=round(target_tokens(table) / training, 1),
        epochs=told["epochs"],
        seconds=run.seconds,
        peak_rss_mb=run.peak_rss_mb,  # the trainer's; its data-loading workers are smaller
        parameters=told["parameters"],
    )


def main() -> None:
    parser, action = commands(__doc__, "train")
    action.add_argument("--train", type=Path, required=True, metavar="FILE")
    action.add_argument("--dev", type=Path, required=True, metavar="FILE")
    action.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args()
    if options.command == "setup":
        create("yoyodyne", *INSTALL)
    else:
        train(options.train.resolve(), options.dev.resolve(), options.epochs, options.work)


if __name__ == "__main__":
    main()
