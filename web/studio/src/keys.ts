import { useReactFlow } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { FIT } from "./names";
import { edit, get, request, save, set, startRun } from "./store";

export const KEYS: [string, string][] = [
  ["Ctrl+Z, Ctrl+Y", "undo, redo"],
  ["Ctrl+S", "save"],
  ["Ctrl+C, Ctrl+V, Ctrl+D", "copy, paste, copy in place"],
  ["Ctrl+A", "select everything"],
  ["Delete", "remove what is selected"],
  ["arrows", "move it a little; with Shift further"],
  ["F", "fit the drawing into the window"],
  ["Ctrl+Enter", "run"],
  ["Ctrl+K", "do anything by its name"],
  ["Escape", "select nothing, close a window"],
  ["?", "these keys"],
];

/** Keys of the whole page; not while something is typed. */
export function useKeys(): void {
  const flow = useReactFlow();
  const copied = useRef<string[]>([]);
  useEffect(() => {
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
      if (control && event.key === "k" && !dialog) return does(() => set({ dialog: { what: "palette" }, menu: null }));
      if (typing || dialog) return;
      if (control && event.key === "z" && !event.shiftKey) return does(() => request("undo"));
      if (control && (event.key === "y" || (event.key.toLowerCase() === "z" && event.shiftKey)))
        return does(() => request("redo"));
      if (control && event.key === "a")
        return does(() =>
          set({ selection: { parts: shown.drawing.blocks.filter((b) => !b.junction).map((b) => b.name), wire: null, junction: null } }));
      if (control && event.key === "c") copied.current = parts;
      if (control && event.key === "v" && copied.current.length > 0)
        return does(() => edit({ do: "copy", parts: copied.current, by: [60, 60] }));
      if (control && event.key === "d" && parts.length > 0) return does(() => edit({ do: "copy", parts }));
      if (control) return;
      if (event.key === "Delete" || event.key === "Backspace") {
        const wires = selection.wire ? [selection.wire] : [];
        if (parts.length + wires.length > 0) return does(() => edit({ do: "remove", parts, wires }));
      }
      const step = event.shiftKey ? 50 : 10;
      const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
      if (way && parts.length > 0) {
        const places = Object.fromEntries(
          shown.drawing.blocks.filter((b) => parts.includes(b.name)).map((b) => [b.name, [b.x + way[0], b.y + way[1]]]),
        );
        return does(() => edit({ do: "move", places }));
      }
      if (event.key === "f") return does(() => flow.fitView(FIT));
      if (event.key === "?") return does(() => set({ dialog: { what: "keys" } }));
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [flow]);
}
