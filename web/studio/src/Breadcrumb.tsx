import { goTo } from "./groups";
import { useStudio } from "./store";

/** Where in the drawing the page is: the way into the group that is shown. */
export function Breadcrumb() {
  const path = useStudio((s) => s.shown!.drawing.inside);
  const file = useStudio((s) => s.shown!.drawing.file);
  if (path.length === 0) return null;
  const top = file?.split("/").pop() ?? "the drawing";
  return (
    <nav className="breadcrumb" aria-label="Groups">
      {[top, ...path].map((name, k) => (
        <span key={`${k}${name}`}>
          {k > 0 && <i>›</i>}
          {k < path.length ? <button onClick={() => void goTo(path.slice(0, k))}>{name}</button> : <b>{name}</b>}
        </span>
      ))}
    </nav>
  );
}
