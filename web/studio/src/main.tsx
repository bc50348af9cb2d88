import "./language";
import "@xyflow/react/dist/style.css";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { link, set } from "./store";

/** Turn the token of the address into a cookie, and take it out of the address. */
async function enter(): Promise<boolean> {
  const token = location.hash.slice(1);
  if (token) {
    history.replaceState(null, "", location.pathname);
    const answer = await fetch("/session", { method: "POST", body: token });
    return answer.ok;
  }
  return true; // a page that was reloaded has the cookie
}

createRoot(document.getElementById("root")!).render(<App />);
enter()
  .then((ok) => {
    set({ entered: ok ? "yes" : "refused" });
    if (ok) link.open();
  })
  .catch(() => set({ entered: "refused" }));
