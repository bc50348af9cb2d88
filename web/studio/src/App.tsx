import { ReactFlowProvider } from "@xyflow/react";
import { type KeyboardEvent, useEffect, useState } from "react";
import { Breadcrumb } from "./Breadcrumb";
import { Canvas } from "./Canvas";
import { CheckPane } from "./CheckPane";
import { Dialogs } from "./Dialogs";
import { Inspector } from "./Inspector";
import { useKeys } from "./keys";
import { LibraryPane } from "./LibraryPane";
import { Lower } from "./Lower";
import { RunPane } from "./RunPane";
import { drop, set, useStudio } from "./store";
import { Toolbar } from "./Toolbar";
import { WireEditor } from "./WireEditor";
import { Tour } from "./Tour";

const THEMES = ["system", "light", "dark"] as const;

export function useTheme(): [string, () => void] {
  const [theme, setTheme] = useState(() => localStorage.getItem("theme") ?? "system");
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
      const found = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
      document.documentElement.dataset.theme = found;
      set({ theme: found });
    };
    apply();
    localStorage.setItem("theme", theme);
    dark.addEventListener("change", apply);
    return () => dark.removeEventListener("change", apply);
  }, [theme]);
  const next = () => setTheme(THEMES[(THEMES.indexOf(theme as "system") + 1) % 3]);
  return [theme, next];
}

export function App() {
  return (
    <ReactFlowProvider>
      <Studio />
    </ReactFlowProvider>
  );
}

function Studio() {
  const entered = useStudio((s) => s.entered);
  const shown = useStudio((s) => s.shown);
  const tab = useStudio((s) => s.tab);
  const problems = useStudio((s) => s.shown?.check.problems.filter((p) => !p.warning).length ?? 0);
  const isEmpty = useStudio((s) => s.shown?.drawing.blocks.length === 0);
  const [theme, nextTheme] = useTheme();
  useKeys();
  if (entered === "refused")
    return <p className="alone">Open the studio by the address that it printed, with its token.</p>;
  if (shown === null) return <p className="alone">Opening the studio …</p>;
  return (
    <div className="studio">
      <Toolbar theme={theme} nextTheme={nextTheme} />
      <LibraryPane />
      <main className="middle">
        <Breadcrumb />
        <Canvas theme={theme} />
        <Lower />
      </main>
      <aside className="side">
        <nav className="tabs" role="tablist">
          {(["inspect", "check", "run"] as const).map((name) => (
            <button key={name} role="tab" aria-selected={tab === name} onClick={() => set({ tab: name })}>
              {{ inspect: "Inspect", check: isEmpty ? "Check" : problems ? `Check (${problems})` : "Check ✓", run: "Run" }[name]}
            </button>
          ))}
        </nav>
        {tab === "inspect" && <Inspector />}
        {tab === "check" && <CheckPane />}
        {tab === "run" && <RunPane />}
      </aside>
      <Toasts />
      <Dialogs />
      <Menu />
      <WireEditor />
      <Tour />
      <Offline />
    </div>
  );
}

function Toasts() {
  const toasts = useStudio((s) => s.toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((one) => (
        <div key={one.id} className={one.good ? "toast good" : "toast"}>
          <span>{one.text}</span>
          <button aria-label="Close" onClick={() => drop(one.id)}>×</button>
        </div>
      ))}
    </div>
  );
}

function Menu() {
  const menu = useStudio((s) => s.menu);
  if (menu === null) return null;
  const close = () => set({ menu: null });
  return (
    <div className="shade" onClick={close} onContextMenu={(e) => (e.preventDefault(), close())}>
      <ul
        className="menu"
        role="menu"
        ref={(list) => list?.querySelector("button")?.focus({ preventScroll: true })}
        onKeyDown={walk}
        style={{ left: Math.min(menu.x, innerWidth - 260), top: Math.min(menu.y, innerHeight - 34 * menu.items.length - 12) }}
      >
        {menu.items.map((item) => (
          <li key={item.text} role="none">
            <button role="menuitem" onClick={() => (close(), item.act())}>{item.text}</button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Arrows go through a menu. */
function walk(event: KeyboardEvent<HTMLUListElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const items = [...event.currentTarget.querySelectorAll("button")];
  items[(items.indexOf(document.activeElement as HTMLButtonElement) + step + items.length) % items.length]?.focus();
}

function Offline() {
  const open = useStudio((s) => s.open);
  if (open) return null;
  return <div className="offline">The studio does not answer. Your edits are kept; this page tries again.</div>;
}
