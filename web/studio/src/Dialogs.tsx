import { type ReactNode, useEffect, useRef, useState } from "react";
import { KEYS } from "./keys";
import { Palette } from "./Palette";
import { ServerForm } from "./ServersPane";
import { startTour } from "./Tour";
import { askForTrust, type Dialog, edit, get, link, place, reloadLibrary, request, save, set, toast, useStudio } from "./store";

const close = () => set({ dialog: null });

export function Dialogs() {
  const dialog = useStudio((s) => s.dialog);
  if (dialog === null) return null;
  return <Content dialog={dialog} />;
}

function Frame({ title, children, wide = false }: { title: string; children: ReactNode; wide?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = box.current?.querySelector<HTMLElement>("[data-first], input, textarea, button");
    first?.focus();
  }, []);
  return (
    <div className="shade dim" onPointerDown={(e) => e.target === e.currentTarget && close()}>
      <div ref={box} className={wide ? "dialog wide" : "dialog"} role="dialog" aria-modal="true" aria-label={title}>
        <h2>{title}</h2>
        {children}
      </div>
    </div>
  );
}

function Content({ dialog }: { dialog: Dialog }) {
  switch (dialog.what) {
    case "open":
      return <OpenFile />;
    case "save":
      return <SaveAs name={dialog.name} />;
    case "keys":
      return (
        <Frame title="Keys" wide>
          <table className="keys">
            <tbody>{KEYS.map(([key, does]) => <tr key={key}><th>{key}</th><td>{does}</td></tr>)}</tbody>
          </table>
          <p className="note">Right-click parts, outputs and wires. Shift-drag selects several parts. Drag in a plot zooms, a double click shows all of it.</p>
          <div className="buttons"><button onClick={() => void startTour()}>A tour</button><button onClick={close}>Close</button></div>
        </Frame>
      );
    case "server":
      return <Frame title="Part server"><ServerForm close={close} /></Frame>;
    case "palette":
      return <Palette />;
    case "code":
      return <Code />;
    case "trust":
      return (
        <Frame title="Do you trust this folder?">
          <p>{dialog.text.endsWith(".yaml") || !dialog.text.includes(" ") ? `${dialog.text} has models that are Python code.` : dialog.text}</p>
          <p>Python models run as programs of yours: they may do what you may do.</p>
          <div className="buttons">
            <button data-first onClick={close}>No</button>
            <button
              className="go"
              onClick={() => {
                close();
                void request("trust").then((answer) => answer !== undefined && dialog.then());
              }}
            >
              Trust it
            </button>
          </div>
        </Frame>
      );
    case "question":
      return (
        <Frame title="Please decide">
          <p>{dialog.text}</p>
          <div className="buttons">
            {dialog.no && <button onClick={close}>Cancel</button>}
            <button data-first onClick={() => (close(), dialog.no?.())}>No</button>
            <button className="go" onClick={() => (close(), dialog.yes())}>Yes</button>
          </div>
        </Frame>
      );
    case "template":
      return <NewModel />;
    case "source":
      return <Source {...dialog} />;
    case "rename":
      return <Rename part={dialog.part} />;
  }
}

function OpenFile() {
  const files = useStudio((s) => s.library?.files ?? []);
  useEffect(() => void reloadLibrary(), []);
  return (
    <Frame title="Open">
      {files.length === 0 && <p className="note">There is no drawing in this folder yet.</p>}
      <ul className="files">
        {files.map((file) => (
          <li key={file.name}>
            <button onClick={() => (close(), void request("open", { name: file.name }))}>
              {file.name} <small>{file.kind}</small>
            </button>
          </li>
        ))}
      </ul>
      <div className="buttons"><button onClick={close}>Cancel</button></div>
    </Frame>
  );
}

function SaveAs({ name }: { name: string }) {
  const [given, setGiven] = useState(name);
  const done = () => (close(), void save(given));
  return (
    <Frame title="Save as">
      <input value={given} aria-label="File name" onChange={(e) => setGiven(e.target.value)} onKeyDown={(e) => e.key === "Enter" && done()} />
      <p className="note">.yaml, .ssp or .msim, in the folder that is open</p>
      <div className="buttons">
        <button onClick={close}>Cancel</button>
        <button className="go" onClick={done}>Save</button>
      </div>
    </Frame>
  );
}

function Rename({ part }: { part: string }) {
  const [name, setName] = useState(part);
  const done = async () => {
    if (name === part || (await edit({ do: "rename", part, to: name }))) {
      close();
      set({ selection: { parts: [name], wire: null, junction: null } });
    }
  };
  return (
    <Frame title={`Rename ${part}`}>
      <input value={name} aria-label="New name" onChange={(e) => setName(e.target.value)} onKeyDown={(e) => e.key === "Enter" && void done()} />
      <div className="buttons">
        <button onClick={close}>Cancel</button>
        <button className="go" onClick={() => void done()}>Rename</button>
      </div>
    </Frame>
  );
}

function Code() {
  const [code, setCode] = useState<{ yaml: string; python: string } | null>(null);
  const [which, setWhich] = useState<"yaml" | "python">("python");
  useEffect(() => void request<{ yaml: string; python: string }>("code").then((c) => c && setCode(c)), []);
  return (
    <Frame title="What makes this drawing" wide>
      <nav className="tabs">
        <button role="tab" aria-selected={which === "python"} onClick={() => setWhich("python")}>Python</button>
        <button role="tab" aria-selected={which === "yaml"} onClick={() => setWhich("yaml")}>YAML</button>
      </nav>
      <pre className="code" tabIndex={0}>{code?.[which] ?? ""}</pre>
      <div className="buttons">
        <button onClick={() => void navigator.clipboard.writeText(code?.[which] ?? "").then(() => toast("Copied.", true))}>Copy</button>
        <button className="go" onClick={close}>Close</button>
      </div>
    </Frame>
  );
}

function NewModel() {
  const templates = useStudio((s) => s.library?.templates ?? []);
  const trusted = useStudio((s) => s.shown!.drawing.trusted);
  const [kind, setKind] = useState("dynamic");
  const [name, setName] = useState("");
  const done = async () => {
    const text = await request<string>("template", { kind, name });
    if (text === undefined) return;
    const file = `${name}.py`;
    const then = () => void reloadLibrary().then(() => place(`${file}:${name}`, name));
    const open = () => set({ dialog: { what: "source", file, text, isNew: true, then } });
    if (trusted || get().shown!.drawing.trusted) open();
    else askForTrust("A Python model is written into this folder and run.", open);
  };
  return (
    <Frame title="New Python model">
      <div className="kinds" role="radiogroup">
        {templates.map((t) => (
          <label key={t.kind}>
            <input type="radio" name="kind" checked={kind === t.kind} onChange={() => setKind(t.kind)} />
            <b>{t.title}</b> <span>{t.purpose}</span>
          </label>
        ))}
      </div>
      <input data-first placeholder="name of the model" aria-label="Name of the model" value={name} onChange={(e) => setName(e.target.value)} onKeyDown={(e) => e.key === "Enter" && void done()} />
      <div className="buttons">
        <button onClick={close}>Cancel</button>
        <button className="go" disabled={name === ""} onClick={() => void done()}>Write it …</button>
      </div>
    </Frame>
  );
}

function Source({ file, text, isNew, then }: { file: string; text: string; isNew: boolean; then?: () => void }) {
  const [given, setGiven] = useState(text);
  const [problem, setProblem] = useState("");
  const done = () => {
    link.ask("write", { file, text: given, new: isNew }).then(
      () => (close(), then?.()),
      (error: Error) => setProblem(error.message),
    );
  };
  return (
    <Frame title={file} wide>
      <textarea data-first spellCheck={false} aria-label={`Text of ${file}`} value={given} onChange={(e) => setGiven(e.target.value)} />
      {problem && <p className="failure">{problem}</p>}
      <div className="buttons">
        <button onClick={close}>Cancel</button>
        <button className="go" onClick={done}>{isNew ? "Write and place it" : "Write it"}</button>
      </div>
    </Frame>
  );
}
