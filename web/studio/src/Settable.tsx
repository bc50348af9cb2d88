import { useEffect, useState } from "react";
import { link, useStudio } from "./store";

/** What can be given a value, for fields with `list="settable"`. */
export function Settable() {
  const revision = useStudio((s) => s.shown!.drawing.revision);
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => {
    let current = true;
    link.ask<string[]>("settable").then((found) => current && setNames(found), () => undefined);
    return () => {
      current = false;
    };
  }, [revision]);
  return <datalist id="settable">{names.map((name) => <option key={name} value={name} />)}</datalist>;
}
