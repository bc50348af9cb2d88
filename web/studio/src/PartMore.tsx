import { useState } from "react";
import { enter, group, mirror, paint, PAINTS, turn, ungroup } from "./groups";
import { request, useStudio } from "./store";

/** How blocks look: turned, mirrored, coloured. */
export function Looks({ parts }: { parts: string[] }) {
  return (
    <div className="row looks">
      <button title="Turn by a quarter (R)" onClick={() => void turn(parts)}>↺</button>
      <button title="Mirror left to right (X)" onClick={() => void mirror("x", parts)}>⇋</button>
      <button title="Mirror upside down (Y)" onClick={() => void mirror("y", parts)}>⥮</button>
      <span className="swatches" role="group" aria-label="Colour">
        <button title="no colour" className="paint-none" onClick={() => void paint(null, parts)} />
        {PAINTS.map((c) => <button key={c} title={c} className={`paint-${c}`} onClick={() => void paint(c, parts)} />)}
      </span>
    </div>
  );
}

/** Make a group, look into one, take it apart. */
export function GroupButtons({ parts }: { parts: string[] }) {
  const blocks = useStudio((s) => s.shown!.drawing.blocks);
  const one = parts.length === 1 ? blocks.find((b) => b.name === parts[0]) : undefined;
  if (one && !one.group) return null;
  if (!one) return <p><button onClick={() => void group(parts)}>Make a group of them</button></p>;
  return (
    <p>
      <button onClick={() => void enter(one.name)}>Look inside</button>{" "}
      <button onClick={() => void ungroup([one.name])}>Take apart</button>
    </p>
  );
}

/** What is asked for only when it is wanted: documentation, and what the part stands in the way of. */
export function MorePart({ part, documented }: { part: string; documented: boolean }) {
  return (
    <>
      <Asked title="What that rules out" what="ruled_out" part={part} none="Nothing: the drawing can be run in every way." />
      {documented && <Asked title="Documentation" what="documentation" part={part} none="It has none." />}
    </>
  );
}

function Asked({ title, what, part, none }: { title: string; what: string; part: string; none: string }) {
  const [found, setFound] = useState<string | string[] | null>(null);
  const ask = () => void request<string | string[]>(what, { part }).then((text) => text !== undefined && setFound(text));
  return (
    <details onToggle={(e) => e.currentTarget.open && ask()}>
      <summary>{title}</summary>
      {found !== null && found.length === 0 && <p className="note">{none}</p>}
      {Array.isArray(found) ? (
        <ul className="abilities">{found.map((line) => <li key={line} className="unable">– {line}</li>)}</ul>
      ) : (
        found && <p className="documentation">{found}</p>
      )}
    </details>
  );
}
