"""Learning from a teacher: what one or several trained models predict at every target position."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from seq2see import machine
from seq2see.data.batching import Batch, Lessons, TokenCorpus, batches
from seq2see.errors import ModelError
from seq2see.model.loss import Taught
from seq2see.model.seq2seq import Seq2Seq
from seq2see.training.prepare import Prepared, open_teachers
from seq2see.training.validation import on_device

LIKELIEST = 8
"""Entries of a prediction that are kept: the rest of a vocabulary shares next to nothing."""
TOKENS = 8_000
"""Tokens a teacher reads at a time."""


def with_lessons(prepared: Prepared) -> Prepared:
    """The same run, its training pairs accompanied by what ``data.teacher`` predicts.

    Raises:
        ModelError: The teachers read or write other tokens than this run.
    """
    folders = open_teachers(prepared.config)
    if not folders:
        return prepared
    for folder in folders:
        if (folder.source, folder.target) != (prepared.folder.source, prepared.folder.target):
            raise ModelError(
                f"{folder.path} cannot teach this model: their tokenizers differ. Teachers must "
                "have been trained on the same data with the same text settings."
            )
    training = prepared.config.training
    machine.use_threads(training.threads)
    device = machine.device(training.device)
    dtype = machine.precision(training.precision, device)
    networks = [folder.network().to(device) for folder in folders]
    lessons = predict(networks, prepared.train_tokens, device, dtype)
    return replace(prepared, train_tokens=replace(prepared.train_tokens, lessons=lessons))


def predict(
    networks: list[Seq2Seq], corpus: TokenCorpus, device: torch.device, dtype: torch.dtype
) -> Lessons:
    """1/N Σ_n p_n(y_t | y_<t, x), its likeliest entries scaled to a sum of 1, along the targets.

    Args:
        networks: The teachers.
        corpus: What is taught.
        device: Where they run.
        dtype: Format of products.
    """
    k = min(LIKELIEST, len(networks[0].b_output))
    offsets = corpus.target.offsets
    tokens = np.zeros((offsets[-1], k), np.int32)
    shares = np.zeros((offsets[-1], k), np.float16)
    enabled = dtype != torch.float32
    with torch.inference_mode(), torch.autocast(device.type, dtype=dtype, enabled=enabled):
        for rows in batches(corpus, np.arange(len(corpus)), tokens=TOKENS):
            source, lengths, target = on_device(corpus.batch(rows), device)
            p = torch.zeros(())
            for network in networks:
                memory, state = network.start(source, lengths)
                output = network.decoder.unroll(target[:, :-1], state, memory).output
                p = p + network.logits(output).softmax(-1)
            best = p.topk(k, dim=-1)
            share = (best.values / best.values.sum(-1, keepdim=True)).cpu().numpy()
            token = best.indices.cpu().numpy()
            for i, row in enumerate(rows.tolist()):
                place = slice(offsets[row], offsets[row + 1])
                n = place.stop - place.start
                tokens[place], shares[place] = token[i, :n], share[i, :n]
    return Lessons(tokens, shares)


def taught(batch: Batch, device: torch.device) -> Taught | None:
    """A batch's lessons as tensors."""
    if batch.lessons is None:
        return None
    return Taught(*(torch.from_numpy(part).to(device) for part in batch.lessons))
