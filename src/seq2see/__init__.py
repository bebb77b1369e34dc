"""Seq2See: recurrent encoder-decoders with attention that show what they looked at.

Letters used for shapes everywhere: B sentences in a batch, S source positions, T target
positions, H units of a state, M units of a memory (encoder) state, E units of an embedding,
V vocabulary entries, R rows (hypotheses) in a search.
Letters of the equations: s query (decoder state), h memory (encoder state), e score,
α weight, c context, y target.
"""
