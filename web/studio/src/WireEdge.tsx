import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath, useReactFlow } from "@xyflow/react";
import { type PointerEvent, useState } from "react";
import { edit } from "./store";
import { cornersOf, type Point } from "./wires";

export type WireInfo = { low: number; lane: number; words: string; marked: boolean; way?: Point[]; usual?: boolean } & Record<string, unknown>;

/** A wire to the right is a curve; one that leads back goes below both of its blocks. */
export function wayOf(from: [number, number], to: [number, number], low: number, lane: number): string | null {
  const corners = cornersOf(from, to, low, lane);
  if (corners === null) return null;
  const [[x1, y1], [out], [, under], [into], , [x2, y2]] = corners;
  const r = 6;
  return (
    `M${x1},${y1} H${out - r} Q${out},${y1} ${out},${y1 + r} V${under - r} Q${out},${under} ${out - r},${under} ` +
    `H${into + r} Q${into},${under} ${into},${under - r} V${y2 + r} Q${into},${y2} ${into + r},${y2} H${x2}`
  );
}

/** A wire with corners of its own, as a file or a hand has drawn them. */
export const cornered = (from: Point, way: Point[], to: Point): string => `M${[from, ...way, to].map((p) => p.join(",")).join(" L")}`;

export function WireEdge(props: EdgeProps & { data?: WireInfo }) {
  const { id, sourceX, sourceY, targetX, targetY, data, markerEnd, selected } = props;
  const [dragged, setDragged] = useState<Point[] | null>(null);
  const way = dragged ?? data?.way;
  const back = data?.usual === false ? null : wayOf([sourceX, sourceY], [targetX, targetY], data?.low ?? 0, data?.lane ?? 0);
  const corners = back === null ? null : cornersOf([sourceX, sourceY], [targetX, targetY], data?.low ?? 0, data?.lane ?? 0);
  const middle: Point = corners ? [(corners[2][0] + corners[3][0]) / 2, corners[2][1]] : [(sourceX + targetX) / 2, (sourceY + targetY) / 2];
  const gap = targetX - sourceX;
  const tight = gap > 0 && gap < 6.3 * (data?.words.length ?? 0) + 26; // no room before the arrow: in the middle, then
  const path = way ? cornered([sourceX, sourceY], way, [targetX, targetY]) : (back ?? getBezierPath(props)[0]);
  return (
    <>
      <BaseEdge path={path} markerEnd={markerEnd} interactionWidth={16} />
      {data?.marked && (
        <EdgeLabelRenderer>
          <span className="weakmark" style={{ transform: `translate(-50%, 0) translate(${middle[0]}px, ${middle[1] + 5}px)` }}>weakest</span>
        </EdgeLabelRenderer>
      )}
      {data?.words && (
        <text className="wirewords" x={tight ? middle[0] : targetX - 14} y={targetY - 6} textAnchor={tight ? "middle" : "end"}>{data.words}</text>
      )}
      {selected && way && <Corners way={way} set={setDragged} done={(points) => void edit({ do: "bend", wire: id, points }).then(() => setDragged(null))} />}
    </>
  );
}

/** The corners of a wire that is selected, to be dragged; a double click takes one away. */
function Corners({ way, set, done }: { way: Point[]; set: (way: Point[]) => void; done: (way: Point[]) => void }) {
  const flow = useReactFlow();
  const drag = (k: number) => (event: PointerEvent) => {
    event.stopPropagation();
    let points = way;
    const move = (e: globalThis.PointerEvent) => {
      const { x, y } = flow.screenToFlowPosition({ x: e.clientX, y: e.clientY });
      points = way.map((p, n) => (n === k ? [Math.round(x), Math.round(y)] : p));
      set(points);
    };
    const up = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      if (points !== way) done(points);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  };
  return (
    <>
      {way.map(([x, y], k) => (
        <circle key={k} className="corner nopan nodrag" cx={x} cy={y} r={6} onPointerDown={drag(k)} onDoubleClick={(e) => (e.stopPropagation(), done(way.filter((_, n) => n !== k)))} />
      ))}
    </>
  );
}
