"""The optimiser, the running average of weights, and gradient clipping."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from seq2see.config import TrainingConfig


def make_optimiser(network: nn.Module, config: TrainingConfig) -> torch.optim.Optimizer:
    """Adam, AdamW or SGD over all weights; torch's fused form where there is one."""
    parameters = list(network.parameters())
    rate, decay = config.learning_rate or 1e-3, config.weight_decay
    if config.optimizer == "sgd":
        return torch.optim.SGD(parameters, lr=rate, weight_decay=decay)
    kind = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    return kind(parameters, lr=rate, weight_decay=decay, fused=True)


def clip(network: nn.Module, most: float) -> None:
    """Scales the gradient down to the norm ``most`` if it is longer.

    torch's own clipping multiplies even when it need not: a pass over all gradients.
    """
    gradients = [p.grad for p in network.parameters() if p.grad is not None]
    norm = float(torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients))))
    if norm > most:
        torch._foreach_mul_(gradients, most / norm)


def moments(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's memory as named tensors."""
    state = optimiser.state_dict()["state"]
    return {f"{i}/{name}": t for i, entry in state.items() for name, t in entry.items()}


def load_moments(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Puts back what ``moments`` returned."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        index, name = key.split("/")
        state.setdefault(int(index), {})[name] = tensor
    groups = optimiser.state_dict()["param_groups"]
    optimiser.load_state_dict({"state": state, "param_groups": groups})


class RunningAverage:
    """w̄ ← d w̄ + (1 − d) w, with d growing towards the decay as in (1 + n) / (10 + n).

    Args:
        network: Whose weights are averaged.
        decay: d in the long run; 0 keeps no average.
    """

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self.parameters = dict(network.named_parameters())
        self.average = {n: p.detach().clone() for n, p in self.parameters.items()} if decay else {}

    def update(self, number: int) -> None:
        """Takes the weights after update ``number`` in."""
        if not self.decay:
            return
        decay = min(self.decay, (1 + number) / (10 + number))
        with torch.no_grad():
            torch._foreach_lerp_(
                list(self.average.values()),
                [p.detach() for p in self.parameters.values()],
                1 - decay,
            )

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Puts a saved average back."""
        for name, tensor in tensors.items():
            self.average[name].copy_(tensor)

    def weights(self) -> dict[str, Tensor]:
        """The average, or the weights themselves if none is kept."""
        return self.average or {n: p.detach() for n, p in self.parameters.items()}


class AveragedWeights:
    """Within ``with``, the network holds the averaged weights; after it, its own again."""

    def __init__(self, network: nn.Module, average: RunningAverage) -> None:
        self.network, self.average = network, average

    def _swap(self) -> None:
        for name, parameter in self.average.parameters.items():
            parameter.data, self.average.average[name] = self.average.average[name], parameter.data

    def __enter__(self) -> None:
        if self.average.average:
            self._swap()

    def __exit__(self, *_: object) -> None:
        if self.average.average:
            self._swap()
