"""Attention(Q, K, V) on plain vectors: the lookup in a dictionary, made differentiable."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from seq2see.attention import score as scores
from seq2see.errors import ConfigError, nearest

PARAMETERS = {
    "dot": (),
    "scaled_dot": (),
    "general": ("W",),
    "additive": ("W", "U", "v"),
    "cosine": (),
    "location": ("W",),
}


class Lookup(NamedTuple):
    """What ``attend`` found.

    Attributes:
        context: Σ_i α_i v_i, shaped as a value (one a query).
        weights: α, one a key (one row a query).
    """

    context: Any
    weights: Any


def attend(
    query: Any,
    keys: Any,
    values: Any = None,
    *,
    score: str = "dot",
    mask: Any = None,
    softmax: bool = True,
    **parameters: Any,
) -> Lookup:
    """Compares a query with every key and returns the weighted sum of the values.

    A dictionary finds the one key that *is the same* as the query. Replace "is it the same" by
    "how similar is it", and the answer becomes a blend that gradients can flow through. Say the
    query "puppy" is 0.9 like "dog", 0.1 like "computer", 0.7 like "cat", in
    ``{"dog": 1, "computer": 2, "cat": 3}``:

    >>> import numpy as np
    >>> puppy = np.array([1.0])
    >>> dog, computer, cat = [0.9], [0.1], [0.7]
    >>> answer, weights = attend(puppy, [dog, computer, cat], [1, 2, 3], softmax=False)
    >>> round(float(answer), 6)     # 0.9·1 + 0.1·2 + 0.7·3
    3.2

    With a softmax, similarities become weights that sum to 1, as in the models:

    >>> answer, weights = attend(puppy, [dog, computer, cat], [1, 2, 3])
    >>> weights.round(3).tolist()
    [0.441, 0.198, 0.361]
    >>> round(float(answer), 3)
    1.92

    Args:
        query: One query [K], or several [T, K]; a list, a NumPy array or a tensor.
        keys: [S, K].
        values: [S] or [S, M]; the keys themselves if not given.
        score: dot, scaled_dot, general (needs ``W``), additive (``W``, ``U``, ``v``), cosine,
            or location (``W``).
        mask: True where a key may be looked at [S].
        softmax: False keeps the similarities as they are.
        **parameters: The score's own matrices, in the papers' letters: general sᵀW h with
            W [K_query, K_key]; additive vᵀtanh(W s + U h) with W [A, K_query], U [A, K_key].

    Returns:
        Context and weights, as tensors if the query was a tensor, else as NumPy arrays.

    Raises:
        ConfigError: Unknown score, or a parameter missing or unknown.
    """
    if score not in PARAMETERS:
        raise ConfigError(f"There is no score '{score}'.{nearest(score, PARAMETERS)}")
    if set(parameters) != set(PARAMETERS[score]):
        wanted = ", ".join(PARAMETERS[score]) or "no parameters"
        given = ", ".join(parameters) or "none"
        raise ConfigError(f"The score '{score}' takes {wanted}; got {given}.")
    q = _tensor(query)
    s = q.reshape(1, -1, q.shape[-1])  # [1, T, K]
    h = _tensor(keys).to(q.dtype)
    v = h if values is None else _tensor(values).to(q.dtype)
    e = _score(score, s, h.unsqueeze(0), {k: _tensor(p).to(q.dtype) for k, p in parameters.items()})
    e = e.squeeze(0)  # [T, S]
    if mask is not None:
        outside = ~torch.as_tensor(np.asarray(mask, dtype=bool))
        e = e.masked_fill(outside, -torch.inf if softmax else 0.0)
    weights = e.softmax(-1) if softmax else e
    context = weights @ (v if v.ndim > 1 else v.unsqueeze(1))
    if v.ndim == 1:
        context = context.squeeze(-1)
    if q.ndim == 1:
        context, weights = context.squeeze(0), weights.squeeze(0)
    if isinstance(query, Tensor):
        return Lookup(context, weights)
    return Lookup(context.numpy(), weights.numpy())


def _score(name: str, s: Tensor, h: Tensor, p: dict[str, Tensor]) -> Tensor:
    """The models' own score functions, fed as the models feed them."""
    k = h.transpose(1, 2)  # [1, K, S]
    if name == "general":
        return scores.general(s, p["W"] @ k)
    if name == "additive":
        return scores.additive(s @ p["W"].t(), scores.AdditiveKeys(h @ p["U"].t(), p["v"]))
    if name == "cosine":
        return scores.cosine(s, torch.nn.functional.normalize(k, dim=1), torch.ones(()))
    if name == "location":
        return scores.location(s, p["W"], h.shape[1])
    return scores.dot(s, k) if name == "dot" else scores.scaled_dot(s, k)


def _tensor(x: Any) -> Tensor:
    if isinstance(x, Tensor):
        return x
    return torch.from_numpy(np.asarray(x, dtype=np.float64))
