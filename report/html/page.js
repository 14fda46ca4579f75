
(function () {
  "use strict";
  document.documentElement.classList.add("js");
  var collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  // number reads a cell as it is printed; null where there is no value.
  function number(text) {
    text = text.trim();
    if (text === "-" || text === "") return null;
    var n = Number(text.replace(/,/g, ""));
    return isNaN(n) ? null : n;
  }

  // view is what a table shows: its rows in an order, those that a filter admits, and of many only the first, because a
  // browser needs a second to lay out thousands of rows again.
  function view(table) {
    var body = table.tBodies[0], original = Array.from(body.rows), order = original, admits = null, listed = original;
    var page = original.length > 500 ? 300 : Infinity, limit = page, more = null;

    function show() {
      var shown = listed.length > limit ? listed.slice(0, limit) : listed, all = document.createDocumentFragment();
      body.remove();
      body.textContent = "";
      shown.forEach(function (row) { all.appendChild(row); });
      body.appendChild(all);
      table.appendChild(body);
      if (!more) return;
      more.hidden = shown.length === listed.length;
      more.firstChild.textContent = "The first " + count(shown.length) + " of " + count(listed.length) + " rows. ";
    }
    function list() {
      listed = admits ? order.filter(admits) : order;
      show();
    }
    function button(name, press) {
      var b = document.createElement("button");
      b.type = "button";
      b.textContent = name;
      b.addEventListener("click", press);
      more.appendChild(b);
    }
    if (page < original.length) {
      more = document.createElement("p");
      more.className = "more";
      more.appendChild(document.createTextNode(""));
      button("Show " + page + " more", function () { limit += page; show(); });
      button("Show all", function () { limit = Infinity; show(); });
      table.parentNode.appendChild(more);
      table.classList.remove("large");
      show();
      // Paper shows every row.
      window.addEventListener("beforeprint", function () { var was = limit; limit = Infinity; show(); limit = was; });
      window.addEventListener("afterprint", show);
    }
    return {
      rows: original,
      sort: function (rows) { order = rows || original; list(); },
      filter: function (admit) { admits = admit; limit = page; list(); },
      length: function () { return listed.length; }
    };
  }

  function count(n) { return n.toLocaleString("en"); }

  // sortable makes the headings of a table buttons: each press goes on to the next order, then back to the report's own.
  function sortable(table, shown, say) {
    var heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      var numeric = head.dataset.kind !== "t", name = head.textContent, button = document.createElement("button");
      var first = numeric ? "descending" : "ascending", second = numeric ? "ascending" : "descending";
      button.type = "button";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", function () {
        var now = head.getAttribute("aria-sort"), next = now === "none" ? first : now === first ? second : "none";
        heads.forEach(function (other) { other.setAttribute("aria-sort", "none"); });
        head.setAttribute("aria-sort", next);
        shown.sort(next === "none" ? null : sorted(shown.rows, column, numeric, next === "ascending" ? 1 : -1));
        say(next === "none" ? "" : "sorted by " + name + ", " + next);
      });
    });
  }

  // sorted orders rows by a column. Rows without a value come last in both directions; equal rows keep their order.
  function sorted(rows, column, numeric, direction) {
    var keyed = rows.map(function (row) {
      var text = row.children[column].textContent.trim();
      return { row: row, key: numeric ? number(text) : text === "-" ? null : text };
    });
    keyed.sort(function (a, b) {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
      return direction * (numeric ? a.key - b.key : collator.compare(a.key, b.key));
    });
    return keyed.map(function (k) { return k.row; });
  }

  // element makes an element with some properties within another one.
  function element(into, tag, properties) {
    return into.appendChild(Object.assign(document.createElement(tag), properties));
  }

  // filterable gives a table fields above it, which show the rows that hold every word of the search and the chosen
  // word of a column.
  function filterable(table, shown) {
    var texts = null, order = "", timer = 0, column = -1, verdict = null, sheet = table.closest(".sheet");
    var bar = document.createElement("div");
    bar.className = "filter";
    sheet.insertBefore(bar, sheet.querySelector(".scroll"));
    var search = element(element(bar, "label", { textContent: "Filter " }), "input", { type: "search", id: "filter-text",
      autocomplete: "off", spellcheck: false, placeholder: "kernel name or any text" });
    Array.from(table.tHead.rows[0].cells).forEach(function (head, i) {
      if (!("words" in head.dataset)) return;
      column = i;
      verdict = element(element(bar, "label", { textContent: head.textContent + " " }), "select", { id: "filter-verdict" });
    });
    if (verdict) {
      var words = new Map();
      shown.rows.forEach(function (row) {
        var word = row.children[column].textContent.trim();
        words.set(word, (words.get(word) || 0) + 1);
      });
      verdict.add(new Option("all", ""));
      words.forEach(function (rows, word) { verdict.add(new Option(word + " (" + rows + ")", word)); });
    }
    var clear = element(bar, "button", { type: "button", id: "filter-clear", textContent: "Clear" });
    var status = element(bar, "output", { id: "filter-status" });
    status.setAttribute("aria-live", "polite");

    function say() {
      status.textContent = count(shown.length()) + " of " + count(shown.rows.length) + " rows" + (order ? ", " + order : "");
    }
    function text(row) {
      if (!texts) texts = new Map();
      if (!texts.has(row)) texts.set(row, Array.from(row.children, function (cell) { return cell.textContent; }).join("\n").toLowerCase());
      return texts.get(row);
    }
    function apply() {
      var words = search.value.toLowerCase().split(/\s+/).filter(Boolean), want = verdict ? verdict.value : "";
      shown.filter(words.length === 0 && !want ? null : function (row) {
        return words.every(function (word) { return text(row).indexOf(word) >= 0; }) &&
          (!want || column < 0 || row.children[column].textContent.trim() === want);
      });
      clear.disabled = !search.value && !want;
      say();
    }
    function reset() {
      search.value = "";
      if (verdict) verdict.value = "";
      apply();
    }
    search.addEventListener("input", function () {
      clearTimeout(timer);
      timer = setTimeout(apply, shown.rows.length > 1000 ? 120 : 0);
    });
    search.addEventListener("keydown", function (event) { if (event.key === "Escape") reset(); });
    if (verdict) verdict.addEventListener("change", apply);
    clear.addEventListener("click", function () { reset(); search.focus(); });
    clear.disabled = true;
    if (search.value || verdict && verdict.value) apply(); else say(); // a reloaded page keeps its fields
    return function (text) { order = text; say(); };
  }

  // bars draws a bar behind the numbers of a column of percentages.
  function bars(table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, i) {
      if (head.dataset.kind !== "n bar" || table.tBodies[0].rows.length > 1000) return;
      Array.from(table.tBodies[0].rows).forEach(function (row) {
        var n = number(row.children[i].textContent);
        if (n === null) return;
        row.children[i].classList.add("level");
        row.children[i].style.setProperty("--level", Math.max(0, Math.min(100, n)) + "%");
      });
    });
  }

  // A table that is wider than its frame says so, and can be moved by keyboard.
  function hint(scroll) {
    function look() {
      var wide = scroll.scrollWidth > scroll.clientWidth + 1;
      scroll.parentNode.classList.toggle("overflows", wide);
      if (wide || scroll.scrollHeight > scroll.clientHeight + 1) scroll.tabIndex = 0; else scroll.removeAttribute("tabindex");
    }
    if (window.ResizeObserver) new ResizeObserver(look).observe(scroll); else look();
  }

  // copyable puts a button behind a command. Where the browser keeps the clipboard to itself, the command is marked.
  function copyable(code) {
    var button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy: " + code.textContent);
    function say(text) {
      button.textContent = text;
      setTimeout(function () { button.textContent = "Copy"; }, 1500);
    }
    function mark() {
      getSelection().selectAllChildren(code);
      say(document.execCommand("copy") ? "Copied" : "Press Ctrl+C");
    }
    button.addEventListener("click", function () {
      if (!navigator.clipboard) mark(); else navigator.clipboard.writeText(code.textContent).then(function () { say("Copied"); }, mark);
    });
    code.after(button);
  }

  function enliven(part) {
    part.querySelectorAll(".checks code").forEach(copyable);
    part.querySelectorAll(".scroll").forEach(hint);
    part.querySelectorAll("table.sorts").forEach(function (table) {
      var shown = view(table), say = table.closest(".main") ? filterable(table, shown) : function () {};
      bars(table);
      sortable(table, shown, say);
    });
  }
  document.addEventListener("DOMContentLoaded", function () { enliven(document); });
  document.addEventListener("report", function (event) { enliven(event.target); });

  // A link to what is folded opens it, and all around it.
  function unfold() {
    var target = document.getElementById(location.hash.slice(1)), folded = false;
    for (var part = target; part; part = part.parentElement) {
      if (part.tagName !== "DETAILS" || part.open) continue;
      part.open = folded = true;
    }
    if (folded) target.scrollIntoView();
  }
  window.addEventListener("hashchange", unfold);
  document.addEventListener("DOMContentLoaded", unfold);

  // Paper shows what is folded.
  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    opened.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () { opened.forEach(function (d) { d.open = false; }); });
})();
