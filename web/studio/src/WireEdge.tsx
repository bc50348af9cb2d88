import { BaseEdge, type EdgeProps, getBezierPath } from "@xyflow/react";
import { cornersOf } from "./wires";

export type WireInfo = { low: number; lane: number; words: string; marked: boolean } & Record<string, unknown>;

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

export function WireEdge(props: EdgeProps & { data?: WireInfo }) {
  const { sourceX, sourceY, targetX, targetY, data, markerEnd } = props;
  const back = wayOf([sourceX, sourceY], [targetX, targetY], data?.low ?? 0, data?.lane ?? 0);
  const path = back ?? getBezierPath(props)[0];
  return (
    <>
      <BaseEdge path={path} markerEnd={markerEnd} interactionWidth={16} />
      {data?.marked && (
        <text className="wirewords mark" x={sourceX + 9} y={sourceY + 16}>weakest</text>
      )}
      {data?.words && (
        <text className="wirewords" x={targetX - 14} y={targetY - 6} textAnchor="end">{data.words}</text>
      )}
    </>
  );
}
