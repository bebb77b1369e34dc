// Greedy and beam search for one sentence, as src/seq2see/search/beam.py does it.

import { BOS, EOS } from "./text.js";

const MAX_RATIO = 3, MAX_EXTRA = 10; // the limits of SearchConfig

/**
 * The best output for a source (ids, end mark included): its tokens, their scores, and what the
 * model looked at when it wrote each. A beam of 1 is greedy search.
 */
export async function search(model, source, beam) {
  const longest = MAX_RATIO * source.length + MAX_EXTRA;
  let living = [{ score: 0, tokens: [], scores: [], attention: [] }];
  let state = await model.start(source);
  let rows = [0], free = beam, best = null;

  for (let t = 1; living.length && free; t++) {
    const fed = living.map((one) => one.tokens.at(-1) ?? BOS);
    const step = await model.advance(state, fed, rows, beam);
    state = step.state;

    const pool = living.flatMap((one, row) =>
      step.tokens[row].map((token, column) => ({
        row, token, step: step.scores[row][column], score: one.score + step.scores[row][column],
      })));
    pool.sort((a, b) => b.score - a.score); // stable, as in Python

    const next = [];
    rows = [];
    for (const { row, token, step: logP, score } of pool.slice(0, free)) {
      const one = {
        score,
        tokens: [...living[row].tokens, token],
        scores: [...living[row].scores, logP],
        attention: [...living[row].attention, step.attention[row]],
        finished: token === EOS,
        rank: score / t, // log-probability a token
      };
      if (one.finished || t >= longest) {
        if (better(one, best)) best = one;
        if (one.finished) free--;
      } else {
        next.push(one);
        rows.push(row);
      }
    }
    living = next;
    // No living hypothesis can still win: at its best it keeps its score up to the longest length.
    if (best?.finished && living.every((one) => one.score / longest <= best.rank)) break;
  }
  return best;
}

function better(one, other) {
  if (!other || one.finished !== other.finished) return !other || one.finished;
  return one.rank > other.rank;
}
