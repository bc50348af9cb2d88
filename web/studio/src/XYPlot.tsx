import { useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import type { Curves } from "./link";
import { colourOf, tall } from "./names";
import { link, useStudio } from "./store";
import type { Run } from "./types";

const MOST = 10_000; // pairs of rows that are drawn; of more every n-th

export type Pair = { label: string; name: string; x: Float64Array; y: Float64Array; dash: boolean };

/** Signals over another one, from all runs that are shown. */
export function pairsOf(names: string[], across: string, shown: { run: Run; curves: Curves }[]): Pair[] {
  return shown.flatMap(({ run, curves }, order) => {
    const x = curves.lines[curves.names.indexOf(across)];
    if (x === undefined) return [];
    return names
      .filter((name) => name !== across && curves.names.includes(name))
      .map((name) => ({
        label: order === 0 ? name : `${name}, run ${run.number}`,
        name, x, y: curves.lines[curves.names.indexOf(name)], dash: order > 0,
      }));
  });
}

/** The least and the largest number of several lines; NaN does not count. */
export function rangeOf(lines: Float64Array[]): [number | null, number | null] {
  let low = Infinity;
  let high = -Infinity;
  for (const line of lines)
    for (const v of line) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
  return low > high ? [null, null] : [low, high];
}

/** Draw points in their order, with a gap where a value is none. */
function traced(u: uPlot, k: number): null {
  uPlot.orient(u, k, (series, xs, ys, sx, sy, toX, toY, left, top, width, height) => {
    const pen = u.ctx;
    const dash = series.dash;
    pen.save();
    pen.beginPath();
    pen.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    pen.clip();
    pen.beginPath();
    let open = false;
    for (let i = 0; i < xs.length; i++) {
      const x = xs[i] as number;
      const y = ys[i] as number;
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        open = false;
        continue;
      }
      const px = toX(x, sx, width, left);
      const py = toY(y, sy, height, top);
      open ? pen.lineTo(px, py) : pen.moveTo(px, py);
      open = true;
    }
    pen.strokeStyle = (series as unknown as { colour: string }).colour;
    pen.lineWidth = 1.5 * devicePixelRatio;
    pen.setLineDash(dash ?? []);
    pen.stroke();
    pen.restore();
  });
  return null;
}

type Wanted = { names: string[]; across: string; runs: Run[]; range: [number, number] | null; height: number };

/** A plot of signals over another signal. */
export function XYPlot({ names, across, runs, range, height }: Wanted) {
  const home = useRef<HTMLDivElement>(null);
  const theme = useStudio((s) => s.theme);
  const [shown, setShown] = useState<{ run: Run; curves: Curves }[]>([]);
  const goes = runs.some((r) => ["starting", "running", "paused"].includes(r.state));
  const numbers = runs.map((r) => r.number).join();
  useEffect(() => {
    let wanted = true;
    const given = { names, begin: range?.[0] ?? -1e300, end: range?.[1] ?? 1e300, buckets: MOST, whole_rows: true };
    const ask = () =>
      Promise.all(runs.map(async (run) => ({ run, curves: await link.ask<Curves>("rows", { run: run.number, ...given }) }))).then(
        (found) => wanted && setShown(found),
        () => undefined,
      );
    void ask();
    const timer = goes ? setInterval(() => void ask(), 1000) : undefined;
    return () => {
      wanted = false;
      clearInterval(timer);
    };
    // runs are objects that change with every row: their numbers say whether they are others
  }, [names.join(), numbers, goes, range?.[0], range?.[1]]);
  const pairs = useMemo(() => pairsOf(names, across, shown), [names, across, shown]);
  useEffect(() => {
    if (!home.current || pairs.length === 0) return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink");
    const grid = { stroke: style.getPropertyValue("--line"), width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: "12px system-ui", labelFont: "12px system-ui" };
    const unit = runs[0]?.units[across];
    const wide = tall(...rangeOf(pairs.map((p) => p.x)));
    const high = tall(...rangeOf(pairs.map((p) => p.y)));
    const facets = [{ scale: "x", auto: true }, { scale: "y", auto: true }];
    const made = new uPlot(
      {
        mode: 2,
        width: home.current.clientWidth,
        height: Math.max(60, height - 74),
        scales: { x: { time: false, range: () => wide }, y: { range: () => high } },
        axes: [
          { ...axis, size: 34, labelSize: 16, label: unit ? `${across} in ${unit}` : across },
          { ...axis, size: 60 },
        ],
        cursor: { show: false },
        legend: { show: true, live: false },
        series: [
          {},
          ...pairs.map((pair) => {
            const colour = colourOf(names, pair.name);
            return { label: pair.label, stroke: colour, colour, dash: pair.dash ? [6, 4] : undefined, facets, paths: traced } as unknown as uPlot.Series;
          }),
        ],
      },
      [null, ...pairs.map((pair) => [pair.x, pair.y])] as unknown as uPlot.AlignedData,
      home.current,
    );
    const watcher = new ResizeObserver(() => home.current && made.setSize({ width: home.current.clientWidth, height: Math.max(60, height - 74) }));
    watcher.observe(home.current);
    return () => {
      watcher.disconnect();
      made.destroy();
    };
  }, [pairs, height, theme]);
  return <div ref={home} className="plot" />;
}
