import { useEffect, useState } from "react";
import { LinksButtons } from "./Links";
import { edit, link, useStudio } from "./store";
import type { Ends, InputEnd } from "./types";

const MOST = 300; // rows of a list; the others are found by their names

const unit = (end: { unit: string | null; type: string }): string =>
  [end.unit ?? "", end.type === "real" ? "" : end.type].filter(Boolean).join(" ");

/** Inputs that a text and the tick box leave. */
export function wantedInputs(inputs: InputEnd[], text: string, open: boolean): InputEnd[] {
  const words = text.toLowerCase();
  return inputs.filter((i) => (!open || i.fed === null) && `${i.end} ${i.fed ?? ""}`.toLowerCase().includes(words));
}

/** All inputs with what feeds them; the one that is chosen takes an output by a tick. */
export function ConnectTable() {
  const revision = useStudio((s) => s.shown!.drawing.revision);
  const [ends, setEnds] = useState<Ends>({ inputs: [], outputs: [] });
  const [text, setText] = useState("");
  const [from, setFrom] = useState("");
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [reasons, setReasons] = useState<Record<string, string>>({});
  useEffect(() => {
    let current = true;
    link.ask<Ends>("ends").then((found) => current && setEnds(found), () => undefined);
    return () => {
      current = false;
    };
  }, [revision]);
  const input = ends.inputs.find((i) => i.end === chosen);
  const fed = input?.fed;
  useEffect(() => {
    setReasons({});
    if (chosen === null || fed === undefined) return;
    let current = true;
    link.ask<Record<string, string>>("targets", { end: chosen, instead: fed !== null }).then((r) => current && setReasons(r), () => undefined);
    return () => {
      current = false;
    };
  }, [chosen, fed]);
  const inputs = wantedInputs(ends.inputs, text, open);
  const outputs = ends.outputs.filter((o) => o.end.toLowerCase().includes(from.toLowerCase()));
  const against = (source: string): string => reasons[source] ?? "";
  const take = (source: string) => {
    if (!input) return;
    if (input.fed === source) void edit({ do: "remove", wires: [input.end] });
    else void edit({ do: "connect", source, target: input.end, instead: input.fed !== null });
  };
  return (
    <div className="table">
      <section aria-label="Inputs">
        <div className="row">
          <input type="search" placeholder={`Find among ${ends.inputs.length} inputs`} value={text} onChange={(e) => setText(e.target.value)} />
          <label className="check"><input type="checkbox" checked={open} onChange={(e) => setOpen(e.target.checked)} /> open ones</label>
          <button title="Connect each open input to the one output of its name" onClick={() => void edit({ do: "match" })}>Connect by names</button>
        </div>
        <ul>
          {inputs.slice(0, MOST).map((i) => (
            <li key={i.end} className={i.end === chosen ? "chosen" : ""}>
              <button aria-pressed={i.end === chosen} onClick={() => setChosen(i.end)}>
                {i.end} <small>{unit(i)}</small>
                <span className={i.fed === null ? "open" : "fed"}>{i.fed === null ? "open" : `← ${i.fed}`}</span>
              </button>
            </li>
          ))}
        </ul>
        {inputs.length > MOST && <p className="note">and {inputs.length - MOST} more: find them by name</p>}
      </section>
      <section aria-label="Outputs">
        <div className="row">
          <input type="search" placeholder={`Find among ${ends.outputs.length} outputs`} value={from} onChange={(e) => setFrom(e.target.value)} />
          <LinksButtons />
        </div>
        <p className="note">{input ? `What feeds ${input.end}:` : "Choose an input, then tick its source."}</p>
        <ul>
          {outputs.slice(0, MOST).map((o) => (
            <li key={o.end} title={input ? against(o.end) : ""} className={input && against(o.end) ? "unfit" : ""}>
              <label>
                <input type="checkbox" disabled={!input || (against(o.end) !== "" && input.fed !== o.end)} checked={input?.fed === o.end} onChange={() => take(o.end)} />
                {o.end} <small>{unit(o)}</small>
                <span>{o.feeds > 0 ? `feeds ${o.feeds}` : ""}</span>
              </label>
            </li>
          ))}
        </ul>
        {outputs.length > MOST && <p className="note">and {outputs.length - MOST} more: find them by name</p>}
      </section>
    </div>
  );
}
