/** The drawing as nodes and edges of the canvas. */

import { type Edge, MarkerType, type Node, type NodeHandle, Position } from "@xyflow/react";
import { endOf, short } from "./names";
import type { Block, Drawing, Mark, Pin, WireData } from "./types";
import { PIN, pinAt, sideOf } from "./wires";

export type BlockData = { block: Block } & Record<string, unknown>;
export type NoteData = { mark: Mark; number: number } & Record<string, unknown>;
export const COLOURS = ["c0", "c1", "c2", "c3", "c4"];
export const SIDES = { left: Position.Left, right: Position.Right, top: Position.Top, bottom: Position.Bottom } as const;

/** Where the pins of a block are: wires to blocks that were never in sight know it from here. */
function handlesOf(block: Block): NodeHandle[] {
  const made = (id: string, sort: "in" | "out" | "port", name: string, type: "source" | "target", position: Position): NodeHandle => {
    const [x, y] = pinAt(block, sort, name);
    return { id, type, position, x: x - block.x - PIN / 2, y: y - block.y - PIN / 2, width: PIN, height: PIN };
  };
  if (block.junction) return [made("junction", "port", "", "source", Position.Right)];
  const side = (pins: Pin[] | undefined, usual: "left" | "right", sort: "in" | "out", type: "source" | "target") =>
    (pins ?? []).map((p) => {
      const own = p.kind === "power" ? "port" : sort;
      return made(`${own}:${p.name}`, own, p.name, type, SIDES[p.at ? sideOf(p.at) : usual]);
    });
  return [...side(block.left, "left", "in", "target"), ...side(block.right, "right", "out", "source")];
}

/** Blocks of the drawing as nodes. */
export function nodesOf(drawing: Drawing, selected: string[]): Node<BlockData>[] {
  return drawing.blocks.map((block) => ({
    id: block.name,
    type: block.junction ? "junction" : "part",
    position: { x: block.x, y: block.y },
    width: block.width,
    height: block.height,
    measured: { width: block.width, height: block.height },
    handles: handlesOf(block),
    data: { block },
    selected: selected.includes(block.name),
  }));
}

/** Notes on the paper as nodes, below all others. */
export function notesOf(drawing: Drawing, selected: number[]): Node<NoteData>[] {
  return drawing.marks.map((mark, k) => ({
    id: `note ${k}`,
    type: "note",
    position: { x: mark.x, y: mark.y },
    width: mark.width,
    height: mark.height,
    measured: { width: mark.width, height: mark.height },
    data: { mark, number: k },
    selected: selected.includes(k),
    zIndex: -1,
    connectable: false,
  }));
}

/** By which name a run knows the source of a wire; none for what stays inside a group. */
export const signalOf = (wire: WireData): string => (wire.signal === undefined ? wire.source : (wire.signal ?? ""));

/** Wires and bonds as edges; with values, where a run gives some. */
export function edgesOf(
  drawing: Drawing,
  selected: string | null,
  last: Record<string, number | string>,
  weakest: string | null,
  lit: string | null = null, // a part or an end below the mouse
): Edge[] {
  const bottoms = new Map(drawing.blocks.map((b) => [b.name, b.y + b.height]));
  const odd = new Set(drawing.blocks.filter((b) => [...(b.left ?? []), ...(b.right ?? [])].some((p) => p.at)).map((b) => b.name));
  const wires: Edge[] = drawing.wires.map((wire, lane) => {
    const [from, out] = endOf(wire.source);
    const [to, into] = endOf(wire.target);
    const value = last[signalOf(wire)];
    const words = [wire.label, value === undefined ? "" : short(value)].filter(Boolean);
    const marked = weakest === `${wire.source} -> ${wire.target}`;
    const isLit = lit !== null && [from, to, wire.source, wire.target].includes(lit);
    const names = ["wire", wire.cycle === null ? "" : COLOURS[wire.cycle % COLOURS.length], marked ? "weakest" : "", isLit ? "lit" : ""];
    return {
      id: wire.target,
      source: from,
      target: to,
      sourceHandle: `out:${out}`,
      targetHandle: `in:${into}`,
      type: "wire",
      data: {
        low: Math.max(bottoms.get(from) ?? 0, bottoms.get(to) ?? 0),
        lane,
        words: words.join("  "),
        marked,
        way: wire.way,
        usual: !odd.has(from) && !odd.has(to),
      },
      className: names.filter(Boolean).join(" "),
      selected: wire.target === selected,
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, markerUnits: "userSpaceOnUse" },
    };
  });
  const bonds: Edge[] = drawing.bonds.map((bond, k) => ({
    id: `bond ${k}`,
    source: bond.from[0],
    target: bond.to[0],
    sourceHandle: bond.from[1] ? `port:${bond.from[1]}` : "junction",
    targetHandle: bond.to[1] ? `port:${bond.to[1]}` : "junction",
    type: "straight",
    className: weakest !== null && weakest.includes(bond.junction) ? "bond weakest" : "bond",
    selectable: false,
  }));
  return [...wires, ...bonds];
}
