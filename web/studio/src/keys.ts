import { useReactFlow } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { chosenJunctions, copy, enter, group, leave, mirror, note, paste, turn, ungroup } from "./groups";
import { FIT } from "./names";
import { edit, get, request, save, set, startRun } from "./store";

export const KEYS: [string, string][] = [
  ["Ctrl+Z, Ctrl+Y", "undo, redo"],
  ["Ctrl+S", "save"],
  ["Ctrl+C, Ctrl+V, Ctrl+D", "copy, paste at the mouse, copy in place"],
  ["Ctrl+A", "select everything"],
  ["Delete", "remove what is selected"],
  ["arrows", "move it a little; with Shift further"],
  ["F", "fit the drawing into the window"],
  ["Ctrl+G, Ctrl+Shift+G", "make a group of what is selected, take a group apart"],
  ["Enter, Alt+Up", "look into a group, leave it"],
  ["R, X, Y", "turn, mirror left to right, upside down"],
  ["W", "hide wires but for those of what is selected or below the mouse"],
  ["N", "write a note at the mouse"],
  ["Alt and drag a pin", "move it on its block"],
  ["Shift and drag from an input", "copy the wire that ends there"],
  ["Ctrl+Enter", "run"],
  ["Ctrl+K, Ctrl+F", "find a part or a signal, do anything by its name"],
  ["Escape", "select nothing, close a window"],
  ["?", "these keys"],
];

/** Keys of the whole page; not while something is typed. */
export function useKeys(): void {
  const flow = useReactFlow();
  const mouse = useRef<{ x: number; y: number } | null>(null);
  useEffect(() => {
    /** Where the mouse is on the paper, or else the middle of what is seen of it. */
    const there = () => {
      const box = document.querySelector(".canvas")!.getBoundingClientRect();
      const at = mouse.current;
      const on = at !== null && at.x > box.left && at.x < box.right && at.y > box.top && at.y < box.bottom;
      return flow.screenToFlowPosition(on ? at : { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 });
    };
    const followed = (event: PointerEvent) => void (mouse.current = { x: event.clientX, y: event.clientY });
    addEventListener("pointermove", followed);
    const pressed = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).closest("input, textarea, select, [role=dialog]");
      const { selection, shown, dialog, menu } = get();
      if (shown === null) return;
      if (event.key === "Escape") {
        if (menu) set({ menu: null });
        else if (dialog) set({ dialog: null });
        else set({ selection: { parts: [], wire: null, junction: null } });
        return;
      }
      const control = event.ctrlKey || event.metaKey;
      const parts = selection.parts.filter((p) => !shown.drawing.blocks.find((b) => b.name === p)?.junction);
      const does = (act: () => unknown) => {
        event.preventDefault();
        void act();
      };
      if (control && event.key === "s") return does(() => save());
      if (control && event.key === "Enter") return does(startRun);
      if (control && (event.key === "k" || event.key === "f") && !dialog) return does(() => set({ dialog: { what: "palette" }, menu: null }));
      if (typing || dialog) return;
      if (control && event.key === "z" && !event.shiftKey) return does(() => request("undo"));
      if (control && (event.key === "y" || (event.key.toLowerCase() === "z" && event.shiftKey)))
        return does(() => request("redo"));
      if (control && event.key === "a")
        return does(() =>
          set({ selection: { parts: shown.drawing.blocks.filter((b) => !b.junction).map((b) => b.name), wire: null, junction: null } }));
      if (control && event.key === "c") copy();
      if (control && event.key === "v") return does(() => paste(there()));
      if (control && event.key.toLowerCase() === "g") return does(() => (event.shiftKey ? ungroup() : group()));
      if (control && event.key === "d" && parts.length > 0) return does(() => edit({ do: "copy", parts }));
      if (control) return;
      if (event.key === "Delete" || event.key === "Backspace") {
        const wires = selection.wire ? [selection.wire] : [];
        const notes = selection.notes ?? [];
        const junctions = parts.length > 0 ? [] : chosenJunctions(); // those of a part go with it
        if (parts.length + wires.length + notes.length + junctions.length > 0) {
          set({ selection: { parts: [], wire: null, junction: null } });
          return does(() => edit({ do: "remove", parts, wires, notes, junctions }));
        }
      }
      if (event.altKey && event.key === "ArrowUp") return does(leave);
      const step = event.shiftKey ? 50 : 10;
      const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
      if (way && parts.length > 0) {
        const places = Object.fromEntries(
          shown.drawing.blocks.filter((b) => parts.includes(b.name)).map((b) => [b.name, [b.x + way[0], b.y + way[1]]]),
        );
        return does(() => edit({ do: "move", places }));
      }
      const one = parts.length === 1 ? shown.drawing.blocks.find((b) => b.name === parts[0]) : undefined;
      if (event.key === "Enter" && one?.group && !(event.target as HTMLElement).closest("button")) return does(() => enter(one.name));
      if (event.key === "r") return does(() => turn());
      if (event.key === "x" || event.key === "y") return does(() => mirror(event.key as "x" | "y"));
      if (event.key === "w") return does(() => set({ wiresHidden: !get().wiresHidden }));
      if (event.key === "n") return does(() => note(there()));
      if (event.key === "f") return does(() => flow.fitView(FIT));
      if (event.key === "?") return does(() => set({ dialog: { what: "keys" } }));
    };
    addEventListener("keydown", pressed);
    return () => {
      removeEventListener("keydown", pressed);
      removeEventListener("pointermove", followed);
    };
  }, [flow]);
}
