/** The names of curves below a plot: dragged into other plots, and taken out. */

import { drop, lift } from "./dropping";
import { get, set, setPanels } from "./store";

/** Make the rows of a legend what can be dragged and right-clicked; the first row is time. */
export function legendOf(root: HTMLElement, names: string[], place: number): void {
  root.querySelectorAll<HTMLElement>(".u-legend .u-series").forEach((row, k) => {
    const name = names[k - 1];
    if (name === undefined) return;
    row.draggable = true;
    row.title = "Click hides and shows it; drag it into another plot; right-click for more";
    row.addEventListener("dragstart", (event) => event.dataTransfer && lift(event.dataTransfer, { name, from: place }));
    row.addEventListener("dragend", () => set({ carried: null }));
    row.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      const items = [
        { text: `Take ${name} out of this plot`, act: () => without(name, place) },
        { text: `A plot of its own for ${name}`, act: () => drop({ name, from: place }, null) },
      ];
      set({ menu: { x: event.clientX, y: event.clientY, items } });
    });
  });
}

/** A plot without one of its signals; with the last one it goes. */
function without(name: string, place: number): void {
  setPanels(get().panels.map((names, k) => (k === place ? names.filter((n) => n !== name) : names)));
}
