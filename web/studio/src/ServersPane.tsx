import { useEffect, useState } from "react";
import { OfferRow } from "./LibraryPane";
import { request, set, useStudio } from "./store";
import type { Server } from "./types";

export async function reloadServers(): Promise<void> {
  const servers = await request<Server[]>("servers");
  if (servers) set({ servers });
}

/** Parts that servers offer, by server. */
export function ServersPane({ wanted }: { wanted: string }) {
  const servers = useStudio((s) => s.servers);
  useEffect(() => void reloadServers(), []);
  const fits = (text: string) => text.toLowerCase().includes(wanted.toLowerCase());
  return (
    <section aria-label="Part servers">
      {servers.map((server) => {
        const found = server.parts.filter((p) => fits(`${p.name} ${p.note}`));
        const remove = () => void request("remove_server", { address: server.address }).then(reloadServers);
        return (
          <div key={server.address}>
            <h3 className="server" title={server.address}>
              <span>{server.address.replace("dovetail://", "")}</span>
              <button aria-label={`Remove ${server.address}`} title="Show this server no longer" onClick={remove}>×</button>
            </h3>
            {server.problem && <p className="note bad">{server.problem}</p>}
            <ul>
              {found.map((p) => (
                <OfferRow key={p.model} offer={{ group: "", model: p.model, name: p.name, note: p.note || p.kind, options: server.access }} />
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}

const FILES: [string, string][] = [
  ["ca", "Its authority"],
  ["cert", "Your certificate"],
  ["key", "Your key"],
];

/** The address of a part server, and what gets one in. */
export function ServerForm({ close }: { close: () => void }) {
  const [address, setAddress] = useState("dovetail://");
  const [given, setGiven] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState("");
  const field = (name: string, title: string, hint: string, secret = false) => (
    <label key={name} className="field">
      <span>{title}</span>
      <input
        type={secret ? "password" : "text"}
        autoComplete="off"
        placeholder={hint}
        value={given[name] ?? ""}
        onChange={(e) => setGiven({ ...given, [name]: e.target.value })}
        onKeyDown={(e) => e.key === "Enter" && void done()}
      />
    </label>
  );
  const done = async () => {
    const access = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ""));
    const added = await request<string>("add_server", { address: address.trim(), ...access });
    if (added === undefined) return;
    await reloadServers();
    const listed = (await request<Server[]>("servers", {}))?.find((s) => s.address === added);
    if (listed?.problem) setProblem(listed.problem);
    else close();
  };
  return (
    <>
      <label className="field">
        <span>Address</span>
        <input data-first value={address} onChange={(e) => setAddress(e.target.value)} onKeyDown={(e) => e.key === "Enter" && void done()} />
      </label>
      {FILES.map(([name, title]) => field(name, title, "a .pem file in this folder"))}
      {field("token", "Or a token", "kept in a file that only you can read", true)}
      <p className="note">A server of this machine without TLS needs neither.</p>
      {problem && <p className="failure">{problem}</p>}
      <div className="buttons">
        <button onClick={close}>Cancel</button>
        <button className="go" onClick={() => void done()}>List its parts</button>
      </div>
    </>
  );
}
