import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { colourAt, number, tall } from "./names";
import { useStudio } from "./store";

export interface Drawn {
  times: (number | null)[];
  lines: Record<string, (number | null)[]>;
  units: Record<string, string>;
}

/** A few curves of one unit in a small picture; `logarithmic` for sizes that differ by orders. */
export function MiniPlot({ title, drawn, logarithmic = false, stepped = false, height = 150 }: { title: string; drawn: Drawn; logarithmic?: boolean; stepped?: boolean; height?: number }) {
  const home = useRef<HTMLDivElement>(null);
  const theme = useStudio((s) => s.theme);
  const names = Object.keys(drawn.lines);
  useEffect(() => {
    if (!home.current || names.length === 0) return;
    const style = getComputedStyle(document.documentElement);
    const grid = { stroke: style.getPropertyValue("--line"), width: 1 };
    const axis = { stroke: style.getPropertyValue("--ink"), grid, ticks: grid, font: "11px system-ui" };
    const made = new uPlot(
      {
        width: Math.max(120, home.current.clientWidth),
        height,
        legend: { show: names.length > 1, live: false },
        cursor: { drag: { x: false, y: false } },
        scales: { x: { time: false }, y: logarithmic ? { distr: 3 } : { range: (_, low, high) => tall(low, high) } },
        axes: [{ ...axis, size: 28 }, { ...axis, size: 58, values: (_, all) => all.map((v) => (v == null ? "" : number(v))) }],
        series: [
          {},
          ...names.map((name, k) => ({
            label: name, stroke: colourAt(k), width: 1.5, points: { show: false },
            paths: stepped ? uPlot.paths.stepped!({ align: -1 }) : undefined,
          })),
        ],
      },
      [drawn.times, ...names.map((n) => drawn.lines[n])] as uPlot.AlignedData,
      home.current,
    );
    const watcher = new ResizeObserver(() => home.current && made.setSize({ width: Math.max(120, home.current.clientWidth), height }));
    watcher.observe(home.current);
    return () => {
      watcher.disconnect();
      made.destroy();
    };
  }, [drawn, theme, logarithmic, stepped, height]);
  return (
    <div className="mini">
      <h3>{title}</h3>
      <div ref={home} role="img" aria-label={title} />
    </div>
  );
}
