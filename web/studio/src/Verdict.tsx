import { Flame } from "./Flame";
import { number } from "./names";
import { useStudio } from "./store";
import { Story } from "./Story";

/** What the verdict says in words, what it is based on, and what the run has cost. */
export function Verdict() {
  const run = useStudio((s) => s.runs.find((r) => r.number === s.run));
  if (!run) return null;
  if (run.status === undefined && run.state !== "failed")
    return <div className="verdict"><p className="note">The verdict comes at the end of the run.</p></div>;
  const title = run.state === "failed" ? "The run failed" : run.state === "stopped" ? `Stopped: ${run.status}` : run.status;
  return (
    <div className="verdict">
      <div className="words">
        <h2 className={run.state === "failed" || run.status === "doubtful" ? "bad" : run.status === "trusted" ? "good" : ""}>{title}</h2>
        {run.text && <p className="failure">{run.text}</p>}
        {run.said && <pre>{run.said}</pre>}
        {(run.lines ?? []).map((line) => <p key={line}>{line}</p>)}
        {(run.messages ?? []).map((line, k) => <p key={k} className="note">{line}</p>)}
      </div>
      {(run.errors ?? []).length > 0 && (
        <div>
          <h3>Estimated error</h3>
          <table className="errors">
            <tbody>
              {run.errors!.slice(0, 12).map(([name, error]) => (
                <tr key={name}><th>{name}</th><td>{number(100 * error)} % of its range</td></tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {run.windows !== undefined && (
        <div>
          <h3>Cost</h3>
          <p>
            {run.windows} windows{run.native_windows ? `, ${run.native_windows} of them native` : ""}, {run.events ?? 0} events, {run.evaluations} advances of parts, {number(run.seconds)} s
          </p>
          <Flame whole={run.seconds ?? 0} parts={run.seconds_by_part ?? {}} />
        </div>
      )}
      {run.status !== undefined && <Story run={run} />}
    </div>
  );
}
