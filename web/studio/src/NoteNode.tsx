import { type NodeProps, NodeResizer } from "@xyflow/react";
import type { NoteData } from "./graph";
import { PAINTS } from "./groups";
import { edit, set, useStudio } from "./store";

/** A note on the paper; with a colour it is a box around what lies in it. A double click writes. */
export function NoteNode({ data, selected }: NodeProps & { data: NoteData }) {
  const { mark, number } = data;
  const writing = useStudio((s) => s.writing === number);
  const change = (what: Record<string, unknown>) =>
    edit({ do: "note", number, text: mark.text, at: [mark.x, mark.y, mark.width, mark.height], colour: mark.colour || null, ...what });
  return (
    <div className={`note-node${mark.colour ? ` framed paint-${mark.colour}` : ""}${selected ? " selected" : ""}`} onDoubleClick={() => set({ writing: number })}>
      <NodeResizer
        isVisible={selected && !writing}
        minWidth={40}
        minHeight={24}
        onResizeEnd={(_, { x, y, width, height }) => void change({ at: [x, y, width, height].map(Math.round) })}
      />
      {writing ? (
        <textarea
          className="nodrag nokey"
          aria-label="Text of the note"
          autoFocus
          defaultValue={mark.text}
          onKeyDown={(e) => e.key === "Escape" && e.currentTarget.blur()}
          onBlur={(e) => {
            set({ writing: null });
            if (e.target.value !== mark.text) void change({ text: e.target.value });
          }}
        />
      ) : (
        <p>{mark.text || (selected ? "Double click to write" : "")}</p>
      )}
      {selected && !writing && (
        <span className="swatches nodrag" role="group" aria-label="Colour of the box">
          <button title="no frame" className="paint-none" onClick={() => void change({ colour: null })} />
          {PAINTS.map((c) => <button key={c} title={c} className={`paint-${c}`} onClick={() => void change({ colour: c })} />)}
        </span>
      )}
    </div>
  );
}
