/** A plot as SVG: what is seen, as lines that stay sharp at any size. */

import { type Lane, LANE, shadeOf } from "./Lanes";
import { stretchesOf, wordOf } from "./rows";

export interface SvgLine {
  label: string;
  unit: string;
  colour: string;
  dash: boolean;
  xs: ArrayLike<number>;
  ys: ArrayLike<number>;
}

export interface SvgPlot {
  lines: SvgLine[];
  lanes: Lane[];
  axis: string; // what it is drawn over
  range: [number, number] | null; // of the axis; the whole of it if none is given
  inTime: boolean; // two rows of one place are a jump, and no line
  width: number;
  height: number;
}

const LEFT = 64;
const RIGHT = 20;
const ROW = 16;

const safe = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

/** Round numbers in a range, some six of them. */
export function ticksOf(low: number, high: number, wanted = 6): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough)!;
  const found: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** The least and the largest finite number. */
function spanOf(all: ArrayLike<number>[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const values of all)
    for (let k = 0; k < values.length; k++)
      if (Number.isFinite(values[k])) {
        low = Math.min(low, values[k]);
        high = Math.max(high, values[k]);
      }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/** The path of a line: a new beginning behind each jump and each value that is none. */
export function pathOf(xs: ArrayLike<number>, ys: ArrayLike<number>, inTime: boolean, toX: (v: number) => number, toY: (v: number) => number): string {
  let path = "";
  let open = false;
  for (let k = 0; k < xs.length; k++) {
    if (!Number.isFinite(xs[k]) || !Number.isFinite(ys[k])) {
      open = false;
      continue;
    }
    if (inTime && k > 0 && xs[k] === xs[k - 1] && ys[k] !== ys[k - 1]) open = false;
    path += `${open ? "L" : "M"}${toX(xs[k]).toFixed(2)},${toY(ys[k]).toFixed(2)}`;
    open = true;
  }
  return path;
}

function laneOf(lane: Lane, top: number, toX: (v: number) => number, low: number, high: number): string {
  const bars = stretchesOf(lane)
    .filter(({ from, to }) => to > low && from < high)
    .map(({ from, to, value }) => {
      const x1 = toX(Math.max(from, low));
      const wide = toX(Math.min(to, high)) - x1;
      const word = wordOf(lane.kind, value, lane.literals);
      const fill = shadeOf(lane.kind, value);
      const said = wide > 8 + 7 * word.length ? `<text x="${(x1 + 4).toFixed(2)}" y="${top + 25}" fill="${fill === "none" ? "#1d2733" : "#fff"}">${safe(word)}</text>` : "";
      return `<rect x="${x1.toFixed(2)}" y="${top + 15}" width="${wide.toFixed(2)}" height="13" fill="${fill}" stroke="#d9dfe6"/>${said}`;
    });
  return `<text x="${LEFT}" y="${top + 11}">${safe(lane.label)}</text>${bars.join("")}`;
}

export function svgOf({ lines, lanes, axis, range, inTime, width, height }: SvgPlot): string {
  const units = [...new Set(lines.map((line) => line.unit))];
  const top = 8 + ROW * lines.length;
  const bottom = height - 40;
  const [low, high] = range ?? spanOf([...lines.map((l) => l.xs), ...lanes.map((l) => l.times)]);
  const toX = (v: number) => LEFT + ((v - low) / (high - low)) * (width - LEFT - RIGHT);
  const deepest = bottom - LANE * lanes.length;
  const heights = units.map((unit) => spanOf(lines.filter((l) => l.unit === unit).map((l) => l.ys)));
  const toY = (unit: string) => {
    const [least, most] = heights[units.indexOf(unit)];
    const room = 0.06 * (most - least);
    return (v: number) => deepest - ((v - least + room) / (most - least + 2 * room)) * (deepest - top);
  };
  const out: string[] = [];
  for (const tick of ticksOf(low, high)) {
    const x = toX(tick).toFixed(2);
    out.push(`<path d="M${x},${top}V${bottom}" stroke="#d9dfe6"/><text x="${x}" y="${bottom + 16}" text-anchor="middle">${tick}</text>`);
  }
  if (units.length > 0)
    for (const tick of ticksOf(...heights[0], 5)) {
      const y = toY(units[0])(tick).toFixed(2);
      out.push(`<path d="M${LEFT},${y}H${width - RIGHT}" stroke="#d9dfe6"/><text x="${LEFT - 6}" y="${Number(y) + 4}" text-anchor="end">${tick}</text>`);
    }
  out.push(`<text x="${(LEFT + width - RIGHT) / 2}" y="${height - 8}" text-anchor="middle">${safe(axis)}</text>`);
  lines.forEach((line, k) => {
    const scale = units.length > 1 && line.unit !== units[0] ? `, ${spanOf([line.ys]).map((v) => v.toPrecision(4)).join(" to ")}` : "";
    const name = `${line.label}${line.unit ? ` in ${line.unit}` : ""}${scale}`;
    out.push(`<text x="${LEFT}" y="${ROW * (k + 1)}" fill="${line.colour}">${safe(name)}</text>`);
    const dash = line.dash ? ' stroke-dasharray="6 4"' : "";
    out.push(`<path clip-path="url(#inside)" d="${pathOf(line.xs, line.ys, inTime, toX, toY(line.unit))}" fill="none" stroke="${line.colour}" stroke-width="1.5"${dash}/>`);
  });
  lanes.forEach((lane, k) => out.push(laneOf(lane, deepest + k * LANE, toX, low, high)));
  const clip = `<clipPath id="inside"><rect x="${LEFT}" y="${top - 4}" width="${width - LEFT - RIGHT}" height="${bottom - top + 8}"/></clipPath>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" fill="#1d2733">` +
    `<defs>${clip}</defs><rect width="${width}" height="${height}" fill="#fff"/>${out.join("")}</svg>\n`
  );
}
