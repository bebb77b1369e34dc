"""JoeyNMT 2.3.0: target tokens per second of its recurrent model's training.

    python bench/peers/joeynmt.py setup
    python bench/peers/joeynmt.py train --data DIR --updates 100 --work DIR

DATA holds train.en, train.de, val.en and val.de, one sentence a line.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import harmonic_mean, median

from venv import INSIDE, commands, create, measure, program, report  # isort: skip

# sentencepiece: later ones lack SetVocabulary.
INSTALL = "torch==2.13.0 joeynmt==2.3.0 importlib_metadata sentencepiece==0.2.0"

# "bahdanau" is JoeyNMT's additive attention, in a decoder wired as Luong's, with input feeding.
# The dev set is read, but its turn never comes.
CONFIG = """\
name: bench
joeynmt_version: 2.3.0
model_dir: {model_dir}
use_cuda: false
fp16: false
random_seed: 42
data:
  dataset_type: plain
  train: {train}
  dev: {dev}
  src: &side
    lang: en
    level: bpe
    max_length: 80
    lowercase: false
    normalize: false
    voc_file: {vocabulary}
    tokenizer_type: sentencepiece
    tokenizer_cfg: {{model_file: {pieces}, pretokenizer: none}}
  trg:
    <<: *side
    lang: de
  special_symbols:
    {{unk_token: <unk>, pad_token: <pad>, bos_token: <s>, eos_token: </s>,
      unk_id: 0, pad_id: 1, bos_id: 2, eos_id: 3}}
testing:
  {{n_best: 1, beam_size: 5, beam_alpha: 1.0, batch_size: 64, batch_type: sentence,
    eval_metrics: [bleu], max_output_length: 80, sacrebleu_cfg: {{tokenize: 13a}}}}
training:
  optimizer: adam
  learning_rate: 0.001
  learning_rate_min: 0.00001
  clip_grad_norm: 1.0
  label_smoothing: 0.1
  batch_size: 64
  batch_type: sentence
  normalization: tokens
  scheduling: plateau
  patience: 2
  decrease_factor: 0.5
  epochs: 100000
  updates: {updates}
  logging_freq: {logging}
  validation_freq: 100000000
  early_stopping_metric: bleu
  overwrite: true
  keep_best_ckpts: 1
model:
  initializer: xavier_uniform
  bias_initializer: zeros
  embed_initializer: normal
  embed_init_weight: 0.1
  tied_embeddings: true
  tied_softmax: false
  encoder:
    type: recurrent
    rnn_type: lstm
    embeddings: &embeddings {{embedding_dim: 256, scale: false, dropout: 0.3}}
    hidden_size: 256
    bidirectional: true
    num_layers: 1
    dropout: 0.3
  decoder:
    type: recurrent
    rnn_type: lstm
    embeddings: *embeddings
    hidden_size: 512
    num_layers: 1
    dropout: 0.3
    hidden_dropout: 0.3
    input_feeding: true
    init_hidden: bridge
    attention: bahdanau
"""


def setup() -> None:
    """Install, and drop the argument that today's ReduceLROnPlateau refuses."""
    (builders,) = create("joeynmt", INSTALL).glob("[lL]ib/**/joeynmt/builders.py")
    source = builders.read_text(encoding="utf-8")
    builders.write_text(source.replace('            "verbose": False,\n', ""), encoding="utf-8")


def train(data: Path, updates: int, work: Path) -> None:
    pieces = work / "pieces"
    bpe = [program("joeynmt"), str(INSIDE / "pieces.py"), str(pieces)]
    measure([*bpe, str(data / "train.en"), str(data / "train.de")], work / "pieces.log")
    config = work / "config.yaml"
    paths = {
        "model_dir": work / "model",
        "train": data / "train",
        "dev": data / "val",
        "vocabulary": f"{pieces}.txt",
        "pieces": f"{pieces}.model",
    }
    quoted = {key: json.dumps(str(path)) for key, path in paths.items()}
    text = CONFIG.format(updates=updates, logging=max(1, updates // 10), **quoted)
    config.write_text(text, encoding="utf-8")
    log = work / "train.log"
    run = measure([program("joeynmt"), "-m", "joeynmt", "train", str(config), "-t"], log)
    said = log.read_text(encoding="utf-8")
    # "Tokens per Sec" counts target tokens to be predicted: EOS is one, BOS and padding are not.
    # It covers all between two log lines: reading and tokenising the batch, forward, backward and
    # update. The first window is warm-up. The others hold as many updates each, so as many tokens
    # within a few percent: their harmonic mean is all their tokens over all their seconds. Where
    # others share the machine, a window they starve weighs most in that mean; not in the median.
    rates = [float(rate) for rate in re.findall(r"Tokens per Sec: +(\d+)", said)]
    (parameters,) = re.findall(r"Total params: (\d+)", said)
    report(
        peer="joeynmt",
        target_tokens_per_s=round(harmonic_mean(rates[1:]), 1),
        median_window=median(rates[1:]),
        windows=rates[1:],
        seconds=run.seconds,
        peak_rss_mb=run.peak_rss_mb,
        parameters=int(parameters),
    )


def main() -> None:
    parser, action = commands(__doc__, "train")
    action.add_argument("--data", type=Path, required=True, metavar="DIR")
    action.add_argument("--updates", type=int, default=100, help="at least 2 (default: 100)")
    options = parser.parse_args()
    if options.command == "setup":
        setup()
    elif options.updates < 2:
        parser.error("--updates: the first window is warm-up, so at least 2")
    else:
        train(options.data.resolve(), options.updates, options.work)


if __name__ == "__main__":
    main()
