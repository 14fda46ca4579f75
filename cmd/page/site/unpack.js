// Zstandard (RFC 8878), without dictionaries and checksums. Browsers unpack gzip by themselves, which is a seventh larger.
"use strict";

// unzstd takes a frame in pieces and gives its blocks to take as soon as they are whole. The frame must say its size.
function unzstd(take) {
  const counted = function (from, extra) { // the first value of each code, from the bits that follow the code
    let at = from;
    return Int32Array.from(extra, function (bits) {
      at += 1 << bits;
      return at - (1 << bits);
    });
  };
  const lengthBits = Uint8Array.from(Array(16).fill(0).concat([1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]));
  const matchBits = Uint8Array.from(Array(32).fill(0).concat([1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]));
  const lengthBase = counted(0, lengthBits), matchBase = counted(3, matchBits);
  const few = function (text) { return Array.from(text, function (c) { return c === "-" ? -1 : Number(c); }); };
  const usual = [ // the distributions of codes where a block brings none: literal lengths, offsets, match lengths
    fseTable(few("43222222222221112222222223211111----"), 6),
    fseTable(few("111111222111111111111111-----"), 5),
    fseTable(few("1432222221111111111111111111111111111111111111-------"), 6)
  ];

  let held = new Uint8Array(0), at = 0; // what came and is not used, and how far it is
  let out, end = 0; // the frame, and how much of it is there
  let huffman, codes = usual.slice(); // what a block may take over from the one before it
  const recent = [1, 4, 8]; // offsets
  const literals = new Uint8Array(1 << 17);

  function damaged(what) { throw new Error("the page's program is damaged: " + what); }

  // little reads a number of n bytes.
  function little(from, n) {
    let v = 0;
    for (let i = n - 1; i >= 0; i--) v = v * 256 + held[from + i];
    return v;
  }

  // Bits are read from the last one of some bytes to the first; before that there are zeros. One such stream is read at a
  // time, so that what says where it is can be plain variables: an object for each takes twice the time.
  let first = 0, left = 0;

  function backward(from, to) {
    if (to <= from || !held[to - 1]) damaged("bits without an end");
    first = from;
    left = (to - from) * 8 - Math.clz32(held[to - 1]) + 23;
  }
  function see(n) { // at most 25 bits
    const bit = left - n;
    if (bit < 0) return left > 0 ? (word(0) & (1 << left) - 1) << -bit : 0;
    return word(bit) & (1 << n) - 1;
  }
  function word(bit) {
    const i = first + (bit >> 3);
    return (held[i] | held[i + 1] << 8 | held[i + 2] << 16 | held[i + 3] << 24) >>> (bit & 7);
  }
  function read(n) {
    const v = see(n);
    left -= n;
    return v;
  }

  // fseTable spreads codes over the states of a finite-state entropy decoder; -1 is a share of less than one state.
  function fseTable(shares, log) {
    const size = 1 << log, step = (size >> 1) + (size >> 3) + 3;
    const t = { log: log, code: new Uint8Array(size), bits: new Uint8Array(size), next: new Uint16Array(size) };
    const seen = shares.map(Math.abs);
    let high = size, state = 0;
    shares.forEach(function (share, code) { if (share < 0) t.code[--high] = code; });
    shares.forEach(function (share, code) {
      for (let i = 0; i < share; i++) {
        t.code[state] = code;
        do state = state + step & size - 1; while (state >= high);
      }
    });
    for (let i = 0; i < size; i++) {
      const n = seen[t.code[i]]++;
      t.bits[i] = log - 31 + Math.clz32(n);
      t.next[i] = (n << t.bits[i]) - size;
    }
    return t;
  }

  // fseShares reads a table from its shares, and says where the bytes after them begin.
  function fseShares(from, to) {
    let bit = from * 8;
    const read = function (n) {
      const i = bit >> 3, v = (held[i] | held[i + 1] << 8 | held[i + 2] << 16) >> (bit & 7) & (1 << n) - 1;
      bit += n;
      return v;
    };
    const log = read(4) + 5, shares = [];
    for (let rest = 1 << log; rest > 0;) {
      const n = 32 - Math.clz32(rest + 1), low = (1 << n - 1) - 1, spare = (1 << n) - 2 - rest;
      let v = read(n);
      if ((v & low) < spare) {
        bit--;
        v &= low;
      } else if (v > low) v -= spare;
      shares.push(v - 1);
      rest -= Math.abs(v - 1);
      if (v === 1) {
        let zeros;
        do for (let i = zeros = read(2); i > 0; i--) shares.push(0); while (zeros === 3);
      }
      if (bit > to * 8 || shares.length > 256) damaged("shares");
    }
    return { table: fseTable(shares, log), end: bit + 7 >> 3 };
  }

  // huffmanTable reads the weights of bytes; all codes are looked up by their longest length.
  function huffmanTable(from) {
    const head = held[from], weights = [];
    let to = from + 1 + head;
    if (head < 128) {
      const f = fseShares(from + 1, to), t = f.table;
      backward(f.end, to);
      let a = read(t.log), c = read(t.log);
      while (weights.length < 256) { // two states take turns
        weights.push(t.code[a]);
        if (left < t.bits[a]) {
          weights.push(t.code[c]);
          break;
        }
        [a, c] = [c, t.next[a] + read(t.bits[a])];
      }
    } else {
      to = from + 1 + (head - 126 >> 1);
      for (let i = 0; i < head - 127; i++) weights.push(held[from + 1 + (i >> 1)] >> (i & 1 ? 0 : 4) & 15);
    }
    const sum = weights.reduce(function (s, w) { return s + (w ? 1 << w - 1 : 0); }, 0), log = 32 - Math.clz32(sum);
    weights.push(32 - Math.clz32((1 << log) - sum)); // the last one is what is missing
    if (!sum || log > 11) damaged("weights");
    const t = { log: log, code: new Uint8Array(1 << log), bits: new Uint8Array(1 << log), end: to };
    for (let w = 1, i = 0; w <= log; w++) {
      weights.forEach(function (weight, code) {
        if (weight !== w) return;
        t.code.fill(code, i, i + (1 << w - 1));
        t.bits.fill(log + 1 - w, i, i += 1 << w - 1);
      });
    }
    return t;
  }

  function huffmanStream(from, to, into, n) {
    const log = huffman.log, code = huffman.code, bits = huffman.bits;
    backward(from, to);
    for (const stop = into + n; into < stop; into++) {
      const v = see(log);
      literals[into] = code[v];
      left -= bits[v];
    }
    if (left !== 0) damaged("literals");
  }

  // readLiterals says how many there are, and where the bytes after them begin.
  function readLiterals(from) {
    const kind = held[from] & 3, form = held[from] >> 2 & 3;
    if (kind < 2) { // as they are, or one byte for all
      const bytes = form === 1 ? 2 : form === 3 ? 3 : 1, n = little(from, bytes) >> (form & 1 ? 4 : 3);
      from += bytes;
      if (n > literals.length) damaged("literals");
      if (kind === 1) literals.fill(held[from], 0, n);
      else literals.set(held.subarray(from, from + n));
      return { n: n, end: from + (kind === 1 ? 1 : n) };
    }
    const width = [10, 10, 14, 18][form], bytes = form < 2 ? 3 : form + 2;
    const head = Math.floor(little(from, bytes) / 16), n = head % (1 << width), packed = Math.floor(head / (1 << width));
    from += bytes;
    const end = from + packed;
    if (kind === 2) {
      huffman = huffmanTable(from);
      from = huffman.end;
    }
    if (!huffman || n > literals.length) damaged("literals");
    if (form === 0) huffmanStream(from, end, 0, n);
    else {
      const each = n + 3 >> 2;
      for (let i = 0, start = from + 6; i < 4; i++) {
        const stop = i < 3 ? start + little(from + 2 * i, 2) : end;
        huffmanStream(start, stop, i * each, i < 3 ? each : n - 3 * each);
        start = stop;
      }
    }
    return { n: n, end: end };
  }

  function offsetOf(value, noLiterals) {
    if (value > 3) recent.unshift(value - 3);
    else {
      const i = value - 1 + (noLiterals ? 1 : 0);
      if (i === 0) return recent[0];
      recent.unshift(i === 3 ? recent[0] - 1 : recent.splice(i, 1)[0]);
    }
    recent.length = 3;
    return recent[0];
  }

  function block(from, to) {
    const l = readLiterals(from);
    from = l.end;
    let n = held[from++], used = 0;
    if (n >= 128) n = n < 255 ? (n - 128 << 8) + held[from++] : little((from += 2) - 2, 2) + 0x7f00;
    if (n > 0) {
      const modes = held[from++];
      codes = codes.map(function (was, i) {
        switch (modes >> 6 - 2 * i & 3) {
          case 0: return usual[i];
          case 1: return { log: 0, code: held.slice(from, ++from), bits: new Uint8Array(1), next: new Uint16Array(1) };
          case 3: return was;
        }
        const f = fseShares(from, to);
        from = f.end;
        return f.table;
      });
      const into = out, lengths = codes[0], offsets = codes[1], matches = codes[2];
      backward(from, to);
      let ll = read(lengths.log), of = read(offsets.log), ml = read(matches.log);
      for (; n > 0; n--) {
        const code = offsets.code[of], value = (1 << code) + read(code);
        const match = matchBase[matches.code[ml]] + read(matchBits[matches.code[ml]]);
        const length = lengthBase[lengths.code[ll]] + read(lengthBits[lengths.code[ll]]);
        const offset = offsetOf(value, length === 0);
        if (n > 1) {
          ll = lengths.next[ll] + read(lengths.bits[ll]);
          ml = matches.next[ml] + read(matches.bits[ml]);
          of = offsets.next[of] + read(offsets.bits[of]);
        }
        if (offset < 1 || offset > end + length || used + length > l.n || end + length + match > out.length) {
          damaged("a sequence");
        }
        for (let i = 0; i < length; i++) into[end + i] = literals[used + i];
        used += length;
        end += length;
        for (let i = end; i < end + match; i++) into[i] = into[i - offset];
        end += match;
      }
      if (left !== 0) damaged("sequences");
    }
    out.set(literals.subarray(used, l.n), end);
    end += l.n - used;
  }

  // header begins the frame where it is there as a whole.
  function header() {
    if (held.length < 18) return;
    const flags = held[4], single = flags >> 5 & 1, size = flags >> 6;
    at = 6 - single;
    if (little(0, 4) !== 0xfd2fb528 || flags & 7 || !size && !single) damaged("a frame of another kind");
    out = new Uint8Array(little(at, 1 << size) + (size === 1 ? 256 : 0));
    at += 1 << size;
  }

  return function (bytes) {
    const rest = held.subarray(at, held.length - 4 * (held.length > 0)), all = new Uint8Array(rest.length + bytes.length + 4);
    all.set(rest); // four zeros at the end: words are read there
    all.set(bytes, rest.length);
    held = all;
    at = 0;
    if (!out) header();
    while (out && at + 3 < held.length - 4) {
      const head = little(at, 3), kind = head >> 1 & 3, size = head >> 3, from = at + 3, to = kind === 1 ? from + 1 : from + size;
      if (to > held.length - 4) break;
      const begin = end;
      if (kind === 2) block(from, to);
      else {
        if (kind === 1) out.fill(held[from], end, end + size);
        else out.set(held.subarray(from, to), end);
        end += size;
      }
      at = to;
      take(out.subarray(begin, end));
      if (head & 1) return end === out.length;
    }
    return false;
  };
}
