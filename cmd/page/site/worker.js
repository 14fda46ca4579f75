// The worker runs occudiff and gives it dropped files as a file system. Everything is answered at once: a worker may read a
// file piece by piece without waiting.
"use strict";
(function () {
  const ahead = 4 << 20; // of a file, read at a time
  const files = new Map(); // path -> File
  const folders = new Map([["", new Set()]]); // path -> names in it
  const open = new Map();
  let next = 10;

  function fault(code) {
    const e = new Error(code);
    e.code = code;
    return e;
  }
  function clean(path) {
    return path.split("/").filter(function (part) { return part && part !== "."; }).join("/");
  }
  function add(path, file) {
    const parts = clean(path).split("/");
    for (let i = 1; i < parts.length; i++) {
      const folder = parts.slice(0, i).join("/");
      if (!folders.has(folder)) folders.set(folder, new Set());
      folders.get(parts.slice(0, i - 1).join("/")).add(parts[i - 1]);
    }
    folders.get(parts.slice(0, -1).join("/")).add(parts[parts.length - 1]);
    files.set(parts.join("/"), file);
  }
  function clear() {
    files.clear();
    folders.clear();
    folders.set("", new Set());
  }
  function status(path) {
    const file = files.get(path), folder = folders.has(path);
    if (!file && !folder) return null;
    const at = file ? file.lastModified : 0;
    return {
      dev: 1, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: 0,
      mode: folder ? 0o40755 : 0o100644, size: file ? file.size : 0, atimeMs: at, mtimeMs: at, ctimeMs: at,
      isDirectory: function () { return folder; }
    };
  }
  // read copies what a file has at a position, by way of a piece that is read ahead.
  function read(f, into, at) {
    if (at < f.from || at >= f.from + f.piece.length) {
      const size = Math.max(into.length, Math.min(ahead, f.file.size - at));
      f.piece = new Uint8Array(new FileReaderSync().readAsArrayBuffer(f.file.slice(at, at + size)));
      f.from = at;
    }
    const part = f.piece.subarray(at - f.from, at - f.from + into.length);
    into.set(part);
    return part.length;
  }

  let line = "";
  const absent = function () { arguments[arguments.length - 1](fault("ENOSYS")); };
  globalThis.fs = {
    constants: { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 },
    writeSync: function (fd, bytes) { // what a panic prints
      line += new TextDecoder().decode(bytes);
      const end = line.lastIndexOf("\n");
      if (end >= 0) {
        console.error(line.slice(0, end));
        line = line.slice(end + 1);
      }
      return bytes.length;
    },
    write: function (fd, bytes, offset, length, position, done) { done(null, this.writeSync(fd, bytes)); },
    open: function (path, flags, mode, done) {
      path = clean(path);
      if (!files.has(path) && !folders.has(path)) return done(fault("ENOENT"));
      open.set(++next, { path: path, file: files.get(path), at: 0, from: 0, piece: new Uint8Array(0) });
      done(null, next);
    },
    close: function (fd, done) { open.delete(fd); done(null); },
    fstat: function (fd, done) {
      const f = open.get(fd);
      if (f) done(null, status(f.path)); else done(fault("EBADF"));
    },
    stat: function (path, done) {
      const s = status(clean(path));
      if (s) done(null, s); else done(fault("ENOENT"));
    },
    lstat: function (path, done) { this.stat(path, done); },
    readdir: function (path, done) {
      const names = folders.get(clean(path));
      if (names) done(null, Array.from(names)); else done(fault("ENOTDIR"));
    },
    read: function (fd, buffer, offset, length, position, done) {
      const f = open.get(fd);
      if (!f || !f.file) return done(fault(f ? "EISDIR" : "EBADF"));
      const at = position === null ? f.at : position;
      let n = 0;
      try {
        if (at < f.file.size) n = read(f, buffer.subarray(offset, offset + length), at);
      } catch (e) { // the file is gone, or may not be read any more
        return done(fault("EIO"));
      }
      if (position === null) f.at += n;
      done(null, n);
    },
    fsync: function (fd, done) { done(null); },
    chmod: absent, chown: absent, fchmod: absent, fchown: absent, ftruncate: absent, lchown: absent, link: absent,
    mkdir: absent, readlink: absent, rename: absent, rmdir: absent, symlink: absent, truncate: absent, unlink: absent,
    utimes: absent
  };
  globalThis.process = {
    getuid: function () { return -1; }, getgid: function () { return -1; }, geteuid: function () { return -1; },
    getegid: function () { return -1; }, getgroups: function () { throw fault("ENOSYS"); }, pid: -1, ppid: -1,
    umask: function () { throw fault("ENOSYS"); }, cwd: function () { return "/"; },
    chdir: function () { throw fault("ENOSYS"); }
  };

  // post sends an answer, and answer asks a question: the program has both as JSON.
  globalThis.post = function (answer) { postMessage(JSON.parse(answer)); };

  // The program comes in pieces: of seven bits in each character, Zstandard within. It is compiled as they come.
  let program;
  const blocks = new ReadableStream({ start: function (controller) { program = controller; } });
  const unpack = unzstd(function (block) { program.enqueue(block); });
  function decode(text) {
    const bytes = new Uint8Array(Math.floor(text.length * 7 / 8)), whole = text.length & ~7;
    const at = function (i) { return text.charCodeAt(i) & 127; };
    let i = 0, o = 0;
    for (; i < whole; i += 8, o += 7) { // eight characters are seven bytes; what is beyond a byte is cut off
      const b = at(i + 1), c = at(i + 2), d = at(i + 3), e = at(i + 4), f = at(i + 5), g = at(i + 6);
      bytes[o] = at(i) << 1 | b >> 6;
      bytes[o + 1] = b << 2 | c >> 5;
      bytes[o + 2] = c << 3 | d >> 4;
      bytes[o + 3] = d << 4 | e >> 3;
      bytes[o + 4] = e << 5 | f >> 2;
      bytes[o + 5] = f << 6 | g >> 1;
      bytes[o + 6] = g << 7 | at(i + 7);
    }
    for (let bits = 0, held = 0; i < text.length; i++) {
      held = held << 7 | at(i);
      bits += 7;
      if (bits >= 8) {
        bits -= 8;
        bytes[o++] = held >> bits;
        held &= (1 << bits) - 1;
      }
    }
    return bytes;
  }
  function piece(q) {
    if (!compiling) {
      const answer = new Response(blocks, { headers: { "Content-Type": "application/wasm" } });
      compiling = WebAssembly.compileStreaming(answer);
      run(compiling);
    }
    try {
      const whole = unpack(decode(q.text));
      if (q.last && !whole) throw new Error("the page's program is cut off");
      if (whole) program.close();
    } catch (e) { // compiling ends with it, too
      program.error(e);
    }
  }

  let compiling;
  const early = []; // questions that came before the program ran
  async function run(compiled) {
    try {
      const module = await compiled, go = new Go();
      const instance = await WebAssembly.instantiate(module, go.importObject);
      const ended = go.run(instance); // as far as the program waits for questions
      if (compiling) postMessage({ kind: "module", module: module });
      early.splice(0).forEach(answer);
      await ended;
      postMessage({ kind: "ended" });
    } catch (e) {
      postMessage({ kind: "ended", text: String(e) });
    }
  }

  onmessage = function (event) {
    const q = event.data;
    if (q.kind === "piece") return piece(q);
    if (q.kind === "start") return void run(q.module);
    if (globalThis.ask) answer(q); else early.push(q);
  };
  function answer(q) {
    if (q.files) {
      clear();
      q.files.forEach(function (f) { add(f.path, f.file); });
      delete q.files;
    }
    ask(JSON.stringify(q));
  }
})();
