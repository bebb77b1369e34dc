"""Train the joint BPE model, in a peer's environment: PREFIX FILE..."""

import sys

import sentencepiece

SIZE = 8000
SPECIALS = {"unk_id": 0, "pad_id": 1, "bos_id": 2, "eos_id": 3}


def train(prefix: str, files: list[str]) -> sentencepiece.SentencePieceProcessor:
    """Write PREFIX.model, and PREFIX.txt with the pieces after the specials, one a line."""
    sentencepiece.SentencePieceTrainer.train(
        input=files,
        model_prefix=prefix,
        model_type="bpe",
        vocab_size=SIZE,
        character_coverage=1.0,
        minloglevel=2,
        **SPECIALS,
    )
    model = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    with open(f"{prefix}.txt", "w", encoding="utf-8") as out:
        out.writelines(f"{model.id_to_piece(i)}\n" for i in range(len(SPECIALS), SIZE))
    return model


if __name__ == "__main__":
    train(sys.argv[1], sys.argv[2:])
