import { useEffect, useState } from "react";
import { number } from "./names";
import { Marks, PaceChoice } from "./RunSteer";
import { Settable } from "./Settable";
import { giveSetting } from "./settings";
import { link, look, set, toast, useStudio } from "./store";

const show = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** What was typed: JSON where it is some, else a word. */
export function typed(text: string): unknown {
  const found = text.trim();
  if (found === "") return undefined;
  try {
    return JSON.parse(found);
  } catch {
    return found;
  }
}

const FIELDS: [string, string, string][] = [
  ["stop", "Stop time in s", "needed"],
  ["start", "Start time in s", "0"],
  ["step", "Windows in s", "chosen by their error"],
  ["algorithm", "Algorithm", "chosen from the parts"],
  ["controller", "Controller of windows", "chosen from the parts"],
  ["rtol", "Relative tolerance", "1e-5"],
  ["record", "Record", "everything"],
  ["every", "A row every … s", "at each window"],
];

export function RunPane() {
  const settings = useStudio((s) => s.shown!.drawing.settings);
  const isolate = useStudio((s) => s.isolate);
  const [families, setFamilies] = useState<Record<string, string[]>>({});
  useEffect(() => {
    link.ask<Record<string, string[]>>("families").then(setFamilies, () => undefined);
  }, []);
  const change = (name: string, text: string) => {
    const value = typed(text);
    if (show(value) !== show(settings[name])) void giveSetting(name, value);
  };
  return (
    <div className="pane">
      <h3>Settings</h3>
      <table className="variables wide">
        <tbody>
          {FIELDS.map(([name, title, usual]) => (
            <tr key={name}>
              <th>{title}</th>
              <td>
                <input
                  key={show(settings[name])}
                  aria-label={title}
                  data-setting={name}
                  title={show(settings[name]) || usual}
                  list={families[name] ? `list-${name}` : undefined}
                  defaultValue={show(settings[name])}
                  placeholder={usual}
                  onBlur={(e) => change(name, e.target.value)}
                  onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {Object.entries(families).map(([name, list]) => (
        <datalist key={name} id={`list-${name}`}>{list.map((one) => <option key={one} value={one} />)}</datalist>
      ))}
      <p className="note">
        A name, or a name with options as in a file: {'{"gauss_seidel": {"max_iterations": 20}}'}. What is left empty Dovetail chooses.
      </p>
      <label className="check">
        <input type="checkbox" checked={isolate} onChange={(e) => set({ isolate: e.target.checked })} /> each FMU in a process of its own
      </label>
      <PaceChoice />
      <Marks />
      <WhileItRuns />
      <RunList />
    </div>
  );
}

function WhileItRuns() {
  const run = useStudio((s) => s.runs.find((r) => r.number === s.run));
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  if (!run || !["running", "paused"].includes(run.state)) return null;
  const give = () => {
    link.ask("steer", { run: run.number, what: "set", name, value: typed(value) }).catch((e: Error) => toast(e.message));
  };
  return (
    <>
      <h3>Change while it runs</h3>
      <div className="row">
        <Settable />
        <input aria-label="What to change" list="settable" placeholder="part.parameter" value={name} onChange={(e) => setName(e.target.value)} />
        <input aria-label="New value" placeholder="value" value={value} onChange={(e) => setValue(e.target.value)} />
        <button onClick={give}>Set</button>
      </div>
      {run.change && (
        <p className="note">
          {run.change.done ? `${run.change.name} is ${number(run.change.value)} from the next window on.` : run.change.text}
        </p>
      )}
    </>
  );
}

function RunList() {
  const runs = useStudio((s) => s.runs);
  const current = useStudio((s) => s.run);
  const overlaid = useStudio((s) => s.overlaid);
  if (runs.length === 0) return null;
  return (
    <>
      <h3>Runs</h3>
      <table className="runs">
        <thead><tr><th>run</th><th>state</th><th>verdict</th><th title="genuine advances of parts">cost</th><th title="draw it with the one that is looked at">over</th></tr></thead>
        <tbody>
          {[...runs].reverse().map((run) => (
            <tr key={run.number} className={run.number === current ? "current" : ""} title={`${run.file}\n${JSON.stringify(run.settings)}`}>
              <td><button onClick={() => look(run.number)}>{run.number}</button></td>
              <td>{run.state}</td>
              <td>{run.status ?? ""}</td>
              <td>{run.evaluations ?? ""}</td>
              <td>
                {run.number !== current && (
                  <input
                    type="checkbox"
                    aria-label={`Draw run ${run.number} as well`}
                    checked={overlaid.includes(run.number)}
                    onChange={(e) => {
                      const others = e.target.checked ? [...overlaid, run.number] : overlaid.filter((n) => n !== run.number);
                      if (current !== null) look(current, others);
                    }}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="note">Rows are in {runs[runs.length - 1].file} and its neighbours.</p>
    </>
  );
}
