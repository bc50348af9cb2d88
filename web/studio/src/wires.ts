/** Where wires run on the paper, worked out from the drawing alone: for one canvas of all of them. */

import { endOf } from "./names";
import type { Block, Drawing } from "./types";

export const HEADER = 52.5; // of a block: 1.25 times those of `diagrams/measures.py`
export const ROW = 22.5;
export const PIN = 10; // across
export const FAR = 0.4; // how small a large drawing is when its pins are left out
export const MANY = 250; // wires from which on they are no elements of the page each

export type Point = [number, number];
export interface Way {
  id: string;
  colour: string; // of the style sheet
  points: Point[]; // a curve of four, or the corners of one that leads back
  curved: boolean;
  bond: boolean;
  strong: boolean; // selected, or the weakest one
  words: string;
}

/** The corners of a wire that leads back below both of its blocks; null for one to the right. */
export function cornersOf(from: Point, to: Point, low: number, lane: number): Point[] | null {
  const [x1, y1] = from;
  const [x2, y2] = to;
  if (x2 > x1 + 12) return null;
  const out = x1 + 16 + 6 * (lane % 4);
  const into = x2 - 18 - 6 * (lane % 4);
  const under = low + 14 + 8 * (lane % 5);
  return [[x1, y1], [out, y1], [out, under], [into, under], [into, y2], [x2, y2]];
}

/** The side of its block that a pin is nearest to. */
export function sideOf([x, y]: Point): "left" | "right" | "top" | "bottom" {
  const far = { left: x, right: 1 - x, top: y, bottom: 1 - y };
  return (Object.keys(far) as (keyof typeof far)[]).reduce((best, side) => (far[side] < far[best] ? side : best));
}

/** The place on the border of a block that is nearest to a point, in steps of a twentieth. */
export function toBorder([x, y]: Point): Point {
  const within = (v: number) => Math.round(20 * Math.min(1, Math.max(0, v))) / 20;
  const place: Point = [Math.min(1, Math.max(0, x)), Math.min(1, Math.max(0, y))];
  return { left: [0, within(y)], right: [1, within(y)], top: [within(x), 0], bottom: [within(x), 1] }[sideOf(place)] as Point;
}

/** The middle of a pin, of a junction, or of a block whose pin is not shown. */
export function pinAt(block: Block, sort: "in" | "out" | "port", name: string): Point {
  if (block.junction) return [block.x + block.width / 2, block.y + block.height / 2];
  const fits = (p: { name: string; kind: string }) => p.name === name && (p.kind === "power") === (sort === "port");
  const left = sort === "out" ? -1 : (block.left ?? []).findIndex(fits);
  const right = sort === "in" ? -1 : (block.right ?? []).findIndex(fits);
  if (left < 0 && right < 0) return [block.x + block.width / 2, block.y + block.height / 2];
  const at = left >= 0 ? block.left![left].at : block.right![right].at;
  if (at) return [block.x + at[0] * block.width, block.y + at[1] * block.height];
  const y = block.y + HEADER + ROW * (Math.max(left, right) + 0.5);
  return left >= 0 ? [block.x, y] : [block.x + block.width, y];
}

/** All wires and bonds of a drawing; `places` are those of blocks that are being dragged, `strong` colours by ids. */
export function waysOf(drawing: Drawing, places: Map<string, { x: number; y: number }>, strong: Record<string, string>, words: (source: string, label: string) => string): Way[] {
  const blocks = new Map(drawing.blocks.map((b) => [b.name, { ...b, ...places.get(b.name) }]));
  const found: Way[] = [];
  drawing.wires.forEach((wire, lane) => {
    const [a, out] = endOf(wire.source);
    const [b, into] = endOf(wire.target);
    const [one, other] = [blocks.get(a), blocks.get(b)];
    if (!one || !other) return;
    const [from, to] = [pinAt(one, "out", out), pinAt(other, "in", into)];
    const start: Point = [from[0] + PIN / 2, from[1]];
    const end: Point = [to[0] - PIN / 2, to[1]];
    const low = Math.max(one.y + one.height, other.y + other.height);
    const corners: Point[] | null = wire.way ? [start, ...wire.way, end] : cornersOf(start, end, low, lane);
    const half = (end[0] - start[0]) / 2;
    found.push({
      id: wire.target,
      strong: wire.target in strong,
      colour: strong[wire.target] ?? (wire.cycle === null ? "--soft" : `--c${wire.cycle % 5}`),
      points: corners ?? [start, [start[0] + half, start[1]], [end[0] - half, end[1]], end],
      curved: corners === null,
      bond: false,
      words: words(wire.signal === undefined ? wire.source : (wire.signal ?? ""), wire.label),
    });
  });
  drawing.bonds.forEach((bond, k) => {
    const [one, other] = [blocks.get(bond.from[0]), blocks.get(bond.to[0])];
    if (!one || !other) return;
    const points = [pinAt(one, "port", bond.from[1]), pinAt(other, "port", bond.to[1])];
    found.push({ id: `bond ${k}`, colour: "--c1", points, curved: false, bond: true, strong: false, words: "" });
  });
  return found;
}

/** A way as straight pieces, for what is near to it. */
export function piecesOf(way: Way): Point[] {
  if (!way.curved) return way.points;
  const [a, b, c, d] = way.points;
  return Array.from({ length: 25 }, (_, k) => {
    const t = k / 24;
    const s = 1 - t;
    const at = (n: 0 | 1) => s * s * s * a[n] + 3 * s * s * t * b[n] + 3 * s * t * t * c[n] + t * t * t * d[n];
    return [at(0), at(1)] as Point;
  });
}

/** The wire that is nearest to a point, if one is within reach. */
export function nearest(ways: Way[], [x, y]: Point, reach: number): string | null {
  let best = reach;
  let found: string | null = null;
  for (const way of ways) {
    if (way.bond) continue;
    const xs = way.points.map((p) => p[0]);
    const ys = way.points.map((p) => p[1]);
    if (x < Math.min(...xs) - best || x > Math.max(...xs) + best) continue;
    if (y < Math.min(...ys) - best || y > Math.max(...ys) + best) continue;
    const pieces = piecesOf(way);
    for (let k = 1; k < pieces.length; k++) {
      const far = distance([x, y], pieces[k - 1], pieces[k]);
      if (far < best) {
        best = far;
        found = way.id;
      }
    }
  }
  return found;
}

function distance([x, y]: Point, [x1, y1]: Point, [x2, y2]: Point): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const share = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy);
}
