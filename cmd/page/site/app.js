// The page: fields in, answers out. What is said and how it is counted comes from the worker as HTML.
(function () {
  "use strict";
  const $ = function (id) { return document.getElementById(id); };
  const launch = $("launch"), answer = launch.parentNode.querySelector(".answer");
  const start = { device: "max1100", global: "1M", local: "256", simd: "32", slm: "0", registers: "", barriers: "0" };
  const devices = JSON.parse($("devices").textContent);
  let number = 0, tab = "predict", running = null;
  const waiting = new Map(); // number of a question -> what to do with its answer
  const sheets = {};

  function broken(text) {
    $("broken").textContent = "This browser cannot run the page: " + text;
    $("broken").hidden = false;
  }
  function heard(a) {
    if (a.kind === "ended") broken(a.text || "it ended.");
    else if (a.kind === "ready") $("version").textContent = a.version;
    else if (a.kind === "progress") progress(a);
    else if (waiting.has(a.id)) {
      const then = waiting.get(a.id);
      waiting.delete(a.id);
      then(a);
    }
  }
  function ask(question, then) {
    question.id = ++number;
    waiting.set(number, then);
    occudiff.worker.postMessage(question);
    return number;
  }

  // show puts an answer into the page.
  function show(into, a) {
    $(into).innerHTML = a.html || ""; // every text in it is escaped
    if (!sheets[into]) {
      sheets[into] = new CSSStyleSheet();
      document.adoptedStyleSheets = document.adoptedStyleSheets.concat(sheets[into]);
    }
    sheets[into].replaceSync(a.styles || "");
    $(into).dispatchEvent(new Event("report", { bubbles: true }));
  }
  function problems(into, list) {
    const box = $(into);
    box.textContent = "";
    (list || []).forEach(function (f) {
      const p = document.createElement("p"), where = document.createElement("b");
      where.textContent = f.where ? f.where + ": " : "";
      p.append(where, f.text);
      box.append(p);
      if (f.hint) {
        const hint = document.createElement("p");
        hint.className = "hint";
        hint.textContent = f.hint;
        box.append(hint);
      }
    });
    box.hidden = !list || list.length === 0;
  }

  // The launch, in the form and in the address.
  function state() {
    const s = {};
    new FormData(launch).forEach(function (value, name) { s[name] = String(value).trim(); });
    return s;
  }
  function link(s) {
    return "#" + Object.keys(s).filter(function (name) { return s[name] !== ""; }).map(function (name) {
      return name + "=" + encodeURIComponent(s[name]).replace(/%2C/g, ",").replace(/%3A/g, ":");
    }).join("&");
  }
  function fromLink() {
    const s = {};
    location.hash.slice(1).split("&").forEach(function (part) {
      const at = part.indexOf("=");
      if (at < 1) return;
      try { s[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1)); } catch (e) { s[part.slice(0, at)] = part.slice(at + 1); }
    });
    return s;
  }
  function fill(s) {
    const named = devices.find(function (d) { return d.key === (s.device || "").toLowerCase(); });
    choose($("device"), named ? named.key : s.device);
    options();
    Array.from(launch.elements).forEach(function (e) {
      if (!e.name || e.name === "device") return;
      if (e.type === "checkbox") e.checked = s[e.name] === "1";
      else if (e.tagName === "SELECT") choose(e, s[e.name] || "");
      else e.value = s[e.name] || "";
    });
    sliders();
  }
  // choose takes a value that a list may not have: a link may name a device by its PCI id.
  function choose(select, value) {
    if (value && !Array.from(select.options).some(function (o) { return o.value === value; })) select.add(new Option(value, value));
    select.value = value || "";
  }
  function device() { return devices.find(function (d) { return d.key === $("device").value; }); }
  // options offers what the device has.
  function options() {
    const d = device(), simd = $("simd").value, registers = $("registers").value;
    if (!d) return;
    $("simd").replaceChildren.apply($("simd"), d.simd.map(function (n) { return new Option("SIMD" + n, n); }));
    choose($("simd"), d.simd.map(String).includes(simd) ? simd : String(d.simd[d.simd.length - 1]));
    const modes = d.registers.map(function (n) { return new Option(n + " registers", n); });
    $("registers").replaceChildren.apply($("registers"), [new Option("default", "")].concat(modes));
    choose($("registers"), d.registers.map(String).includes(registers) ? registers : "");
    $("local-range").min = $("local-range").step = Number($("simd").value) || 1;
    $("local-range").max = d.items;
    $("slm-range").max = d.slm / 1024;
    launch.elements.calculator.disabled = !d.calculator;
  }
  function sliders() {
    const items = launch.elements.local.value.split(/x/i).reduce(function (all, n) { return all * Number(n); }, 1);
    if (items > 0) $("local-range").value = items;
    const slm = /^(\d+)\s*(k?)/i.exec(launch.elements.slm.value);
    $("slm-range").value = slm ? slm[1] / (slm[2] ? 1 : 1024) : 0;
  }

  // Predicting: the newest launch counts; one that came while the last was answered is asked when that is done.
  let asking = false, again = false, later = 0;
  function predict() {
    if (asking) { again = true; return; }
    asking = true;
    const s = state();
    ask({ kind: "predict", state: s }, function (a) {
      asking = false;
      answer.classList.toggle("old", !!a.problems);
      problems("problems-predict", a.problems);
      if (a.fields) Object.keys(a.fields).forEach(function (id) { $(id).textContent = a.fields[id]; });
      if (a.html) show("result-predict", a);
      answer.dataset.launch = link(s); // which launch the figures are of
      if (!answer.dataset.answered) answer.dataset.answered = Math.round(performance.now());
      if (again) { again = false; predict(); return; }
      clearTimeout(later);
      later = setTimeout(function () {
        ask({ kind: "others", state: s }, function (b) { if (!again && !asking) show("result-others", b); });
      }, 60);
    });
  }
  launch.addEventListener("input", function (event) {
    const e = event.target;
    if (e.id === "local-range") launch.elements.local.value = e.value;
    else if (e.id === "slm-range") launch.elements.slm.value = e.value === "0" ? "0" : e.value + "K";
    else sliders();
    if (e.id === "device" || e.id === "simd") options();
    history.replaceState(null, "", link(state()));
    predict();
  });
  launch.addEventListener("submit", function (event) { event.preventDefault(); });

  // offer fills the lists of devices.
  function offer() {
    const groups = new Map();
    devices.forEach(function (d) {
      if (!groups.has(d.architecture)) groups.set(d.architecture, []);
      groups.get(d.architecture).push(d);
    });
    [$("device")].concat(Array.from(document.querySelectorAll(".options [name=device]"))).forEach(function (select) {
      groups.forEach(function (list, name) {
        const group = document.createElement("optgroup");
        group.label = name;
        list.forEach(function (d) { group.append(new Option(d.name + " (" + d.key + ")", d.key)); });
        select.append(group);
      });
    });
    devices.forEach(function (d) { $("device-keys").append(new Option(d.name, d.key)); });
  }

  // Tabs.
  const names = ["predict", "validate", "compare"];
  function select(name, focus) {
    tab = name;
    names.forEach(function (n) {
      const chosen = n === name, t = $("tab-" + n);
      t.setAttribute("aria-selected", chosen);
      t.tabIndex = chosen ? 0 : -1;
      if (chosen && focus) t.focus();
      $("pane-" + n).hidden = !chosen;
    });
    const runs = name !== "predict";
    ["result-run", "downloads", "problems-run", "work"].forEach(function (id) {
      $(id).hidden = !runs || id === "downloads" && !$("result-run").firstChild || id === "work" && !running || id === "problems-run" && !$(id).firstChild;
    });
  }
  names.forEach(function (name, i) {
    $("tab-" + name).addEventListener("click", function () {
      history.replaceState(null, "", name === "predict" ? link(state()) : "#" + name);
      if (name !== tab && name !== "predict") forget();
      select(name);
    });
    $("tab-" + name).addEventListener("keydown", function (event) {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) $("tab-" + names[(i + step + names.length) % names.length]).click();
      if (step) select(tab, true);
    });
  });
  function forget() {
    show("result-run", {});
    problems("problems-run", []);
    $("downloads").hidden = true;
  }
  function byLink() {
    const name = location.hash.slice(1);
    if (names.includes(name)) select(name);
    else if (name.includes("=")) { select("predict"); fill(fromLink()); predict(); }
  }
  window.addEventListener("hashchange", byLink);

  // Runs: what was dropped, notes next to it, and the report of it.
  const runFiles = { files: [] }, sides = []; // what was dropped, with the fields that it was dropped into
  document.querySelectorAll(".options").forEach(function (form) {
    form.innerHTML = '<label>Device <select name="device"><option value="">as the files say</option></select></label>' +
      '<label>Tolerance in points <input name="tolerance" type="number" min="0" max="100" step="any" placeholder="5"></label>' +
      '<label>gpu-sampling-interval in ms <input name="interval" type="number" min="0" step="any" placeholder="1"></label>';
    form.addEventListener("change", answerRuns);
    form.addEventListener("submit", function (event) { event.preventDefault(); answerRuns(); });
  });
  function answerRuns() {
    const form = $("options-" + tab).elements, compare = tab === "compare";
    const asked = compare ? sides.filter(function (s) { return s.files.length; }) : [runFiles];
    if (asked.length < (compare ? 2 : 1) || !asked[0].files.length) return;
    if (running) stop();
    const files = [];
    const paths = asked.map(function (side, i) {
      const folder = compare ? side.folder + "/" : "", top = new Set();
      side.files.forEach(function (f) {
        files.push({ path: folder + f.path, file: f.file });
        top.add(folder + (f.path.includes("/") ? f.path.split("/")[0] : f.path));
      });
      return Array.from(top);
    });
    forget();
    work({
      kind: tab, files: files, paths: paths,
      settings: { device: form.device.value, tolerance: Number(form.tolerance.value) || 0, interval: Number(form.interval.value) || 0 }
    });
  }
  let shownAfter = 0;
  function work(question) {
    shownAfter = setTimeout(function () { $("work").hidden = false; }, 300); // less would only flicker
    $("progress").removeAttribute("value");
    $("working").textContent = "reading";
    running = ask(question, function (a) {
      done();
      problems("problems-run", a.problems);
      $("downloads").hidden = !a.html;
      $("downloads").dataset.name = a.name || "occudiff";
      show("result-run", a);
    });
  }
  function done() {
    clearTimeout(shownAfter);
    running = null;
    $("work").hidden = true;
  }
  function progress(a) {
    if (a.id !== running || !(a.total > 0)) return;
    const read = Math.min(a.read, a.total);
    $("progress").max = a.total;
    $("progress").value = read;
    $("working").textContent = "read " + (read / 1e6).toFixed(0) + " of " + (a.total / 1e6).toFixed(0) + " MB";
  }
  function stop() {
    waiting.delete(running);
    done();
    occudiff.worker.terminate();
    waiting.clear();
    asking = again = false;
    occudiff.hire();
  }
  $("stop").addEventListener("click", function () {
    stop();
    problems("problems-run", [{ text: "Stopped." }]);
  });
  $("example").addEventListener("click", function () {
    runFiles.files = [];
    list(runFiles);
    forget();
    work({ kind: "example" });
  });
  $("downloads").addEventListener("click", function (event) {
    const format = event.target.value;
    if (!format) return;
    ask({ kind: "download", format: format }, function (a) {
      if (a.problems) { problems("problems-run", a.problems); return; }
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([a.data]));
      link.download = $("downloads").dataset.name + "." + format;
      link.click();
      setTimeout(function () { URL.revokeObjectURL(link.href); }, 60000);
    });
  });

  function list(side) {
    const items = side.files.map(function (f) {
      const li = document.createElement("li");
      li.textContent = f.path;
      return li;
    });
    const more = items.length - 12, ul = side.field.querySelector(".chosen");
    ul.replaceChildren.apply(ul, items.slice(0, 12));
    if (more > 0) ul.append(more + " more");
  }
  function take(side, files) {
    side.files = files;
    list(side);
    if (side.folder && sides.every(function (s) { return s.files.length; })) addSide();
    if (files.length) answerRuns();
  }
  function addSide() {
    const n = sides.length, side = { files: [], folder: ["old", "new"][n] || "run " + (n + 1) };
    sides.push(side);
    field(side, $("sides"), ["The old run", "The new run"][n] || "Another run",
      n < 2 ? "Its files, or a folder of repeats." : "With more than two, all stand side by side.");
  }
  // walk gives the files below a folder that was dropped: a handle, or an entry in browsers without handles.
  async function walk(folder, into, above) {
    const path = above + folder.name;
    if (folder.isFile) into.push({ path: path, file: await new Promise(function (yes, no) { folder.file(yes, no); }) });
    else if (folder.kind === "file") into.push({ path: path, file: await folder.getFile() });
    else if (folder.values) for await (const below of folder.values()) await walk(below, into, path + "/");
    else {
      const reader = folder.createReader();
      for (;;) {
        const some = await new Promise(function (yes, no) { reader.readEntries(yes, no); });
        if (!some.length) return;
        for (const below of some) await walk(below, into, path + "/");
      }
    }
  }
  // field is where the files of a run are dropped or chosen.
  function field(side, into, title, text) {
    const drop = $("drop").content.cloneNode(true).firstElementChild;
    drop.querySelector(".lead").textContent = title;
    drop.querySelector(".sub").textContent = text;
    side.field = drop;
    into.append(drop);
    drop.addEventListener("dragover", function (event) { event.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", function () { drop.classList.remove("over"); });
    drop.addEventListener("drop", async function (event) {
      event.preventDefault();
      event.stopPropagation();
      drop.classList.remove("over");
      const files = [], folders = [];
      // All of them are asked for before anything is awaited: later they are gone.
      Array.from(event.dataTransfer.items || []).filter(function (i) { return i.kind === "file"; }).forEach(function (i) {
        const entry = i.webkitGetAsEntry && i.webkitGetAsEntry(), file = i.getAsFile();
        if (!entry || !entry.isDirectory) files.push({ path: file.name, file: file });
        else folders.push(i.getAsFileSystemHandle ? i.getAsFileSystemHandle() : entry);
      });
      try {
        for (const f of folders) await walk(await f, files, "");
      } catch (e) {
        problems("problems-run", [{ text: "the folder that was dropped cannot be read: " + e.message, hint: "choose it with the button instead" }]);
        return;
      }
      take(side, files);
    });
    drop.querySelectorAll("button.files, button.folder").forEach(function (button) {
      const input = document.createElement("input");
      input.type = "file";
      input.multiple = true;
      input.hidden = true;
      input.webkitdirectory = button.className === "folder";
      button.after(input);
      button.addEventListener("click", function () { input.click(); });
      input.addEventListener("change", function () {
        take(side, Array.from(input.files).map(function (f) { return { path: f.webkitRelativePath || f.name, file: f }; }));
        input.value = "";
      });
    });
  }
  field(runFiles, $("validate-drop"), "Drop the files of a run here", "VTune computing-task exports, summaries and result " +
    "folders (or a zip archive of one), unitrace output and traces, vec_add logs, kernel binaries; one file, several, or a folder; plain, gzip or zstd. They stay on this machine.");
  addSide();
  addSide();
  // A file that is dropped next to the field is meant for it, and never opened by the browser.
  window.addEventListener("dragover", function (event) { event.preventDefault(); });
  window.addEventListener("drop", function (event) { event.preventDefault(); });

  // A link within a report goes to its place; the address stays that of the page.
  document.querySelector("main").addEventListener("click", function (event) {
    const a = event.target.closest && event.target.closest("a[href^='#']");
    const to = a && document.getElementById(a.getAttribute("href").slice(1));
    if (!to) return;
    event.preventDefault();
    for (let folded; (folded = to.closest("details:not([open])"));) folded.open = true;
    document.querySelectorAll(".here").forEach(function (e) { e.classList.remove("here"); });
    if (to.tagName === "TR") to.classList.add("here");
    to.scrollIntoView({ block: to.tagName === "TR" ? "center" : "start" });
  });

  offer();
  const linked = fromLink();
  fill(Object.keys(linked).length ? linked : start);
  predict();
  if (names.includes(location.hash.slice(1))) select(location.hash.slice(1));
  occudiff.heard = heard;
  occudiff.missed.forEach(heard);
})();
