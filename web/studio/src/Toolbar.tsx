import { edit, get, link, request, save, set, startRun, useStudio } from "./store";
import { duration, number } from "./names";

export function Toolbar({ theme, nextTheme }: { theme: string; nextTheme: () => void }) {
  const drawing = useStudio((s) => s.shown!.drawing);
  const outside = useStudio((s) => s.outside);
  const pages = useStudio((s) => s.pages);
  return (
    <header className="toolbar">
      <input
        className="title"
        aria-label="Name of the system"
        key={drawing.name}
        defaultValue={drawing.name}
        onBlur={(e) => e.target.value !== drawing.name && void edit({ do: "title", name: e.target.value })}
        onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
      />
      <span className="file" title={drawing.file ?? undefined}>
        {drawing.file ?? "not saved yet"}
        {drawing.saved ? "" : " •"}
      </span>
      <button onClick={() => void request("new")}>New</button>
      <button onClick={() => set({ dialog: { what: "open" } })}>Open</button>
      <button onClick={() => void save()} title="Ctrl+S">Save</button>
      <button onClick={() => set({ dialog: { what: "save", name: drawing.file ?? `${drawing.name}.yaml` } })}>Save as</button>
      <i />
      <button disabled={!drawing.undo} title={`Undo ${drawing.undo} (Ctrl+Z)`} onClick={() => void request("undo")}>↶</button>
      <button disabled={!drawing.redo} title={`Redo ${drawing.redo} (Ctrl+Y)`} onClick={() => void request("redo")}>↷</button>
      <button title="Automatic layout" onClick={() => void edit({ do: "arrange" })}>Arrange</button>
      <button title="All inputs and outputs in a table" onClick={() => set({ table: true, lower: "connect" })}>Connect</button>
      <button title="The best algorithm, sweeps" onClick={() => set({ study: true, lower: "study" })}>Study</button>
      <button onClick={() => set({ dialog: { what: "code" } })} title="As YAML, as Python">Code</button>
      <i />
      <RunButtons />
      <i className="stretch" />
      {outside && (
        <button
          className="warn"
          onClick={() => {
            const yes = () => void request("open", { name: get().shown!.drawing.file! }).then(() => set({ outside: false }));
            set({ dialog: { what: "question", text: "The file was changed by another program. Open it anew?", yes } });
          }}
        >
          File changed
        </button>
      )}
      {pages > 1 && <span className="pages" title="Every page sees the edits of the others">{pages} pages</span>}
      <button onClick={nextTheme} title="Light, dark, or as the system has it">{{ system: "◐", light: "☀", dark: "☾" }[theme]}</button>
      <button onClick={() => set({ dialog: { what: "keys" } })} title="Keys (?)">?</button>
    </header>
  );
}

function RunButtons() {
  const run = useStudio((s) => s.runs.find((r) => r.number === s.run));
  const ok = useStudio((s) => s.shown!.check.ok);
  const goes = run && ["starting", "running", "paused"].includes(run.state);
  const steer = (what: string) => void link.ask("steer", { run: run!.number, what }).catch(() => undefined);
  const share = goes && run.time != null && run.stop ? (run.time - (run.start ?? 0)) / (run.stop - (run.start ?? 0)) : 0;
  return (
    <>
      {!goes && (
        <button className="go" title="Ctrl+Enter" onClick={() => void startRun()} disabled={!ok}>▶ Run</button>
      )}
      {goes && run.state === "paused" && <button className="go" onClick={() => steer("go")}>▶ Go on</button>}
      {goes && run.state !== "paused" && <button onClick={() => steer("pause")}>❚❚ Pause</button>}
      {goes && <button onClick={() => steer("step")} title="One window" aria-label="One window">▸❚</button>}
      {goes && <button onClick={() => steer("stop")}>■ Stop</button>}
      {goes && (
        <span className="progress">
          <progress value={share} />
          {run.time == null ? run.state : `t = ${number(run.time)} s`}
          <Remaining run={run.number} share={share} covered={(run.time ?? 0) - (run.start ?? 0)} />
        </span>
      )}
    </>
  );
}

const begun = new Map<number, number>();

/** How long it still takes; how fast it is, when the mouse asks. */
function Remaining({ run, share, covered }: { run: number; share: number; covered: number }) {
  if (!begun.has(run)) begun.set(run, Date.now());
  const past = (Date.now() - begun.get(run)!) / 1000;
  if (past < 2 || share <= 0.01) return null;
  const rate = covered / past;
  const fast = rate >= 100 ? String(Math.round(rate)) : number(Number(rate.toPrecision(2)));
  return (
    <small title={`${number(rate)} s of the run in each second of the clock`}>
      {fast} × the clock, {duration((past * (1 - share)) / share)} left
    </small>
  );
}
