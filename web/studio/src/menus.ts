/** What a right click offers. */

import type { Edge, Node } from "@xyflow/react";
import type { MouseEvent } from "react";
import { chosen, enter, goTo, group, hasCopied, inside, mirror, note, paste, turn, ungroup } from "./groups";
import { edit, get, link, plot, set } from "./store";
import { recordItems } from "./recording";
import { solvingItems } from "./solving";
import { signalOf } from "./graph";
import type { Block } from "./types";

type Item = { text: string; act: () => void };
type Place = { x: number; y: number };

export function nodeMenu(event: MouseEvent, node: Node): void {
  event.preventDefault();
  const { clientX: x, clientY: y } = event;
  if (node.type === "note") {
    const number = Number(node.id.slice(5));
    set({ menu: { x, y, items: [
      { text: "Write", act: () => set({ writing: number }) },
      { text: "Remove", act: () => void edit({ do: "remove", notes: [number] }) },
    ] } });
    return;
  }
  const block = get().shown!.drawing.blocks.find((b) => b.name === node.id);
  if (!block) return;
  const items = block.junction
    ? [...solvingItems(block.name), { text: "Take this junction apart", act: () => void edit({ do: "remove", junctions: [block.name] }) }]
    : partItems(block, (event.target as HTMLElement).closest<HTMLElement>("[data-pin]")?.dataset);
  set({ menu: { x, y, items } });
}

function partItems(block: Block, at: DOMStringMap | undefined): Item[] {
  const pin = at?.signal;
  const moved = at?.pin && [...(block.left ?? []), ...(block.right ?? [])].some((p) => `${block.name}.${p.name}` === at.pin && p.at) ? at.pin : undefined;
  const names = (pins: Block["left"]) => (pins ?? []).filter((p) => p.kind !== "power").map((p) => (p.signal === undefined ? `${block.name}.${p.name}` : (p.signal ?? ""))).filter(Boolean);
  const outs = names(block.right);
  const all = [...outs, ...names(block.left)];
  const panels = get().panels.length;
  const picked = chosen();
  const parts = picked.includes(block.name) ? picked : [block.name];
  return [
    ...(pin ? [{ text: `Plot ${pin}`, act: () => plot([pin]) }] : []),
    ...(pin && panels ? [{ text: `Plot ${pin} in the last plot`, act: () => plot([pin], panels - 1) }] : []),
    ...(pin ? recordItems(pin) : []),
    ...(moved ? [{ text: "Put this pin where it was", act: () => void edit({ do: "pin", name: moved, at: null }) }] : []),
    { text: "Plot its outputs", act: () => plot(outs.length > 0 ? outs : all) },
    ...(block.group ? [{ text: "Look inside", act: () => void enter(block.name) }, { text: "Take this group apart", act: () => void ungroup([block.name]) }] : []),
    { text: parts.length > 1 ? `Make a group of ${parts.length} parts` : "Make a group of it", act: () => void group(parts) },
    { text: "Rename …", act: () => set({ dialog: { what: "rename", part: block.name } }) },
    { text: "Copy", act: () => void edit({ do: "copy", parts }) },
    { text: "Turn", act: () => void turn(parts) },
    { text: "Mirror", act: () => void mirror("x", parts) },
    ...(block.hidden && block.hidden[0] + block.hidden[1] > 0
      ? [{ text: "Show every input and output", act: () => void link.ask("whole", { part: block.name, on: true }) }]
      : [{ text: "Show what is connected first", act: () => void link.ask("whole", { part: block.name, on: false }) }]),
    { text: "Remove", act: () => void edit({ do: "remove", parts }) },
  ];
}

export function edgeMenu(event: MouseEvent, edge: Edge, at: Place): void {
  event.preventDefault();
  if (edge.id.startsWith("bond ")) return;
  const wire = get().shown!.drawing.wires.find((w) => w.target === edge.id);
  if (!wire) return;
  const signal = signalOf(wire);
  const { clientX: x, clientY: y } = event;
  const spot = [Math.round(at.x), Math.round(at.y)];
  set({ menu: { x, y, items: [
    ...(signal ? [{ text: `Plot ${signal}`, act: () => plot([signal]) }] : []),
    ...(wire.signal === undefined ? [{ text: `Plot ${wire.source} and ${wire.target}`, act: () => plot([wire.source, wire.target]) }] : []),
    ...(signal ? recordItems(signal) : []),
    { text: "Gain, offset, unit …", act: () => set({ wireEditor: { target: wire.target, x, y } }) },
    { text: "Bend it here", act: () => void edit({ do: "bend", wire: edge.id, points: bent(wire.way ?? [], spot as [number, number]) }) },
    ...(wire.way ? [{ text: "Let it find its way", act: () => void edit({ do: "bend", wire: edge.id, points: [] }) }] : []),
    { text: "Remove", act: () => void edit({ do: "remove", wires: [edge.id] }) },
  ] } });
}

/** One more corner, between those that it lies between. */
export function bent(way: [number, number][], [x, y]: [number, number]): [number, number][] {
  const length = (points: [number, number][]) => points.slice(1).reduce((sum, p, k) => sum + Math.hypot(p[0] - points[k][0], p[1] - points[k][1]), 0);
  const tried = Array.from({ length: way.length + 1 }, (_, k): [number, number][] => [...way.slice(0, k), [x, y], ...way.slice(k)]);
  return tried.reduce((best, one) => (length(one) < length(best) ? one : best));
}

/** Of the empty paper. */
export function paperMenu(event: { preventDefault: () => void; clientX: number; clientY: number }, at: Place): void {
  event.preventDefault();
  const { wiresHidden } = get();
  set({ menu: { x: event.clientX, y: event.clientY, items: [
    ...(hasCopied() ? [{ text: "Paste here", act: () => void paste(at) }] : []),
    { text: "Write a note here", act: () => void note(at) },
    { text: "Draw a box here", act: () => void note(at, "grey") },
    { text: wiresHidden ? "Show all wires" : "Hide wires", act: () => set({ wiresHidden: !wiresHidden }) },
    ...(inside().length > 0 ? [{ text: "Leave this group", act: () => void goTo(inside().slice(0, -1)) }] : []),
    { text: "Arrange all parts", act: () => void edit({ do: "arrange" }) },
  ] } });
}
