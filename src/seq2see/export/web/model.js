// An exported model on ONNX Runtime Web: encode a sentence, then take steps with any rows of it.
// The graphs' inputs are told in src/seq2see/export/decoder.py.

import * as ort from "./ort/ort.wasm.bundle.min.mjs";
import { PAD } from "./text.js";

// One thread: several need headers that a plain web server does not send.
ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = { wasm: new URL("./ort/ort-wasm-simd-threaded.wasm", import.meta.url).href };
ort.env.logLevel = "error";

const ints = (numbers, shape = [numbers.length]) =>
  new ort.Tensor("int64", BigInt64Array.from(numbers, BigInt), shape);
const range = (n) => Array.from({ length: n }, (_, i) => i);

/** A proposal of one step: rows of the k best tokens, their scores, the attention. */
export class Model {
  constructor(told, encoder, step) {
    Object.assign(this, { told, encoder, step });
  }

  /** Reads the graphs; `progress(share)` tells how much has come. */
  static async load(told, folder, progress) {
    const total = told.graphs.reduce((sum, graph) => sum + graph.bytes, 0);
    let come = 0;
    const sessions = [];
    for (const { file } of told.graphs) {
      const content = await fetched(new URL(file, folder), (count) => progress((come += count) / total));
      sessions.push(await ort.InferenceSession.create(content));
    }
    return new Model(told, ...sessions);
  }

  /** Encodes one sentence: the state that the first step starts from. */
  async start(source) {
    const found = await this.encoder.run({
      source: ints(source, [1, source.length]),
      lengths: ints([source.length]),
    });
    return { tensors: found, positions: source.length, t: 0 };
  }

  /** Feeds tokens to rows of a state; row i goes on from `rows[i]` of the state. */
  async advance(state, tokens, rows, k) {
    const R = tokens.length;
    const feed = {
      tokens: ints(tokens),
      rows: ints(rows),
      sentence: ints(new Array(R).fill(PAD)),
      slots: ints(range(R), [1, R]),
      place: ints(range(R)),
      t: ints([state.t]),
      k: ints([Math.min(k, this.told.target_size - 2)]),
      wanted: ints(new Array(R).fill(PAD), [R, 1]),
      force: new ort.Tensor("bool", Uint8Array.of(0), [1]),
      forced: new ort.Tensor("float32", Float32Array.of(0), [1, 1, 1]),
      ...state.tensors,
    };
    const needed = Object.fromEntries(this.step.inputNames.map((name) => [name, feed[name]]));
    const found = await this.step.run(needed);
    const next = { ...state.tensors };
    for (const name of this.step.outputNames) {
      if (name.startsWith("next.")) next[`state.${name.slice(5)}`] = found[name];
    }
    const width = found.best.dims[1], S = state.positions;
    const row = (tensor, i, n) => Array.from(tensor.data.subarray(i * n, (i + 1) * n), Number);
    return {
      tokens: range(R).map((i) => row(found.best, i, width)),
      scores: range(R).map((i) => row(found.scores, i, width)),
      attention: range(R).map((i) =>
        found.attention ? row(found.attention, i, S) : new Array(S).fill(0)),
      state: { ...state, tensors: next, t: state.t + 1 },
    };
  }
}

async function fetched(url, progress) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status} ${response.statusText}`);
  const parts = [];
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    progress(value.length);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
