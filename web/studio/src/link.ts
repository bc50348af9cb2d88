/** The line to the server: requests with answers, news, and curves as numbers. */

import type { Answer } from "./types";

export interface Curves {
  run: number;
  names: string[];
  times: Float64Array;
  lines: Float64Array[];
  id?: number;
}

/** Something the server refused; `kind` says whether it is a question to the user. */
export class Refused extends Error {
  constructor(
    readonly kind: string,
    readonly problems: { where: string; what: string }[],
    readonly about = "",
  ) {
    super(problems.map((p) => p.what).join("\n"));
  }
}

/** Curves from a message: the length of a head, the head in JSON, then all numbers. */
export function unpacked(data: ArrayBuffer): Curves {
  const size = new DataView(data).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)));
  const numbers = new Float64Array(data, 4 + size);
  const rows: number = head.rows;
  const names: string[] = head.names;
  const lines = names.map((_, k) => numbers.subarray((k + 1) * rows, (k + 2) * rows));
  return { run: head.run, names, id: head.id, times: numbers.subarray(0, rows), lines };
}

type Waiting = { done: (value: unknown) => void; failed: (error: Error) => void };

export class Link {
  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private number = 0;
  private tries = 0;

  constructor(
    private readonly heard: (message: Record<string, unknown>) => void,
    private readonly drawn: (curves: Curves) => void,
    private readonly state: (open: boolean) => void,
  ) {}

  open(): void {
    const socket = new WebSocket(`ws://${location.host}/talk`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.tries = 0;
      this.state(true);
    };
    socket.onmessage = (event) => this.take(event.data);
    socket.onclose = () => {
      this.state(false);
      for (const one of this.waiting.values()) one.failed(new Error("The studio is gone."));
      this.waiting.clear();
      this.tries += 1;
      setTimeout(() => this.open(), Math.min(5000, 300 * this.tries));
    };
    this.socket = socket;
  }

  ask<T>(what: string, given: Record<string, unknown> = {}): Promise<T> {
    const id = ++this.number;
    return new Promise<T>((done, failed) => {
      if (this.socket?.readyState !== WebSocket.OPEN) {
        failed(new Error("The studio is gone."));
        return;
      }
      this.waiting.set(id, { done: done as (value: unknown) => void, failed });
      this.socket.send(JSON.stringify({ id, ask: what, with: given }));
    });
  }

  seen(run: number): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ seen: run }));
  }

  private take(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      const curves = unpacked(data);
      if (curves.id !== undefined) this.settle(curves.id, curves);
      else this.drawn(curves);
      return;
    }
    const message = JSON.parse(data) as Record<string, unknown>;
    if ("id" in message) {
      const answer = message as unknown as Answer;
      if (answer.id === null) return;
      if (answer.problems)
        this.fail(answer.id, new Refused(answer.kind ?? "refused", answer.problems, answer.about));
      else this.settle(answer.id, answer.answer);
      return;
    }
    this.heard(message);
  }

  private settle(id: number, value: unknown): void {
    this.waiting.get(id)?.done(value);
    this.waiting.delete(id);
  }

  private fail(id: number, error: Error): void {
    this.waiting.get(id)?.failed(error);
    this.waiting.delete(id);
  }
}
