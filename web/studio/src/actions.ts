/** What can be done from the keyboard by its name: the commands of the buttons and menus. */

import { groupActions } from "./groups";
import { number } from "./names";
import { back, mark } from "./RunSteer";
import { startTour } from "./Tour";
import { edit, get, place, plot, request, save, set, startRun } from "./store";

export interface Action {
  title: string;
  key?: string;
  act: () => unknown;
}

/** Everything that can be done now, with what is selected. */
export function actionsNow(fit: (part?: string) => unknown): Action[] {
  const { shown, selection, library, runs, run } = get();
  if (shown === null) return [];
  const { drawing } = shown;
  const goes = runs.find((r) => r.number === run && ["running", "paused"].includes(r.state));
  const parts = selection.parts.filter((p) => !drawing.blocks.find((b) => b.name === p)?.junction);
  const found: Action[] = [
    goes
      ? { title: "Stop the run", act: () => request("steer", { run: goes.number, what: "stop" }) }
      : { title: "Run", key: "Ctrl+Enter", act: startRun },
    { title: "Save", key: "Ctrl+S", act: () => save() },
    { title: "Save as", act: () => set({ dialog: { what: "save", name: drawing.file ?? `${drawing.name}.yaml` } }) },
    { title: "Open a file", act: () => set({ dialog: { what: "open" } }) },
    { title: "New drawing", act: () => request("new") },
    { title: "Arrange all parts", act: () => edit({ do: "arrange" }) },
    { title: "Fit the drawing into the window", key: "F", act: () => fit() },
    { title: "Connect in a table", act: () => set({ table: true, lower: "connect" }) },
    { title: "Find the best algorithm, or sweep values", act: () => set({ study: true, lower: "study" }) },
    { title: "Compare runs", act: () => set({ lower: "compare" }) },
    { title: "Connect open inputs by their names", act: () => edit({ do: "match" }) },
    { title: "Show the code", act: () => set({ dialog: { what: "code" } }) },
    { title: "New Python model", act: () => set({ dialog: { what: "template" } }) },
    { title: "Show the settings of the run", act: () => set({ tab: "run" }) },
    { title: "Show the check", act: () => set({ tab: "check" }) },
    { title: "Add a part server", act: () => set({ dialog: { what: "server" } }) },
    { title: "A tour of one minute", act: startTour },
    { title: "Show the keys", key: "?", act: () => set({ dialog: { what: "keys" } }) },
  ];
  if (goes) found.push({ title: "Mark this point of the run", act: mark });
  for (const one of runs.find((r) => r.number === run)?.marks ?? []) found.push({ title: `Go back to t = ${number(one.time)} s`, act: () => back(one.number) });
  if (drawing.undo) found.push({ title: `Undo ${drawing.undo}`, key: "Ctrl+Z", act: () => request("undo") });
  if (drawing.redo) found.push({ title: `Redo ${drawing.redo}`, key: "Ctrl+Y", act: () => request("redo") });
  if (parts.length > 0) {
    const them = parts.length === 1 ? parts[0] : `${parts.length} parts`;
    found.push(
      { title: `Copy ${them}`, key: "Ctrl+D", act: () => edit({ do: "copy", parts }) },
      { title: `Remove ${them}`, key: "Delete", act: () => edit({ do: "remove", parts }) },
      { title: `Connect open inputs of ${them} by their names`, act: () => edit({ do: "match", parts }) },
    );
  }
  found.push(...groupActions());
  if (parts.length === 1)
    found.push({ title: `Rename ${parts[0]}`, act: () => set({ dialog: { what: "rename", part: parts[0] } }) });
  if (selection.wire !== null) {
    const wire = selection.wire;
    found.push({ title: `Remove the wire to ${wire}`, key: "Delete", act: () => edit({ do: "remove", wires: [wire] }) });
  }
  for (const block of drawing.blocks)
    if (!block.junction)
      found.push({
        title: `Go to ${block.name}`,
        act: () => {
          set({ selection: { parts: [block.name], wire: null, junction: null }, tab: "inspect" });
          fit(block.name);
        },
      });
  for (const block of drawing.blocks)
    for (const pin of block.right ?? [])
      if (pin.kind !== "power") found.push({ title: `Plot ${block.name}.${pin.name}`, act: () => plot([pin.signal ?? `${block.name}.${pin.name}`]) });
  for (const offer of library?.offers ?? [])
    if (offer.model) found.push({ title: `Add ${offer.model}`, act: () => place(offer.model, offer.name) });
  for (const example of library?.examples ?? [])
    found.push({ title: `Open the example ${example.title.toLowerCase()}`, act: () => request("example", { name: example.name }) });
  return found;
}

/** Those whose title has every word; titles that begin with the first one come first. */
export function matching(actions: Action[], text: string): Action[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = actions.filter((a) => words.every((w) => a.title.toLowerCase().includes(w)));
  const begins = (a: Action) => words.length > 0 && a.title.toLowerCase().startsWith(words[0]);
  return [...fitting.filter(begins), ...fitting.filter((a) => !begins(a))];
}
