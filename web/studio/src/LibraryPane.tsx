import { useState } from "react";
import { place, reloadLibrary, request, set, useStudio } from "./store";
import type { Offer } from "./types";

const ORDER = ["Python", "FMUs", "Data", "Systems"];

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
        <button title="Look into the folder again" onClick={() => void reloadLibrary()}>⟳</button>
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
      {library && library.offers.length === 0 && (
        <p className="note">There are no models in this folder yet. Drop an FMU or a table onto the paper, or write a Python model.</p>
      )}
      <section>
        <h3>New</h3>
        <button onClick={() => set({ dialog: { what: "template" } })}>Python model …</button>
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

function OfferRow({ offer }: { offer: Offer }) {
  if (!offer.model) return <li className="broken" title={offer.note}>{offer.name}: {offer.note}</li>;
  return (
    <li>
      <button
        className="offer"
        draggable
        title={`${offer.model}: drag it onto the paper, or press Enter`}
        onDragStart={(e) => e.dataTransfer.setData("application/x-dovetail", JSON.stringify(offer))}
        onDoubleClick={() => void place(offer.model, offer.name)}
        onKeyDown={(e) => e.key === "Enter" && (e.preventDefault(), void place(offer.model, offer.name))}
      >
        {offer.name}
        <small>{offer.note === "." ? "" : offer.note}</small>
      </button>
    </li>
  );
}
