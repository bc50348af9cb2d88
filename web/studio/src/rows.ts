/** Rows of curves as plots take them: a gap where a signal jumps, no line where it is no number. */

import uPlot from "uplot";

export interface Rows {
  times: Float64Array;
  values: Float64Array;
}

type Cell = number | null | undefined; // null is a gap; undefined is no row of this line

const cell = (value: number): Cell => (Number.isNaN(value) ? null : value);

/** Lines of one run: two rows of one time get one between them, a gap of the lines that jump. */
function aligned(lines: Rows[]): [number[], ...Cell[][]] {
  const { times } = lines[0];
  const xs: number[] = [];
  const columns: Cell[][] = lines.map(() => []);
  for (let k = 0; k < times.length; k++) {
    if (k > 0 && times[k] === times[k - 1]) {
      xs.push(times[k]);
      lines.forEach((line, n) => columns[n].push(line.values[k] !== line.values[k - 1] ? null : undefined));
    }
    xs.push(times[k]);
    lines.forEach((line, n) => columns[n].push(cell(line.values[k])));
  }
  return [xs, ...columns];
}

/** The same for one line, each row moved apart by a hair: joining keeps one row of each time. */
function apart(line: Rows): [number[], Cell[]] {
  const [xs, ys] = aligned([line]) as [number[], Cell[]];
  let before = -Infinity;
  return [xs.map((x) => (before = x > before ? x : before + 1e-12 * (1 + Math.abs(before)))), ys];
}

/** What uPlot draws of these lines, of one run or of several. */
export function tableOf(lines: Rows[]): uPlot.AlignedData {
  if (lines.length === 0) return [[]];
  if (lines.every((line) => line.times === lines[0].times)) return aligned(lines) as unknown as uPlot.AlignedData;
  return uPlot.join(lines.map(apart) as unknown as uPlot.AlignedData[]);
}

/** Where the pen is lifted: at a gap, however narrow; rows that a line does not have are passed over. */
export function strokesOf(ys: ArrayLike<Cell>, first: number, last: number): number[][] {
  const found: number[][] = [];
  let open = false;
  for (let k = first; k <= last; k++) {
    if (ys[k] === undefined) continue;
    if (ys[k] === null) {
      open = false;
      continue;
    }
    if (!open) found.push([]);
    found[found.length - 1].push(k);
    open = true;
  }
  return found;
}

/** Lines for uPlot, which by itself draws through gaps that take no time. */
export const strokes: uPlot.Series.PathBuilder = (plot, series, first, last) => {
  const stroke = new Path2D();
  uPlot.orient(plot, series, (_, xs, ys, sx, sy, toX, toY, left, top, width, height) => {
    for (const rows of strokesOf(ys as ArrayLike<Cell>, first, last))
      rows.forEach((k, n) => {
        const x = toX(xs[k], sx, width, left);
        const y = toY(ys[k] as number, sy, height, top);
        if (n === 0) stroke.moveTo(x, y);
        else stroke.lineTo(x, y);
      });
  });
  return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 1 } as unknown as uPlot.Series.Paths;
};

export interface Stretch {
  from: number;
  to: number;
  value: number;
}

/** A signal of few values as stretches in which it has one: neighbours of one value are one. */
export function stretchesOf({ times, values }: Rows): Stretch[] {
  const found: Stretch[] = [];
  for (let k = 0; k < times.length; k++) {
    const last = found[found.length - 1];
    if (last) last.to = times[k];
    if (!last || last.value !== values[k]) found.push({ from: times[k], to: times[k], value: values[k] });
  }
  return found;
}

/** What a value of a lane is called. */
export function wordOf(kind: string, value: number, literals?: string[]): string {
  if (Number.isNaN(value)) return "";
  if (kind === "boolean") return value ? "true" : "false";
  return literals?.[value - 1] ?? String(value);
}
