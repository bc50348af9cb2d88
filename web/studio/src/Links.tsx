import { useRef } from "react";
import { edit, get, request, set } from "./store";

/** All wires as a CSV: out of the drawing, and into it. */
export function LinksButtons() {
  const input = useRef<HTMLInputElement>(null);
  const save = async () => {
    const text = await request<string>("links");
    if (text === undefined) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = `${get().shown!.drawing.name} links.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const take = async (file: File) => {
    const text = await file.text();
    const draw = (instead: boolean) => void edit({ do: "links", text, instead });
    if (get().shown!.drawing.wires.length === 0) return draw(false);
    const ask = "Take all wires away that are not in this file? With No they stay, and its rows come beside them.";
    set({ dialog: { what: "question", text: ask, yes: () => draw(true), no: () => draw(false) } });
  };
  return (
    <>
      <button title="Save all wires as a CSV file" onClick={() => void save()}>Links out</button>
      <button title="Draw the wires of a CSV file" onClick={() => input.current?.click()}>Links in</button>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        hidden
        aria-label="A CSV with links"
        onChange={(e) => {
          const file = e.target.files?.[0];
          e.target.value = "";
          if (file) void take(file);
        }}
      />
    </>
  );
}
