// Text to tokens and back, as src/seq2see/text does it; tests hold the two equal.

export const PAD = 0, UNK = 1, BOS = 2, EOS = 3;
const SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"];
const CONTROLS = new Set(["<pad>", "<s>", "</s>"]);
const MARKER = "▁", ESCAPE = "\\", STAND_IN = "\ufdd1";
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;
const BYTE = /^<0x([0-9A-F]{2})>$/;

const unspaced = (text) => text.split(SPACE).filter(Boolean);
const plain = (text) => unspaced(text.replaceAll(MARKER, STAND_IN)).join(" ");

/** What every tokenizer can do; `told` is what the export wrote of it. */
class Tokenizer {
  constructor(told) {
    this.known = told.tokens;
    this.table = new Map(told.tokens.map((token, id) => [token, id]));
    this.options = told.options ?? {};
  }
  ids(tokens) {
    return tokens.map((token) => this.table.get(token) ?? UNK);
  }
  tokens(ids) {
    return ids.map((id) => this.known[id]);
  }
  surface(token) {
    return token;
  }
  join(tokens) {
    return tokens.filter((t) => !CONTROLS.has(t)).map((t) => this.surface(t)).join("");
  }
}

const characterToken = (c) => (c === " " ? MARKER : c === MARKER ? ESCAPE + MARKER : c);
const tokenCharacter = (token) => {
  if (token === MARKER) return " ";
  const [first, second, third] = token;
  return first === ESCAPE && second !== undefined && third === undefined ? second : token;
};

class Characters extends Tokenizer {
  split(text) {
    const { form } = this.options;
    return [...(form === "none" ? text : text.normalize(form))].map(characterToken);
  }
  surface(token) {
    return tokenCharacter(token);
  }
  join(tokens) {
    const text = super.join(tokens);
    return this.options.form === "none" ? text : text.normalize("NFC");
  }
}

const SYLLABLE = 0xac00, LEAD = 0x1100, VOWEL = 0x1161, TAIL = 0x11a7;
const LEADS = 19, VOWELS = 21, TAILS = 28;
const within = (token, start, count) =>
  token?.length === 1 && token.charCodeAt(0) >= start && token.charCodeAt(0) < start + count;
const isLead = (token) => within(token, LEAD, LEADS);
const isVowel = (token) => within(token, VOWEL, VOWELS);
const isTail = (token) => within(token, TAIL + 1, TAILS - 1);

class Jamo extends Tokenizer {
  split(text) {
    return [...text].flatMap((c) => {
      const code = c.codePointAt(0) - SYLLABLE;
      if (code >= 0 && code < LEADS * VOWELS * TAILS) {
        const tail = code % TAILS, rest = Math.floor(code / TAILS);
        const codes = [LEAD + Math.floor(rest / VOWELS), VOWEL + (rest % VOWELS), TAIL + tail];
        return codes.slice(0, tail ? 3 : 2).map((one) => String.fromCharCode(one));
      }
      return isLead(c) || isVowel(c) || isTail(c) ? ESCAPE + c : characterToken(c);
    });
  }
  surface(token) {
    return tokenCharacter(token);
  }
  join(tokens) {
    // A lead, a vowel and perhaps a tail compose to a syllable; escaped jamo must not.
    let text = "";
    const real = tokens.filter((token) => !CONTROLS.has(token));
    for (let at = 0; at < real.length; at++) {
      if (!isLead(real[at]) || !isVowel(real[at + 1])) {
        text += this.surface(real[at]);
        continue;
      }
      const closed = isTail(real[at + 2]);
      text += real.slice(at, at + (closed ? 3 : 2)).join("").normalize("NFC");
      at += closed ? 2 : 1;
    }
    return text;
  }
}

/** Splits the punctuation off a word: an apostrophe inside stays, a run of one mark is a piece. */
function pieces(word) {
  const characters = [...word];
  const shape = characters
    .map((c) => (c === "'" || c === "’" ? "'" : /[\p{P}\p{S}]/u.test(c) ? "." : "x"))
    .join("");
  const found = [];
  for (const match of shape.matchAll(/[^.']+(?:'[^.']+)*|([.'])/g)) {
    const piece = characters.slice(match.index, match.index + match[0].length).join("");
    const last = found.at(-1);
    if (match[1] && last && [...last][0] === piece) found[found.length - 1] += piece;
    else found.push(piece);
  }
  return found;
}

class Words extends Tokenizer {
  split(text) {
    return unspaced(text).flatMap((word) =>
      pieces(word).map((piece, i) => {
        const escaped = piece.startsWith(MARKER) ? ESCAPE + piece : piece;
        return i ? escaped : MARKER + escaped;
      }));
  }
  surface(token) {
    if (token === SPECIALS[UNK]) return ` ${token}`;
    const marked = token.startsWith(MARKER);
    const rest = marked ? token.slice(1) : token;
    return (marked ? " " : "") + (rest.startsWith(ESCAPE + MARKER) ? rest.slice(1) : rest);
  }
  join(tokens) {
    return super.join(tokens).replace(/^ /, "");
  }
}

class Symbols extends Tokenizer {
  isSpecial(symbol) {
    return SPECIALS.includes(symbol.replace(/^\\+/, ""));
  }
  split(text) {
    return unspaced(text).map((symbol) => (this.isSpecial(symbol) ? ESCAPE + symbol : symbol));
  }
  surface(token) {
    return ` ${token.startsWith(ESCAPE) && this.isSpecial(token) ? token.slice(1) : token}`;
  }
  join(tokens) {
    return super.join(tokens).replace(/^ /, "");
  }
}

/**
 * What SentencePiece turns characters into before it splits: the longest sequence that has a rule.
 * The rules are a double-array trie over UTF-8 (32-bit units) and the texts its leaves point to.
 */
class Rules {
  constructor(base64) {
    const raw = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const size = new DataView(raw.buffer).getUint32(0, true);
    this.units = new Uint32Array(raw.slice(4, 4 + size).buffer);
    this.texts = raw.subarray(4 + size);
  }
  apply(text) {
    const from = new TextEncoder().encode(text), to = [];
    for (let at = 0; at < from.length; ) {
      const { length, leaf } = this.match(from, at);
      if (length) {
        for (let i = leaf; this.texts[i]; i++) to.push(this.texts[i]);
        at += length;
      } else {
        do to.push(from[at++]);
        while ((from[at] & 0xc0) === 0x80); // the rest of this character
      }
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(to));
  }
  match(from, at) {
    const offset = (unit) => (unit >>> 10) << ((unit & 0x200) >>> 6);
    const { units } = this;
    const longest = { length: 0, leaf: 0 };
    let node = offset(units[0]);
    for (let i = at; i < from.length; i++) {
      node ^= from[i];
      const unit = units[node];
      if ((unit & 0x800000ff) !== from[i]) break;
      node ^= offset(unit);
      if (unit & 0x100) [longest.length, longest.leaf] = [i + 1 - at, units[node] & 0x7fffffff];
    }
    return longest;
  }
}

/** SentencePiece's pieces: merged pair by pair (bpe), or the likeliest path (unigram). */
class Subwords extends Tokenizer {
  constructor(told) {
    super(told);
    this.model = told.model;
    this.rules = told.rules ? new Rules(told.rules) : null;
    this.normal = new Map();
    told.scores.forEach((score, id) => {
      if (score !== null) this.normal.set(told.tokens[id], Math.fround(score));
    });
    this.longest = 0;
    let least = Infinity;
    for (const [piece, score] of this.normal) {
      this.longest = Math.max(this.longest, [...piece].length);
      least = Math.min(least, score);
    }
    this.unknown = Math.fround(least - 10); // SentencePiece's penalty
  }
  split(text) {
    const normalised = this.rules ? this.rules.apply(plain(text)) : plain(text);
    const words = normalised.split(/ +/).filter(Boolean);
    if (!words.length) return [];
    const characters = [...words.map((word) => MARKER + word).join("")];
    const found = this.model === "bpe" ? this.merge(characters) : this.likeliest(characters);
    return found.flatMap((piece) => (this.normal.has(piece) ? [piece] : bytes(piece)));
  }
  merge(parts) {
    for (;;) {
      let best = -Infinity, at = -1;
      for (let i = 0; i + 1 < parts.length; i++) {
        const score = this.normal.get(parts[i] + parts[i + 1]);
        if (score > best) [best, at] = [score, i];
      }
      if (at < 0) return parts;
      parts.splice(at, 2, parts[at] + parts[at + 1]);
    }
  }
  likeliest(characters) {
    const n = characters.length;
    const score = new Float32Array(n + 1).fill(-Infinity), from = new Int32Array(n + 1);
    score[0] = 0;
    for (let start = 0; start < n; start++) {
      let piece = "";
      for (let end = start + 1; end <= Math.min(n, start + this.longest); end++) {
        piece += characters[end - 1];
        const known = this.normal.get(piece) ?? (end === start + 1 ? this.unknown : undefined);
        if (known === undefined) continue;
        const reached = Math.fround(score[start] + known);
        if (reached > score[end]) [score[end], from[end]] = [reached, start];
      }
    }
    const found = [];
    for (let end = n; end; end = from[end]) found.unshift(characters.slice(from[end], end).join(""));
    return found;
  }
  surface(token) {
    const byte = BYTE.exec(token);
    if (byte) {
      const code = parseInt(byte[1], 16);
      return code < 128 ? String.fromCharCode(code) : `0x${byte[1]}`;
    }
    return token.replaceAll(MARKER, " ").replaceAll(STAND_IN, MARKER);
  }
  join(tokens) {
    const encoder = new TextEncoder(), codes = [];
    for (const token of tokens) {
      const byte = BYTE.exec(token);
      if (byte) codes.push(parseInt(byte[1], 16));
      else if (!CONTROLS.has(token)) codes.push(...encoder.encode(token.replaceAll(MARKER, " ")));
    }
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(codes));
    return text.replace(/^ /, "").replaceAll(STAND_IN, MARKER);
  }
}

function bytes(piece) {
  const name = (code) => `<0x${code.toString(16).toUpperCase().padStart(2, "0")}>`;
  return [...new TextEncoder().encode(piece)].map(name);
}

const KINDS = {
  chars: Characters, jamo: Jamo, words: Words, symbols: Symbols, subwords: Subwords,
};

/** The tokenizer that the export described. */
export function tokenizer(told) {
  return new KINDS[told.kind](told);
}

const LETTERS = {
  lead: "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ",
  tail: "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ",
};

const letter = (c) => {
  const code = c.codePointAt(0);
  if (isLead(c)) return LETTERS.lead[code - LEAD];
  if (isVowel(c)) return String.fromCharCode(0x314f + code - VOWEL);
  return isTail(c) ? LETTERS.tail[code - TAIL - 1] : c;
};
const picture = (c) => (c === "\x7f" ? "\u2421" : String.fromCharCode(0x2400 + c.charCodeAt(0)));

/** Gives every character a shape, and takes away those that turn the text around them. */
function visible(text) {
  let shown = text
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\x00-\x1f\x7f]/g, picture)
    .replace(/[\x80-\x9f]/g, "\ufffd")
    .replace(/[\u2028\u2029]/g, " ");
  if (/[\u1100-\u11ff]/.test(shown)) shown = [...shown.normalize("NFC")].map(letter).join("");
  return (/^\p{M}/u.test(shown) ? `◌${shown}` : shown) || "∅";
}

/** What a person reads on an axis: no marker, a space as "␣", jamo as letters of their own. */
export function label(token) {
  const byte = BYTE.exec(token);
  if (byte) {
    const code = parseInt(byte[1], 16);
    return code >= 0x80 ? `x${byte[1]}` : label(String.fromCharCode(code));
  }
  const shown = token.replace(/^▁/, "").replaceAll("▁", "␣");
  return /[^ ]/.test(shown) ? visible(shown) : "␣".repeat(Math.max(1, shown.length));
}
