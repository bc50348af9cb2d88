/** Wires drawn by the mouse: what takes them, and what becomes of them. */

import type { Connection, Edge } from "@xyflow/react";
import { signalOfPin } from "./dropping";
import { edit, get, link, set } from "./store";
import type { WireData } from "./types";

export const nameOf = (handle: string | null | undefined): string => (handle ?? "").replace(/^(in|out|port):/, "");

let copied: WireData | null = null; // a wire that is drawn once more, with Shift

/** A wire begins at a pin; with Shift at an input it is a copy of the wire that ends there. */
export async function begin(node: string | null, handle: string | null, shift: boolean): Promise<void> {
  copied = null;
  if (!node || !handle) return;
  const end = `${node}.${nameOf(handle)}`;
  const { drawing } = get().shown!;
  if (shift && handle.startsWith("in:")) copied = drawing.wires.find((w) => w.target === end) ?? null;
  set({ dragged: { end, reasons: {} }, carried: signalOfPin(node, handle) });
  if (drawing.blocks.find((b) => b.name === node)?.junction) return;
  const asked = copied === null ? end : copied.source;
  const reasons = await link.ask<Record<string, string>>("targets", { end: asked }).catch(() => ({}));
  if (get().dragged?.end === end) set({ dragged: { end, reasons } });
}

export function otherEnd(c: Connection | Edge, end: string): string {
  const one = `${c.source}.${nameOf(c.sourceHandle)}`;
  const other = `${c.target}.${nameOf(c.targetHandle)}`;
  return one === end ? other : one;
}

export function connect(c: Connection): void {
  const ends = [
    { part: c.source, handle: c.sourceHandle ?? "" },
    { part: c.target, handle: c.targetHandle ?? "" },
  ];
  const text = (e: { part: string; handle: string }) => `${e.part}.${nameOf(e.handle)}`;
  if (copied !== null) {
    const wire = copied;
    const other = ends.find((e) => e.handle.startsWith("in:") && text(e) !== wire.target);
    const { source, gain, offset, convert, table } = wire;
    if (other) void edit({ do: "connect", source, target: text(other), gain, offset, convert, table });
    return;
  }
  const blocks = get().shown!.drawing.blocks;
  const met = ends.find((e) => blocks.find((b) => b.name === e.part)?.junction);
  if (met) {
    const port = ends.find((e) => e !== met)!;
    const bond = get().shown!.drawing.bonds.find((b) => b.junction === met.part);
    const there = bond && (bond.from[1] ? bond.from : bond.to);
    if (there) void edit({ do: "join", ports: [there.join("."), text(port)] });
    return;
  }
  if (ends.every((e) => e.handle.startsWith("port:"))) {
    void edit({ do: "join", ports: ends.map(text) });
    return;
  }
  const source = ends.find((e) => e.handle.startsWith("out:"));
  const target = ends.find((e) => e.handle.startsWith("in:"));
  if (source && target) void edit({ do: "connect", source: text(source), target: text(target) });
}
