import { useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import type { Curves } from "./link";
import { drawOver, get, link, set, setPanels, useStudio } from "./store";
import { receiver } from "./dropping";
import { legendOf } from "./legend";
import { Lanes, LANE, type Lane, type View } from "./Lanes";
import { colourOf, tall } from "./names";
import { strokes, tableOf } from "./rows";
import { saveDrawing, savePicture, saveRows } from "./saving";
import { svgOf } from "./svg";
import type { Run } from "./types";
import { pairsOf, XYPlot } from "./XYPlot";

export function Plots({ height }: { height: number }) {
  const panels = useStudio((s) => s.panels);
  const number = useStudio((s) => s.run);
  const overlaid = useStudio((s) => s.overlaid);
  const runs = useStudio((s) => s.runs);
  const curves = useStudio((s) => s.curves);
  const shown = (number === null ? [] : [number, ...overlaid])
    .map((n) => ({ run: runs.find((r) => r.number === n), curves: curves[n] }))
    .filter((one): one is { run: Run; curves: Curves } => one.run !== undefined && one.curves !== undefined);
  const carried = useStudio((s) => s.carried);
  const starts = runs.some((r) => r.number === number && r.state === "starting");
  if (panels.length === 0)
    return <p className="note pad" {...receiver(null)}>{starts ? "The run starts …" : "Right-click an output, a wire or a part to plot it, or drag an output here."}</p>;
  return (
    <div className={carried === null ? "plots" : "plots open"} {...receiver(null)}>
      {panels.map((names, k) => (
        <Panel key={`${k} ${names.join()}`} names={names} place={k} shown={shown} height={height} />
      ))}
      {carried !== null && <div className="drophere" {...receiver(null)}>A plot of its own</div>}
    </div>
  );
}

type Line = { name: string; label: string; unit: string; times: Float64Array; values: Float64Array; dash: boolean; kind: string; literals?: string[] };

/** The curves of a panel, from all runs that are shown. */
export function linesOf(names: string[], shown: { run: Run; curves: Curves }[]): Line[] {
  return shown.flatMap(({ run, curves }, order) =>
    names.flatMap((name) => {
      const k = curves.names.indexOf(name);
      if (k < 0) return [];
      const unit = run.units[name] ?? "";
      const label = order === 0 ? name : `${name}, run ${run.number}`;
      return [{ name, label, unit, times: curves.times, values: curves.lines[k], dash: order > 0, kind: run.kinds?.[name] ?? "real", literals: run.literals?.[name] }];
    }),
  );
}

/** What is drawn as a lane, and what as a curve. */
const isLane = (line: Line): boolean => line.kind === "boolean" || line.kind === "enumeration";

function Panel({ names, place, shown, height }: { names: string[]; place: number; shown: { run: Run; curves: Curves }[]; height: number }) {
  const figure = useRef<HTMLElement>(null);
  const home = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [zoom, setZoom] = useState<[number, number] | null>(null);
  const theme = useStudio((s) => s.theme);
  const across = useStudio((s) => s.overs[names.join("\n")] ?? "");
  const [view, setView] = useState<View | null>(null);
  const [exact, setExact] = useState<{ run: Run; curves: Curves }[] | null>(null);
  const current = zoom && exact ? exact : shown;
  const every = useMemo(() => linesOf(names, current), [names, current]);
  const lines = useMemo(() => every.filter((line) => !isLane(line)), [every]);
  const lanes: Lane[] = useMemo(() => every.filter(isLane), [every]);
  const room = Math.max(60, height - 74 - (across === "" ? LANE * lanes.length : 0));
  const signature = every.map((l) => l.label).join("|") + room + theme + across;
  const first = shown[0];
  const jump = useStudio((s) => s.jump);
  const moment = useRef<number | null>(null);
  moment.current = jump?.time ?? null;
  useEffect(() => {
    if (jump && first) setZoom(around(jump.time, first.run));
    else plot.current?.redraw(false);
  }, [jump]);
  const zoomed = useRef(zoom);
  zoomed.current = zoom;

  useEffect(() => {
    if (!home.current || every.length === 0 || across !== "") return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink");
    const grid = { stroke: style.getPropertyValue("--line"), width: 1 };
    const units = [...new Set(lines.map((line) => line.unit))];
    const axis = { stroke: ink, grid, ticks: grid, font: "12px system-ui" };
    const made = new uPlot(
      {
        width: home.current.clientWidth,
        height: room,
        scales: {
          x: { time: false, range: (u, low, high) => zoomed.current ?? wide(u, low, high, first) },
          ...Object.fromEntries(units.map((unit) => [unit, { range: (_: uPlot, low: number, high: number) => tall(low, high) }])),
        },
        axes: [
          { ...axis, size: 34 },
          ...(units.length === 0 ? [{ ...axis, size: 60, values: () => [] }] : []),
          ...units.slice(0, 2).map((unit, k) => ({
            ...axis, scale: unit, side: k === 0 ? 3 : 1, size: roomFor, labelSize: 18,
            label: unit === "" ? undefined : unit, labelFont: "12px system-ui",
            grid: k === 0 ? grid : { show: false },
          })),
        ],
        cursor: { drag: { x: true, y: false, setScale: false } },
        series: [
          { label: "t", value: (_, v) => (v == null ? "" : `${v.toPrecision(6)} s`) },
          ...lines.map((line) => ({
            label: line.label,
            scale: line.unit,
            stroke: colourOf(names, line.name),
            width: 1.5,
            dash: line.dash ? [6, 4] : undefined,
            spanGaps: false,
            paths: strokes,
            points: { show: false },
            value: (_: uPlot, v: number | null) => (v == null ? "" : v.toPrecision(6)),
          })),
        ],
        hooks: {
          draw: [(u) => moment.current !== null && mark(u, moment.current), (u) => lanes.length > 0 && setView((old) => viewOf(u, old))],
          setSelect: [
            (u) => {
              if (u.select.width < 4) return;
              const range: [number, number] = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
              u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
              setZoom(range);
            },
          ],
        },
      },
      dataOf(lines, lanes),
      home.current,
    );
    plot.current = made;
    legendOf(made.root, lines.map((line) => line.name), place);
    const watcher = new ResizeObserver(() => home.current && made.setSize({ width: home.current.clientWidth, height: room }));
    watcher.observe(home.current);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
    // made anew only when the curves are others; new rows go in below
  }, [signature]);

  useEffect(() => {
    if (plot.current && every.length > 0) plot.current.setData(dataOf(lines, lanes));
  }, [every, zoom]);

  useEffect(() => {
    if (zoom === null) {
      setExact(null);
      return;
    }
    let wanted = true;
    const buckets = home.current?.clientWidth ?? 800;
    Promise.all(
      shown.map(async ({ run }) => {
        const given = { run: run.number, names, begin: zoom[0], end: zoom[1], buckets };
        return { run, curves: await link.ask<Curves>("rows", given) };
      }),
    ).then((found) => wanted && setExact(found), () => undefined);
    return () => {
      wanted = false;
    };
  }, [zoom]);

  const whole = () => {
    setZoom(null);
    set({ jump: null });
  };
  const save = () => {
    const drawn = figure.current?.querySelector("canvas");
    const named = every.filter((line) => line.name !== across);
    if (drawn) savePicture(drawn, named.map((line) => ({ label: line.label, colour: colourOf(names, line.name) })), across || "time in s");
  };

  const saveSharp = () => {
    const runs = shown.map((one) => one.run);
    const asked = { names, begin: zoom?.[0] ?? -1e300, end: zoom?.[1] ?? 1e300, buckets: 2000, whole_rows: across !== "" };
    void Promise.all(runs.map(async (run) => ({ run, curves: await link.ask<Curves>("rows", { run: run.number, ...asked }) }))).then((found) => {
      const all = linesOf(names, found);
      const drawn = across === "" ? all.filter((l) => !isLane(l)).map((l) => ({ ...l, xs: l.times, ys: l.values })) : pairsOf(names, across, found).map((p) => ({ ...p, unit: first.run.units[p.name] ?? "", xs: p.x, ys: p.y }));
      saveDrawing(
        svgOf({
          lines: drawn.map((l) => ({ label: l.label, unit: l.unit, dash: l.dash, xs: l.xs, ys: l.ys, colour: colourOf(names, l.name) })),
          lanes: across === "" ? all.filter(isLane) : [],
          axis: across || "time in s", range: across === "" ? zoom : null, inTime: across === "", width: 800, height: 420,
        }),
        names[0],
      );
    }, () => undefined);
  };

  return (
    <figure className="panel" ref={figure} {...receiver(place)}>
      <figcaption>
        {names.length > 1 && (
          <select aria-label="Drawn over" title="What it is drawn over" value={across} onChange={(e) => drawOver(names, e.target.value)}>
            <option value="">over time</option>
            {names.map((name) => <option key={name} value={name}>over {name}</option>)}
          </select>
        )}
        {first && lines.length > 0 && <button title="Save this plot as a picture" onClick={save}>PNG</button>}
        {first && every.length > 0 && <button title="Save this plot as a drawing that stays sharp" onClick={saveSharp}>SVG</button>}
        {first && every.length > 0 && (
          <button title={`Save all rows of ${zoom ? "this stretch" : "these signals"} of run ${first.run.number}`} onClick={() => saveRows(first.run.number, names, zoom)}>CSV</button>
        )}
        {zoom && <button onClick={whole}>whole</button>}
        <button aria-label="Close this plot" onClick={() => setPanels(get().panels.filter((_, k) => k !== place))}>×</button>
      </figcaption>
      {across !== "" && <XYPlot names={names} across={across} runs={shown.map((one) => one.run)} range={zoom} height={height} />}
      {across === "" && <Lanes lanes={lanes} view={view} />}
      <div ref={home} className="plot" hidden={across !== ""} onDoubleClick={whole} />
      {every.length === 0 && <p className="note pad">{names.join(", ")}: run it to see {names.length > 1 ? "them" : "it"}.</p>}
    </figure>
  );
}

/** As wide as the numbers of an axis are. */
const roomFor = (_: uPlot, values: string[] | null): number => Math.max(44, 14 + 7 * Math.max(0, ...(values ?? []).map((v) => v.length)));

/** Rows for uPlot; a plot of lanes alone has an axis and no curve. */
function dataOf(lines: Line[], lanes: Lane[]): uPlot.AlignedData {
  return lines.length > 0 ? tableOf(lines) : [Array.from(lanes[0].times)];
}

/** Where the axis of time is on the page; the same object if nothing moved. */
function viewOf(u: uPlot, old: View | null): View {
  const { min = 0, max = 1 } = u.scales.x;
  const made = { min, max, left: u.bbox.left / devicePixelRatio, width: u.bbox.width / devicePixelRatio };
  const same = old !== null && (Object.keys(made) as (keyof View)[]).every((k) => made[k] === old[k]);
  return same ? old : made;
}

/** A stretch of a run around a moment. */
function around(time: number, run: Run): [number, number] {
  const half = Math.max(((run.time ?? run.stop ?? 1) - (run.start ?? 0)) / 30, 1e-12 * Math.abs(time)) || 1;
  return [time - half, time + half];
}

/** A line at a moment that was asked for. */
function mark(u: uPlot, time: number): void {
  const x = u.valToPos(time, "x", true);
  if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
  u.ctx.save();
  u.ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--bad");
  u.ctx.setLineDash([4, 4]);
  u.ctx.beginPath();
  u.ctx.moveTo(x, u.bbox.top);
  u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
  u.ctx.stroke();
  u.ctx.restore();
}

/** While a run goes on the axis shows all of it from the start. */
function wide(_: uPlot, low: number, high: number, first?: { run: Run }): [number, number] {
  const run = first?.run;
  if (run && ["running", "paused", "starting"].includes(run.state) && run.stop != null) return [run.start ?? 0, run.stop];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}
