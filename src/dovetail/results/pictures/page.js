/* Draws the sheet: a stack of uPlots that share their x axis. uPlot has the axes, the zoom and the
 * cursor; the curves are drawn here, since they have rows of their own, jumps and lanes. */

const decode = (text) => new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const arrays = sheet.arrays.map(decode);
for (const panel of sheet.panels) {
  for (const curve of panel.curves) {
    curve.x = arrays[curve.x];
    curve.y = arrays[curve.y];
    curve.t = arrays[curve.t];
    curve.shown = true;
    let low = Infinity, high = -Infinity;
    for (const v of curve.y) if (v === v) { if (v < low) low = v; if (v > high) high = v; }
    curve.visible = high > low ? 2e-3 * (high - low) : 0;
  }
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const place = document.getElementById("plots");
const readout = document.getElementById("cursor");
const charts = [];

/* Numbers --------------------------------------------------------------------------------------- */

const written = (v, digits) => {
  if (v !== v) return "";
  const size = Math.abs(v);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) {
    return v.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  }
  return String(parseFloat(v.toPrecision(digits)));
};

/* The last place whose x is not behind v; -1 before the first. */
const before = (x, v) => {
  let low = 0, high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] <= v) low = middle + 1; else high = middle;
  }
  return low - 1;
};

/* What the curve shows at a time: on a straight line, or held. */
const valueAt = (curve, v) => {
  const { x, y } = curve, k = before(x, v);
  if (k < 0 || v > x[x.length - 1]) return NaN;
  if (curve.stepped || k + 1 >= x.length || x[k] === v || x[k + 1] === x[k]) return y[k];
  return y[k] + (v - x[k]) / (x[k + 1] - x[k]) * (y[k + 1] - y[k]);
};

/* Scales ---------------------------------------------------------------------------------------- */

const whole = () => {
  let low = Infinity, high = -Infinity;
  for (const panel of sheet.panels) for (const curve of panel.curves) for (const v of curve.x) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (!(low <= high)) return [0, 1];
  if (low === high) return [low - 0.5, high + 0.5];
  const room = sheet.over_time ? 0 : 0.04 * (high - low);
  return [low - room, high + room];
};
const ends = whole();

const range = (panel, from, to) => {
  if (panel.lanes) return [-0.1, panel.curves.length];
  let low = Infinity, high = -Infinity;
  const take = (v) => { if (v < low) low = v; if (v > high) high = v; };
  for (const curve of panel.curves) {
    if (!curve.shown) continue;
    const { x, y } = curve;
    if (sheet.over_time) {
      take(valueAt(curve, from));
      take(valueAt(curve, to));
    }
    for (let k = 0; k < x.length; k++) if (x[k] >= from && x[k] <= to) take(y[k]);
  }
  if (!(low <= high)) return [0, 1];
  const span = high - low;
  const room = span > 0 ? Math.min(0.08 * span, 1e300) : Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
};

/* Curves ---------------------------------------------------------------------------------------- */

/* The points from place a to place b as a path; where many share a column of pixels, its lowest and
 * highest. Returns the jumps, to be dotted. */
const trace = (context, curve, a, b, px, py, columns) => {
  const { x, y, t } = curve, jumps = [];
  const dense = sheet.over_time && !curve.stepped && b - a > 4 * columns;
  let pen = false;
  for (let k = a; k <= b; k++) {
    const v = y[k], u = x[k];
    if (v !== v || u !== u) { pen = false; continue; }
    const jump = pen && k > a && !curve.stepped && t[k] <= t[k - 1] &&
      (Math.abs(v - y[k - 1]) > curve.visible || (!sheet.over_time && u !== x[k - 1]));
    if (jump) { jumps.push(k); pen = false; }
    const cx = px(u);
    if (dense) {
      let low = v, high = v, last = v, n = k + 1;
      const column = Math.round(cx);
      while (n <= b && Math.round(px(x[n])) === column && y[n] === y[n] &&
             !(t[n] <= t[n - 1] && Math.abs(y[n] - y[n - 1]) > curve.visible)) {
        last = y[n];
        if (last < low) low = last;
        if (last > high) high = last;
        n++;
      }
      if (pen) context.lineTo(cx, py(v)); else context.moveTo(cx, py(v));
      if (n > k + 1) {
        context.lineTo(cx, py(low));
        context.lineTo(cx, py(high));
        context.lineTo(cx, py(last));
        k = n - 1;
      }
    } else if (!pen) context.moveTo(cx, py(v));
    else if (curve.stepped) {
      context.lineTo(cx, py(y[k - 1]));
      context.lineTo(cx, py(v));
    } else context.lineTo(cx, py(v));
    pen = true;
  }
  return jumps;
};

/* Each value of a lane where it begins, if there is room before the next; true and false need none. */
const named = (context, curve, a, b, px, y, edge) => {
  const ratio = devicePixelRatio || 1;
  if (curve.text.every((text) => text === "true" || text === "false")) return;
  context.font = `${11 * ratio}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (let k = a; k < b; k++) {
    const left = Math.max(px(curve.x[k]), edge) + 4 * ratio;
    const text = shorter(curve.text[k], 18), { width } = context.measureText(text);
    if (width + 4 * ratio > px(curve.x[k + 1]) - left) continue;
    context.fillStyle = colour("--ground");
    context.globalAlpha = 0.75;
    context.fillRect(left - 2 * ratio, y - 7 * ratio, width + 4 * ratio, 14 * ratio);
    context.globalAlpha = 1;
    context.fillStyle = curve.colour;
    context.fillText(text, left, y);
  }
};

const paint = (u, panel) => {
  const { ctx } = u, { left, top, width, height } = u.bbox, ratio = devicePixelRatio || 1;
  const { min: x0, max: x1 } = u.scales.x, { min: y0, max: y1 } = u.scales.y;
  const px = (v) => left + (v - x0) / (x1 - x0) * width;
  const far = 1e6; // beyond any screen, but not beyond what a canvas can draw to
  const py = (v) => Math.max(-far, Math.min(far, top + (y1 - v) / (y1 - y0) * height));
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.lineJoin = "round";
  panel.curves.forEach((curve, number) => {
    if (!curve.shown) return;
    const last = curve.x.length - 1;
    const a = sheet.over_time ? Math.max(0, before(curve.x, x0) - 1) : 0;
    const b = sheet.over_time ? Math.min(last, before(curve.x, x1) + 2) : last;
    const dots = ratio * curve.width * 96 / 72;
    ctx.strokeStyle = ctx.fillStyle = curve.colour;
    ctx.lineWidth = dots;
    ctx.setLineDash((curve.dashes || []).map((length) => length * dots));
    ctx.lineDashOffset = curve.offset * dots;
    ctx.beginPath();
    const jumps = trace(ctx, curve, a, b, px, py, width);
    ctx.stroke();
    if (panel.lanes) {
      const floor = panel.curves.length - 1 - number + 0.12;
      ctx.lineTo(px(curve.x[b]), py(floor));
      ctx.lineTo(px(curve.x[a]), py(floor));
      ctx.globalAlpha = 0.16;
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    if (panel.lanes) named(ctx, curve, a, b, px, py(panel.curves.length - 1 - number + 0.48), left);
    if (jumps.length) {
      ctx.setLineDash([2 * ratio, 2 * ratio]);
      ctx.lineWidth = 1.2 * ratio;
      ctx.globalAlpha = 0.6;
      ctx.beginPath();
      for (const k of jumps) {
        ctx.moveTo(px(curve.x[k - 1]), py(curve.y[k - 1]));
        ctx.lineTo(px(curve.x[k]), py(curve.y[k]));
      }
      ctx.stroke();
      ctx.globalAlpha = 1;
    }
    if (!curve.stepped && b - a < width / ratio / 12) {
      ctx.setLineDash([]);
      for (let k = a; k <= b; k++) {
        if (curve.y[k] !== curve.y[k] || curve.x[k] !== curve.x[k]) continue;
        ctx.beginPath();
        ctx.arc(px(curve.x[k]), py(curve.y[k]), 2.4 * ratio, 0, 7);
        ctx.fill();
      }
    }
  });
  ctx.restore();
};

/* The cursor ------------------------------------------------------------------------------------ */

const mark = (u, curve, x, y) => {
  const inside = x === x && y === y && curve.shown && y >= u.scales.y.min && y <= u.scales.y.max;
  curve.dot.hidden = !inside;
  if (inside) curve.dot.style.transform = `translate(${u.valToPos(x, "x")}px, ${u.valToPos(y, "y")}px)`;
};

const textAt = (curve, x) => {
  const k = before(curve.x, x);
  return k < 0 || x > curve.x[curve.x.length - 1] ? "" : curve.text[k];
};

const overTime = (u, panel, inside) => {
  const x = inside ? u.posToVal(u.cursor.left, "x") : NaN;
  for (const curve of panel.curves) {
    const y = inside ? valueAt(curve, x) : NaN;
    mark(u, curve, x, curve.text ? NaN : y);
    const value = curve.text ? (inside ? textAt(curve, x) : "") : written(y, 6);
    curve.value.textContent = value === "" || !curve.unit ? value : `${value} ${curve.unit}`;
  }
  if (inside) readout.textContent = `t = ${written(x, 6)} s`;
};

/* The recorded point that is nearest on the screen. */
const nearest = (u, panel, inside) => {
  let best = 30 * 30, found = null, at = 0;
  if (inside && u.cursor.top >= 0) {
    const kx = u.bbox.width / devicePixelRatio / (u.scales.x.max - u.scales.x.min);
    const ky = u.bbox.height / devicePixelRatio / (u.scales.y.max - u.scales.y.min);
    const x = u.posToVal(u.cursor.left, "x"), y = u.posToVal(u.cursor.top, "y");
    for (const curve of panel.curves) {
      if (!curve.shown) continue;
      for (let k = 0; k < curve.x.length; k++) {
        const apart = ((curve.x[k] - x) * kx) ** 2 + ((curve.y[k] - y) * ky) ** 2;
        if (apart < best) { best = apart; found = curve; at = k; }
      }
    }
  }
  for (const curve of panel.curves) {
    const here = curve === found;
    mark(u, curve, here ? curve.x[at] : NaN, here ? curve.y[at] : NaN);
    curve.value.textContent = here ? `(${written(curve.x[at], 5)}, ${written(curve.y[at], 5)})` : "";
  }
  if (found) readout.textContent = `t = ${written(found.t[at], 6)} s`;
};

const moved = (u, panel) => {
  const inside = u.cursor.left >= 0;
  if (!inside) readout.textContent = "";
  (sheet.over_time ? overTime : nearest)(u, panel, inside);
};

/* Panels ---------------------------------------------------------------------------------------- */

const redraw = (chart) => {
  const { min, max } = chart.scales.x;
  chart.batch(() => {
    chart.setScale("x", { min, max });
    chart.redraw(false, false);
  });
};

const show = (wanted) => {
  for (const panel of sheet.panels) {
    for (const curve of panel.curves) {
      curve.shown = wanted(curve);
      curve.entry.classList.toggle("hidden", !curve.shown);
    }
  }
  charts.forEach(redraw);
};

const zoomOut = () => charts.forEach((chart) => chart.setScale("x", { min: ends[0], max: ends[1] }));

const swatch = (curve) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  for (const [name, value] of [["width", 26], ["height", 8]]) svg.setAttribute(name, value);
  const look = { x1: 0, x2: 26, y1: 4, y2: 4, stroke: curve.colour, "stroke-width": curve.width * 96 / 72 };
  if (curve.dashes) look["stroke-dasharray"] = "5 3";
  for (const [name, value] of Object.entries(look)) line.setAttribute(name, value);
  svg.append(line);
  return svg;
};

const legend = (panel) => {
  const list = document.createElement("ul");
  list.className = "legend";
  for (const curve of panel.curves) {
    const entry = document.createElement("li"), name = document.createElement("span");
    curve.entry = entry;
    curve.value = document.createElement("span");
    name.className = "name";
    name.textContent = curve.label;
    curve.value.className = "value";
    entry.title = `${curve.name}: click to hide or show, double click to show it alone in its panel`;
    entry.append(swatch(curve), name, curve.value);
    entry.addEventListener("click", () => show((one) => one === curve ? !one.shown : one.shown));
    entry.addEventListener("dblclick", () => {
      const others = panel.curves.filter((one) => one !== curve);
      const alone = others.every((one) => !one.shown) && curve.shown;
      show((one) => panel.curves.includes(one) ? alone || one === curve : one.shown);
    });
    list.append(entry);
  }
  if (panel.more) {
    const entry = document.createElement("li");
    entry.className = "more";
    entry.textContent = `and ${panel.more} more`;
    list.append(entry);
  }
  return list;
};

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const shorter = (text, most) => text.length <= most ? text : text.slice(0, most - 1) + "…";

const axes = (panel, bottom) => {
  const look = { stroke: () => colour("--quiet"), font: FONT, labelFont: FONT,
                 ticks: { stroke: () => colour("--lines"), size: 4 } };
  const grid = { stroke: () => colour("--grid"), width: 1 };
  const along = { ...look, grid, values: (u, splits) => splits.map((v) => bottom ? written(v, 12) : "") };
  if (bottom) Object.assign(along, { label: sheet.x, labelSize: 20, size: 32 });
  else Object.assign(along, { size: 12 });
  const up = { ...look, grid: panel.lanes ? { show: false } : grid, size: 62, space: 28,
               label: panel.label || " ", labelSize: 22, values: (u, splits) => splits.map((v) => written(v, 12)) };
  if (panel.lanes) {
    up.splits = () => panel.curves.map((_, k) => panel.curves.length - 1 - k + 0.48);
    up.values = () => panel.curves.map((curve) => shorter(curve.label, 14));
    up.ticks = { show: false };
  }
  return [along, up];
};

const build = (panel, number) => {
  const row = document.createElement("section"), plot = document.createElement("div");
  row.className = "panel";
  plot.className = "plot";
  panel.list = legend(panel);
  row.append(plot, panel.list);
  place.append(row);
  const bottom = number === sheet.panels.length - 1;
  const options = {
    width: 600, height: 200, padding: [10, 18, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: (u, min, max) => (panel.view = [min, max]) },
      y: { range: () => range(panel, ...panel.view) },
    },
    series: [{}, { points: { show: false }, paths: () => null }],
    axes: axes(panel, bottom),
    cursor: {
      points: { show: false }, y: !panel.lanes, focus: { prox: -1 },
      drag: { x: true, y: !panel.lanes, uni: 40 },
      sync: { key: "sheet", scales: ["x", null] },
      bind: { dblclick: () => () => { zoomOut(); } },
    },
    hooks: {
      draw: [(u) => paint(u, panel)],
      setCursor: [(u) => moved(u, panel)],
    },
  };
  const chart = new uPlot(options, [ends, [null, null]], plot);
  for (const curve of panel.curves) {
    curve.dot = document.createElement("div");
    curve.dot.className = "dot";
    curve.dot.hidden = true;
    curve.dot.style.background = curve.colour;
    chart.over.append(curve.dot);
  }
  panel.plot = plot;
  charts.push(chart);
};

/* All legends are as wide as the widest, with room for values, so that the plots stand in line. */
const align = () => {
  const room = 16 * 7;
  const widest = Math.max(...sheet.panels.map((panel) => panel.list.scrollWidth)) + room;
  for (const panel of sheet.panels) panel.list.style.width = `${Math.min(widest, 350)}px`;
};

const resize = () => {
  const around = ["header", "footer"].map((name) => document.querySelector(name).offsetHeight);
  const wanted = sheet.size ? sheet.size[1] : innerHeight - around[0] - around[1] - 8;
  const all = sheet.panels.reduce((sum, panel) => sum + panel.weight, 0);
  sheet.panels.forEach((panel, number) => {
    const bottom = number === sheet.panels.length - 1;
    const least = panel.lanes ? 40 + 30 * panel.curves.length : 150;
    const height = Math.max(least, (wanted - 40) * panel.weight / all) + (bottom ? 40 : 0);
    charts[number].setSize({ width: Math.max(200, panel.plot.clientWidth), height: Math.round(height) });
    panel.list.style.maxHeight = `${Math.round(height) - 8}px`;
  });
};

sheet.panels.forEach(build);
align();
resize();
addEventListener("resize", resize);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((c) => c.redraw(false, true)));

const filter = document.getElementById("filter");
filter.addEventListener("input", () => {
  const text = filter.value.trim().toLowerCase();
  show((curve) => curve.name.toLowerCase().includes(text));
});
document.getElementById("all").addEventListener("click", () => { filter.value = ""; show(() => true); });
document.getElementById("none").addEventListener("click", () => { filter.value = ""; show(() => false); });
document.getElementById("whole").addEventListener("click", zoomOut);
