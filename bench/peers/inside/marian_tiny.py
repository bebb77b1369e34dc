"""Build a random Marian Transformer-tiny and its fp32 and int8 CTranslate2 models: WORK FILE..."""

import json
import shutil
import sys
from pathlib import Path

import pieces
import torch
from ctranslate2.converters import TransformersConverter
from transformers import MarianConfig, MarianMTModel

PAD = pieces.SIZE  # Marian pads, and starts decoding, with the last row of the embeddings
EOS = pieces.SPECIALS["eos_id"]


def build(work: Path, files: list[str]) -> None:
    """Write WORK/fp32, WORK/int8, and WORK/parameters, which holds their number."""
    spm = pieces.train(str(work / "pieces"), files)
    torch.manual_seed(1)
    config = MarianConfig(
        vocab_size=PAD + 1,
        d_model=128,
        encoder_layers=4,
        decoder_layers=4,
        encoder_ffn_dim=256,
        decoder_ffn_dim=256,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        max_position_embeddings=128,
        scale_embedding=True,
        share_encoder_decoder_embeddings=True,
        pad_token_id=PAD,
        decoder_start_token_id=PAD,
        eos_token_id=EOS,
        forced_eos_token_id=EOS,
    )
    model = MarianMTModel(config)
    source = work / "marian"
    model.save_pretrained(source)
    # The converter takes the vocabulary from the tokenizer, so one has to lie there.
    names = {spm.id_to_piece(i): i for i in range(pieces.SIZE)}
    names["<unused>"] = names.pop("<pad>")
    names["<pad>"] = PAD
    (source / "vocab.json").write_text(json.dumps(names))
    tokens = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>"}
    settings = {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de"}
    (source / "tokenizer_config.json").write_text(json.dumps({**settings, **tokens}))
    for side in ("source", "target"):
        shutil.copy(work / "pieces.model", source / f"{side}.spm")
    for name, quantization in {"fp32": "float32", "int8": "int8"}.items():
        converter = TransformersConverter(str(source))
        converter.convert(str(work / name), quantization=quantization, force=True)
    (work / "parameters").write_text(str(model.num_parameters()))


if __name__ == "__main__":
    build(Path(sys.argv[1]), sys.argv[2:])
