import { useEffect, useRef } from "react";
import { edit, set, toast, useStudio } from "./store";

/** Gain, offset and units of a wire, right where it was clicked. */
export function WireEditor() {
  const open = useStudio((s) => s.wireEditor);
  const wire = useStudio((s) => s.shown?.drawing.wires.find((w) => w.target === s.wireEditor?.target));
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.select(), [open]);
  if (open === null || wire === undefined) return null;
  const close = () => set({ wireEditor: null });
  const take = (form: HTMLFormElement) => {
    const data = new FormData(form);
    const [gain, offset] = [Number(data.get("gain")), Number(data.get("offset"))];
    const convert = data.get("convert") === "on";
    if (![gain, offset].every(Number.isFinite) || data.get("gain") === "") {
      toast("A gain and an offset are numbers.");
      return;
    }
    close();
    if (gain === wire.gain && offset === wire.offset && convert === wire.convert) return;
    const { source, target, table } = wire;
    void edit({ do: "connect", source, target, gain, offset, convert, table, instead: true });
  };
  return (
    <div className="shade" onPointerDown={(e) => e.target === e.currentTarget && close()}>
      <form
        className="wireeditor"
        role="dialog"
        aria-label={`Wire to ${wire.target}`}
        style={{ left: Math.min(open.x, innerWidth - 250), top: Math.min(open.y, innerHeight - 170) }}
        onSubmit={(e) => (e.preventDefault(), take(e.currentTarget))}
        onKeyDown={(e) => e.key === "Escape" && (e.stopPropagation(), close())}
      >
        <small>{wire.source} → {wire.target}</small>
        <label>× <input ref={first} name="gain" aria-label="gain on the wire" defaultValue={wire.gain} /></label>
        <label>+ <input name="offset" aria-label="offset on the wire" defaultValue={wire.offset} /></label>
        <label><input type="checkbox" name="convert" defaultChecked={wire.convert} /> convert units{wire.label ? ` (${wire.label})` : ""}</label>
        <div className="buttons">
          <button type="button" onClick={close}>Cancel</button>
          <button className="go">Set</button>
        </div>
      </form>
    </div>
  );
}
