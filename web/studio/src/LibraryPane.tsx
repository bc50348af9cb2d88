import { useState } from "react";
import { reloadServers, ServersPane } from "./ServersPane";
import { coordinate } from "./solving";
import { get, place, reloadLibrary, request, set, toast, useStudio } from "./store";
import type { Coordinator, Offer } from "./types";

const ORDER = ["Dynamic", "Algebraic", "Sources", "FMUs", "Data", "Systems", "Python"];

export function LibraryPane() {
  const library = useStudio((s) => s.library);
  const trusted = useStudio((s) => s.shown!.drawing.trusted);
  const [wanted, setWanted] = useState("");
  const fits = (o: Offer) => `${o.name} ${o.model}`.toLowerCase().includes(wanted.toLowerCase());
  const found = library?.offers.filter(fits) ?? [];
  return (
    <aside className="library" aria-label="Models of this folder">
      <div className="search">
        <input type="search" placeholder="Find a model" value={wanted} onChange={(e) => setWanted(e.target.value)} />
        <button title="Look into the folder again" onClick={() => (void reloadLibrary(), void reloadServers())}>⟳</button>
      </div>
      {ORDER.map((group) => {
        const offers = found.filter((o) => o.group === group);
        if (offers.length === 0) return null;
        return (
          <section key={group}>
            <h3>{group}</h3>
            <ul>{offers.map((o) => <OfferRow key={`${o.model}${o.name}`} offer={o} />)}</ul>
          </section>
        );
      })}
      <Coordinators wanted={wanted} />
      <ServersPane wanted={wanted} />
      {library && library.offers.length === 0 && (
        <p className="note">There are no models in this folder yet. Drop an FMU or a table onto the paper, or write a Python model.</p>
      )}
      <section>
        <h3>New</h3>
        <button onClick={() => set({ dialog: { what: "template" } })}>Python model …</button>{" "}
        <button onClick={() => set({ dialog: { what: "server" } })}>Part server …</button>
      </section>
      {!trusted && (
        <p className="note">
          Python models are code. They run only if you trust this folder.{" "}
          <button onClick={() => void request("trust")}>Trust it</button>
        </p>
      )}
      <p className="folder" title={library?.folder}>{library?.folder}</p>
    </aside>
  );
}

/** Ways to solve junctions: dropped onto one, or given to the one that is selected. */
function Coordinators({ wanted }: { wanted: string }) {
  const all = useStudio((s) => s.coordinators);
  const joined = useStudio((s) => s.shown!.drawing.bonds.length > 0);
  const found = all.filter((c) => c.name.toLowerCase().includes(wanted.toLowerCase()));
  if (!joined || found.length === 0) return null;
  const give = (one: Coordinator) => {
    const junctions = [...new Set(get().shown!.drawing.bonds.map((b) => b.junction))];
    if (junctions.length === 1) coordinate(junctions[0], one);
    else toast("Drop it onto a junction, or right-click a junction.");
  };
  return (
    <section>
      <h3>Coordinators</h3>
      <ul>
        {found.map((one) => (
          <li key={one.model}>
            <button
              className="offer"
              draggable
              title={`${one.note} Drop it onto a junction.`}
              onDragStart={(e) => e.dataTransfer.setData("application/x-dovetail-coordinator", one.model)}
              onDoubleClick={() => give(one)}
              onKeyDown={(e) => e.key === "Enter" && (e.preventDefault(), give(one))}
            >
              {one.name}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function OfferRow({ offer }: { offer: Offer }) {
  if (!offer.model) return <li className="broken" title={offer.note}>{offer.name}: {offer.note}</li>;
  return (
    <li>
      <button
        className="offer"
        draggable
        title={`${offer.model}: drag it onto the paper, or press Enter`}
        onDragStart={(e) => e.dataTransfer.setData("application/x-dovetail", JSON.stringify(offer))}
        onDoubleClick={() => void place(offer.model, offer.name, undefined, offer.options)}
        onKeyDown={(e) => e.key === "Enter" && (e.preventDefault(), void place(offer.model, offer.name, undefined, offer.options))}
      >
        {offer.name}
        <small>{offer.note === "." ? "" : offer.note}</small>
      </button>
    </li>
  );
}
