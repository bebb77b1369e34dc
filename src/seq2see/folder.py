"""A model is one folder: settings, weights, tokenizers and a card.

    config.toml           every setting of the run, choices included
    weights.safetensors   the network
    source.*, target.*    the tokenizers
    card.md               data, scores with their signatures, how to make it again

Reading settings and tokenizers needs no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seq2see.config import Config, load_config, to_mapping
from seq2see.errors import ConfigError, ModelError
from seq2see.files import write_atomically, write_text
from seq2see.text.tokenizer import Tokenizer, load_tokenizer
from seq2see.toml import write_toml

if TYPE_CHECKING:
    import torch

    from seq2see.model.seq2seq import Seq2Seq

CONFIG, WEIGHTS, CARD = "config.toml", "weights.safetensors", "card.md"
CHOSEN = ("input_feeding", "embedding", "hidden", "memory", "bridge", "tie", "dropout")
"""Settings of the model that every saved run has filled in."""


@dataclass(frozen=True)
class ModelFolder:
    """What a model folder says without its weights.

    Attributes:
        path: The folder.
        config: Settings with every choice made.
        source: The source side's tokenizer.
        target: The target side's tokenizer.
    """

    path: Path
    config: Config
    source: Tokenizer
    target: Tokenizer

    @classmethod
    def open(cls, path: str | Path) -> ModelFolder:
        """Reads settings and tokenizers.

        Raises:
            ModelError: There is no model, or a file of it is missing or damaged.
        """
        path = Path(path)
        if not path.is_dir():
            raise ModelError(f"There is no model folder '{path}'. Train one with 'seq2see train'.")
        if not (path / CONFIG).is_file():
            raise ModelError(f"'{path}' is not a model folder: it has no {CONFIG}.")
        try:
            config = load_config(path / CONFIG)
        except ConfigError as error:
            raise ModelError(f"The model folder is damaged. {error}") from None
        unsaid = [name for name in CHOSEN if getattr(config.model, name) is None]
        if unsaid:
            raise ModelError(
                f"The model folder is damaged. {path / CONFIG} does not say model.{unsaid[0]}: "
                "it is cut short, or not of a finished model. Copy it again, or train again."
            )
        return cls(path, config, load_tokenizer(path, "source"), load_tokenizer(path, "target"))

    @property
    def longest(self) -> int | None:
        """Most source tokens the network reads, end mark included, if there is a limit."""
        model = self.config.model
        located = model.wiring != "none" and model.attention.score == "location"
        return model.max_source if located else None

    def write(self) -> None:
        """Writes settings and tokenizers."""
        write_text(self.path / CONFIG, write_toml(to_mapping(self.config)))
        self.source.save(self.path, "source")
        self.target.save(self.path, "target")

    def write_weights(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Writes the network's weights, or leaves the old ones if that fails."""
        from safetensors.torch import save_file

        tensors = {name: w.detach().contiguous().cpu() for name, w in weights.items()}
        write_atomically(self.path / WEIGHTS, lambda part: save_file(tensors, part))

    def network(self) -> Seq2Seq:
        """The network with its weights.

        Raises:
            ModelError: The weights are missing, damaged, or do not fit the settings.
        """
        from seq2see.model.seq2seq import Seq2Seq

        network = Seq2Seq(self.config.model, self.source.size, self.target.size)
        weights = read_tensors(self.path / WEIGHTS)
        parameters = dict(network.named_parameters())
        expected = {name: w.shape for name, w in parameters.items()}
        found = {name: w.shape for name, w in weights.items()}
        if expected != found:
            odd = sorted(n for n in expected | found if expected.get(n) != found.get(n))
            raise ModelError(
                f"{self.path / WEIGHTS} does not fit {CONFIG}: {odd[0]} differs. "
                "The folder mixes files of two models."
            )
        network.load_state_dict(weights, strict=False)  # tied weights stand there once
        return network.eval()


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Reads a safetensors file.

    Raises:
        ModelError: It is missing or damaged.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(path)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing: the model folder is incomplete.") from None
    except (SafetensorError, OSError, ValueError) as error:
        raise ModelError(f"{path} is damaged ({error}). Copy it again, or train again.") from None
