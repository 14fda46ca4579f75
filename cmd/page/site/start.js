// The worker starts before the page is read to its end: each piece of the program is decoded, unpacked and compiled
// while the browser reads the next one.
const occudiff = (function () {
  "use strict";
  const blob = new Blob([document.getElementById("worker").textContent], { type: "text/javascript" });
  const source = URL.createObjectURL(blob);
  const pieces = []; // of the program, until it is compiled
  let last = false, module;
  const page = { worker: null, heard: null, missed: [] };
  function hear(a) {
    if (a.kind === "module") {
      module = a.module;
      pieces.length = 0;
    } else if (page.heard) page.heard(a);
    else page.missed.push(a);
  }
  // hire starts a worker. One that was stopped in the middle is replaced by another, from the program as compiled.
  page.hire = function () {
    const worker = page.worker = new Worker(source);
    worker.onmessage = function (event) { if (worker === page.worker) hear(event.data); };
    worker.onerror = function (event) { hear({ kind: "ended", text: event.message }); };
    if (module) worker.postMessage({ kind: "start", module: module });
    else pieces.forEach(function (text, i) { send(text, last && i === pieces.length - 1); });
  };
  function send(text, end) { page.worker.postMessage({ kind: "piece", text: text, last: end }); }
  // feed passes the piece on that stands before the script that calls it.
  page.feed = function () {
    const e = document.currentScript.previousElementSibling, text = e.textContent;
    last = "last" in e.dataset;
    pieces.push(text);
    send(text, last);
    e.remove();
  };
  page.hire();
  return page;
})();
