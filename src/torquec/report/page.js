"use strict";
(() => {
  const tip = document.getElementById("tip");
  const SVG = "http://www.w3.org/2000/svg";

  // What the tip says, line by line; names come from files, so they only ever become text.
  const say = (event, lines) => {
    tip.replaceChildren(...lines.map(([text, colour]) => {
      const line = document.createElement("div");
      if (colour) {
        const dot = document.createElement("i");
        dot.className = colour;
        line.append(dot);
      }
      line.append(text);
      return line;
    }));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const right = event.clientX + 16 + box.width > innerWidth;
    tip.style.left = `${Math.max(6, right ? event.clientX - box.width - 16 : event.clientX + 16)}px`;
    tip.style.top = `${Math.max(6, Math.min(event.clientY + 14, innerHeight - box.height - 6))}px`;
  };
  const hush = () => { tip.hidden = true; };

  const shown = (value, unit) => `${value === null ? "-" : Number(value.toPrecision(5))}${unit ? ` ${unit}` : ""}`;
  const place = ([low, high, start, end, log], value) =>
    start + (end - start) * (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));

  // The index of the nearest of growing or scattered values, in units of the drawing.
  const nearest = (count, distance) => {
    let best = -1, least = Infinity;
    for (let k = 0; k < count; k += 1) {
      const d = distance(k);
      if (d < least) { least = d; best = k; }
    }
    return [best, least];
  };

  // Plots of one gallery share their cursor: the others draw it at the same value of their first axis.
  const linked = new Map();

  for (const svg of document.querySelectorAll("svg.plot:not(.bars)")) {
    const data = JSON.parse(document.getElementById(svg.dataset.of).textContent);
    const pointer = svg.querySelector(".pointer"), cross = pointer.querySelector(".cross");
    let times;
    for (const series of data.s) { series.x = series.x || times; times = series.x; }
    const draw = (points, x) => {
      pointer.replaceChildren(cross, ...points.map(([px, py, colour]) => {
        const circle = document.createElementNS(SVG, "circle");
        circle.setAttribute("cx", px);
        circle.setAttribute("cy", py);
        circle.setAttribute("r", 4);
        circle.setAttribute("class", colour);
        return circle;
      }));
      cross.setAttribute("x1", x);
      cross.setAttribute("x2", x);
      pointer.classList.add("on");
    };
    const clear = () => pointer.classList.remove("on");
    const group = svg.closest(".gallery") || svg;
    const others = linked.get(group) || linked.set(group, []).get(group);
    // The values of all curves of this plot nearest to x, in units of the axis.
    const follow = (name, x) => {
      if (!data.curves || data.xn !== name) return;
      const points = data.s.map((series) => {
        const [k] = nearest(series.x.length, (i) => (series.y[i] === null ? Infinity : Math.abs(series.x[i] - x)));
        return k < 0 ? null : [place(data.x, series.x[k]), place(data.y, series.y[k]), series.c];
      }).filter((one) => one);
      draw(points, place(data.x, x));
    };
    others.push({ svg, follow, clear });
    const leave = () => { for (const one of others) one.clear(); hush(); };
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("pointermove", (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const found = data.s.map((series) => {
        const [k, d] = nearest(series.x.length, (i) => {
          if (series.x[i] === null || series.y[i] === null) return Infinity;
          const dx = place(data.x, series.x[i]) - at.x;
          return data.curves ? Math.abs(dx) : Math.hypot(dx, place(data.y, series.y[i]) - at.y);
        });
        return { series, k, d };
      }).filter((one) => one.k >= 0);
      if (!found.length) return;
      const near = found.reduce((a, b) => (b.d < a.d ? b : a));
      const told = data.curves ? found : [near];
      const points = told.map(({ series, k }) => [place(data.x, series.x[k]), place(data.y, series.y[k]), series.c]);
      const lines = told.map(({ series, k }) => {
        const low = series.b ? `${shown(series.b[k], "")} to ` : "";
        const label = series.t ? `${series.t[k]}, ` : "";
        const level = series.v ? `, ${series.vn} = ${shown(series.v[k], "")}` : "";
        const value = data.curves ? low + shown(series.y[k], data.yu) : `(${shown(series.x[k], "")}, ${shown(series.y[k], "")}) ${data.yu}`;
        return [`${series.n}: ${label}${value}${level}`, series.c];
      });
      if (data.curves) lines.unshift([`${data.xn} ${shown(near.series.x[near.k], data.xu)}`, ""]);
      draw(points, points[told.indexOf(near)][0]);
      for (const one of others) if (one.svg !== svg) one.follow(data.xn, near.series.x[near.k]);
      say(event, lines);
    });
    // A double click shows a small plot as wide as the page, and a second one as small as before.
    if (group !== svg) svg.addEventListener("dblclick", () => svg.closest("figure").classList.toggle("zoomed"));
  }

  for (const element of document.querySelectorAll("[data-tip]")) {
    element.addEventListener("pointermove", (event) => say(event, [[element.dataset.tip, ""]]));
    element.addEventListener("pointerleave", hush);
  }

  // A click on a head sorts by its column: numbers by value, words by the alphabet, a second click the other way.
  const compared = (a, b) => {
    const [x, y] = [a, b].map((cell) => (cell.dataset.value === undefined ? null : Number(cell.dataset.value)));
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x !== null ? -1 : 1;
    return a.textContent.localeCompare(b.textContent, undefined, { numeric: true });
  };
  for (const head of document.querySelectorAll("th")) {
    head.querySelector("button").addEventListener("click", () => {
      const table = head.closest("table"), body = table.tBodies[0], column = head.cellIndex;
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      body.append(...[...body.rows].sort((a, b) => sign * compared(a.cells[column], b.cells[column])));
    });
  }

  // A long table as a file: every cell as it is shown, numbers with all their digits.
  const quoted = (text) => `"${text.trim().replaceAll('"', '""')}"`;
  for (const link of document.querySelectorAll("button.csv")) {
    link.addEventListener("click", () => {
      const details = link.closest("details");
      const rows = [...details.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => {
        const words = cell.querySelector("button") || cell;
        return cell.dataset.value === undefined ? quoted(words.textContent) : cell.dataset.value;
      }).join(","));
      const file = document.createElement("a");
      file.download = `${details.querySelector("summary").textContent.replace(/\W+/g, "_")}.csv`;
      file.href = URL.createObjectURL(new Blob([`${rows.join("\n")}\n`], { type: "text/csv" }));
      file.click();
      URL.revokeObjectURL(file.href);
    });
  }

  // On a narrow screen sections are folded to what they found, all but the first one. What a link leads to is opened.
  const parts = [...document.querySelectorAll("details.part, details.ways")];
  const reveal = (target) => {
    const inside = target && target.matches("section") ? target.querySelector("details.part") : null;
    for (let one = inside || target; one; one = one.parentElement) if (one.matches("details")) one.open = true;
  };
  const led = () => document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (matchMedia("(max-width: 40rem)").matches) {
    const first = document.querySelector(".decision") ? null : document.querySelector("section[id] details.part");
    for (const part of parts) part.open = part === first;
    reveal(led());
  }
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    link.addEventListener("click", () => reveal(document.getElementById(link.hash.slice(1))));
  }
  addEventListener("hashchange", () => reveal(led()));

  // Paper shows every section, what is folded inside it stays so; the screen then shows what it showed before.
  let before = null;
  const unfold = () => {
    before = before || [...document.querySelectorAll("section > details.part")].map((one) => [one, one.open]);
    for (const [one] of before) one.open = true;
  };
  const refold = () => {
    for (const [one, open] of before || []) one.open = open;
    before = null;
  };
  addEventListener("beforeprint", unfold);
  addEventListener("afterprint", refold);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? unfold() : refold()));

  // The section that is being read is marked in the list of sections.
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const [name, link] of links) link.classList.toggle("here", name === entry.target.id);
    }
  }, { rootMargin: "-15% 0px -80% 0px" });
  for (const section of document.querySelectorAll("section[id]")) watch.observe(section);
})();
