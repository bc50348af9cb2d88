/** Signals that are dragged into plots: a wire that ends in one, and names of outputs and curves. */

import type { DragEvent } from "react";
import { get, set, setPanels } from "./store";

const KIND = "application/x-dovetail-signal";

export interface CarriedSignal {
  name: string;
  from?: number; // the plot that it leaves
}

/** By which name a run knows what is at a pin; null for power ports, and for what stays inside a group. */
export function signalOfPin(part: string, handle: string): string | null {
  const [sort, name] = [handle.slice(0, handle.indexOf(":")), handle.slice(handle.indexOf(":") + 1)];
  const block = get().shown?.drawing.blocks.find((b) => b.name === part);
  const pin = (sort === "in" ? block?.left : sort === "out" ? block?.right : [])?.find((p) => p.name === name && p.kind !== "power");
  return pin === undefined ? null : pin.signal === undefined ? `${part}.${name}` : pin.signal;
}

/** What makes an element with the name of a signal one that can be dragged. */
export const draggable = (signal: CarriedSignal) => ({
  draggable: true,
  onDragStart: (event: DragEvent) => lift(event.dataTransfer, signal),
  onDragEnd: () => set({ carried: null }),
});

export function lift(data: DataTransfer, signal: CarriedSignal): void {
  data.setData(KIND, JSON.stringify(signal));
  data.effectAllowed = "copyMove";
  setTimeout(() => set({ carried: signal.name })); // a page that changes at once ends the drag
}

/** What makes an element a plot, or a place for a new one (null), that signals are dropped into. */
export const receiver = (place: number | null) => ({
  "data-plot": place ?? "new",
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer.types.includes(KIND)) event.preventDefault();
  },
  onDrop: (event: DragEvent) => {
    const text = event.dataTransfer.getData(KIND);
    if (text === "") return;
    event.preventDefault();
    event.stopPropagation();
    drop(JSON.parse(text) as CarriedSignal, place);
  },
});

/** Into the plot at this place, or into one of its own. */
export function drop({ name, from }: CarriedSignal, to: number | null): void {
  const panels = get().panels.map((names, k) => (k === from && k !== to ? names.filter((n) => n !== name) : names));
  set({ carried: null, lower: "plots" });
  setPanels(to === null ? [...panels, [name]] : panels.map((names, k) => (k === to ? [...new Set([...names, name])] : names)));
}

/** A wire that ended here: what it comes from is plotted, if here is a plot. */
export function dropWire(event: MouseEvent | TouchEvent): void {
  const name = get().carried;
  const { clientX, clientY } = "changedTouches" in event ? event.changedTouches[0] : event;
  const there = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-plot]")?.dataset.plot;
  if (name !== null && there !== undefined) drop({ name }, there === "new" ? null : Number(there));
  set({ carried: null });
}
