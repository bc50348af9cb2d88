import { useReactFlow } from "@xyflow/react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { FIT, near } from "./names";
import { type Action, actionsNow, matching } from "./actions";
import { set, useStudio } from "./store";

const MOST = 60; // that are shown; the others are found by more letters

/** A list of what can be done, found by typing; arrows and Enter choose. */
export function Palette() {
  const flow = useReactFlow();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const chosen = useRef<HTMLLIElement>(null);
  const now = [useStudio((s) => s.shown), useStudio((s) => s.selection), useStudio((s) => s.library)];
  const going = [useStudio((s) => s.runs), useStudio((s) => s.run)];
  const actions = useMemo(() => actionsNow((part) => flow.fitView(part === undefined ? FIT : near(part))), [flow, ...now, ...going]);
  const found = matching(actions, text).slice(0, MOST);
  useEffect(() => {
    void chosen.current?.scrollIntoView({ block: "nearest" }); // a promise, in newer browsers
  }, [at]);
  const take = (action: Action | undefined) => {
    if (!action) return;
    set({ dialog: null });
    void action.act();
  };
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length > 0) {
      event.preventDefault();
      setAt((at + step + found.length) % found.length);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      take(found[at]);
    }
  };
  return (
    <div className="shade dim top" onPointerDown={(e) => e.target === e.currentTarget && set({ dialog: null })}>
      <div className="dialog palette" role="dialog" aria-modal="true" aria-label="Commands">
        <input
          autoFocus
          type="search"
          placeholder="What to do"
          aria-label="What to do"
          role="combobox"
          aria-expanded
          aria-controls="palette"
          aria-activedescendant={found[at] ? `palette${at}` : undefined}
          value={text}
          onChange={(e) => (setText(e.target.value), setAt(0))}
          onKeyDown={pressed}
        />
        <ul id="palette" role="listbox" aria-label="Commands">
          {found.map((action, k) => (
            <li
              key={action.title}
              id={`palette${k}`}
              ref={k === at ? chosen : undefined}
              role="option"
              aria-selected={k === at}
              onPointerMove={() => setAt(k)}
              onClick={() => take(action)}
            >
              {action.title} {action.key && <small>{action.key}</small>}
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="note">Nothing of that name can be done now.</p>}
      </div>
    </div>
  );
}
