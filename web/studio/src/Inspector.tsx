import { useEffect, useState } from "react";
import { draggable } from "./dropping";
import { signalOf } from "./graph";
import { number } from "./names";
import { GroupButtons, Looks, MorePart } from "./PartMore";
import { edit, get, link, plot, request, set, toast, useStudio } from "./store";
import type { Details, Offer, VariableData } from "./types";

const NOTHING: Offer[] = [];

export function Inspector() {
  const selection = useStudio((s) => s.selection);
  if (selection.wire !== null) return <WireInspector target={selection.wire} />;
  if (selection.parts.length === 1) return <PartInspector part={selection.parts[0]} />;
  return (
    <div className="pane">
      <p className="note">
        {selection.parts.length > 1
          ? `${selection.parts.length} parts are selected.`
          : "Select a part or a wire to see what it is and to change it."}
      </p>
      {selection.parts.length > 1 && <GroupButtons parts={selection.parts} />}
      {selection.parts.length > 1 && <Looks parts={selection.parts} />}
    </div>
  );
}

function PartInspector({ part }: { part: string }) {
  const revision = useStudio((s) => s.shown!.drawing.revision);
  const junction = useStudio((s) => s.shown!.drawing.blocks.find((b) => b.name === part)?.junction);
  const [found, setFound] = useState<Details | null>(null);
  useEffect(() => {
    let current = true;
    if (!junction)
      link.ask<Details>("inspect", { part }).then((d) => current && setFound(d), () => undefined);
    return () => {
      current = false;
    };
  }, [part, revision, junction]);
  if (junction)
    return (
      <div className="pane">
        <h2>{part}</h2>
        <p className="note">Power ports meet here: they share one variable, and the other adds up to zero.</p>
        <button onClick={() => void edit({ do: "remove", junctions: [part] })}>Take it apart</button>
      </div>
    );
  if (found === null || found.name !== part) return <div className="pane" />;
  const python = found.model.includes(".py:");
  return (
    <div className="pane">
      <h2>
        {found.name} <button onClick={() => set({ dialog: { what: "rename", part } })}>Rename</button>
      </h2>
      <p className="note">
        {found.model.startsWith("group of") ? `${found.model}, a system of its own inside` : `${found.kind} from ${found.model}`}
        {found.states !== null && `, ${found.states} state${found.states === 1 ? "" : "s"}`}
      </p>
      {python && <SourceButton part={part} />}
      <ReplaceBy part={part} />
      <Looks parts={[part]} />
      <GroupButtons parts={[part]} />
      <Variables part={part} title="Parameters and start values" list={found.parameters} />
      <Variables part={part} title="Inputs" list={found.inputs} />
      {found.outputs.length > 0 && <h3>Outputs</h3>}
      <ul className="outputs">
        {found.outputs.slice(0, 300).map((v) => (
          <li key={v.name} title={v.description} {...carriedBy(part, v.name)}>
            {v.name} <small>{v.unit ?? ""} {v.type === "real" ? "" : v.type}</small>
            {rangeOf(v) && <small className="range">{rangeOf(v)}</small>}
            {signalName(part, v.name) && <button onClick={() => plot([signalName(part, v.name)!])}>plot</button>}
          </li>
        ))}
      </ul>
      {found.ports.length > 0 && <h3>Power ports</h3>}
      <ul>
        {found.ports.map((p) => (
          <li key={p.name}>{p.name} <small>{p.domain}: {p.effort} and {p.flow}</small></li>
        ))}
      </ul>
      <h3>What it can do</h3>
      <ul className="abilities">
        {found.abilities.map((a) => (
          <li key={a.what} className={a.able ? "able" : "unable"}>{a.able ? "✓" : "–"} {a.what}</li>
        ))}
      </ul>
      {found.against_rollback && <p className="note">{found.against_rollback}</p>}
      <MorePart key={part} part={part} documented={found.has_documentation} />
    </div>
  );
}

/** By which name a run knows an output of a part; null if it does not. */
function signalName(part: string, name: string): string | null {
  const { inside, blocks } = get().shown!.drawing;
  if (inside.length === 0) return `${part}.${name}`;
  const pin = blocks.find((b) => b.name === part)?.right?.find((p) => p.name === name);
  return pin ? (pin.signal ?? null) : `${inside.join(".")}.${part}.${name}`;
}

/** What makes the row of an output one that is dragged into a plot. */
function carriedBy(part: string, name: string): Partial<ReturnType<typeof draggable>> {
  const signal = signalName(part, name);
  return signal === null ? {} : draggable({ name: signal });
}

/** Another model in its place: values and connections that fit it stay. */
function ReplaceBy({ part }: { part: string }) {
  const offers = useStudio((s) => s.library?.offers ?? NOTHING);
  const models = offers.filter((o) => o.model !== "");
  if (models.length === 0) return null;
  return (
    <label className="check">
      Replace by
      <select aria-label={`Replace the model of ${part}`} value="" onChange={(e) => void edit({ do: "replace", part, model: e.target.value })}>
        <option value="">a model ...</option>
        {models.map((o) => <option key={`${o.model}${o.name}`} value={o.model}>{o.model}</option>)}
      </select>
    </label>
  );
}

function SourceButton({ part }: { part: string }) {
  const model = useStudio((s) => s.shown!.drawing.blocks.find((b) => b.name === part)?.model ?? "");
  const offers = useStudio((s) => s.library?.offers ?? []);
  const offer = offers.find((o) => o.model === model || o.model.endsWith(`/${model}`));
  if (!offer) return null;
  const file = offer.model.split(":")[0];
  const open = async () => {
    const text = await request<string>("source", { file });
    if (text !== undefined) set({ dialog: { what: "source", file, text, isNew: false } });
  };
  return <button onClick={() => void open()}>Edit {file}</button>;
}

function Variables({ part, title, list }: { part: string; title: string; list: VariableData[] }) {
  const [wanted, setWanted] = useState("");
  if (list.length === 0) return null;
  const shown = list.filter((v) => v.name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      <h3>{title}</h3>
      {list.length > 15 && <input type="search" placeholder={`Find among ${list.length}`} value={wanted} onChange={(e) => setWanted(e.target.value)} />}
      <table className="variables">
        <tbody>
          {shown.slice(0, 200).map((v) => <VariableRow key={v.name} part={part} v={v} />)}
        </tbody>
      </table>
      {shown.length > 200 && <p className="note">and {shown.length - 200} more: find them by name</p>}
    </>
  );
}

const text = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** What a value may be, in few letters. */
export function rangeOf(v: Pick<VariableData, "minimum" | "maximum">): string {
  if (v.minimum !== null && v.maximum !== null) return `${number(v.minimum)} … ${number(v.maximum)}`;
  return v.minimum !== null ? `≥ ${number(v.minimum)}` : v.maximum !== null ? `≤ ${number(v.maximum)}` : "";
}

function VariableRow({ part, v }: { part: string; v: VariableData }) {
  const range = rangeOf(v);
  const usual = v.start === null || v.start === undefined ? "" : `${text(v.start)} by itself`;
  const note = [v.description, v.type, v.variability, range, usual, v.literals.join(" | ")].filter(Boolean).join(", ");
  const give = (given: string) => {
    const value = given.trim() === "" ? null : v.type === "string" ? given : given.trim();
    if (text(value) !== text(v.value)) void edit({ do: "set", name: `${part}.${v.name}`, value });
  };
  return (
    <tr title={note}>
      <th>
        {v.name}
        {range && <small className="range">{range}</small>}
      </th>
      <td>
        {v.fed ? (
          <span className="fed">← {v.fed}</span>
        ) : (
          <input
            key={text(v.value)}
            className={v.given ? "given" : ""}
            aria-label={`${part}.${v.name}`}
            defaultValue={text(v.value)}
            placeholder={text(v.start)}
            onBlur={(e) => give(e.target.value)}
            onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
          />
        )}
      </td>
      <td className="unit">{v.unit ?? ""}</td>
    </tr>
  );
}

function WireInspector({ target }: { target: string }) {
  const wire = useStudio((s) => s.shown!.drawing.wires.find((w) => w.target === target));
  if (!wire) return <div className="pane" />;
  const change = (what: Record<string, unknown>) => {
    if (Object.values(what).some((v) => typeof v === "number" && !Number.isFinite(v))) {
      toast("A gain and an offset are numbers.");
      return;
    }
    const { source, gain, offset, convert, table } = wire;
    void edit({ do: "connect", source, target, gain, offset, convert, table, ...what, instead: true });
  };
  const field = (name: "gain" | "offset") => (
    <tr>
      <th>{name}</th>
      <td>
        <input
          key={wire[name]}
          aria-label={name}
          defaultValue={wire[name]}
          onBlur={(e) => Number(e.target.value) !== wire[name] && change({ [name]: Number(e.target.value) })}
          onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
        />
      </td>
    </tr>
  );
  return (
    <div className="pane">
      <h2>Wire</h2>
      <p>{wire.source} → {wire.target}</p>
      <table className="variables"><tbody>{field("gain")}{field("offset")}</tbody></table>
      <label className="check">
        <input type="checkbox" checked={wire.convert} onChange={(e) => change({ convert: e.target.checked })} /> convert units
      </label>
      {wire.label && <p className="note">On the way: {wire.label}</p>}
      {wire.table.length > 0 && <p className="note">Values are looked up in a table of {wire.table.length}.</p>}
      <button onClick={() => void edit({ do: "remove", wires: [target] })}>Remove</button>{" "}
      {signalOf(wire) && <button onClick={() => plot([signalOf(wire)])}>Plot</button>}{" "}
      {wire.way && <button onClick={() => void edit({ do: "bend", wire: target, points: [] })}>Let it find its way</button>}
    </div>
  );
}
