/** What the page knows and what it can ask for. The drawing itself belongs to the server. */

import { useSyncExternalStore } from "react";
import { Curves, Link, Refused } from "./link";
import { endOf, freeSpot } from "./names";
import { settled } from "./settings";
import type { Advice, Coordinator, Library, Run, Server, Shown } from "./types";

export type Selection = { parts: string[]; wire: string | null; junction: string | null; notes?: number[] };

export type Dialog =
  | { what: "open" | "keys" | "code" | "palette" | "server" }
  | { what: "save"; name: string }
  | { what: "trust"; text: string; then: () => void }
  | { what: "question"; text: string; yes: () => void; no?: () => void }
  | { what: "template" }
  | { what: "source"; file: string; text: string; isNew: boolean; then?: () => void }
  | { what: "rename"; part: string };

export interface State {
  entered: "no" | "yes" | "refused";
  open: boolean;
  pages: number;
  outside: boolean;
  shown: Shown | null;
  library: Library | null;
  runs: Run[];
  last: Record<number, Record<string, number | string>>;
  curves: Record<number, Curves>;
  run: number | null; // the one that is looked at
  overlaid: number[]; // others drawn with it
  panels: string[][];
  overs: Record<string, string>; // what a panel is drawn over, by its names, where it is not time
  selection: Selection;
  dragged: { end: string; reasons: Record<string, string> } | null;
  carried: string | null; // a signal that can be dropped into a plot
  hint: string;
  toasts: { id: number; text: string; good: boolean }[];
  dialog: Dialog | null;
  menu: { x: number; y: number; items: { text: string; act: () => void }[] } | null;
  advice: Advice | "asked" | null;
  tab: "inspect" | "check" | "run";
  isolate: boolean;
  theme: string; // light or dark, as it is shown
  lower: "plots" | "verdict" | "compare" | "study" | "connect";
  jump: { time: number } | null; // a moment that plots are to show
  study: boolean; // whether the study tab is open
  table: boolean; // whether the connect table is open
  lit: string | null; // a part or an end below the mouse: its wires are strong
  wiresHidden: boolean; // but for those of what is selected or below the mouse
  wireEditor: { target: string; x: number; y: number } | null;
  writing: number | null; // the note that is written
  servers: Server[];
  coordinators: Coordinator[];
  pace: number | null; // of the next run: so many times as fast as the clock
  tour: number | null; // the stop of the tour
}

const initial: State = {
  entered: "no",
  open: false,
  pages: 1,
  outside: false,
  shown: null,
  library: null,
  runs: [],
  last: {},
  curves: {},
  run: null,
  overlaid: [],
  panels: [],
  overs: {},
  selection: { parts: [], wire: null, junction: null },
  dragged: null,
  carried: null,
  hint: "",
  toasts: [],
  dialog: null,
  menu: null,
  advice: null,
  tab: "check",
  isolate: false,
  theme: "light",
  lower: "plots",
  jump: null,
  study: false,
  table: false,
  lit: null,
  wiresHidden: false,
  wireEditor: null,
  writing: null,
  servers: [],
  coordinators: [],
  pace: null,
  tour: null,
};

let state = initial;
const listeners = new Set<() => void>();

export function set(change: Partial<State>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

export const get = (): State => state;

export function useStudio<T>(pick: (state: State) => T): T {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pick(state),
  );
}

let toasts = 0;

export function toast(text: string, good = false): void {
  const id = ++toasts;
  set({ toasts: [...state.toasts.slice(-3), { id, text, good }] });
  setTimeout(() => drop(id), good ? 4000 : 12000);
}

export function drop(id: number): void {
  set({ toasts: state.toasts.filter((one) => one.id !== id) });
}

function heard(message: Record<string, unknown>): void {
  if ("shown" in message) takeDrawing(message.shown as Shown);
  if ("pages" in message) set({ pages: message.pages as number });
  if ("outside" in message) set({ outside: true });
  if ("run" in message) takeRun(message.run as Run, message.last as Record<string, number>);
}

function takeDrawing(shown: Shown): void {
  const before = state.shown?.drawing;
  const { drawing } = shown;
  const parts = new Set(drawing.blocks.map((b) => b.name));
  const wires = new Set(drawing.wires.map((w) => w.target));
  const { selection } = state;
  const other = before !== undefined && before.file !== drawing.file;
  set({
    shown,
    advice: before?.revision === drawing.revision ? state.advice : null,
    outside: drawing.saved || other ? false : state.outside,
    ...plotsOf(shown, before),
    ...(other && state.runs.find((r) => r.number === state.run)?.system !== drawing.name ? { run: null, overlaid: [] } : {}),
    selection: {
      ...selection,
      parts: selection.parts.filter((p) => parts.has(p)),
      wire: selection.wire !== null && wires.has(selection.wire) ? selection.wire : null,
      junction: selection.junction !== null && parts.has(selection.junction) ? selection.junction : null,
    },
  });
  if (before === undefined || other) {
    for (const note of drawing.notes) toast(note, note.includes("done again."));
    void reloadLibrary();
  }
  if (shown.wanted !== null && state.dialog === null) askForTrust(shown.wanted, () => undefined);
  document.title = `${drawing.saved ? "" : "• "}${drawing.file ?? drawing.name} · Dovetail studio`;
}

/** The plots of the file, where they are others than those before. */
function plotsOf(shown: Shown, before: Shown["drawing"] | undefined): Partial<State> {
  const plots = shown.drawing.plots ?? [];
  const other = before !== undefined && before.file !== shown.drawing.file && before.file !== null;
  if (!other && JSON.stringify(plots) === JSON.stringify(before?.plots ?? [])) return {};
  queueMicrotask(() => followed().forEach(watch));
  return {
    panels: plots.map((p) => p.signals),
    overs: Object.fromEntries(plots.filter((p) => p.over).map((p) => [p.signals.join("\n"), p.over])),
  };
}

/** Keep what is plotted with the file: what was chosen, not what a run showed by itself. */
function keepPlots(): void {
  const parts = new Set(state.shown?.drawing.blocks.map((b) => b.name));
  const kept = state.panels
    .map((names) => ({ signals: names.filter((n) => parts.has(endOf(n)[0])), over: state.overs[names.join("\n")] ?? "" }))
    .filter((p) => p.signals.length > 0);
  if (JSON.stringify(kept) !== JSON.stringify(state.shown?.drawing.plots ?? [])) void edit({ do: "plots", panels: kept });
}

export function drawOver(names: string[], over: string): void {
  set({ overs: { ...state.overs, [names.join("\n")]: over } });
  keepPlots();
}

function takeRun(run: Run, last: Record<string, number>): void {
  const known = state.runs.find((r) => r.number === run.number);
  const runs = known
    ? state.runs.map((r) => (r.number === run.number ? run : r))
    : [...state.runs, run].sort((a, b) => a.number - b.number);
  const over = ["finished", "stopped", "failed"].includes(run.state);
  set({ runs, last: { ...state.last, [run.number]: last } });
  if (state.run === run.number && run.signals.length > 0 && state.panels.length === 0) {
    setPanels(firstPanels(run), false);
  }
  if (over && known && !["finished", "stopped", "failed"].includes(known.state) && run.state === "failed")
    toast(run.text ?? "The run failed.");
  link.seen(run.number);
}

/** Outputs of one unit each: as many plots as there are units, two at the most. */
export function firstPanels(run: Run): string[][] {
  const made = outputs();
  const found = run.signals.filter((name) => made.has(name));
  const groups = new Map<string, string[]>();
  for (const name of found.length > 0 ? found : run.signals) {
    const unit = run.units[name] ?? "";
    groups.set(unit, [...(groups.get(unit) ?? []), name]);
  }
  return [...groups.values()].slice(0, 2).map((names) => names.slice(0, 5));
}

function outputs(): Set<string> {
  const found = new Set<string>();
  for (const block of state.shown?.drawing.blocks ?? [])
    for (const pin of block.right ?? []) found.add(pin.signal ?? `${block.name}.${pin.name}`);
  return found;
}

export const link = new Link(
  heard,
  (curves) => set({ curves: { ...state.curves, [curves.run]: curves } }),
  (open) => {
    set({ open });
    if (open) for (const number of followed()) watch(number);
    if (open && state.coordinators.length === 0)
      link.ask<Coordinator[]>("coordinators").then((coordinators) => set({ coordinators }), () => undefined);
  },
);

const followed = (): number[] => (state.run === null ? [] : [state.run, ...state.overlaid]);

function watch(number: number): void {
  const names = [...new Set(state.panels.flat())];
  link.ask("watch", { run: number, names }).catch(() => undefined);
}

export function setPanels(panels: string[][], kept = true): void {
  set({ panels: panels.filter((names) => names.length > 0) });
  if (kept) keepPlots();
  for (const number of followed()) watch(number);
}

export function look(number: number, overlaid = state.overlaid): void {
  set({ run: number, jump: number === state.run ? state.jump : null, overlaid: overlaid.filter((n) => n !== number) });
  for (const one of followed()) watch(one);
}

export function plot(names: string[], panel?: number): void {
  if (panel !== undefined && state.panels[panel])
    setPanels(state.panels.map((old, k) => (k === panel ? [...new Set([...old, ...names])] : old)));
  else setPanels([...state.panels, names]);
}

/** Ask, and tell the user what was refused; what needs trust asks for it and tries again. */
export async function request<T>(what: string, given: Record<string, unknown> = {}): Promise<T | undefined> {
  try {
    return await link.ask<T>(what, given);
  } catch (error) {
    if (error instanceof Refused && error.kind === "trust")
      askForTrust(error.message, () => void request(what, given));
    else if (error instanceof Refused && error.kind === "question") {
      const despite = [...((given.despite as string[] | undefined) ?? []), error.about];
      const yes = () => void save(given.name as string | undefined, despite);
      set({ dialog: { what: "question", text: error.message, yes } });
    } else toast(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

export function askForTrust(text: string, then: () => void): void {
  set({ dialog: { what: "trust", text, then } });
}

export async function edit(command: Record<string, unknown>): Promise<boolean> {
  return (await request("edit", { command })) !== undefined;
}

export async function save(name?: string, despite: string[] = []): Promise<void> {
  if (name === undefined && state.shown?.drawing.file === null) {
    set({ dialog: { what: "save", name: `${state.shown.drawing.name}.yaml` } });
    return;
  }
  const found = await request<{ notes: string[] }>("save", { ...(name ? { name } : {}), despite });
  if (found) {
    toast(`Saved as ${get().shown?.drawing.file}.`, true);
    for (const note of found.notes) toast(note);
    set({ outside: false });
    void reloadLibrary();
  }
}

export async function reloadLibrary(): Promise<void> {
  const library = await request<Library>("library");
  if (library) set({ library });
}

export async function startRun(): Promise<void> {
  await settled(); // what was typed just now counts
  if (state.shown?.drawing.settings.stop == null) {
    set({ tab: "run" });
    setTimeout(() => document.querySelector<HTMLElement>("[data-setting=stop]")?.focus(), 60);
  }
  const run = await request<Run>("run", { isolate: state.isolate, pace: state.pace });
  if (!run) return;
  if (!state.runs.some((r) => r.number === run.number)) set({ runs: [...state.runs, run] });
  if (state.lower === "connect") set({ lower: "plots" });
  look(run.number);
}

export async function askAdvice(): Promise<void> {
  set({ advice: "asked" });
  const revision = state.shown?.drawing.revision;
  const advice = await request<Advice>("advice");
  if (state.shown?.drawing.revision === revision) set({ advice: advice ?? null });
}

/** A name for a part that is not taken yet. */
export function freeName(wanted: string): string {
  const taken = new Set(state.shown?.drawing.blocks.map((b) => b.name));
  const stem = wanted.replace(/\./g, "_").trim() || "part";
  let name = stem;
  for (let k = 2; taken.has(name); k++) name = `${stem}${k}`;
  return name;
}

/** The middle of what is seen of the paper; the canvas says where that is. */
export const sight = { middle: (): { x: number; y: number } => ({ x: 80, y: 60 }) };

export async function place(model: string, name: string, where?: { x: number; y: number }, options: Record<string, string> = {}): Promise<void> {
  const free = freeName(name);
  const at = where ?? freeSpot(sight.middle(), state.shown?.drawing.blocks ?? []);
  const added = await edit({ do: "add", name: free, model, options, at: [Math.round(at.x), Math.round(at.y)] });
  if (added) set({ selection: { parts: [free], wire: null, junction: null }, tab: "inspect" });
}
